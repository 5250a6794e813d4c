import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomOf } from '../../../k6/lib/random.js';
import { causes } from '../../record/causes.ts';
import type { Ledger, Queue, Writes } from '../../record/types.js';
import { waitedCauses } from '../../record/waited-causes.ts';
import type { Row } from '../fixtures/answer-cases.ts';
import { answerCases } from '../fixtures/answer-cases.ts';
import { connectionCases } from '../fixtures/connection-cases.ts';
import { foolingCases } from '../fixtures/fooling-cases.ts';
import { preloadCases } from '../fixtures/preload-cases.ts';
import { projectCases } from '../fixtures/project-cases.ts';
import { endService, factsOf, ledgerOf, logError, recordOf } from '../fixtures/record.ts';
import { logAttempt } from '../fixtures/record-requests.ts';
import { overflowQueue } from '../fixtures/record-tiers.ts';
import { crudRecord, poolsRecord, programRecord } from '../fixtures/scenario-records.ts';
import type { Raw, Story } from '../fixtures/story.ts';
import { FROM, SECONDS } from '../fixtures/story.ts';
import { ejection, logLine, SAID, without } from '../fixtures/tell.ts';
import type { Row as RowOfRule } from '../rule.ts';
import { ledgerAsks, placeAll, RULES } from '../rules.ts';
import type { Facts } from './facts.ts';
import { goneWrites } from './gone-writes.ts';
import { buildLedger } from './ledger.ts';
import type { Facts as FactsOfPlace, Placement } from './place.ts';
import { placed } from './place.ts';

/** What is said of failed requests that all have one place. */
function chainOf(placement: Placement, count: number, facts: Facts) {
	const trace = { ...factsOf(recordOf({ kinds: { eof: { 3: 1 } } })).traces[0] };
	const all = Array.from({ length: count }, () => ({ trace, placement }));
	const [{ chain }] = buildLedger(facts, all).failures;
	return chain;
}

const writesOf = (facts: Facts) => buildLedger(facts).writes;

const refused = { tier: 'app' as const, service: 'app-1, app-2', cause: 'upstream-refused' };

test('what the balancer made of a trigger is reported with how long and how often it left nodes out', () => {
	const raw = recordOf({ balanced: true });
	for (const second of [2, 3]) ejection(raw, second, 'app-1', SAID.refused);
	const amplifier = { tier: 'load-balancer' as const, service: 'nginx', cause: 'no-live-upstream' };
	assert.equal(
		chainOf(placed(refused, 'proved', 'timed', amplifier), 38_268, factsOf(raw)),
		'app-1 and app-2: it refused connections. nginx then left nodes out for 10 s at a time (2 times), and turned 38,268 requests away while none was left.',
	);
});

test('what a pool made of a trigger is told by the node that it is in', () => {
	const amplifier = { tier: 'pool' as const, service: 'app-1', cause: 'pool-cleared' };
	const trigger = { tier: 'database' as const, service: 'mongo', cause: 'database-down' };
	assert.equal(
		chainOf(placed(trigger, 'proved', 'timed', amplifier), 1, factsOf(recordOf())),
		'mongo: it was down. In app-1 1 request failed of it: the driver had cleared the pool.',
	);
});

test('what a queue made of a trigger behind the nodes is told by the proxy that it is in', () => {
	const amplifier = { tier: 'load-balancer' as const, service: 'edge', cause: 'queue-full' };
	const trigger = { tier: 'database' as const, service: 'store', cause: 'database-slow' };
	assert.equal(
		chainOf(placed(trigger, 'timed', 'timed', amplifier), 27, factsOf(recordOf())),
		'store: it did not answer in time. In edge 27 requests failed of it: its queue to the nodes was full, or the request waited in it for too long.',
	);
});

test('a failure that nothing made more of has no chain', () => {
	assert.equal(chainOf(placed(refused, 'proved', 'proved'), 3, factsOf(recordOf())), null);
});

