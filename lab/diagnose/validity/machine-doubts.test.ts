import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addPerSecond, judged, NOTHING, runJudged } from '../fixtures/judged.ts';
import { setCpu } from '../fixtures/record-tiers.ts';
import type { Raw } from '../fixtures/story.ts';
import { FROM } from '../fixtures/story.ts';

/** Of the hand-made machine. */
const CORES = 4;
/** Something takes this share of the machine from idling, in the load. */
const take: (state: string, share: number) => (raw: Raw) => void = (state, share) => (raw) =>
	addPerSecond(raw.host, FROM, (row, seconds) => {
		row.stat[state] += seconds * CORES * share;
		row.stat.idle -= seconds * CORES * share;
	});
const neighbour: (share: number, from?: number) => (raw: Raw) => void =
	(share, from = FROM) =>
	(raw) =>
		addPerSecond(raw.host, from, (row, seconds) => {
			row.cpu_busy_s += seconds * CORES * share;
		});

test('a hundredth of the machine may be stolen, beyond a twentieth the run is invalid', () => {
	assert.deepEqual(runJudged(take('steal', 0.0099)), NOTHING);
	assert.deepEqual(runJudged(take('steal', 0.02)), {
		verdict: 'SUSPECT',
		reasons: ["other virtual machines on the same hardware took 2 % of this machine's CPU time; the limit is 1 %"],
	});
	assert.equal(runJudged(take('steal', 0.051)).verdict, 'INVALID');
});

/** Another program sends so many packets for each of the run's. */
const packetsOfOthers: (times: number) => (raw: Raw) => void = (times) => (raw) => {
	for (const row of raw.host) row.packets *= 1 + times;
};

test("the run's own packets are part of what is measured, however much of the machine they take", () => {
	assert.deepEqual(runJudged(take('softirq', 0.5)), NOTHING);
});

test('packets of others and the disk may take a tenth of the machine between them, and never make a run invalid', () => {
	const half = (share: number) => (raw: Raw) => {
		take('softirq', share)(raw);
		packetsOfOthers(1)(raw);
	};
	assert.deepEqual(runJudged(half(0.18)), NOTHING);
	const both = runJudged((raw) => {
		half(0.12)(raw);
		take('iowait', 0.05)(raw);
	});
	assert.deepEqual(both, {
		verdict: 'SUSPECT',
		reasons: [
			"the kernel's packets took 12 % of the machine (50 % of them were not the run's) and waiting for its disk 5 %; the limit is 10 %",
		],
	});
	assert.equal(runJudged(half(0.9)).verdict, 'SUSPECT');
	assert.equal(runJudged(take('iowait', 0.5)).verdict, 'SUSPECT');
});

test('packets that nobody counted may all be of others', () => {
	const uncounted = (record: 'host' | 'kernel') =>
		runJudged((raw) => {
			take('softirq', 0.12)(raw);
			for (const row of raw[record]) delete row.packets;
		});
	const reason =
		"the kernel's packets took 12 % of the machine (whose they were was not recorded) and waiting for its disk 0 %; the limit is 10 %";
	assert.deepEqual(uncounted('host').reasons, [reason]);
	assert.deepEqual(uncounted('kernel').reasons, [reason]);
});

test('a container that started again counts its packets from 0', () => {
	const found = runJudged((raw) => {
		take('softirq', 0.12)(raw);
		for (const row of raw.kernel) if (row.name === 'app-1' && row.t > FROM + 5) row.packets -= 6000;
	});
	assert.deepEqual(found, NOTHING);
});

test("the kernel's packets are no neighbour", () => {
	const found = runJudged((raw) => {
		take('softirq', 0.09)(raw);
		neighbour(0.09)(raw);
		take('softirq', 0)(raw);
	});
	assert.deepEqual(found, NOTHING);
	const programs = runJudged((raw) => {
		neighbour(0.2)(raw);
		take('user', 0.2)(raw);
	});
	assert.deepEqual(programs.reasons, ['other programs used 20 % of the machine; the limit is 15 %']);
});

test("the engine's own work is no other program's, and a doubt of its own beyond a tenth of the machine", () => {
	const working = (share: number) =>
		runJudged((raw) => {
			for (const row of raw.host) row.engine_cpu_s = 0;
			neighbour(share)(raw);
			addPerSecond(raw.host, FROM, (row, seconds) => {
				row.engine_cpu_s += seconds * CORES * share;
			});
		});
	assert.deepEqual(working(0.09), NOTHING);
	assert.deepEqual(working(0.12).reasons, ['the container engine itself used 12 % of the machine; the limit is 10 %']);
});

test('programs that wait for memory in more than a hundredth of the time are a doubt, where the kernel tells', () => {
	const wait = (share: number) =>
		runJudged((raw) => addPerSecond(raw.host, FROM, (row, seconds) => Object.assign(row.pressure, { memory: seconds * share })));
	assert.deepEqual(wait(0.01), NOTHING);
	assert.deepEqual(wait(0.03).reasons, ['programs waited for memory in 3 % of the time; the limit is 1 %']);
	const unreported = runJudged((raw) => {
		for (const row of raw.host) delete row.pressure;
	});
	assert.deepEqual(unreported, NOTHING);
});

