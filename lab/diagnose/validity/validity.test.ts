import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judged, NOTHING, runJudged } from '../fixtures/judged.ts';
import { recordOf, setIteration } from '../fixtures/record.ts';
import { setCpu } from '../fixtures/record-tiers.ts';
import { readStoredRun } from '../fixtures/stored-run.ts';
import type { Raw } from '../fixtures/story.ts';
import { FROM, WARMUP_S } from '../fixtures/story.ts';
import { resultOf } from '../result.ts';

/** Of a run in which nothing else is in doubt. */
function doubtsOf(faults?: object[]) {
	const raw = recordOf();
	if (faults) raw.manifest.faults = faults;
	const { verdict, reasons } = resultOf(raw).validity;
	return { verdict, reasons };
}

test('a fault that was put in and undone is no doubt, nor is a run without any', () => {
	const none = { verdict: 'VALID', reasons: [] };
	assert.deepEqual(doubtsOf(), none);
	assert.deepEqual(doubtsOf([{ text: 'pause mongo@2s+5s', began_s: 1, ended_s: 6, failed: null }]), none);
});

test('a run without the fault that was asked for says nothing of it', () => {
	const { verdict, reasons } = doubtsOf([
		{ text: 'kill app-2@30s', began_s: null, ended_s: null, failed: 'there is no container app-2 to kill' },
		{ text: 'pause mongo@2s+5s', began_s: 1, ended_s: null, failed: 'it is not paused' },
	]);
	assert.equal(verdict, 'INVALID');
	assert.deepEqual(reasons, [
		'the fault "kill app-2@30s" was not put in: there is no container app-2 to kill',
		'the fault "pause mongo@2s+5s" was not undone: it is not paused',
	]);
});

const ACCEPTED_IN_LOAD = 2000;

/**
 * What is said of the warm-up of a run with a queue.
 * @param left writes of it that are done in the load
 */
function warmupDoubtsOf(left: number) {
	const raw = recordOf();
	const put = new Map();
	const taken = new Map();
	for (let index = 0; index < ACCEPTED_IN_LOAD; index += 1) put.set(`r${index}`, [{ received: FROM + 1, ended: FROM + 1, status: 202 }]);
	for (let index = 0; index < left; index += 1) {
		put.set(`w${index}`, [{ received: FROM - 5, ended: FROM - 5, status: 202 }]);
		taken.set(`w${index}`, [{ received: FROM, ended: FROM + 0.5, status: 200 }]);
	}
	raw.queued = { workers: [], put, taken } as any;
	const { verdict, reasons } = resultOf(raw).validity;
	return { verdict, reasons: reasons.filter((reason) => reason.includes('of the warm-up')) };
}

test('an empty queue is no doubt, nor a system without one', () => {
	assert.deepEqual(warmupDoubtsOf(0).reasons, []);
	assert.deepEqual(warmupDoubtsOf(2).reasons, []);
	assert.equal(recordOf().queued, null);
});

test('what the warm-up left is one, by what the load put in', () => {
	const { verdict, reasons } = warmupDoubtsOf(100);
	assert.equal(verdict, 'SUSPECT');
	assert.match(
		reasons[0],
		/^100 writes of the warm-up were not done when the load began, 5 % of what the load put into the queue; the limit is 0\.1 %$/,
	);
	assert.equal(warmupDoubtsOf(201).verdict, 'INVALID');
});

/** Two stages, of which the second begins at that second; the generator is at its quota throughout the second. */
const damageFrom: (second: number) => (raw: Raw) => void = (second) => (raw) => {
	raw.manifest.shape.stages = [
		{ duration_s: second, target: 3, held: true },
		{ duration_s: 10 - second, target: 3, held: true },
	];
	// Of ten seconds at most five, so that the whole run is not INVALID by itself.
	setCpu(raw, 'k6', 1, second + 1, Math.min(10, second + 5));
};

test('a healthy run is valid in every stage, with nothing to say', () => {
	for (const balanced of [true, false]) {
		assert.deepEqual(runJudged(undefined, { balanced }), NOTHING);
		const stages = [
			{ target: 3, from_s: 0, to_s: 2, verdict: 'VALID', reasons: [], doubts: [] },
			{ target: 3, from_s: 2, to_s: 10, verdict: 'VALID', reasons: [], doubts: [] },
		];
		assert.deepEqual(judged(undefined, { balanced }).stages, stages);
	}
});