const IDS = 30_000;
const UNKNOWN = { acknowledged: null, persisted: null, unacknowledged: null, lost: null, duplicated: null };

test('without ids, lost writes and ghosts are told by count alone, and duplicates are not known', () => {
	const persisted = (more: number) => {
		const raw = recordOf();
		raw.database[raw.database.length - 1].documents_exact += more;
		return writesOf(factsOf(raw));
	};
	assert.deepEqual(persisted(0), { acknowledged: 1000, persisted: 1000, unacknowledged: 0, lost: 0, duplicated: null });
	assert.deepEqual(persisted(3), { acknowledged: 1000, persisted: 1003, unacknowledged: 3, lost: 0, duplicated: null });
	assert.deepEqual(persisted(-3), { acknowledged: 1000, persisted: 997, unacknowledged: 0, lost: 3, duplicated: null });
});

test('with ids, a lost write, a ghost and a duplicate are each found among 30,000, where counts alone would agree', () => {
	const ids = Array.from({ length: IDS }, (_, index) => `${index % 2000}-${Math.floor(index / 2000)}`);
	const stored = [...ids.slice(2), 'ghost-1', ids[7]].toReversed();
	assert.equal(stored.length, ids.length);
	const writesById = (documentIds: string[]) => {
		const raw = recordOf();
		Object.assign(raw, { acknowledgedIds: ids, documentIds });
		raw.manifest.integrity = true;
		return writesOf(factsOf(raw));
	};
	assert.deepEqual(writesById(stored), { acknowledged: IDS, persisted: IDS - 1, unacknowledged: 1, lost: 2, duplicated: 1 });
	assert.deepEqual(writesById(ids), { acknowledged: IDS, persisted: IDS, unacknowledged: 0, lost: 0, duplicated: 0 });
});

test('the ids are used when the run recorded them', () => {
	const raw = recordOf();
	Object.assign(raw, { acknowledgedIds: ['1-0', '1-1'], documentIds: ['1-0', '1-0', '2-0'] });
	assert.equal(writesOf(factsOf(raw)).duplicated, null);
	raw.manifest.integrity = true;
	assert.deepEqual(writesOf(factsOf(raw)), { acknowledged: 2, persisted: 2, unacknowledged: 1, lost: 1, duplicated: 1 });
});

test('a document that was taken away again was stored all the same', () => {
	assert.deepEqual(writesOf(factsOf(crudRecord())), { acknowledged: 450, persisted: 450, unacknowledged: 0, lost: 0, duplicated: null });
	const raw = crudRecord();
	raw.database[raw.database.length - 1].documents_exact -= 5;
	assert.equal(writesOf(factsOf(raw)).lost, 5);
});

test("a program's writes are those of writers that ended well, and what their files hold", () => {
	const writes = (...given: Parameters<typeof programRecord>) => writesOf(factsOf(programRecord(...given)));
	assert.deepEqual(writes(), { acknowledged: 4000, persisted: 4000, unacknowledged: 0, lost: 0, duplicated: null });
	assert.equal(writes([{}, { stored: 1990 }]).lost, 10);
	assert.equal(writes([{}, { exit_code: 1 }]).unacknowledged, 2000);
});

test('of a database that kept no record only what was acknowledged is known, and without a database nothing is', () => {
	const raw = recordOf();
	raw.database = [];
	assert.deepEqual(writesOf(factsOf(raw)), { ...UNKNOWN, acknowledged: 1000 });
	assert.deepEqual(writesOf(factsOf(poolsRecord())), UNKNOWN);
});

