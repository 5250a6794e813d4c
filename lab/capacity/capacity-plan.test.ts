import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../base/errors.ts';
import type { Run } from '../compare/comparison/runs.ts';
import type { Plan } from '../compare/plan.ts';
import type { CapacityPlan, NumberRow } from '../record/types.js';
import { throughputOf } from '../stats/usl-fit.ts';
import { fitExperiment, planCapacity } from './capacity-plan.ts';
import { NODES } from './check.ts';
import { AROUND, asOwn, LAW, OTHERS, ownPlan, scalePlan, scaleRuns, USERS } from './fixtures/scale-runs.ts';

const plan = scalePlan();
const made = scaleRuns(plan);

const fitted = fitExperiment(plan, made);

const planned: (rps: number, p95?: number | null, given?: { plan?: Plan; runs?: Run[] }) => CapacityPlan = (
	rps,
	p95 = null,
	given = undefined,
) => planCapacity(given ? fitExperiment(given.plan ?? plan, given.runs ?? made) : fitted, { target: { rps, p95_ms: p95 }, around: AROUND });

function refusalOf(action: () => unknown) {
	try {
		action();
	} catch (error) {
		assert.ok(error instanceof NotReadyError, String(error));
		return error.message;
	}
	throw new assert.AssertionError({ message: 'it was not refused' });
}

const changed = (change: (run: Run) => Run) => made.map((run) => change(structuredClone(run)));

/** The service `app` stands for it. */
const withoutBalancer = (row: NumberRow) =>
	row.capped_by?.tier === 'load-balancer' ? { ...row, capped_by: { ...row.capped_by, tier: 'the service app' } } : row;

test('the least number is planned whose lower bound bears the target, and the estimate’s own stands beside it', () => {
	for (const rps of [100, 250, 400, 480, 560]) {
		const { nodes, nodes_by_estimate: byEstimate, numbers } = planned(rps);
		assert.ok(numbers[nodes - 1].capacity_rps.low >= rps);
		assert.ok(nodes === 1 || numbers[nodes - 2].capacity_rps.low < rps);
		assert.ok(byEstimate <= nodes && numbers[byEstimate - 1].capacity_rps.estimate >= rps);
		assert.deepEqual(
			numbers.map(({ n, enough }) => [n, enough]),
			Array.from({ length: 8 }, (_, index) => [index + 1, index + 1 >= nodes]),
		);
	}
});

test('what was measured is fitted within the numbers measured and extrapolated beyond them', () => {
	const { numbers, tiers, headline } = planned(560);
	assert.deepEqual(
		numbers.map(({ basis }) => basis),
		[...Array(4).fill('fitted'), ...Array(4).fill('extrapolated')],
	);
	assert.deepEqual(new Set(tiers.map(({ basis }) => basis)), new Set(['extrapolated']));
	assert.match(headline, /^560 requests a second want 5 nodes, which serve \d+ \(95 % interval \d+ to \d+; extrapolated\)\./);
});

test('no number of nodes serves more than the tier that saturates next', () => {
	const quick = scaleRuns(plan, (n) => 3 * throughputOf(LAW, n));
	const { numbers, tiers } = planned(700, null, { runs: quick, plan: scalePlan({ machine: { ...plan.machine, cores: 4 } }) });
	const full = Math.min(...tiers.filter(({ tier }) => tier !== 'app').map(({ full_rps: rps }) => rps));
	const last = numbers[numbers.length - 1];
	assert.deepEqual([last.capped_by?.tier, Math.round(last.capped_by?.rps ?? 0)], ['database', Math.round(full)]);
	for (const { capacity_rps: capacity } of numbers) for (const rps of Object.values(capacity)) assert.ok(rps <= full + 1e-9);
	assert.equal(numbers[0].capped_by, null);
});

test('a p95 asks for more nodes than the rate alone, or for as many', () => {
	const { nodes, numbers } = planned(400);
	const { response } = numbers[nodes - 1];
	assert.ok(response?.p95_ms.high);
	const { low, high } = response.p95_ms;
	assert.equal(planned(400, Math.ceil(high)).nodes, nodes);
	assert.ok(planned(400, Math.floor((low + high) / 2)).nodes > nodes);
});

