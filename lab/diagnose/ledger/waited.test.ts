import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logWords } from '../../adapters/log-words.ts';
import { causes, mechanisms } from '../../record/causes.ts';
import { waitedCauses } from '../../record/waited-causes.ts';
import { joinedOf, linedOf } from '../joins/joined.ts';
import { withNamed } from '../joins/named.ts';
import { each, MadeStack, ZERO } from '../waiting/fixtures/made-stack.ts';
import { followAll } from '../waiting/waiting.ts';
import { gapsOf } from '../wire-gaps.ts';
import { placeWaited, readingsOf, titleOf } from './waited.ts';

const TIERS = ['load-balancer', 'app', 'pool', 'cache', 'database', 'queue'];

/** @param failures by the generator's word */
function placedIn(
	stack: MadeStack,
	failures: { id: string; at: number; status?: number; kind?: string; waited?: number }[],
	{
		tiers = { lb: 'load-balancer', api: 'app', db: 'database' },
		wire = {},
		program = null,
		failed,
	}: { tiers?: Record<string, string>; wire?: object; program?: object | null; failed?: number } = {},
) {
	const services = Object.entries(tiers).map(([name, tier]) => ({ name, tier }));
	const reported = failures.map(({ id, at, status = 0, kind = 'status', waited = 1 }) => ({
		id,
		t: ZERO + at,
		waited_s: waited,
		status,
		code: 0,
		kind,
	}));
	const { containers, kernel, host, events } = stack;
	const raw = {
		...{ wire: withNamed({ ...stack.wire, ...wire }, reported), failures: reported, program, adapted: [] },
		...{ containers, kernel, host, events, finalStates: [] },
		manifest: {
			machine: { cores: 2 },
			services,
			edges: [
				{ from: 'k6', to: 'lb' },
				{ from: 'lb', to: 'api' },
			],
			system: { title: 'shop', is_followed: true },
		},
	} as any;
	const nothing = { seen: null, asked: [], own: [], attempts: [], late: [] };
	const facts = {
		raw,
		traces: reported.map((one) => ({ ...one, ...nothing })),
		generator: { name: 'k6', failed: failed ?? reported.length },
		gaps: gapsOf(linedOf(raw.wire), raw.manifest.edges),
		tiers: new Map(services.map(({ name, tier }) => [name, tier])),
		...{ entry: { name: 'lb', tier: 'load-balancer' }, entries: new Set(['lb']), increments: {} },
	} as any;
	const followed = followAll(
		raw,
		{ warmupFrom: ZERO - 10, from: ZERO, to: ZERO + 30 },
		{ joined: joinedOf(raw.wire), words: logWords, failures: facts.generator.failed },
	);
	return placeWaited(facts, followed);
}

const rowsOf = (all: ReturnType<typeof placedIn>) => {
	const rows: Record<string, number> = {};
	for (const { placement } of all) {
		const key = placement ? `${placement.service} ${placement.tier}/${placement.cause} ${placement.where}` : 'none';
		rows[key] = (rows[key] ?? 0) + 1;
	}
	return rows;
};

/** api answers each fifth request with an error of its own; with ids. */
function failing(hasId: boolean) {
	const stack = new MadeStack();
	const failures: { id: string; at: number; status: number }[] = [];
	each(-5, 29, 0.1, (at, index) => {
		const isBad = at > 5 && index % 5 === 0;
		const status = isBad ? 500 : 200;
		stack.call('k6 lb', at, at + 0.02, { status, id: `r${index}` });
		stack.call('lb api', at + 0.001, at + 0.019, { status, ...(hasId ? { id: `r${index}` } : {}) });
		if (isBad) failures.push({ id: `r${index}`, at: at + 0.02, status });
	});
	return { stack, failures };
}

test('each failed request is placed where the walk of it ended, and proved where ids lead there', () => {
	const { stack, failures } = failing(true);
	assert.deepEqual(rowsOf(placedIn(stack, failures)), { 'api app/app-error proved': failures.length });
	const byOrder = failing(false);
	assert.deepEqual(rowsOf(placedIn(byOrder.stack, byOrder.failures)), { 'api app/app-error counted': failures.length });
});

test('a request whose id stands behind a long head is placed by its time and status, and never proved', () => {
	for (const status of [400, 502]) {
		const stack = new MadeStack();
		const failures: { id: string; at: number; status: number; waited: number }[] = [];
		each(-5, 29, 0.1, (at, index) => {
			const isLong = at > 5 && index % 3 === 0;
			stack.call('k6 lb', at, at + 0.002, isLong ? { status, hole: true, sent_bytes: 8400 } : { id: `r${index}`, sent_bytes: 300 });
			if (isLong) failures.push({ id: `r${index}`, at: at + 0.003, status, waited: 0.004 });
		});
		assert.deepEqual(rowsOf(placedIn(stack, failures)), { 'lb load-balancer/balancer-refused counted': failures.length });
	}
});

