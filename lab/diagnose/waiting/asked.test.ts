/**
 * Which bad calls go with the requests that failed: refused connections, by which nothing was passed that the joins could tell them by.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, said } from './fixtures/made-stack.ts';

const REDIS = { protocol: 'redis', status: null };

/**
 * Carts of two kinds: one alone after the other, then many at once that wait for one worker. From second 6 on some of them have to connect anew,
 * and are turned away.
 * @param given isFailed: by that
 */
function carts({ isFailed = true }: { isFailed?: boolean } = {}) {
	const stack = new MadeStack(30);
	const serve = (at: number, turn: number, index: number, isAway = false) => {
		const isPut = index % 3 === 0;
		const isBad = isAway && isFailed;
		stack.call('k6 api', at, turn + 0.03, { verb: isPut ? 'PUT' : 'GET', template: '/cart/:id', status: isBad ? 500 : 200 });
		if (isAway) {
			const [from, on] = [turn + 0.002, `new ${index}`];
			stack.call('api cache', from, from + 0.001, {
				...REDIS,
				on,
				role: 'connect',
				verb: 'CONNECT',
				template: '',
				code: 'MAXCLIENTS',
				bad: true,
			});
			// It had sent what sets the connection up, which nobody answers.
			stack.call('api cache', from + 0.001, from + 0.002, {
				...REDIS,
				on,
				role: 'connect',
				verb: 'SELECT',
				template: 'SELECT',
				end: 'closed',
				by: 'server',
			});
			Object.assign(stack.wire.connections.at(-1) ?? {}, { ended_at: 1_000_000 + from + 0.002, outcome: 'closed', by: 'server' });
		}
		if (isBad) return;
		const verbs = isPut ? ['HINCRBY', 'EXPIRE'] : ['HGETALL'];
		for (const [place, verb] of verbs.entries())
			stack.call('api cache', turn + 0.014 + place * 0.004, turn + 0.017 + place * 0.004, {
				...REDIS,
				on: `kept ${index % 6}`,
				verb,
				template: verb,
			});
	};
	each(-9, 5, 0.2, (at, index) => serve(at, at, index));
	// Ten come at once and are served in turn.
	each(6, 28, 0.4, (at, round) => {
		for (let one = 0; one < 10; one += 1) serve(at + one / 1000, at + 0.02 + one * 0.035, round * 10 + one, (round * 7 + one * 3) % 5 < 3);
	});
	return stack;
}

test('as many refused connections as failed requests are why these failed, whatever had been sent on them', () => {
	const [finding, ...others] = carts().follow().findings;
	assert.deepEqual([said(finding), others], ['cache: turned-away', []]);
	assert.match(String(finding.title), /^turned connections away with error MAXCLIENTS/);
	assert.ok(
		finding.chain.some(({ by, edge }) => edge.to === 'cache' && by === 'within'),
		JSON.stringify(finding.chain),
	);
});

test('where requests went well that had been turned away as often, that is not why others failed', () => {
	const stack = carts({ isFailed: false });
	each(6, 28, 0.2, (at, index) =>
		stack.call('k6 api', at + 0.0005, at + 0.009, { verb: 'GET', template: '/cart/:id', status: 500, id: `f${index}` }),
	);
	const { findings } = stack.follow();
	assert.deepEqual(findings.filter(({ place }) => place.service === 'cache').map(said), []);
});
