import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setPool } from '../fixtures/diagnose.ts';
import { endService, factsOf, recordOf } from '../fixtures/record.ts';
import { setCpu } from '../fixtures/record-tiers.ts';
import type { Raw } from '../fixtures/story.ts';
import { everySecond, FROM } from '../fixtures/story.ts';
import { stopDatabase, without } from '../fixtures/tell.ts';
import type { Raw as RawOfReadRaw } from '../read-raw.ts';
import type { Exhaustion } from './lives.ts';

const restartsOf = (raw: Raw) => factsOf(raw).restarts.map(({ name, from, to, exitCode }) => [name, from - FROM, to - FROM, exitCode]);
const stallsOf = (raw: Raw) => factsOf(raw).stalls.map(({ name, from, to }) => [name, from - FROM, to - FROM]);

test('nothing died and nothing stood still in a healthy run, in which k6 ends by itself', () => {
	const { restarts, stalls } = factsOf(recordOf({ balanced: true }));
	assert.deepEqual(restarts, []);
	assert.deepEqual(stalls, []);
});

test('a container that ended is away for good, one that came back until it did', () => {
	const raw = recordOf({ balanced: true });
	endService(raw, 'app-1', 4);
	endService(raw, 'app-2', 5, { back: 7 });
	assert.deepEqual(restartsOf(raw), [
		['app-1', 4, Number.POSITIVE_INFINITY, 137],
		['app-2', 5, 7, null],
	]);
});

test('a container that was back before the load is no death of the load', () => {
	const raw = recordOf();
	endService(raw, 'app-1', -4, { back: -3 });
	assert.deepEqual(restartsOf(raw), []);
});

test('a job that ends is no death, whatever its container was labelled before it was seen to be one', () => {
	const raw = recordOf({ balanced: true });
	endService(raw, 'app-1', 4);
	raw.manifest.services = raw.manifest.services.map((one: any) => (one.name === 'app-1' ? { ...one, tier: 'observer' } : one));
	assert.deepEqual(restartsOf(raw), []);
});

test('a tier stands still when its own record pauses', () => {
	const raw = recordOf({ balanced: true });
	raw.database = without(raw.database, 2, 6);
	raw.nodes['app-2'] = without(raw.nodes['app-2'], 4, 9);
	assert.deepEqual(stallsOf(raw), [
		['mongo', 2, 6],
		['app-2', 4, 9],
	]);
});

test('an observation that is two seconds late is no standstill', () => {
	const raw = recordOf();
	raw.database = without(raw.database, 2, 4);
	assert.deepEqual(stallsOf(raw), []);
});

test('a balancer that finished nothing stood still only when no tier behind it did', () => {
	const raw = recordOf({ balanced: true });
	raw.accessLines = without(raw.accessLines, 2, 6);
	assert.deepEqual(
		stallsOf(raw).map(([name]) => name),
		['nginx'],
	);
	raw.database = without(raw.database, 2, 6);
	assert.deepEqual(
		stallsOf(raw).map(([name]) => name),
		['mongo'],
	);
});

/** What the engine told of a container. */
const event: (second: number, name: string, action: string, exitCode?: number | null) => RawOfReadRaw['events'][number] = (
	second,
	name,
	action,
	exitCode = null,
) => ({ t: FROM + second, name, action, exit_code: exitCode });

test('each of two ends of a container is told by its events, the last state knows but one', () => {
	const raw = recordOf({ balanced: true });
	endService(raw, 'app-1', 7, { back: 8 });
	raw.events = [event(2, 'app-1', 'die', 1), event(3, 'app-1', 'start'), event(7, 'app-1', 'die', 137), event(8, 'app-1', 'start')];
	assert.deepEqual(restartsOf(raw), [
		['app-1', 2, 3, 1],
		['app-1', 7, 8, 137],
	]);
});

test('an end is for lack of memory when the engine said so at the time, or the last state does', () => {
	const raw = recordOf({ balanced: true });
	endService(raw, 'app-2', 8, { outOfMemory: true });
	raw.events = [
		event(2, 'app-1', 'die', 137),
		event(3.5, 'app-1', 'oom'),
		event(4, 'app-1', 'start'),
		event(7, 'app-1', 'die', 1),
		event(8, 'app-2', 'die', 137),
	];
	assert.deepEqual(
		factsOf(raw).restarts.map(({ name, from, outOfMemory }) => [name, from - FROM, outOfMemory]),
		[
			['app-1', 2, true],
			['app-1', 7, false],
			['app-2', 8, true],
		],
	);
});

