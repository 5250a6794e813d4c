import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Made, readShop } from './fixtures/made.ts';
import { madeStack, scoresOf } from './fixtures/made-stack.ts';
import type { Joins } from './join-calls.ts';
import { joinedOf } from './joined.ts';
import { BY_ID, BY_ORDER } from './rules.ts';
import { Flags } from './spans.ts';

test('calls that were added are there, and no others', () => {
	const flags = new Flags(20);
	for (const call of [0, 7, 8, 19]) flags.add(call);
	const has = Array.from({ length: 20 }, (_, call) => call).filter((call) => flags.has(call));
	assert.deepEqual(has, [0, 7, 8, 19]);
});

const SQL = { protocol: 'postgres', status: null, template: 'SELECT' };
const CACHED = { protocol: 'redis', status: null, template: 'GET' };

/** A stack in which each of two kinds was alone three times: /list asks the cache and then the database, /item the database alone. */
function known() {
	const made = new Made();
	for (let time = 0; time < 3; time += 1) {
		made.call('k6 web', time, time + 0.03, { template: '/list' });
		made.call('web cache', time + 0.001, time + 0.002, CACHED);
		made.call('web db', time + 0.003, time + 0.029, SQL);
		made.call('k6 web', time + 0.5, time + 0.53, { template: '/item' });
		made.call('web db', time + 0.501, time + 0.529, SQL);
	}
	return made;
}

test('a call that a kind was never seen to ask is of another, though it lies nearer', () => {
	const made = known();
	const list = made.call('k6 web', 10, 10.05, { template: '/list' });
	const item = made.call('k6 web', 10.001, 10.02, { template: '/item' });
	const cached = made.call('web cache', 10.0015, 10.003, CACHED);
	const [its, other] = [made.call('web db', 10.002, 10.0195, SQL), made.call('web db', 10.004, 10.0495, SQL)];
	const { parent } = joinedOf(made.record).joins;
	assert.deepEqual([parent[cached], parent[its], parent[other]], [list, item, list]);
});

test('a request that fails may stop early, and one may ask again what went wrong', () => {
	const made = known();
	const cut = made.call('k6 web', 10, 10.01, { template: '/list', status: 500, bad: true });
	const tried = made.call('k6 web', 10.0005, 10.09, { template: '/list' });
	const first = made.call('web cache', 10.001, 10.0095, { ...CACHED, bad: true });
	const [again, once] = [made.call('web cache', 10.0015, 10.02, { ...CACHED, bad: true }), made.call('web cache', 10.021, 10.05, CACHED)];
	const asked = made.call('web db', 10.051, 10.0895, SQL);
	const { parent } = joinedOf(made.record).joins;
	assert.deepEqual(
		[first, again, once, asked].map((call) => parent[call]),
		[cut, tried, tried, tried],
	);
});

test('what a kind asks is told where it was alone often enough, and of others nothing', () => {
	const made = known();
	const rare = made.call('k6 web', 20, 20.1, { template: '/rare' });
	const { askedAlone } = joinedOf(made.record).joins;
	assert.deepEqual([askedAlone(0, 'cache'), askedAlone(0, 'db'), askedAlone(3, 'cache'), askedAlone(rare, 'db')], [1, 1, 0, null]);
});

test('a request that began while another was there, or just after it, was not alone', () => {
	const made = new Made();
	for (let time = 0; time < 5; time += 1) {
		const one = made.call('k6 web', time, time + 0.1, { template: '/one' });
		assert.ok(one >= 0);
		made.call('k6 web', time + 0.05, time + 0.2, { template: '/two' });
		made.call('k6 web', time + 0.201, time + 0.3, { template: '/three' });
		made.call('web db', time + 0.21, time + 0.29, SQL);
	}
	const { askedAlone } = joinedOf(made.record).joins;
	assert.deepEqual([askedAlone(0, 'db'), askedAlone(1, 'db'), askedAlone(2, 'db')], [null, null, null]);
});

function scored(about: { users: number; ids: boolean; isLoop: boolean }) {
	const sums = { calls: 0, right: 0, reported: 0, wrongReported: 0 };
	for (const seed of [1, 2, 3]) {
		const stack = madeStack({ seed, requests: 300, ...about });
		const { app } = scoresOf(stack, joinedOf(stack.record).joins);
		for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += app[name];
	}
	return sums;
}