test('a list of ids that is not whole makes no write lost, and one of users that is not makes none of them safe', () => {
	const withIds = (change: (raw: any) => void) => {
		const raw = recordOf();
		const ids = Array.from({ length: 1000 }, (_, index) => `1-${index}`);
		Object.assign(raw, { acknowledgedIds: ids, documentIds: ids });
		raw.manifest.integrity = true;
		change(raw);
		return writesOf(factsOf(raw));
	};
	const lost = (change: (raw: any) => void) => withIds(change).lost;
	assert.equal(
		lost(() => {}),
		0,
	);
	// Its observer was killed before it had counted: it counts when all ids are written.
	assert.deepEqual(
		withIds((raw) => {
			raw.documentIds = raw.documentIds.slice(0, 10);
			delete raw.database.at(-1).documents_exact;
		}),
		{ ...UNKNOWN, acknowledged: 1000 },
	);
	// Nobody was asked for the ids, such as a set without a primary.
	assert.equal(
		lost((raw) => Object.assign(raw, { documentIds: [] })),
		null,
	);
	assert.equal(
		lost((raw) => Object.assign(raw, { acknowledgedIds: raw.acknowledgedIds.slice(1) })),
		null,
	);
});

test('of a user’s own system what the lab has read is whole or not, and what users wrote down too', () => {
	const own = (storedIds: object, written = { written: 9, counted: 9 as number | null }) => {
		const raw = recordOf();
		Object.assign(raw, { acknowledgedIds: ['1-0', '1-1', '1-2'], documentIds: ['1-0', '1-1', '1-1', '2-0'], written, database: [] });
		Object.assign(raw.manifest, { integrity: true, system: { title: 'shop', is_followed: true }, stored_ids: storedIds });
		return raw;
	};
	const whole = { is_whole: true };
	assert.deepEqual(writesOf(factsOf(own(whole))), { acknowledged: 3, persisted: 3, unacknowledged: 1, lost: 1, duplicated: 1 });
	for (const unread of [{ is_whole: false }, undefined])
		assert.deepEqual(writesOf(factsOf(own(unread as any))), { ...UNKNOWN, acknowledged: 3 });
	const stored = (written: any) => {
		const raw = own(whole, written);
		raw.documentIds.push('1-2');
		return writesOf(factsOf(raw)).lost;
	};
	// Of an answer that nobody wrote down nobody knows whether it was lost.
	assert.deepEqual(
		[
			{ written: 9, counted: 9 },
			{ written: 8, counted: 9 },
			{ written: 9, counted: null },
		].map(stored),
		[0, null, null],
	);
});

const MIXES = 200;
const cases = [...answerCases, ...connectionCases, ...projectCases, ...preloadCases];

type Case = { story: Story; change?: (raw: Raw) => void };

function factsIn({ story, change }: Case) {
	const raw = recordOf(story);
	change?.(raw);
	return factsOf(raw);
}

/** What two tests ask for. */
const known: Map<Case, Ledger['failures']> = new Map();

/** @param facts its own, where they are gathered */
function failuresIn(one: Case, facts?: Facts) {
	const failures = known.get(one) ?? buildLedger(facts ?? factsIn(one)).failures;
	known.set(one, failures);
	return failures;
}

/** @returns counted, by name */
function rowsOf(placements: (Placement | null)[]): Row[] {
	const counts = new Map();
	for (const placement of placements) {
		if (!placement) continue;
		const { tier, service, cause, where, why, amplifier } = placement;
		const key = JSON.stringify([
			tier,
			service,
			cause,
			where,
			why,
			amplifier && `${amplifier.tier} ${amplifier.service} ${amplifier.cause}`,
		]);
		counts.set(key, (counts.get(key) ?? 0) + 1);
	}
	return [...counts]
		.map(([key, count]) => {
			const [tier, service, cause, where, why, amplifier] = JSON.parse(key);
			return [tier, service, cause, count, where, why, ...(amplifier ? [amplifier] : [])] as Row;
		})
		.sort(byName);
}

const byName: (one: Row, other: Row) => number = (one, other) => one.join().localeCompare(other.join());

const placedIn = (facts: FactsOfPlace) => rowsOf(placeAll(facts).map(({ placement }) => placement));