test('that k6 and the observers end is no news, nor what ended before the warm-up or after the load', () => {
	const raw = recordOf({ balanced: true });
	raw.events = [event(4, 'k6', 'die', 0), event(-8, 'app-1', 'die', 1), event(-7, 'app-1', 'start'), event(12, 'mongo', 'die', 0)];
	assert.deepEqual(restartsOf(raw), []);
});

test('what is gone does not stand still', () => {
	const raw = recordOf();
	raw.nodes['app-1'] = without(raw.nodes['app-1'], 3, 8);
	assert.deepEqual(
		stallsOf(raw).map(([name]) => name),
		['app-1'],
	);
	endService(raw, 'app-1', 3.2, { back: 7.5 });
	assert.deepEqual(stallsOf(raw), []);
});

test('a balancer did not stand still while a node worked on requests that had passed it', () => {
	const raw = recordOf({ balanced: true });
	raw.accessLines = without(raw.accessLines, 2, 8);
	for (const row of raw.nodes['app-2']) if (row.t >= FROM + 4 && row.t <= FROM + 7) row.in_flight = 3;
	assert.deepEqual(stallsOf(raw), []);
});

test('a tier that keeps no record to the end of the load stood still until then', () => {
	const raw = recordOf();
	raw.database = raw.database.filter(({ t }) => t <= FROM + 4);
	assert.deepEqual(stallsOf(raw), [['mongo', 4, 10]]);
});

test('a program that was started again serves once it keeps its record, and a service that keeps none with its container', () => {
	const raw = recordOf({ balanced: true });
	for (const name of ['app-1', 'mongo', 'nginx']) endService(raw, name, 2.5, { back: 3.5 });
	raw.nodes['app-1'] = without(raw.nodes['app-1'], 2.5, 6);
	raw.database = without(raw.database, 2.5, 8);
	const ready = new Map(factsOf(raw).restarts.map((restart) => [restart.name, [restart.to - FROM, restart.ready - FROM]]));
	assert.deepEqual(Object.fromEntries(ready), { 'app-1': [3.5, 6], mongo: [3.5, 8], nginx: [3.5, 3.5] });
});

test('a database that said that it would end was stopping from then on, and no other service', () => {
	const raw = recordOf({ balanced: true });
	for (const name of ['app-1', 'mongo']) endService(raw, name, 6);
	const stopping = () => factsOf(raw).restarts.map(({ name, stopping: since }) => [name, since - FROM]);
	raw.databaseStops = [{ t: FROM + 4, name: 'mongo' }];
	assert.deepEqual(stopping().sort(), [
		['app-1', 6],
		['mongo', 4],
	]);
	raw.databaseStops = [{ t: FROM - 12, name: 'mongo' }];
	assert.deepEqual(stopping().sort(), [
		['app-1', 6],
		['mongo', 6],
	]);
});

test('a database that nobody asked did not stand still, for its observer was gone', () => {
	const raw = recordOf();
	raw.database = raw.database.filter(({ t }) => t <= FROM + 4);
	raw.finalStates.push({ name: 'database-observer', tier: 'observer', running: true, started: '', finished: '0001-01-01T00:00:00Z' });
	assert.deepEqual(stallsOf(raw), [['mongo', 4, 10]]);
	raw.events = [event(4.5, 'database-observer', 'die', 137)];
	assert.deepEqual(stallsOf(raw), []);
});

test('a balancer that was sent nothing did not stand still, for the generator paused', () => {
	const raw = recordOf({ balanced: true });
	raw.accessLines = without(raw.accessLines, 2, 6);
	raw.snapshots = without(raw.snapshots, 2, 4);
	assert.deepEqual(
		stallsOf(raw).map(([name]) => name),
		['nginx'],
	);
	raw.snapshots = without(raw.snapshots, 2, 6);
	assert.deepEqual(stallsOf(raw), []);
});

test('of a database that its observer did not hear, the nodes that went on answering well are told', () => {
	const served = (raw: Raw) => factsOf(raw).stalls.map((stall) => stall.served);
	const late = recordOf({ balanced: true });
	late.database = without(late.database, 3, 7);
	assert.deepEqual(served(late), [['app-1', 'app-2']]);
	const stopped = recordOf({ balanced: true });
	stopDatabase(stopped, 3, 7);
	assert.deepEqual(served(stopped), [[]]);
});

/**
 * Services that the lab asks once a second, which do not answer from second 2 to 7; the cache uses so many cores then. lockedOut: it lets the lab in no more.
 */