test('in made stacks of which the truth is known, most calls behind the first hop are joined rightly, and what is reported as certain is so', () => {
	for (const isLoop of [true, false])
		for (const ids of [true, false])
			for (const [users, least] of [
				[1, 0.999],
				[10, 0.93],
				[20, 0.8],
			]) {
				const { calls, right, reported, wrongReported } = scored({ users, ids, isLoop });
				const what = `${users} users, ${ids ? 'with' : 'without'} ids, ${isLoop ? 'a loop' : 'threads'}`;
				assert.ok(right >= calls * least, `${what}: ${right} of ${calls} right`);
				assert.ok(wrongReported <= reported * 0.03, `${what}: ${wrongReported} wrong of ${reported} that are told as certain`);
			}
});

test('the work grows with the number of requests and no faster', () => {
	const [few, many] = [1000, 4000].map((requests) => {
		const work = { steps: 0 };
		joinedOf(madeStack({ seed: 3, users: 20, requests, isLoop: false }).record, work);
		return work.steps / requests;
	});
	assert.ok(many < few * 1.1, `${many} steps a request, ${few} with fewer`);
});

const joined = ({ parent, basis, ambiguous }: Joins, call: number) => [parent[call], basis[call], ambiguous[call]];

test('an id joins a call to the request that carries it; of several of one id, to the one that it lies in', () => {
	const made = new Made();
	const user = made.call('k6 lb', 0, 1, { id: 'a' });
	const first = made.call('lb web', 0.1, 0.2, { id: 'a', status: 503, bad: true });
	const again = made.call('lb web', 0.3, 0.9, { id: 'a' });
	const asked = [made.call('web cart', 0.15, 0.18, { trace: 't', id: 'a' }), made.call('web cart', 0.5, 0.6, { id: 'a' })];
	const joins = joinedOf(made.record).joins;
	assert.deepEqual(
		[first, again, ...asked].map((call) => joined(joins, call)),
		[user, user, first, again].map((parent) => [parent, BY_ID, 0]),
	);
});

test('a trace that both sides carry joins where there is no id', () => {
	const made = new Made();
	const user = made.call('k6 lb', 0, 1, { trace: 'f'.repeat(32) });
	const call = made.call('lb web', 0.1, 0.2, { trace: 'f'.repeat(32) });
	assert.deepEqual(joined(joinedOf(made.record).joins, call), [user, BY_ID, 0]);
});

test('who passes ids on in one of its ways is matched to requests by time in another; what looks at the callee meanwhile is nobody’s', () => {
	const made = new Made();
	const expected: [number, number, number][] = [];
	for (let index = 0; index < 40; index += 1) {
		const at = index * 0.1;
		const stock = made.call('lb gate', at, at + 0.05, { id: `s-${index}`, template: '/stock' });
		const order = made.call('lb gate', at + 0.005, at + 0.045, { id: `o-${index}`, verb: 'POST', template: '/orders' });
		for (const from of [0.002, 0.024])
			expected.push([made.call('gate back', at + from, at + from + 0.019, { id: `s-${index}`, template: '/stock' }), stock, BY_ID]);
		expected.push([made.call('gate back', at + 0.006, at + 0.043, { verb: 'POST', template: '/orders' }), order, BY_ORDER]);
		const look = index % 2 === 0 ? at + 0.0465 : at + 0.02;
		expected.push([made.call('gate back', look, look + 0.0005, { template: '/health' }), -1, 0]);
	}
	const { parent, basis, edges } = joinedOf(made.record).joins;
	for (const [call, request, by] of expected) assert.deepEqual([call, parent[call], basis[call]], [call, request, by]);
	const { by_id: byId, by_order: byOrder } = edges.find(({ to }) => to === 'back') ?? {};
	assert.deepEqual([byId, byOrder], [80, 40]);
});

test('without ids an answer goes with the call that was over just before it and began after its question, the failed with the good', () => {
	const made = new Made();
	const one = made.call('k6 lb', 0, 2.0004, { status: 504, bad: true });
	const two = made.call('k6 lb', 0.1, 0.5003);
	const own = made.call('k6 lb', 0.45, 0.46, { status: 503, bad: true });
	const givenUp = made.call('lb web', 0.001, 2, { status: null, end: 'given-up', by: 'client' });
	const answered = made.call('lb web', 0.101, 0.5);
	const joins = joinedOf(made.record).joins;
	assert.deepEqual(joined(joins, givenUp), [one, BY_ORDER, 0]);
	assert.deepEqual(joined(joins, answered), [two, BY_ORDER, 0]);
	assert.ok(!joins.parent.includes(own), 'it asked nobody');
});