for (const one of cases) {
	const { rule, sentence, takes } = one;
	test(`the rule ${rule} ${sentence}`, () => {
		const facts = factsIn(one);
		const { of } = RULES.find(({ id }) => id === rule) as RowOfRule;
		const ask = ledgerAsks(
			facts,
			RULES.filter((row) => row.of !== of || row.id === rule),
		);
		assert.ok(facts.traces.length > 0);
		assert.deepEqual(rowsOf(facts.traces.map(ask[of as 'request'])), takes.toSorted(byName));
		// And no other rule comes before it.
		if (takes.length > 0) assert.deepEqual(placedIn(facts), takes.toSorted(byName));
		failuresIn(one, facts);
	});
}

for (const one of foolingCases) {
	test(one.sentence, () => assert.deepEqual(placedIn(factsIn(one)), one.rows.toSorted(byName)));
}

test('each rule has a case that it takes and one that it leaves', () => {
	for (const { id } of RULES.filter(({ of }) => of === 'generator' || of === 'request')) {
		const own = cases.filter(({ rule }) => rule === id);
		assert.ok(
			own.some(({ takes }) => takes.length > 0),
			`${id} takes`,
		);
		assert.ok(
			own.some(({ takes }) => takes.length === 0),
			`${id} leaves`,
		);
	}
	assert.equal(new Set(RULES.map(({ of, id }) => `${of} ${id}`)).size, RULES.length);
});

test('each cause is reached by a case, and no case reaches a cause without words', () => {
	const rows = cases.flatMap((one) => failuresIn(one));
	assert.deepEqual(
		[...new Set(rows.map(({ cause }) => cause))].sort(),
		Object.keys(causes)
			.filter((cause) => !(cause in waitedCauses))
			.sort(),
	);
	for (const { cause, cause_title: title, rule, amplifier } of rows) {
		assert.equal(title, causes[cause].title);
		assert.equal(rule, causes[cause].rule);
		if (amplifier) assert.equal(amplifier.cause_title, causes[amplifier.cause].title);
	}
});

test('a healthy run has no rows, nothing unattributed and no near misses', () => {
	const { failures, unattributed, unattributed_reason: reason, near_misses: misses, checks } = ledgerOf({ balanced: true });
	assert.deepEqual([failures, unattributed, reason, misses], [[], 0, '', []]);
	assert.ok(checks.every(({ holds }) => holds));
});

test('the rows stand by size, with their share of all failures and how each of them is known', () => {
	const {
		failures,
		unattributed,
		unattributed_reason: reason,
	} = ledgerOf({ kinds: { refused: { 2: 10 }, no_ports: { 3: 70 }, other: { 4: 20 } } });
	assert.deepEqual(
		failures.map(({ cause, count, share, basis }) => [cause, count, share, basis]),
		[
			['generator-exhausted', 70, 0.7, { where: { proved: 70 }, why: { proved: 70 } }],
			['refused', 10, 0.1, { where: { proved: 10 }, why: { proved: 10 } }],
		],
	);
	assert.deepEqual([unattributed, reason], [20, 'no record explains what k6 saw (other)']);
});

test('failures of one cause are one row, though they are known in different ways', () => {
	const { failures } = ledgerOf({ kinds: { eof: { 6: 20 }, refused: { 7: 30 } } }, (raw) => endService(raw, 'app-1', 5));
	assert.deepEqual(
		failures.map(({ cause, count, basis }) => [cause, count, basis]),
		[['app-crashed', 50, { where: { timed: 20, proved: 30 }, why: { timed: 50 } }]],
	);
});

test('failures that k6 left no name of are not placed, and that is the reason', () => {
	const nameless = ledgerOf({ kinds: { refused: { 2: 10 } } }, (raw) => raw.failures.splice(0, 4));
	assert.deepEqual([nameless.failures[0].count, nameless.unattributed, nameless.unattributed_reason], [6, 4, 'k6 left no id of 4']);
});