test('the p95 is planned by the larger of the exponential and the measured ratio to the mean', () => {
	assert.equal(planned(400).p95_over_mean.factor, Math.log(20));
	const runs = changed((run) => {
		run.result.metrics.latency_ms.ok.p95 = 4 * Number(run.result.time_ledger?.check.measured_ms);
		return run;
	});
	assert.equal(planned(400, null, { runs }).p95_over_mean.factor.toFixed(6), '4.000000');
});

test('what saturates next is the tier whose CPU ends first, and the first of the others', () => {
	const { saturates, tiers, nodes } = planned(560);
	assert.equal(saturates.first.tier, 'app');
	assert.equal(saturates.second?.tier, 'database');
	const full = OTHERS.database.cores / OTHERS.database.demandS;
	assert.ok(Math.abs(Number(saturates.second?.rps) / full - 1) < 1e-6);
	const database = tiers.find(({ tier }) => tier === 'database');
	assert.ok(Math.abs(Number(database?.busy) - 560 / full) < 1e-6);
	assert.equal(database?.text, 'one, 74.5 % busy at the target; nobody measured more of them');
	assert.equal(tiers.find(({ tier }) => tier === 'app')?.number, nodes);
});

test('the model of the measured demands stands beside what was measured, with the users of the load', () => {
	const { model } = planned(400);
	for (const { n, users, measured_rps: found, model_rps: rps, measured_ms: foundMs, model_ms: ms } of model) {
		assert.equal(users, USERS);
		// The nodes of the fixture are 96 % busy while they are full, so that their CPU alone would bear 1/0.96.
		assert.ok(rps / found > 1 && rps / found < 1.06, `${n}: ${rps} beside ${found}`);
		assert.ok(Math.abs(ms / Number(foundMs) - 1) < 0.08, `${n}: ${ms} beside ${foundMs}`);
	}
	const ramp = { ...fitted, plan: scalePlan({ load: 'ramp' }) };
	assert.deepEqual(planCapacity(ramp, { target: { rps: 400, p95_ms: null }, around: AROUND }).model, []);
});

test('a hold-out check that fails makes the plan one that is not to be trusted', () => {
	assert.equal(planned(400).verdict, 'HOLDS');
	const runs = scaleRuns(plan, (n) => throughputOf(LAW, n) * (n === 4 ? 0.6 : 1));
	const { verdict, headline } = planned(200, null, { runs });
	assert.equal(verdict, 'REFUTED');
	assert.match(headline, /^Not to be trusted\. Fitted on 1 to 3 nodes it predicts .*, outside\./);
});

const graded: (verdict: 'SUSPECT' | 'INVALID', isSo: (run: Run) => boolean, times?: number) => Run[] = (verdict, isSo, times = 1) =>
	changed((run) => {
		if (!isSo(run)) return run;
		Object.assign(run.result.validity, { verdict, reasons: ['other machines took 2 % of its CPU time'] });
		run.result.metrics.goodput_rps *= times;
		return run;
	});

test('INVALID runs are not read, and are counted', () => {
	const runs = graded('INVALID', ({ attempt }) => attempt.block === 3, 10);
	const { experiment, curve, doubt } = planned(400, null, { runs });
	assert.deepEqual([experiment.runs, experiment.left_out, experiment.blocks], [28, 4, { complete: 7, wanted: 8 }]);
	assert.ok(curve.points.every(({ values }) => values.length === 7));
	assert.equal(doubt, null);
});

test('SUSPECT runs count, as in a comparison, and the plan says so first, why, and what it is without them', () => {
	const { experiment, doubt, headline, assumptions } = planned(400, null, {
		runs: graded('SUSPECT', ({ attempt }) => attempt.block === 3),
	});
	assert.deepEqual([experiment.runs, experiment.left_out], [32, 0]);
	assert.deepEqual(doubt, {
		suspect: 4,
		runs: 32,
		text: '4 of 32 runs SUSPECT: other machines took 2 % of its CPU time',
		differs: false,
		without: 'The VALID runs alone give the same number.',
	});
	assert.match(headline, /^In doubt: 4 of 32 runs are SUSPECT\. 400 requests a second want/);
	assert.ok(!assumptions.some((text) => text.includes('VALID runs') || text.includes('are VALID')));
});

