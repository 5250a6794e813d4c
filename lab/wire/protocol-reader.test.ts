import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readerOf } from './protocol-reader.ts';

/** @import { Decoder } from './contract.ts' */

const NOTHING = () => {};

test('of a connection that went on in another protocol both are told its end, whichever fails', () => {
	/** @type {string[]} */
	const closed = [];
	/** @type {Decoder} */
	const first = {
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
	/** @type {Decoder} */
	const second = {
		...{ protocol: 'second', title: 'Second', recognise: () => 'no' },
		open: () => ({ client: NOTHING, server: NOTHING, close: () => closed.push('second') }),
	};
	const reader = readerOf([first, second], { midway: false, opened_at: 1 }, NOTHING);
	reader.take('client', { at: 1, bytes: Buffer.from('a'), hole: 0, turn: true });
	reader.close({ at: 2, by: 'client', how: 'closed' });
	assert.deepEqual([reader.protocol, reader.fault, closed], ['second', 'RangeError', ['first', 'second']]);
});