test('what a node without a whole log may have read is not placed, and that is the reason', () => {
	const {
		failures,
		unattributed,
		unattributed_reason: reason,
	} = ledgerOf({ kinds: { eof: { 6: 3 } } }, (raw) => {
		raw.unlogged['app-1'] = 300;
	});
	assert.deepEqual(
		[failures, unattributed, reason],
		[[], 3, 'no record explains what k6 saw (eof); 300 requests that app-1 received are not in its log'],
	);
});

test('failures of one trigger are two rows where something made more of some of them', () => {
	const answers = ['MongoPoolClearedError', 'MongoNetworkError'].map((error, index) => ({ error, count: 5 - index }));
	const { failures } = ledgerOf({ answers }, (raw) => endService(raw, 'mongo', 4));
	assert.deepEqual(
		failures.map(({ cause, count, amplifier }) => [cause, count, amplifier?.cause ?? null]),
		[
			['database-down', 5, 'pool-cleared'],
			['database-down', 4, null],
		],
	);
});

test('failures by another trigger are another row, though the same tier made more of both', () => {
	const { failures } = ledgerOf(
		{ balanced: true, answers: [3, 9].map((second) => ({ second, status: 502, node: null, upstream: 'nodes', connect_s: '-' })) },
		(raw) => {
			raw.balancerConf += 'server app-1:3000 fail_timeout=2s;';
			for (const [index, line] of raw.accessLines.filter(({ id }) => id !== '').entries())
				raw.errorLines.push({ t: Math.floor(line.t), level: 'error', connection: 900 + index, text: SAID.noLive });
			ejection(raw, 1, 'app-1', SAID.refused);
			ejection(raw, 7, 'app-2', SAID.reset);
		},
	);
	assert.deepEqual(failures.map(({ service, cause, amplifier }) => [service, cause, amplifier?.cause]).sort(), [
		['app-1', 'upstream-refused', 'no-live-upstream'],
		['app-2', 'closed-unread', 'no-live-upstream'],
	]);
	for (const { chain } of failures)
		assert.match(chain ?? '', /^app-\d: .*\. nginx then left nodes out for 2 s at a time \(2 times\), and turned 1 request away/);
});

test('whatever mix of failures there was, rows and unattributed sum to it exactly, and each is known in some way', () => {
	const random = randomOf(20_261_121);
	let rows = 0;
	for (let mix = 0; mix < MIXES; mix += 1) {
		const facts = factsOf(randomRecord(random));
		const ledger = buildLedger(facts);
		const total = ledger.failures.reduce((sum, { count }) => sum + count, 0);
		const message = `mix ${mix}: ${JSON.stringify(facts.generator)}`;
		assert.equal(total + ledger.unattributed, facts.generator.failed, message);
		assert.ok(ledger.unattributed >= 0, message);
		for (const { count, basis } of ledger.failures) {
			assert.ok(Number.isInteger(count) && count > 0, message);
			for (const known of [basis.where, basis.why])
				assert.equal(
					Object.values(known).reduce((sum, times) => sum + times, 0),
					count,
					message,
				);
		}
		for (const { unseen } of ledger.edges) assert.ok(unseen === null || unseen >= 0, message);
		assert.deepEqual(buildLedger(facts), ledger, message);
		rows += ledger.failures.length;
	}
	assert.ok(rows > MIXES, 'the mixes are meant to reach several rules each');
});

const KINDS = ['eof', 'reset', 'server_closed_idle', 'broken_pipe', 'refused', 'unreachable', 'lookup', 'dial_timeout', 'timeout'].concat([
	'no_descriptors',
	'no_ports',
	'generator_exhausted',
	'cut_at_end',
	'unanswered',
	'other',
]);
const ERRORS = ['', 'TypeError', 'MongoNetworkError', 'MongoServerError', 'MongoPoolClearedError', 'MongoWaitQueueTimeoutError'];
const STATUSES = [500, 502, 503, 504, 499, 418];
const OUTCOMES = ['answered', 'broken', 'open'] as const;
const PLACES = ['app', 'pool', 'database', ''];