test('an INVALID stage makes the run suspect as long as most requests lie in others', () => {
	const { verdict, reasons, stages } = judged(damageFrom(6));
	assert.deepEqual([verdict, stages[0].verdict, stages[1].verdict], ['SUSPECT', 'VALID', 'INVALID']);
	assert.deepEqual(reasons, [
		"the generator's CPU was at its quota for 40 % of the seconds; the limit is 10 %",
		"in seconds 6 to 10 (held at 3 users), the generator's CPU was at its quota for 100 % of the seconds; the limit is 50 %",
	]);
});

test('INVALID stages with more than half of the requests make the run invalid', () => {
	const { verdict, reasons } = judged(damageFrom(4));
	assert.equal(verdict, 'INVALID');
	assert.ok(
		reasons.includes('60 % of the requests belong to stages of the load that are INVALID when each is judged alone; the limit is 50 %'),
		reasons.join('\n'),
	);
});

test('a doubt that the whole run shows is not told again for its stages', () => {
	const { reasons, stages } = judged((raw) => setIteration(raw, 32));
	assert.equal(reasons.length, 1);
	for (const stage of stages) assert.deepEqual(stage.reasons, reasons);
});

test('of several stages with the same doubt the worst is told', () => {
	const { reasons } = judged((raw) => {
		raw.manifest.shape.stages = [2, 3, 5].map((duration_s) => ({ duration_s, target: 3, held: true }));
		raw.snapshots[WARMUP_S].metrics.iteration_duration = { avg: 34 };
		raw.snapshots[WARMUP_S + 2].metrics.iteration_duration = { avg: 36 };
	});
	assert.deepEqual(reasons, [
		'in seconds 0 to 2 (held at 3 users), the worst of several stages, the load generator was overloaded: its own overhead took 6.3 % of the time of all users; the limit is 5 %',
	]);
});

test('every reason is reported, and the worst one decides', () => {
	const { verdict, reasons } = judged((raw) => {
		setCpu(raw, 'k6', 1, 3, 4);
		setIteration(raw, 34);
		raw.host = raw.host.filter(({ t }) => t <= FROM + 3 || t >= FROM + 8);
	});
	assert.equal(verdict, 'INVALID');
	for (const reason of [/own overhead/, /at its quota/, /observers have a gap of 5 s/])
		assert.ok(
			reasons.some((found) => reason.test(found)),
			`${reason} in:\n${reasons.join('\n')}`,
		);
});

/** @param change of a healthy run */
function nextIn(change: (raw: Raw) => void) {
	const raw = recordOf({ balanced: true });
	change(raw);
	const { validity, try_next: next } = resultOf(raw);
	return { verdict: validity.verdict, next: next.map(({ command, why }) => `${command}: ${why}`) };
}

test('a run that was cut short is to be let run to its end, and recommends nothing else', () => {
	const { verdict, next } = nextIn((raw) => {
		raw.manifest.interrupted = true;
	});
	assert.deepEqual(
		[verdict, next],
		['INVALID', ['make run-a: again, because this run says nothing about the system; first let the load run to its end']],
	);
});

test('a script whose arrivals found no user is to be given more of them', () => {
	const { next } = nextIn((raw) => {
		Object.assign(raw.manifest.shape, { model: 'open', arriving: ['default'] });
		raw.summary.metrics['iteration_duration{scenario:default}'] = { values: { count: 1000, avg: 20 } };
		raw.summary.metrics['dropped_iterations{scenario:default}'] = { values: { count: 500 } };
	});
	assert.match(next.join(), /first give the script more users for its arrivals \(maxVUs\)/);
});

test('a real run that is INVALID names what to do first, each step once, and after it what a VALID one would want tried', async () => {
	const { validity, metrics, try_next: next } = resultOf(await readStoredRun());
	assert.ok(validity.verdict === 'INVALID' && metrics.failures > 0);
	assert.doesNotMatch(next[0].command, /slots|keepalive|pool500/);
	const [relief, proof, ...others] = next.slice(1);
	assert.deepEqual([relief.once_valid, proof.once_valid, proof.command, others], [true, true, 'make prove', []]);
	assert.match(relief.command, /run-2a-slots/);
	assert.match(relief.why, /^relieves the load balancer/);
	const steps = next[0].why.split(/; |, and /);
	assert.equal(new Set(steps).size, steps.length, next[0].why);
});

test('what makes a run SUSPECT alone asks for nothing first', () => {
	const { verdict, next } = nextIn((raw) => {
		raw.manifest.machine.busy_share_before = 0.5;
	});
	assert.deepEqual([verdict, next], ['SUSPECT', []]);
});