test('a request that failed at once is placed, though by the clock of whole milliseconds the load had ended when it began', () => {
	const { stack, failures } = failing(true);
	stack.call('k6 lb', 30.0004, 30.0007, { status: 500, id: 'last' });
	stack.call('lb api', 30.0005, 30.0006, { status: 500, id: 'last' });
	const all = placedIn(stack, [...failures, { id: 'last', at: 30, status: 500, waited: 0.001 }]);
	assert.deepEqual(rowsOf(all), { 'api app/app-error proved': failures.length + 1 });
});

test('nothing is proved where the wire lost packets of the way', () => {
	const { stack, failures } = failing(true);
	const networks = [{ ...stack.wire.networks[0], dropped: 7 }];
	const services = ['k6', 'lb', 'api'].map((name) => ({
		address: name,
		name,
		service: name,
		container: name,
		from: 0,
		to: null,
		network: 'net',
	}));
	assert.deepEqual(rowsOf(placedIn(stack, failures, { wire: { networks, services } })), { 'api app/app-error inferred': failures.length });
});

test('a connection that was refused has no id, and is found by its time; a failure that nobody saw is not placed', () => {
	const stack = new MadeStack();
	each(-5, 10, 0.1, (at, index) => stack.call('k6 lb', at, at + 0.01, { id: `g${index}` }));
	each(10, 12.1, 0.1, (at) => stack.refused('k6 lb', at));
	const failures: { id: string; at: number; kind: string }[] = [];
	each(10, 12, 0.1, (at, index) => failures.push({ id: `f${index}`, at: at + 0.001, kind: 'refused' }));
	const all = placedIn(stack, [...failures, { id: 'answered', at: 11.95, status: 500 }, { id: 'late', at: 25, kind: 'eof' }]);
	assert.deepEqual(rowsOf(all), { 'lb load-balancer/refused counted': 20, none: 2 });
});

test('a connection request that nobody answers is found by when it began: the wire does not see when its caller gives up', () => {
	const stack = new MadeStack(40);
	each(-5, 5, 0.1, (at, index) => stack.call('k6 lb', at, at + 0.01, { id: `g${index}` }));
	each(5, 7, 0.1, (at) =>
		stack.connect('k6 lb', at, { accepted_at: null, accepts: 0, outcome: 'unanswered', syns: 5, syn_at: ZERO + at + 15 }),
	);
	const failures: { id: string; at: number; kind: string; waited: number }[] = [];
	each(5, 7, 0.1, (at, index) => failures.push({ id: `f${index}`, at: at + 30, kind: 'dial_timeout', waited: 30.01 }));
	assert.deepEqual(rowsOf(placedIn(stack, failures)), { 'lb load-balancer/unreachable counted': 20 });
});

test('what the generator could not send is attributed to the generator alone', () => {
	const { stack, failures } = failing(true);
	const all = placedIn(stack, [...failures, { id: 'x', at: 20, kind: 'no_descriptors' }]);
	assert.equal(all.at(-1)?.placement === null, false);
	assert.deepEqual(
		all.filter(({ placement }) => placement?.tier === 'generator').map(({ trace }) => trace.id),
		['x'],
	);
});

test('of a program that keeps no list the failed calls on the wire are placed, and no more than it counts', () => {
	const { stack, failures } = failing(true);
	const all = placedIn(stack, [], { program: {}, failed: 10 });
	assert.equal(all.length, 10);
	assert.equal(placedIn(stack, [], { program: {}, failed: failures.length + 5 }).length, failures.length);
});

/** Of a request that was followed to a service of this tier, where this had befallen it. */
function causeOf(mechanism: string | null, tier: string) {
	const finding = { mechanism, place: { service: 'one' }, basis: 'proved', why_basis: 'proved', chain: [] };
	const followed = { seen: { calls: [{ id: 'r' }] }, failed: [0], foundOf: new Map([[0, { finding, isLoose: false }]]) };
	const trace = {
		id: 'r',
		t: ZERO,
		waited_s: 1,
		status: 500,
		code: 0,
		kind: 'status',
		seen: null,
		asked: [],
		own: [],
		attempts: [],
		late: [],
	};
	const facts = { raw: {}, traces: [trace], generator: { name: 'k6', failed: 1 }, gaps: [], tiers: new Map([['one', tier]]) };
	const given = { ...facts, entries: new Set(['lb']), increments: {} };
	const [{ placement }] = placeWaited(given as any, followed as any);
	return placement?.cause ?? assert.fail(`${mechanism} at a ${tier} is not placed`);
}