function randomRecord(random: () => number) {
	const upTo = (most: number) => Math.floor(random() * (most + 1));
	const oneOf = (list: readonly any[]) => list[upTo(list.length - 1)];
	const chance = (share: number) => random() < share;
	const some = (list: any[]) => list.filter(() => chance(0.4));
	const second = () => 1 + upTo(SECONDS - 1);
	const answers = Array.from({ length: upTo(4) }, () => ({
		second: second(),
		status: oneOf(STATUSES),
		node: oneOf(['app-1', 'app-2', null]),
		error: oneOf(ERRORS),
		connect_s: oneOf(['-', '0.001']),
		count: upTo(40),
	}));
	// Some mixes hold answers alone, so that one placed too often cannot hide among the connections.
	const kinds = chance(0.7) ? KINDS : [];
	const raw = recordOf({
		balanced: chance(0.6),
		okPerS: 10,
		kinds: Object.fromEntries(some(kinds).map((kind) => [kind, { [second()]: upTo(50), [second()]: upTo(50) }])),
		late: Object.fromEntries(some(kinds).map((kind) => [kind, upTo(20)])),
		answers,
	});
	const isBalanced = raw.accessLines.length > 0;
	for (const failed of raw.failures) {
		failed.waited_s = oneOf([0.01, 2, 8]);
		if (chance(0.3)) logAttempt(raw, failed.id, { node: oneOf(Object.keys(raw.nodes)), outcome: oneOf(OUTCOMES), place: oneOf(PLACES) });
		if (isBalanced && failed.status === 0 && chance(0.2)) logLine(raw, failed.id, { node: oneOf(['app-1', 'app-2', null]) });
	}
	for (const { name } of some(raw.manifest.services)) {
		if (chance(0.3)) endService(raw, name, second(), { outOfMemory: chance(0.3), ...(chance(0.5) && { back: SECONDS }) });
		if (chance(0.3)) overflowQueue(raw, name, second());
	}
	if (chance(0.3)) raw.database = without(raw.database, 2, second());
	if (isBalanced) {
		for (const said of some(Object.values(SAID))) logError(raw, [second(), second()], said);
		for (const { id } of some(raw.accessLines.filter((line) => line.id !== ''))) {
			const connection = raw.accessLines.find((line) => line.id === id)?.connection;
			raw.errorLines.push({
				t: FROM + second(),
				level: 'error',
				connection,
				text: `${oneOf(Object.values(SAID))}, upstream: "http://10.0.0.1:3000/"`,
			});
		}
		if (chance(0.5)) ejection(raw, second(), oneOf(['app-1', 'app-2']), oneOf([SAID.reset, SAID.refused, SAID.timeout]));
		if (chance(0.4)) raw.balancerStatus[2].handled -= upTo(60);
	}
	// k6 may have left no name of some.
	if (chance(0.3)) raw.failures.splice(0, upTo(5));
	return raw;
}

const writesWith = (more?: Partial<Writes>) => ({
	acknowledged: 2757,
	persisted: 2757,
	unacknowledged: 0,
	lost: 0,
	duplicated: 0 as number | null,
	...more,
});

const queueWith = (more?: Partial<Queue>) => ({ accepted: 1000, failed: 0, left: 0, lost: 0, ...more }) as Queue;

const BY_COUNT = { duplicated: null };
function factsWith(ended: string[], queued = false) {
	const raw = recordOf();
	for (const name of ended) endService(raw, name, 5, { back: 8 });
	if (queued) {
		raw.manifest.services.push({ name: 'redis', tier: 'queue', product: 'redis', watch: 1 });
		raw.queued = { workers: ['app-1'], put: new Map(), taken: new Map() };
	}
	return factsOf(raw);
}

