/** Connections that somebody between forgot, as small records; beside each what looks the same and is not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, reported, SQL, said, ZERO } from './fixtures/made-stack.ts';

/**
 * A pool of twelve, of which a pause leaves all silent but three; then what is sent on those that were silent is lost, and what is sent on others is not.
 */
function forgetting({ isLost = (silent) => silent }: { isLost?: (silent: boolean, index: number) => boolean } = {}) {
	const stack = new MadeStack();
	const ask = (at: number, on: string, isBad = false) => {
		stack.call('k6 api', at, at + (isBad ? 4 : 0.02), isBad ? { status: 504 } : {});
		stack.call('api relay', at + 0.001, isBad ? null : at + 0.019, { ...SQL, on });
	};
	each(-5, 8, 0.05, (at, index) => ask(at, `p${index % 12}`));
	each(8, 18, 0.1, (at, index) => ask(at, `p${index % 3}`));
	each(18, 22, 0.05, (at, index) => {
		const silent = index % 4 === 0 && index < 36;
		ask(at, silent ? `p${3 + index / 4}` : `p${index % 3}`, isLost(silent, index));
	});
	return stack;
}

test('what is never answered on connections that were silent, and only there, was forgotten by who was asked', () => {
	const { findings } = forgetting().follow();
	assert.deepEqual(findings.map(said), ['relay: forgotten']);
	assert.match(findings[0].title ?? '', /^answered nothing any more on connections that had been silent for 1\d\.\d\d s or longer$/);
	assert.match(findings[0].evidence.join(), /9 of 9 calls of api to relay got no answer .+ of \d\d others in the same seconds 0 got none/);
});

test('but not where others got none either, or where silent ones were answered', () => {
	assert.ok(!reported(forgetting({ isLost: (silent, index) => silent || index % 3 === 0 })).includes('relay: forgotten'));
	assert.ok(!reported(forgetting({ isLost: (_, index) => index % 5 === 0 })).includes('relay: forgotten'));
});

test('a connection that the callee closed long before, and that good requests did without, is no dead one', () => {
	const stack = new MadeStack();
	const limit = 3;
	for (const on of ['idle 1', 'idle 2']) stack.call('mesh stock', -9, -8.99, { on });
	for (const { connection } of stack.wire.calls)
		Object.assign(stack.wire.connections[connection], { ended_at: ZERO + 2, outcome: 'closed', by: 'server' });
	each(-8, 29, 0.05, (at, index) => {
		const isOver = at >= 10 && index % 4 === 3;
		stack.call('k6 web', at - 0.001, at + 0.06, { status: isOver ? 502 : 200 });
		stack.call('web mesh', at, at + (isOver ? 0.0006 : 0.05), { status: isOver ? 503 : 200 });
		if (!isOver) stack.call('mesh stock', at + 0.001, at + 0.048, { on: `${index % limit}` });
	});
	assert.deepEqual(reported(stack), ['mesh: turned-away']);
});
