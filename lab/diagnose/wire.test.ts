import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decoder as http } from '../adapters/http/wire.ts';
import { architectures } from '../catalog/architectures.ts';
import { measuredRemedies } from '../catalog/measured-remedies.ts';
import type { Remedy } from '../catalog/project-schema.ts';
import { touchesOf } from '../record/touches.ts';
import type { TryNext } from '../record/types.js';
import { formatRunMarkdown } from '../report/run-markdown.ts';
import { wireSection } from '../report/sections/wire.ts';
import { Connections } from '../wire/connections.ts';
import { Seen } from '../wire/fixtures/seen.ts';
import { Talk } from '../wire/fixtures/talk.ts';
import type { TcpPacket } from '../wire/packets.ts';
import type { WireRecord } from '../wire/record.ts';
import { tryNextOf, watchNext } from './advice.ts';
import type { RuleCase } from './fixtures/answer-cases.ts';
import { projectCases } from './fixtures/project-cases.ts';
import { factsOf, recordOf } from './fixtures/record.ts';
import { readStoredRun } from './fixtures/stored-run.ts';
import { Made } from './joins/fixtures/made.ts';
import { joinedOf, linedOf } from './joins/joined.ts';
import { withNamed } from './joins/named.ts';
import { buildLedger } from './ledger/ledger.ts';
import { afterDoubts } from './make-valid.ts';
import type { Raw } from './read-raw.ts';
import { resultOf } from './result.ts';
import { wireOf } from './wire.ts';
import { gapsOf } from './wire-gaps.ts';
import { wireRequestsOf } from './wire-requests/trees.ts';
import { withTimeouts } from './wire-timeouts.ts';

const GET = 'GET /items/5 HTTP/1.1\r\n\r\n';
const [OK, BAD] = ['200 OK', '502 Bad'].map((line) => `HTTP/1.1 ${line}\r\nContent-Length: 0\r\n\r\n`);
const [K6, LB, WEB] = ['10.0.0.9', '10.0.0.1', '10.0.0.2'];

const had = (address: string, name: string, from: number, to: number | null = null) => ({
	address,
	service: name,
	name,
	container: name,
	from,
	to,
});

/** A load of 100 s, in which lb gives up web after 2 s each. */
function recorded(): WireRecord {
	const record: WireRecord = {
		services: [had(K6, 'k6', 900), had(LB, 'lb', 900), had(WEB, 'web', 900, 1050), had(WEB, 'job', 1050)],
		networks: [
			{
				...{ network: 'run_default', unseen: '', ended_early: '', dropped: 3, cpu_s: 0.1 },
				counters: { packets: 90, unread: 0, stray: 0, datagrams: 0, first_at: 990, last_at: 1100, is_cut: false, broken: '' },
				hosts: [{ source: LB, target: WEB, asked: 4, answered: 1, first_at: 1010, last_at: 1040 }],
			},
		],
		connections: [],
		calls: [],
	};
	const connections = new Connections([http], {
		call: (call, { id }) => record.calls.push({ ...call, connection: id }),
		connection: (connection) => record.connections.push(connection),
	});
	const give = (...packets: TcpPacket[]) => {
		for (const packet of packets) connections.take(packet);
	};
	for (let index = 0; index < 10; index += 1) {
		const user = new Talk({ at: 1001 + index * 5, client: K6, clientPort: 100 + index, server: LB });
		const behind = new Talk({ at: 1001 + index * 5, client: LB, clientPort: 200 + index, server: WEB, serverPort: 8000 });
		give(...user.open(), user.say('client', 'A', GET), ...behind.open(), behind.say('client', 'A', GET));
		if (index < 4) give(behind.wait(2).say('client', 'AF'), user.wait(2).say('server', 'A', BAD));
		else give(behind.wait(0.01).say('server', 'A', OK), user.wait(0.02).say('server', 'A', OK), behind.say('client', 'AF'));
		give(user.say('client', 'AF'), user.say('server', 'AF'));
	}
	const refused = new Talk({ at: 1060, client: LB, clientPort: 300, server: WEB, serverPort: 8000 });
	give(refused.say('client', 'S'), refused.say('server', 'RA'));
	const early = new Talk({ at: 950, client: K6, clientPort: 400, server: LB });
	give(...early.open(), early.say('client', 'A', GET), early.say('server', 'A', OK));
	connections.end();
	return record;
}