test('all calls of a request are joined, not its last alone', () => {
	const made = new Made();
	const sql = { protocol: 'postgres', status: null };
	const expected: [number, number[]][] = [];
	for (let index = 0; index < 5; index += 1) {
		const at = index * 0.13;
		const user = made.call('k6 web', at, at + 0.25);
		const [cache] = [made.call('web cache', at + 0.001, at + 0.02, { protocol: 'redis' })];
		const statements = [0.03, 0.09, 0.195].map((from, place) =>
			made.call('web db', at + from, at + from + 0.05, { ...sql, on: `c${index}`, state: place < 2 ? 'transaction' : 'idle' }),
		);
		const beside = made.call('web ads', at + 0.0305, at + 0.06);
		expected.push([user, [cache, ...statements, beside]]);
	}
	const { parent } = joinedOf(made.record).joins;
	for (const [user, calls] of expected)
		assert.deepEqual(
			calls.map((call) => parent[call]),
			calls.map(() => user),
		);
});

test('heartbeats, set-ups, what is said unasked and what goes on without requests are never joined', () => {
	const made = new Made();
	for (let at = 0; at < 20; at += 1) made.call('lb web', at + 0.4, at + 0.401, { template: '/health' });
	const users = [];
	for (let at = 10; at < 20; at += 1) {
		users.push(made.call('k6 lb', at, at + 0.9));
		// What came before it would be looked for before it.
		made.call('lb web', at + 0.5, at + 0.8999);
		for (const role of ['beat', 'connect', 'push', 'wait'] as const) made.call('lb web', at + 0.2, at + 0.3, { role });
	}
	const { calls } = made.record;
	const { parent } = joinedOf(made.record).joins;
	for (const [index, call] of calls.entries()) {
		const isWaitedFor: boolean = call.template === '/' && call.role === undefined && !users.includes(index);
		assert.equal(parent[index] >= 0, isWaitedFor, `${call.template} ${call.role}`);
	}
});

test('two requests that could exchange their calls are reported as ambiguous, and one that could not is not', () => {
	const made = new Made();
	for (const user of [0, 0.0004]) made.call('k6 lb', user, 0.3 + user);
	const calls = [0.0006, 0.0007].map((at) => made.call('lb web', at, 0.2999 + at / 1000));
	made.call('k6 lb', 5, 5.1);
	const alone = made.call('lb web', 5.001, 5.0999);
	const joins = joinedOf(made.record).joins;
	assert.deepEqual(
		[...calls.map((call) => joined(joins, call)), joined(joins, alone)],
		[
			[0, BY_ORDER, 1],
			[1, BY_ORDER, 1],
			[4, BY_ORDER, 0],
		],
	);
	assert.deepEqual(joins.edges, [{ from: 'lb', to: 'web', calls: 3, by_id: 0, by_order: 3, ambiguous: 2 }]);
});

test('what was asked before a call whose join is ambiguous is ambiguous too', () => {
	const made = new Made();
	for (const user of [0, 0.0004]) made.call('k6 web', user, 0.3 + user);
	// Of the last calls each would fit both; of the first, each ended when another last one began.
	const firsts = [0.001, 0.002].map((at, index) => made.call('web cache', at, index === 0 ? 0.1999 : 0.2499));
	const lasts = [0.2, 0.25].map((at) => made.call('web db', at, 0.2999 + at / 10_000));
	const { ambiguous, parent } = joinedOf(made.record).joins;
	for (const call of [...firsts, ...lasts]) assert.deepEqual([parent[call] >= 0, ambiguous[call]], [true, 1]);
});

test('what lies in one request alone is its, however long that works on, and is not ambiguous', () => {
	const made = new Made();
	for (let index = 0; index < 20; index += 1) {
		const at = index * 0.05;
		made.call('lb web', at, at + 0.04, { on: 'u' });
		for (const from of [0.001, 0.004, 0.007]) made.call('web store', at + from, at + from + 0.002, { on: 's', protocol: 'postgres' });
	}
	const { parent, ambiguous, edges } = joinedOf(made.record).joins;
	assert.deepEqual(
		[1, 2, 3, 41, 42, 43].map((call) => [parent[call], ambiguous[call]]),
		[0, 0, 0, 40, 40, 40].map((request) => [request, 0]),
	);
	assert.deepEqual([edges[0].calls, edges[0].by_order, edges[0].ambiguous], [60, 60, 0]);
});