test('every mechanism has a cause on every tier, with its rule', () => {
	for (const mechanism of [...Object.keys(mechanisms), null])
		for (const tier of TIERS) {
			const cause = causeOf(mechanism, tier);
			assert.ok(causes[cause], `${mechanism} at a ${tier}: ${cause}`);
		}
});

test('what stood without a reason says what is known, and that the reason is not', () => {
	const stack = new MadeStack();
	const failures: { id: string; at: number; kind: string }[] = [];
	each(-5, 29, 0.1, (at, index) => {
		const isBad = at > 5 && index % 5 === 0;
		stack.call('k6 lb', at, at + (isBad ? 2 : 0.01), { id: `r${index}`, ...(isBad ? { end: 'given-up', by: 'client' } : {}) });
		if (isBad) failures.push({ id: `r${index}`, at: at + 2, kind: 'timeout' });
	});
	const all = placedIn(stack, failures);
	assert.deepEqual(Object.keys(rowsOf(all)), ['lb load-balancer/client-gave-up inferred']);
	const { finding, cause } = all[0].placement as any;
	assert.match(titleOf(finding, cause).title, /^it was still working when the client gave up; why is not on record$/);
	const [way] = readingsOf(finding);
	assert.deepEqual(way, { kind: 'reading', text: 'k6 → lb: given up before a byte of the answer, after 2.00 s.' });
});

test('what the last of the way did is not said of a place beside it', () => {
	const chain = [
		{ service: 'list', edge: { from: 'api', to: 'list' }, said: 'it took 4.00 s to answer', failed: null, good: null, by: 'waiting' },
	];
	const finding = (service: string, more = {}) =>
		({ mechanism: null, title: 'left 3 calls unanswered', chain, place: { service, edge: null }, ...more }) as any;
	assert.equal(titleOf(finding('signer'), 'unexplained').title, 'it left 3 calls unanswered');
	assert.equal(titleOf(finding('signer', { log: { words: 'x', is_each: true } }), 'unexplained').title, 'its log says each time: “x”');
	assert.equal(titleOf(finding('list'), 'unexplained').title, 'it took 4.00 s to answer; left 3 calls unanswered');
});

test('every cause of following the waiting is that of a mechanism, or of none that is on record', () => {
	const known = new Set([...Object.keys(mechanisms), null].map((mechanism) => causeOf(mechanism, 'app')));
	assert.deepEqual(
		Object.keys(waitedCauses).filter((cause) => !known.has(cause)),
		[],
	);
});

test('a line of the log that there is of each is said first, in its own words, and its number before the way', () => {
	const chain = [{ service: 'api', edge: { from: 'k6', to: 'api' }, said: 'answered 500', failed: 1, good: 0, by: 'request' }];
	const evidence = ['Its log says, 9 times for 9 failed requests: “x”', '9 times api answered 500.'];
	const base = {
		mechanism: 'own-error',
		title: 'answered 500 by itself',
		chain,
		evidence,
		doubts: [],
		place: { service: 'api', edge: null },
	};
	const finding = (more: object) => ({ ...base, ...more }) as any;
	const quoted = finding({ log: { words: 'x', is_each: true } });
	assert.equal(titleOf(quoted, 'app-error').title, 'its log says each time: “x”; it answered 500 by itself');
	assert.equal(
		titleOf({ ...quoted, place: { service: 'api-1, api-2', edge: null } }, 'app-error').title,
		'their logs say each time: “x”; each answered 500 by itself',
	);
	assert.deepEqual(
		readingsOf(quoted).map((item) => item.kind === 'reading' && item.text),
		[evidence[0], 'k6 → api: answered 500.', evidence[1]],
	);
	// A cause that is known stands for its words.
	assert.equal(titleOf(finding({ log: { words: '', is_each: true } }), 'app-error').title, 'it answered 500 by itself');
	const then = finding({ mechanism: null, title: null, log: { words: 'x', is_each: false } });
	assert.equal(titleOf(then, 'unexplained').title, 'answered 500; its log says while requests failed, and never in calm seconds: “x”');
	assert.equal(readingsOf(then).map((item) => item.kind === 'reading' && item.text)[0], 'k6 → api: answered 500.');
});

test('who answered is told as waited for, and not as if an answer were a fault', () => {
	const hop = { service: 'db', edge: { from: 'api', to: 'db' }, failed: null, good: null };
	const titled = (said: string, by: string) =>
		titleOf({ mechanism: null, title: null, place: { service: 'db' }, chain: [{ ...hop, said, by }] } as any, 'unexplained').title;
	assert.equal(titled('answered', 'waiting'), 'requests waited for its answers; why is not on record');
	assert.equal(titled('answered 503', 'order'), 'answered 503; why is not on record');
});