const WINDOW = { from: 1000, to: 1100, warmupFrom: 940 };

test('each edge of the load has its connections, calls, statuses and times, by the names that addresses had then', () => {
	const wire = wireOf(linedOf(recorded()), WINDOW, gapsOf(linedOf(recorded()), []));
	assert.deepEqual(
		wire?.edges.map(({ from, to, port, protocol, calls }) => [from, to, port, protocol, calls]),
		[
			['k6', 'lb', 80, 'http', 10],
			['lb', 'web', 8000, 'http', 10],
			['lb', 'job', 8000, '', 0],
		],
	);
	const [user, web, job] = wire?.edges ?? [];
	assert.deepEqual([user.statuses, user.bad, user.time_ms], [{ '2xx': 6, '5xx': 4 }, 4, { p50: 20, p95: 2000 }]);
	assert.deepEqual([web.ends['given-up'], web.ends.answered, web.gave_up_after_ms], [4, 6, { p10: 2000, p50: 2000, p90: 2000 }]);
	assert.deepEqual(job.connections, { opened: 1, refused: 1, unanswered: 0, reset: 0, closed_unasked: 0 });
	assert.deepEqual(wire?.no_host, [{ from: 'lb', to: 'web', asked: 3 }]);
	assert.deepEqual(wire?.doubts, [
		'3 packets of run_default were dropped by the kernel; calls may be missing on k6 → lb, lb → web, lb → job',
	]);
});

test('what the generator asked it judged itself, whatever the status, and what others asked their callee did', () => {
	const made = new Made();
	for (const [id, status] of [
		['a', 200],
		['b', 404],
		['c', 404],
		['d', 500],
	] as [string, number][]) {
		made.call('k6 lb', 1001, 1002, { id, status, bad: status >= 500 });
		made.call('lb web', 1001.1, 1001.9, { id, status, bad: status >= 500 });
	}
	const badOf = (failedIds: Set<string> | null) =>
		wireOf(linedOf(made.record), WINDOW, [], failedIds)?.edges.map(({ from, bad }) => [from, bad]);
	assert.deepEqual(badOf(new Set(['b', 'd'])), [
		['k6', 2],
		['lb', 1],
	]);
	assert.deepEqual(badOf(new Set()), [
		['k6', 0],
		['lb', 1],
	]);
	assert.deepEqual(badOf(null), [
		['k6', 1],
		['lb', 1],
	]);
});

test('an answer by which a request failed is bad, though the id of that request is not on record', () => {
	const made = new Made();
	made.call('k6 lb', 1001, 1001.001, { status: 400, hole: true });
	made.call('k6 lb', 1002, 1002.001, { status: 400, hole: true });
	const failures = [{ id: 'a', t: 1001.002, waited_s: 0.003, status: 400, code: 1400, kind: 'status' }];
	const [edge] = wireOf(linedOf(withNamed(made.record, failures)), WINDOW, [], new Set(['a']))?.edges ?? [];
	assert.deepEqual([edge.calls, edge.statuses, edge.bad], [2, { '4xx': 2 }, 1]);
});

test('an answer that came when nobody waited any more is late, and none of the bad ones that are reported as answered', () => {
	const wire = recorded();
	const [call] = wire.calls.filter(({ end, bad }) => end === 'answered' && bad);
	wire.calls.push({ ...call, end: 'given-up', late_at: Number(call.ended_at) + 1 });
	const [user] = wireOf(linedOf(wire), WINDOW)?.edges ?? [];
	assert.deepEqual([user.statuses['5xx'], user.bad, user.late, user.ends['given-up']], [4, 4, 1, 1]);
});