test('where the VALID runs alone give another number, or too few are left, the plan says that', () => {
	const slow = graded('SUSPECT', ({ attempt }) => attempt.block <= 2, 0.5);
	const other = planned(400, null, { runs: slow });
	assert.match(other.headline, /^In doubt: 8 of 32 runs are SUSPECT\. The VALID runs alone give \d nodes\. 400 requests/);
	assert.equal(other.doubt?.without, `The VALID runs alone give ${planned(400).nodes} nodes.`);
	const many = graded('SUSPECT', ({ attempt }) => attempt.block <= 3 && attempt.arm === '2a-tuned');
	assert.match(
		String(planned(400, null, { runs: many }).doubt?.without),
		/^VALID runs alone cannot carry a plan, 6 of each number being wanted: 5 with 2 nodes\.$/,
	);
});

test('a rate that no number of nodes within twice the data bears is refused, with the largest that is answered for', () => {
	const message = refusalOf(() => planned(5000));
	assert.match(
		message,
		/^plan: expected a target inside the data, up to [\d,]+ requests a second; at 5000 .* would be .* % busy; more than one/,
	);
	const most = Number(/up to ([\d,]+)/.exec(message)?.[1].replace(',', ''));
	assert.ok(planned(Math.floor(most * 0.99)).nodes > 0);
	assert.ok(Math.abs(planned(100).most_rps / most - 1) < 0.01);
});

test('a rate at which another tier would be too busy is refused, and one as busy as it was measured is not', () => {
	const edge = (0.8 * OTHERS.database.cores) / OTHERS.database.demandS;
	assert.ok(planned(Math.floor(edge)).nodes >= 4);
	assert.match(
		refusalOf(() => planned(Math.ceil(edge) + 1)),
		/the database would be 80\.\d % busy; more than one would be wanted, and this data cannot say what a second one does/,
	);
	const busy = changed((run) => {
		run.result.resources.database.cpu_quota_cores = 0.29;
		return run;
	});
	assert.equal(planned(480, null, { runs: busy }).nodes, 4, '83 % busy, 91 % measured');
});

test('without another tier in the way the number of nodes is the limit', () => {
	const runs = changed((run) => {
		for (const name of Object.keys(OTHERS)) run.result.resources[name].cpu_quota_cores = 2;
		return run;
	});
	assert.match(
		refusalOf(() => planned(1500, null, { runs })),
		/found 1500, which no number of nodes up to 8 meets with its low bound; more than 2 times the measured 4/,
	);
});

test('a p95 that is too short is refused: for the rate, or for any rate', () => {
	assert.match(
		refusalOf(() => planned(400, 30)),
		/up to [\d,.]+ requests a second with P95_MS=30; found 400/,
	);
	assert.match(
		refusalOf(() => planned(400, 1)),
		/a p95 inside the data; found P95_MS=1, which is not met at any rate/,
	);
});