test('a neighbour may use what the quotas leave, and never more than 15 %', () => {
	assert.deepEqual(runJudged(neighbour(0.14)), NOTHING);
	assert.equal(runJudged(neighbour(0.16)).verdict, 'SUSPECT');
	// The quotas of the others sum to 1 core of the 4.
	const tight = (share: number, ofGenerator = 2.8) =>
		runJudged((raw) => {
			neighbour(share)(raw);
			for (const service of raw.manifest.services) if (service.name === 'k6') service.cpu_quota_cores = ofGenerator;
		});
	assert.deepEqual(tight(0.049), NOTHING);
	assert.deepEqual(tight(0.07).reasons, ['other programs used 7 % of the machine; the limit is 5 %']);
	// Quotas that leave nothing: what a reading may be wrong by is no program.
	assert.deepEqual(tight(0.009, 3.5), NOTHING);
	assert.deepEqual(tight(0.02, 3.5).reasons, ['other programs used 2 % of the machine; the limit is 1 %']);
});

test('without quotas every core counts: a neighbour is suspect from 5 % on', () => {
	const without = (share: number) =>
		runJudged((raw) => {
			neighbour(share)(raw);
			for (const service of raw.manifest.services) service.cpu_quota_cores = null;
		});
	assert.deepEqual(without(0.049), NOTHING);
	assert.equal(without(0.06).verdict, 'SUSPECT');
	assert.equal(without(0.36).verdict, 'INVALID');
});

test('a neighbour of one stage is reported with the stage', () => {
	const { verdict, reasons, stages } = judged((raw) => {
		for (const row of raw.host) row.cpu_busy_s += Math.max(0, Math.min(2, row.t - FROM)) * CORES * 0.3;
	});
	assert.deepEqual([verdict, stages.map((stage) => stage.verdict)], ['SUSPECT', ['SUSPECT', 'VALID']]);
	assert.deepEqual(reasons, ['in seconds 0 to 2 (to 3 users), other programs used 30 % of the machine; the limit is 15 %']);
});

test('a load that sets in is no neighbour, although the second before it was idle', () => {
	const since = (t: number) => Math.max(0, t - FROM);
	const { stages } = judged((raw) => {
		const used = 3 / raw.manifest.services.length;
		for (const row of raw.containers) row.cpu_s = since(row.t) * used;
		for (const row of raw.host) row.cpu_busy_s = since(row.t) * 3 + row.lab_cpu_s;
	});
	for (const { reasons } of stages) assert.ok(!reasons.some((reason) => reason.startsWith('other programs')), reasons.join());
});

test('a container that ended in the load counts for as long as it ran', () => {
	const found = runJudged((raw) => {
		setCpu(raw, 'app-1', 0.9, 1, 5);
		raw.containers = raw.containers.filter(({ name, t }) => name !== 'app-1' || t <= FROM + 5);
		neighbour(0.2)(raw);
	});
	assert.equal(found.verdict, 'SUSPECT');
});

test('a neighbour that left before the load is none', () => {
	const found = runJudged((raw) => {
		for (const row of raw.host) row.cpu_busy_s += Math.min(0, row.t - FROM) * CORES;
	});
	assert.deepEqual(found, NOTHING);
});

test("the lab's own containers are no neighbours", () => {
	const busy = runJudged((raw) => {
		setCpu(raw, 'app-1', 0.94, 1);
		setCpu(raw, 'mongo', 0.94, 1);
		for (const row of raw.host) row.cpu_busy_s += Math.max(0, row.t - FROM) * 0.64;
	});
	assert.deepEqual(busy, NOTHING);
});

test('observers that missed more than three seconds are a doubt', () => {
	const without = (to: number) =>
		runJudged((raw) => {
			raw.host = raw.host.filter(({ t }) => t <= FROM + 3 || t >= FROM + to);
		});
	assert.deepEqual(without(6), NOTHING);
	assert.deepEqual(without(7), { verdict: 'SUSPECT', reasons: ['the observers have a gap of 4 s; the limit is 3 s'] });
});

test('a machine that was busier than 15 % before the run is a doubt', () => {
	const before = (share: number | undefined) =>
		runJudged((raw) => {
			raw.manifest.machine.busy_share_before = share;
		});
	assert.deepEqual(before(0.15), NOTHING);
	assert.deepEqual(before(0.6), { verdict: 'SUSPECT', reasons: ['the machine was 60 % busy before the run; the limit is 15 %'] });
	assert.deepEqual(before(undefined).reasons, [
		'how busy the machine was before the run was not recorded, so whether it was quiet is not known',
	]);
});

test('clocks that are more than a second apart make a run suspect, whichever is ahead', () => {
	const apart = (offset: number | null | undefined) =>
		runJudged((raw) => {
			raw.manifest.machine.clock_offset_s = offset;
		});
	for (const offset of [0, 0.9, -0.9, null, undefined]) assert.deepEqual(apart(offset), NOTHING);
	assert.match(apart(-7).reasons[0], /^the engine's clock was 7 s behind this machine's, .*; the limit is 1 s$/);
	assert.match(apart(3.25).reasons[0], /^the engine's clock was 3\.3 s ahead of this machine's/);
	assert.equal(apart(-3600).verdict, 'SUSPECT');
});

test('a reading of the machine that is missing is a doubt, not a pass', () => {
	const reported = (change: (raw: Raw) => void) => runJudged(change).reasons;
	assert.deepEqual(
		reported((raw) => {
			raw.host = [];
		}),
		["the machine's own record was not recorded, so what else it did is not known"],
	);
	assert.deepEqual(
		reported((raw) => {
			for (const row of raw.host) delete row.stat;
		}),
		['time stolen by other machines was not recorded, so whether this one had its cores to itself is not known'],
	);
	const reasons = reported((raw) => {
		raw.containers = [];
	});
	assert.ok(reasons.includes("the containers' CPU was not recorded, so what other programs used is not known"), reasons.join('\n'));
});