test('a run of which nothing was recorded has no such section', async () => {
	assert.equal(wireOf(null, WINDOW), null);
	const result = resultOf(await readStoredRun());
	assert.equal(result.wire, null);
	assert.equal(wireSection(result), null);
	assert.doesNotMatch(formatRunMarkdown({ result, judged: [] }), /On the wire/);
});

test('the page and the summary show who asked whom, and who gave up after how long', async () => {
	const result = { ...resultOf(await readStoredRun()), wire: wireOf(linedOf(recorded()), WINDOW) };
	for (const text of [wireSection(result)?.text ?? '', formatRunMarkdown({ result, judged: [] })]) {
		for (const wanted of ['k6 → lb:80', 'lb → web:8000', '6 2xx, 4 5xx', '4 given up after 2 s each', 'lb looked for web 3 times'])
			assert.ok(text.replaceAll('\u00a0', ' ').includes(wanted), `${wanted} in ${text}`);
		assert.doesNotMatch(text, /\d bad/);
	}
});

test('a time-out is told of its edge, on the page and in the summary, and of the failed requests that ran into it', async () => {
	const wire = recorded();
	const found = wireRequestsOf({ failures: [], program: null }, WINDOW, joinedOf(wire));
	const reported = wireOf(linedOf(wire), WINDOW) ?? assert.fail();
	const edges = withTimeouts(reported, found.timeouts);
	assert.deepEqual(
		edges.map(({ from, to, timeouts }) => [from, to, timeouts]),
		[
			['k6', 'lb', []],
			['lb', 'web', [{ by: 'lb', how: 'gave-up', after_ms: 2000, count: 4, share: 1 }]],
			['lb', 'job', []],
		],
	);
	const result = { ...resultOf(await readStoredRun()), wire: { ...reported, edges } };
	for (const text of [wireSection(result)?.text ?? '', formatRunMarkdown({ result, judged: [] })])
		assert.ok(text.replaceAll('\u00a0', ' ').includes('lb gave up on web after 2.00 s, 4 times: this is a time-out'), text);
});

test('logins that were answered with an error are told of their edge, with its code', async () => {
	const made = new Made();
	for (const at of [1001, 1002]) made.call('web db', at, at + 0.001, { role: 'connect', status: null, code: '1040', bad: true });
	made.call('web db', 1003, 1003.001, { role: 'connect', status: null });
	const wire = wireOf(linedOf(made.record), WINDOW);
	assert.deepEqual([wire?.edges[0].turned_away, wire?.edges[0].beside], [{ 1040: 2 }, 3]);
	const result = { ...resultOf(await readStoredRun()), wire };
	for (const text of [wireSection(result)?.text ?? '', formatRunMarkdown({ result, judged: [] })])
		assert.ok(text.includes('2 turned away with 1040'), text);
});

test('what is hidden counts where its connection was used in the load, though its last byte came after', () => {
	const { record } = new Seen({ k6: ['k6'], edge: ['edge'] }).asks('k6', 'edge', { protocol: 'tls' });
	Object.assign(record.connections[0], { hidden_bytes: 900, opened_at: 1010, last_at: 1041 });
	const hiddenIn = (from: number, to: number) => wireOf(linedOf(record), { warmupFrom: 1000, from, to })?.edges[0]?.hidden_bytes;
	assert.deepEqual([hiddenIn(1005, 1040), hiddenIn(1020, 1040), hiddenIn(1042, 1050)], [900, 900, undefined]);
});

const lost = (cause: string, tier = 'load-balancer') => ({ failures: [{ tier, cause }] }) as any;
const FULL = lost('connection-table-full-idle');
const shipped = (id: string) => ({ id, remedies: architectures[id].remedies });
const MADE = { command: 'make run-2a LOAD=ramp BUDGET=none SEED=7', load: 'ramp' };
const commandsOf = (next: TryNext[]) => next.map(({ command }) => command);