test('an experiment that does not carry a plan is refused, and why is said', () => {
	const few = scalePlan({ curve: { x_label: 'nodes', metric: 'goodput_rps', x: { '1a-tuned': 1, '2a-tuned': 2, '3a-tuned': 3 } } });
	assert.match(
		refusalOf(() => planned(100, null, { plan: few })),
		/at least 4 numbers of nodes: .*; found 3 in scale\//,
	);

	const short = made.filter(({ attempt }) => attempt.block <= 5);
	assert.match(
		refusalOf(() => planned(100, null, { runs: short })),
		/at least 6 runs that are not INVALID with every number of nodes; found 5 with 1 \(0 INVALID\), .*\n {2}To do: add blocks: make experiment-scale RESUME=reports\/scale\/\S+ REPEATS=12$/,
	);

	const faults: [(run: Run) => void, RegExp][] = [
		[(run) => Object.assign(run.result.metrics, { goodput_rps: 0 }), /good answers in every run; found none in 1a-tuned, block 1/],
		[(run) => delete run.result.resources['app-1'], /1 node in 1a-tuned, block 1; found 0/],
		[
			(run) => Object.assign(run.result.resources.database, { cpu_quota_cores: null }),
			/a CPU quota for every tier, .* found none for database/,
		],
		[(run) => Object.assign(run.result.resources.database.cpu_cores, { mean: null }), /the CPU of every tier; found none for database/],
		[
			(run) => run.attempt.block === 2 && delete run.result.resources.balancer,
			/the same tiers .*; found app, database, load-balancer and app, database\./,
		],
		[
			(run) => {
				for (const { cpu_cores: cpu } of Object.values(run.result.resources)) cpu.mean = 0.05;
			},
			/a tier at 80 % of its CPU or more .* with 1 the busiest is at 25\.0 %: the rate is what users asked for/,
		],
	];
	for (const [change, expected] of faults) {
		const runs = changed((run) => {
			change(run);
			return run;
		});
		assert.match(
			refusalOf(() => planned(100, null, { runs })),
			expected,
		);
	}
});

const ownRuns = (change?: Parameters<typeof asOwn>[1]) => made.map((run) => asOwn(run, change));

test('of a user’s own system a plan is made as of a shipped one, each service by itself', () => {
	const own = planned(560, null, { plan: ownPlan(), runs: ownRuns() });
	const shipped = planned(560);
	assert.deepEqual([own.nodes, own.verdict, own.numbers], [shipped.nodes, shipped.verdict, shipped.numbers.map(withoutBalancer)]);
	assert.deepEqual(new Set(own.tiers.map(({ tier }) => tier)), new Set([NODES, 'the service app', 'database']));
	assert.deepEqual([own.saturates.first, own.saturates.second], [shipped.saturates.first, shipped.saturates.second]);
	assert.equal(own.model.length, 4);
});

test('what is counted may be within containers, whose CPU grows with it', () => {
	const within = ownRuns((resources, n) => {
		const [first, ...others] = Object.keys(resources).filter((name) => name.startsWith('shop'));
		const { cpu_quota_cores: quota, cpu_cores: cpu, ...rest } = resources[first];
		for (const name of [first, ...others]) delete resources[name];
		resources.shop = { ...rest, cpu_quota_cores: quota * n, cpu_cores: { mean: cpu.mean * n, max: cpu.max * n } };
	});
	assert.equal(planned(560, null, { plan: ownPlan(), runs: within }).nodes, planned(560).nodes);
});

test('of a user’s own system what cannot carry a plan is refused with what is missing', () => {
	const faults: [RegExp, Parameters<typeof ownRuns>[0], Plan?][] = [
		[/users of whom it is known how long they think; the load of .* is a script/, undefined, ownPlan({}, null)],
		[
			/2 nodes in 2a-tuned, block 1; found 1\.\n.*BUDGET=shop=0\.2 doubletake experiment nodes\.yaml/,
			(resources) => delete resources['shop-2'],
		],
		[/a CPU quota for every tier, .* found none for database/, ({ database }) => Object.assign(database, { cpu_quota_cores: null })],
		[
			/as much CPU for each node with every number of nodes; found 0\.2 of a core with 1 and 0\.15 with 2/,
			(resources, n) => n > 1 && Object.assign(resources['shop-1'], { cpu_quota_cores: 0.4 - 0.25 * n + 0.2 }),
		],
		[
			/as much CPU for database with every number of nodes; found 0\.376 of a core with 1 and 0\.752 with 2/,
			({ database }, n) => Object.assign(database, { cpu_quota_cores: n === 1 ? 0.376 : 0.752 }),
		],
		[
			/at most the machine’s 2 cores for the quotas of all nodes and what the other tiers take, .* with 3 they are /,
			(resources) => {
				for (const name of Object.keys(resources)) if (name.startsWith('shop')) resources[name].cpu_quota_cores = 0.6;
			},
		],
	];
	for (const [expected, change, given = ownPlan()] of faults)
		assert.match(
			refusalOf(() => planned(100, null, { plan: given, runs: ownRuns(change) })),
			expected,
		);
});
