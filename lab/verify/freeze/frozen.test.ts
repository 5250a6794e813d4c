/**
 * Real runs, analysed again: each says what it said when it was frozen, to the last field. What a change moves on purpose `make replay` tells,
 * and `make replay WRITE=1` accepts (docs/extending.md says when that may be).
 */
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { faults } from '../../adapters/shipped-faults.ts';
import { FROZEN } from '../../base/paths.ts';
import { formatReplayed } from '../../report/replayed.ts';
import { frozenAgain } from './again.ts';
import { differenceOf } from './choose.ts';
import { readGroup, readRecords } from './files.ts';

/**
 * What was at fault in systems of users, as it was proved by hand, and whatever else is accepted: what coincidence suggests beside it (a full pool, an
 * error that the program expects, a cache that nobody needs) is not here.
 */
const AT_FAULT: Record<string, string[]> = {
	'cases/fastapi-pool': ['api: pool-held'],
	'cases/go-ports': ['gateway: app-error', 'gateway: no-ports'],
	'cases/haproxy-flap': ['lb: checks-failed'],
	'cases/hikari-nested': ['api: pool-held'],
	'cases/java-heap': ['api: heap-full'],
	// That a part of the record says the second is in what it says of itself.
	'cases/maria-conns': ['api-2: app-error', 'db: turned-away'],
	'cases/php-fpm': ['php: workers-taken'],
	'cases/redis-keys': ['cache: held-by-one'],
	'cases/stale-dns': ['api: app-crashed', 'nginx: stale-address'],
	'recipes/B': ['web-1: app-error', 'web-2: app-error'],
	'recipes/E': ['web-1: app-error', 'web-2: app-error'],
	'recipes/G': ['web-1: upstream-timeout', 'web-2: upstream-timeout'],
	'recipes/J': ['web-1: client-gave-up'],
	'recipes/N': ['batch: cpu-taken'],
};
/** Requests of these stand elsewhere than in the whole record; of all others none do. */
const MOVED_BY_THINNING = ['cases/maria-conns'];

/** The group of those of the self-test, by their names. */
const FAULTS = 'faults';
/** Share of a run's requests up to which failures say nothing of a fault that needs none, as the self-test has it (lab/record/selftest-total.ts). */
const WORTH_NAMING = 0.001;

/** Of the twelve million bytes that the repository may take (test/static/weight.test.ts). */
const BYTES_MOST = 1_800_000;

/** Faults that differ from another one by their dose or their place, and have no record of their own: of each the other one. */
const LIKE = {
	'table-64': 'table-and-errors',
	'table-busy': 'table-and-errors',
	'table-busy-new': 'table-and-errors',
	'backlog-2-reset': 'backlog-1',
	'pool-1-slow-queries': 'pool-1',
	'node-closes-idle': 'nodes-close-idle',
	'database-cut-off': 'node-cut-off',
	'balancer-paused': 'node-paused-balanced',
	'node-killed': 'app-killed',
	'generator-5-percent': 'generator-10-percent',
	'generator-throttled-midway': 'generator-10-percent',
	'nodes-close-idle-untold': 'nodes-close-idle',
	'slow-queries-clear-the-pool': 'database-paused',
	'slow-node': 'slow-nodes',
	'slow-node-of-two': 'slow-nodes',
	'database-stopped': 'database-killed',
	'node-out-of-memory': 'node-of-two-out-of-memory',
	'database-packets-delayed': 'database-packets-lost',
	'invalid-answers-direct': 'invalid-answers',
	'wrong-port-of-two': 'wrong-port',
	'node-destroys-connections': 'node-destroys-sockets',
	'balancer-64-files': 'node-64-files',
	'nodes-destroy-sockets': 'node-destroys-sockets',
	'node-paused': 'node-paused-balanced',
	'healthy-balanced': 'table-128-harmless',
	'shard-paused': 'database-paused',
	'generator-stutters': 'generator-10-percent',
	'primary-killed': 'database-killed',
	'errors-beside-reusing': 'table-and-errors',
};

test('every fault of the shipped systems has a record, or one that is like it', async () => {
	const frozen = await readRecords(FROZEN, FAULTS);
	assert.deepEqual(
		Object.keys(faults).filter((id) => !frozen.has(id)),
		Object.keys(faults).filter((id) => id in LIKE),
	);
	for (const other of Object.values(LIKE)) assert.ok(frozen.has(other), other);
});

test('all frozen records together are light', () => {
	const files = readdirSync(FROZEN, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
	const total = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
	assert.ok(total <= BYTES_MOST, `${total} bytes`);
});

for (const group of readdirSync(FROZEN)) {
	const stored = await readGroup(FROZEN, group);
	const records = await readRecords(FROZEN, group);

	test(`${group}: each record has a result, and each result a record`, () =>
		assert.deepEqual(Object.keys(stored).sort(), [...records.keys()].sort()));

	for (const [name, { result, left }] of Object.entries(stored)) {
		const record = `${group}/${name}`;
		const isMoved = MOVED_BY_THINNING.includes(record);
		test(`${record} says of ${isMoved ? 'some requests' : 'no request'} that thinning moved ${isMoved ? 'them' : 'it'}`, () =>
			assert.equal(left.moved.length > 0, isMoved));
		const fault = group === FAULTS ? faults[name] : undefined;
		if (fault)
			test(`${record} names first a cause that the fault is known to have`, () => {
				const known = (fault.expected ?? []).map(({ cause }) => cause);
				const [most] = (result.ledger.failures as { cause: string; count: number }[]).toSorted((one, other) => other.count - one.count);
				const needsNone = (fault.expected ?? []).every(({ may }) => may);
				// Of each kind some requests are kept: how many there were of a second one is not to be read here.
				if (most && !(needsNone && left.whole.failures <= left.whole.requests * WORTH_NAMING))
					assert.ok(known.includes(most.cause), most.cause);
			});
		const known = AT_FAULT[record];
		if (known)
			test(`${record} names what was at fault`, () => {
				const named = (result.ledger.failures as { service: string; cause: string }[]).map(({ service, cause }) => `${service}: ${cause}`);
				assert.deepEqual([...new Set(named)].sort(), known);
			});
	}

	for (const [name, files] of records)
		test(`${group}/${name} is analysed as it was frozen`, async () => {
			const now = await frozenAgain(files());
			assert.equal(formatReplayed(differenceOf(name, stored[name], now)), '');
		});
}