test('what takes away the cause of most failures is what to try next, spelt as the run was, and nothing when nothing does', () => {
	const installed = { command: 'LOAD=smoke doubletake run 2a', load: 'smoke' };
	assert.deepEqual(commandsOf(tryNextOf(shipped('2a'), MADE, FULL)), ['make run-2a-slots LOAD=ramp']);
	assert.deepEqual(commandsOf(tryNextOf(shipped('2a'), installed, FULL)), ['LOAD=smoke doubletake run 2a-slots']);
	assert.deepEqual(commandsOf(tryNextOf(shipped('a-lb'), MADE, FULL)), ['make run-a-lb-slots LOAD=ramp']);
	assert.deepEqual(tryNextOf(shipped('2a'), MADE, lost('app-crashed', 'app')), []);
	assert.deepEqual(tryNextOf(shipped('2a'), MADE, lost('no-live-upstream')), [], 'of the same tier, and for another cause');
	assert.deepEqual(tryNextOf(shipped('2a'), MADE, { failures: [] } as any), []);
	assert.deepEqual(tryNextOf({ id: '2a' }, MADE, FULL), [], 'nothing is known of a system that names none');
});

test('what is to be tried comes with what stored experiments measured of it, the bad beside the good', () => {
	assert.equal(
		tryNextOf(shipped('2a'), { ...MADE, load: 'smoke' }, FULL)[0].why,
		'relieves the load balancer: 8,192 slots in the connection table (worker_connections) instead of 1,024; measured: 0.0 % instead of 65.3 % failed in 8 repetitions under load ramp (experiment doubling); but worse: 35.2 % instead of 6.3 % failed in 9 repetitions under load surge (experiment remedies-surge)',
	);
	assert.match(tryNextOf(shipped('a-lb'), MADE, FULL)[0].why, /; no stored experiment has measured it$/);
});

test('what the lab has judged worse, or never better, is not recommended, whatever it is meant to relieve', () => {
	const causes = Object.values(architectures).flatMap(({ remedies = [] }) => remedies.flatMap(({ causes: own }) => own));
	const recommended = causes.flatMap((cause) => commandsOf(tryNextOf(shipped('2a'), MADE, lost(cause))));
	assert.deepEqual([...new Set(recommended)], ['make run-2a-slots LOAD=ramp']);
	assert.deepEqual(tryNextOf(shipped('2a'), { ...MADE, load: 'surge' }, FULL), [], 'worse under this load, though better under another');
});

test('it is the measurements that decide, and no name: without any, or with better ones, each relief is told', () => {
	const ports = lost('balancer-exhausted');
	assert.deepEqual(commandsOf(tryNextOf(shipped('2a'), MADE, ports, [])), ['make run-2a-keepalive LOAD=ramp']);
	const better = measuredRemedies.map((one) => ({ ...one, verdict: 'better' as const }));
	assert.deepEqual(commandsOf(tryNextOf(shipped('2a'), MADE, ports, better)), ['make run-2a-keepalive LOAD=ramp']);
});

test('what is to be tried is tried under the same conditions', () => {
	const command =
		"make swarm-2a LOAD=ramp BUDGET=fair SEED=7 INTEGRITY=1 USERS=300 TIMEOUT=2000 FAULT='kill app-2@3s' HOSTS='host2=ssh://lab@10.0.0.2'";
	const [{ command: next }] = tryNextOf(shipped('2a'), { command, load: 'ramp', hosts: [] }, FULL);
	assert.equal(
		next,
		"make swarm-2a-slots LOAD=ramp BUDGET=fair INTEGRITY=1 USERS=300 TIMEOUT=2000 FAULT='kill app-2@3s' HOSTS='host2=ssh://lab@10.0.0.2'",
	);
});

/** Of a run with one doubt. */
function advisedAfter(rule: string, failure: object = {}): TryNext[] {
	const doubt = { rule, grade: 'INVALID' as const, reason: 'a reason', touches: touchesOf(rule) };
	const ledger = { failures: FULL.failures.map((one: object) => ({ ...one, ...failure })) };
	return afterDoubts(tryNextOf(shipped('a-lb'), MADE, FULL), {
		manifest: { command: 'make run-2a', shape: {} },
		doubts: { ofRun: [doubt], ofStages: [] },
		validity: { verdict: 'INVALID', reasons: ['a reason'], doubts: [doubt], stages: [] },
		ledger: ledger as any,
	});
}

