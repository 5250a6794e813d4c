import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Decoder } from './contract.ts';
import { readerOf } from './protocol-reader.ts';

const NOTHING = () => {};

test('of a connection that went on in another protocol both are told its end, whichever fails', () => {
	const closed: string[] = [];
	const first: Decoder = {
		...{ protocol: 'first', title: 'First', recognise: () => 'yes' },
		open: (emit) => ({
			client: () => emit.becomes('second'),
			server: NOTHING,
			close: () => {
				closed.push('first');
				throw new RangeError('canary');
			},
		}),
	};
	const second: Decoder = {
		...{ protocol: 'second', title: 'Second', recognise: () => 'no' },
		open: () => ({ client: NOTHING, server: NOTHING, close: () => closed.push('second') }),
	};
	const reader = readerOf([first, second], { midway: false, opened_at: 1 }, NOTHING);
	reader.take('client', { at: 1, bytes: Buffer.from('a'), hole: 0, turn: true });
	reader.close({ at: 2, by: 'client', how: 'closed' });
	assert.deepEqual([reader.protocol, reader.fault, closed], ['second', 'RangeError', ['first', 'second']]);
});