test('a call of another kind that lies in one request alone is its too, though one of them went wrong', () => {
	const made = new Made();
	const asked = [];
	for (let index = 0; index < 20; index += 1) {
		const at = index * 0.025;
		made.call('lb web', at, at + 0.016, { on: 'u' });
		for (const from of [0.002, 0.008])
			made.call('web store', at + from, at + from + 0.003, { on: 's', protocol: 'postgres', status: null });
		asked.push(made.call('web rates', at + 0.012, at + 0.014, { on: 'r', status: index === 9 ? 503 : 200 }));
	}
	const { parent, ambiguous } = joinedOf(made.record).joins;
	assert.deepEqual(
		asked.map((call) => [parent[call], ambiguous[call]]),
		asked.map((call) => [call - 3, 0]),
	);
});

test('an answer is not joined to the middle of a transaction that goes on', () => {
	const made = new Made();
	const [one, two] = [made.call('k6 web', 0, 0.1), made.call('k6 web', 0.002, 0.108)];
	const sql = { protocol: 'postgres', status: null };
	const calls = [
		made.call('web db', 0.003, 0.01, { ...sql, on: 'a', state: 'transaction' }),
		made.call('web db', 0.02, 0.095, { ...sql, on: 'a', state: 'idle' }),
		made.call('web db', 0.004, 0.0985, { ...sql, on: 'b', state: 'transaction' }),
		made.call('web db', 0.099, 0.1075, { ...sql, on: 'b', state: 'idle' }),
	];
	const { parent } = joinedOf(made.record).joins;
	assert.deepEqual(
		calls.map((call) => parent[call]),
		[one, one, two, two],
	);
});

test('a pooler serves each statement of a transaction by itself', () => {
	const made = new Made();
	const expected = [];
	for (const [index, state] of (['transaction', 'transaction', 'idle'] as const).entries()) {
		const sql = { protocol: 'postgres', status: null, template: `S${index}`, state };
		const asked = made.call('web pool', index, index + 0.5, { ...sql, on: 'a' });
		expected.push([made.call('pool db', index + 0.001, index + 0.499, { ...sql, on: 'p' }), asked]);
	}
	const { parent } = joinedOf(made.record).joins;
	for (const [call, asked] of expected) assert.equal(parent[call], asked);
});

test('in a record of the shop, order joins as ids do, and says which of its joins may be others', async () => {
	const wire = await readShop();
	const truth = joinedOf(wire).joins;
	const calls = JSON.parse(JSON.stringify(wire.calls)).map(({ id, trace, ...call }: any) => call);
	const reported = joinedOf({ ...wire, calls }).joins;
	const known = [...truth.basis.keys()].filter((call) => truth.basis[call] === BY_ID);
	const wrong = known.filter((call) => reported.parent[call] !== truth.parent[call]);
	assert.ok(known.length > 500, `${known.length} matched to requests by id`);
	assert.ok(wrong.length < known.length * 0.08, `${wrong.length} of ${known.length} otherwise`);
	assert.ok(
		wrong.filter((call) => reported.ambiguous[call] === 0).length < known.length * 0.01,
		'nearly all of those are told as ambiguous',
	);
	// What asked nobody is refused by the balancer itself, though good requests call at the same time.
	const refused = [...wire.calls.keys()].filter((call) => wire.calls[call].status === 503);
	const parents = new Set(reported.parent);
	assert.ok(refused.length > 100);
	assert.equal(refused.filter((call) => parents.has(call)).length, 0);
});

/** A load of 1,000 requests a second through three edges. */
function busy(requests: number) {
	const made = new Made();
	let seed = 1;
	const random = () => {
		seed = (seed * 48271) % 2147483647;
		return seed / 2147483647;
	};
	for (let index = 0; index < requests; index += 1) {
		const at = index / 1000;
		const took = 0.01 + random() * 0.05;
		made.call('k6 lb', at, at + took + 0.0006, { on: `u${index % 200}` });
		made.call('lb web', at + 0.0002, at + took + 0.0004, { on: `l${index % 200}` });
		made.call('web db', at + 0.001, at + took, { on: `d${index % 200}`, protocol: 'postgres' });
	}
	return made.record;
}

test('the work grows with the number of calls and no faster', () => {
	const [few, many] = [5_000, 20_000].map((requests) => {
		const work = { steps: 0 };
		const { joins } = joinedOf(busy(requests), work);
		assert.ok(joins.edges.every(({ calls, by_order: joined }) => joined > calls * 0.99));
		return work.steps / requests;
	});
	assert.ok(many < few * 1.1, `${many} steps a request, ${few} with fewer`);
	assert.ok(many < 4 * 2 * 160, `${many} steps a request`);
});