test('of a run that says nothing the next is the same run, without what made it so, and what comes then is marked', () => {
	const [plain] = tryNextOf(shipped('a-lb'), MADE, FULL);
	const [again, then] = advisedAfter('incomplete', { basis: { where: {}, why: {} } });
	const why = 'again, because this run says nothing about the system; first let the load run to its end';
	assert.deepEqual(again, { command: 'make run-2a', why, again: true });
	assert.deepEqual(then, { ...plain, once_valid: true });
	assert.equal(plain.once_valid, undefined);
});

test('where what was lost stands, what relieves it is advised as of any run', () => {
	const [plain] = tryNextOf(shipped('a-lb'), MADE, FULL);
	const basis = { where: { proved: 9 }, why: { proved: 9 } };
	const [again, then] = advisedAfter('neighbours', { count: 9, basis });
	assert.deepEqual(again, {
		command: 'make run-2a',
		why: 'again, to remove the doubts; first stop the other programs on the machine',
		again: true,
	});
	assert.deepEqual(then, plain);
	assert.equal(advisedAfter('neighbours', { count: 9, basis: { ...basis, why: { timed: 9 } } })[1].once_valid, true);
});

test('a remedy that a user wrote is tried as a comparison with the values that it has', () => {
	const remedies: Remedy[] = [
		{ change: 'a pool of 32', causes: ['pool-wait'], variables: { POOL: '32', MODE: 'two words' } },
		{ change: 'more memory', causes: ['killed'], variables: { MEMORY: '2g' } },
	];
	const own = { command: 'doubletake run', load: 'steps' };
	assert.deepEqual(tryNextOf({ id: 'shop', remedies }, own, lost('pool-wait', 'pool')), [
		{ command: "doubletake compare --b 'POOL=32,MODE=two words'", why: 'relieves the connection pool: a pool of 32' },
	]);
});

/** @param rest of its record */
function nextIn(isWanted: (sentence: string) => boolean, rest: Partial<Raw> = {}) {
	const { story, change } = projectCases.find(({ sentence }) => isWanted(sentence)) as RuleCase;
	const raw = recordOf(story);
	change?.(raw);
	const facts = factsOf({ ...raw, ...rest });
	return watchNext(facts, buildLedger(facts));
}

const isUnsaid = (sentence: string) => sentence === 'leaves an answer of a proxy that nobody watches';

test('a proxy that nobody watches is to be watched where that left something unknown', () => {
	assert.deepEqual(
		nextIn(isUnsaid).map(({ command }) => command),
		['edge: { watch: 2 } in doubletake.yaml'],
	);
});

test('but not where requests are followed on the wire: its record would place none of them', () => {
	const wire = { services: [], networks: [], connections: [], calls: [] };
	assert.deepEqual(nextIn(isUnsaid, { wire }), []);
});

test('where each failure is proved, nothing more is to be done', () => {
	assert.deepEqual(
		nextIn((sentence) => sentence.startsWith('takes a connection that a program broke')),
		[],
	);
});

test('where no reason is on record, a service whose log is not read is to be watched; one whose log is read has said what it says', () => {
	const failures = [{ service: 'api-1, api-2', cause: 'unexplained', basis: { where: { proved: 9 }, why: { inferred: 9 } } }];
	const next = (level: number) =>
		watchNext(
			{
				hops: [],
				raw: {
					adapted: [
						{ service: 'api-1', level },
						{ service: 'db', level: 0 },
					],
				},
			} as any,
			{ failures, unattributed: 0 } as any,
		).map(({ command }) => command);
	assert.deepEqual(next(0), ['api-1: { watch: 1 } in doubletake.yaml']);
	assert.deepEqual(next(1), []);
});