test('that none is gone is known by ids alone; equal counts, and no counts, say nothing', () => {
	const countOf = (writes: any, queue: any = null) => goneWrites(factsWith([]), writes, queue).count;
	assert.deepEqual([countOf(writesWith()), countOf(writesWith(BY_COUNT)), countOf(UNKNOWN)], [0, null, null]);
	assert.deepEqual([countOf(writesWith(), queueWith()), countOf(writesWith(BY_COUNT), queueWith())], [0, null]);
	// Nobody asked the queue what was left in it.
	assert.equal(countOf(writesWith({ lost: 3 }), queueWith({ left: null, lost: null })), null);
	assert.equal(countOf(writesWith({ lost: null }), queueWith()), null);
});

test('by ids it is as many as are gone, and by count at least so many', () => {
	const exact = goneWrites(factsWith([]), writesWith({ lost: 9 }), null);
	assert.deepEqual([exact.count, exact.at_least], [9, false]);
	assert.match(exact.text, /^9 acknowledged writes are gone: users were told that they were done, and the database does not hold them\.$/);
	const counted = goneWrites(factsWith([]), writesWith({ ...BY_COUNT, lost: 1 }), null);
	assert.deepEqual([counted.count, counted.at_least], [1, true]);
	assert.match(counted.text, /^At least 1 acknowledged write is gone: users were told that it was done, /);
});

test('of a queue those that were lost and those that failed are gone, and what is left in it is not', () => {
	const textOf = (queue: any, writes = writesWith()) => goneWrites(factsWith([]), writes, queueWith(queue)).text;
	assert.equal(textOf({ failed: 2 }), '2 accepted writes are gone: they failed when they were to be done.');
	assert.equal(
		textOf({ failed: 10, lost: 50, left: 40 }),
		'60 accepted writes are gone: 50 were lost, 10 failed when they were to be done.',
	);
	assert.equal(textOf({ lost: 1 }), '1 accepted write is gone: 1 was lost.');
	assert.equal(
		textOf({ failed: 2, lost: null, left: null }),
		'At least 2 accepted writes are gone: 2 failed when they were to be done, how many more were lost is not known.',
	);
	// By ids three are neither stored nor left, where a duplicate hid one of them from the count.
	const { count } = goneWrites(factsWith([]), writesWith({ lost: 7, duplicated: 1 }), queueWith({ lost: 2, left: 4 }));
	assert.equal(count, 3);
});

test('what to do is of what ended, by its product, and of what the workers could not do; else that nothing on record explains it', () => {
	const of = (ended: string[], queue: any = null) =>
		goneWrites(factsWith(ended, queue !== null), writesWith({ lost: 9 }), queue === null ? null : queueWith(queue)).to_do;
	assert.match(of(['mongo']).join('|'), /^mongo ended: acknowledge a write when it is in the journal .*j: true.*\.$/);
	assert.match(of([]).join('|'), /^no database or queue ended in this run: [^|]*\.$/);
	assert.match(of(['app-1']).join('|'), /^no database or queue ended/);
	// Mongo was away, and what it had acknowledged is there: the worker did not keep what it could not write.
	const failed = goneWrites(factsWith(['mongo'], true), writesWith({ lost: 2 }), queueWith({ failed: 2 }));
	assert.match(failed.to_do.join('|'), /^let the worker put back, or keep aside, [^|]*\.$/);
	assert.match(of(['app-1'], { lost: 9 }).join('|'), /^let the worker put back/);
	assert.deepEqual(goneWrites(factsWith(['mongo']), writesWith(), null).to_do, []);
});

test('a queue that was killed is to keep what it accepted', () => {
	const raw = recordOf();
	raw.manifest.services.push({ name: 'redis', tier: 'queue', product: 'redis', watch: 1 });
	raw.queued = { workers: ['app-1'], put: new Map(), taken: new Map() };
	const facts = { ...factsOf(raw), restarts: [{ name: 'redis' }] as any };
	assert.match(goneWrites(facts, writesWith({ lost: 9 }), queueWith({ lost: 9 })).to_do.join('|'), /^redis ended: .*appendfsync always/);
});