function unanswered(cores: number, silent: string[] = ['cache'], answering: string[] = [], lockedOut: boolean = false): unknown {
	const raw = recordOf();
	const all = everySecond().map((second) => ({ t: FROM + second }));
	const some = all.filter(({ t }) => t <= FROM + 2 || t >= FROM + 7).map((row) => ({ ...row, lockedOut }));
	raw.adapted = [...silent, ...answering].map((service) => ({
		...{ service, tier: 'cache' as const, product: 'redis', level: 1 as const },
		files: { log: '', samples: silent.includes(service) ? some : all, file: () => '' },
	}));
	raw.containers.push(...everySecond().map((second) => ({ name: 'cache', t: FROM + second + 0.3, cpu_s: cores * second })));
	return stallsOf(raw);
}

test('a service that answers no question and does nothing stands still, and one that works does not', () => {
	assert.deepEqual(unanswered(0.05), [['cache', 2, 7]]);
	assert.deepEqual(unanswered(0.5), []);
});

test('one that does not let the lab in is asked no more, and may do as it likes', () => {
	assert.deepEqual(unanswered(0.05, ['cache'], [], true), []);
});

test('where nobody answers at all, it is the lab that did not ask', () => {
	assert.deepEqual(unanswered(0.05, ['cache', 'other']), []);
	assert.deepEqual(unanswered(0.05, ['cache'], ['other']), [['cache', 2, 7]]);
});

/** @param change of a healthy run */
function exhaustionIn(change: (raw: Raw) => void) {
	const raw = recordOf();
	change(raw);
	const spans = (found: Exhaustion[]) => found.map(({ name, from, to }) => [name, from - FROM, to - FROM]);
	const { files, cpu, pool } = factsOf(raw).exhaustion;
	return { files: spans(files), cpu: spans(cpu), pool: spans(pool) };
}

const HELD = { checkouts: 700, in_use: 50, waiting: 200 };

test('a healthy run is short of nothing', () => {
	assert.deepEqual(
		exhaustionIn(() => {}),
		{ files: [], cpu: [], pool: [] },
	);
});

test('a process has no file left in the second before the reading that says so, and one without a limit always has', () => {
	const { files } = exhaustionIn((raw) => {
		for (const row of raw.containers) row.fds = { open_files: row.t === FROM + 4 ? 62 : 60, limit: row.name === 'app-1' ? 64 : null };
	});
	assert.deepEqual(files, [['app-1', 3, 4]]);
});

test('a service has used up its quota from reading to reading, and one without a quota never', () => {
	const usedUp = (raw: Raw) => setCpu(raw, 'mongo', 0.99, 4, 5);
	assert.deepEqual(exhaustionIn(usedUp).cpu, [
		['mongo', 3, 4],
		['mongo', 4, 5],
	]);
	const unlimited = exhaustionIn((raw) => {
		usedUp(raw);
		for (const service of raw.manifest.services) service.cpu_quota_cores = null;
	});
	assert.deepEqual(unlimited.cpu, []);
});

test('a service whose quota was cut while it ran is held back in each of its periods, and one that is held back in some is not short', () => {
	const held = (share: number) =>
		exhaustionIn((raw) => {
			for (const row of raw.containers.filter(({ name }) => name === 'mongo')) {
				row.periods = 100 * (row.t - FROM);
				row.throttled_periods = 100 * share * Math.min(2, Math.max(0, row.t - FROM - 3));
			}
		}).cpu;
	assert.deepEqual(held(1), [
		['mongo', 3, 4],
		['mongo', 4, 5],
	]);
	assert.deepEqual(held(0.5), []);
});

test('a pool is held that gives out nothing for three seconds while requests wait', () => {
	const held = (to: number, more = {}) => exhaustionIn((raw) => setPool(raw, 'app-1', 3, to, { ...HELD, ...more })).pool;
	assert.deepEqual(held(6), [['app-1', 3, 6]]);
	assert.deepEqual(held(5), []);
	assert.deepEqual(held(6, { waiting: 0 }), []);
	assert.deepEqual(held(6, { in_use: 0 }), []);
});

test('a queue before a pool lasts from reading to reading, as long as somebody stands in it', () => {
	const raw = recordOf();
	setPool(raw, 'app-1', 3, 6, { waiting: 5, in_use: 50, checkouts: 700 });
	const { queue } = factsOf(raw).exhaustion;
	assert.deepEqual(
		queue.map(({ name, from, to }) => [name, from - FROM, to - FROM]),
		[['app-1', 2, 6]],
	);
});

test('of a node that was busy, or late with its own readings, nobody can say what its pool did', () => {
	const hold = (raw: Raw) => setPool(raw, 'app-1', 3, 9, HELD);
	const busy = exhaustionIn((raw) => {
		hold(raw);
		for (const row of raw.nodes['app-1']) row.busy_share = 1;
	});
	const late = exhaustionIn((raw) => {
		hold(raw);
		raw.nodes['app-1'] = without(raw.nodes['app-1'], 3, 8);
	});
	assert.deepEqual([busy.pool, late.pool], [[], []]);
});
