import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Demand } from '../../adapters/faults.ts';
import { NotReadyError } from '../../base/errors.ts';
import { ROOT } from '../../base/paths.ts';
import { PROJECT_FILE } from '../../catalog/project-schema.ts';
import { putStoredRun } from '../../diagnose/fixtures/stored-run.ts';
import { analyseRun } from '../../diagnose/result.ts';
import { listen } from '../../fixtures/reporter.ts';
import { NO_PERMISSION } from '../../options/allowed.ts';
import { failedScore } from '../../record/selftest-total.ts';
import { namedFaults } from '../../run/faults/planned-faults.ts';
import { adviceOf, toContainerNames } from './selftest.ts';
import type { Ask, Tested } from './targets.ts';
import { selftest, targetOf } from './targets.ts';

/** A folder without a system. */
const NOWHERE = '/nowhere';
const started: (folder: string, env: Record<string, string>) => Promise<number> = (folder, env) =>
	selftest(folder, env, { permission: NO_PERMISSION, ...listen().around });

/** A self-test's target with such faults. */
const targetWith = (faults: any[], read?: Tested['read']) =>
	targetOf({ plan: new Map(faults.map((fault) => [fault.id, fault])), read } as any, { folder: NOWHERE });

const KNOWN = ['control', 'lb.short-queue', 'store.locked-table'];
/** @param short the fault that is one of the short form */
const chooseFaults = (wanted: string, short?: string) => targetWith(KNOWN.map((id) => ({ id, isShort: id === short }))).choose(wanted);

test('every fault is tried after a run without one, or those that are named', () => {
	assert.deepEqual(chooseFaults('all'), KNOWN);
	assert.deepEqual(chooseFaults('store.locked-table'), ['control', 'store.locked-table']);
	assert.deepEqual(chooseFaults('lb.short-queue,control'), ['control', 'lb.short-queue']);
});

test('the short form is offered where there is one', () => {
	assert.deepEqual(chooseFaults('short', 'lb.short-queue'), ['lb.short-queue']);
	assert.throws(() => chooseFaults('short'), /expected all, rest, again or some of control, .*; found "short"/);
	const { choose } = targetWith([...namedFaults().values()]);
	assert.ok(choose('short').length > 0 && choose('short').length < choose('all').length);
});

test('a fault that is not known is refused, with those that are', () => {
	assert.throws(
		() => chooseFaults('lb.short-queue,lb.long-queue'),
		(error) => error instanceof NotReadyError && /store\.locked-table; found "lb\.long-queue"/.test(error.message),
	);
});

test('thresholds of the user’s are refused: each fault says itself what is to be found', async () => {
	const folder = await mkdtemp(join(os.tmpdir(), 'selftest-'));
	try {
		await writeFile(join(folder, PROJECT_FILE), '');
		await assert.rejects(started(folder, { EXPECT: 'failure_rate<1' }), /^NotReadyError: EXPECT/);
	} finally {
		await rm(folder, { recursive: true });
	}
});

test('a demand on a service is one on its containers', () => {
	const services = [
		{ service: 'web', name: 'web-1', tier: 'app' },
		{ service: 'web', name: 'web-2', tier: 'app' },
		{ service: 'store', name: 'store', tier: 'database' },
	];
	const demand = toContainerNames(
		{
			expected: [
				{ tier: 'app', cause: 'app-crashed', services: ['web'] },
				{ tier: 'database', cause: 'database-slow' },
			],
			near_misses: [{ ids: ['ended'], services: ['web'] }],
		},
		services,
	);
	assert.deepEqual(
		demand.expected?.map((one) => one.services),
		[['web-1', 'web-2'], undefined],
	);
	assert.deepEqual(demand.near_misses, [{ ids: ['ended'], services: ['web-1', 'web-2'] }]);
});

function adviceFor({ right = 0, unattributed = 0, level = 1 }: { right?: number; unattributed?: number; level?: 1 | 2 | null }) {
	const how = { reported: { level: 2, gives: 'statements that take long' } } as any;
	const ledger = { unattributed_reason: 'no record explains what k6 saw' } as any;
	const again = { command: 'doubletake run', why: 'again, because this run says nothing about the system' };
	const later = { command: 'doubletake compare --b POOL=32', why: 'x', once_valid: true as const };
	const tryNext = [again, later, { command: 'lb: { watch: 2 } in doubletake.yaml', why: 'each request is then on record there' }];
	const score = { ...failedScore('store.locked-table', ''), failures: 100, right, unattributed };
	return adviceOf(score, { ledger, try_next: tryNext, command: again.command }, { service: 'store', how, level });
}

test('where the ledger cannot know better, it is said why and what level would change it', () => {
	assert.deepEqual(adviceFor({ unattributed: 100 }), [
		'unattributed: no record explains what k6 saw',
		'write store: { watch: 2 } in doubletake.yaml: it then tells statements that take long',
		'write lb: { watch: 2 } in doubletake.yaml: each request is then on record there',
	]);
	// It is watched at that level already.
	assert.ok(!adviceFor({ level: 2 }).some((text) => text.startsWith('write store')));
});

test('a fault that was diagnosed rightly needs no advice, and where no level can be changed there is none', () => {
	assert.deepEqual(adviceFor({ right: 95, unattributed: 5 }), []);
	assert.deepEqual(adviceFor({ unattributed: 100, level: null }), []);
});

test('a fault that is not known is named before anything is started', async () => {
	const chosen = started(NOWHERE, { FAULTS: 'healthy,unknown' });
	await assert.rejects(chosen, (error) => error instanceof NotReadyError && /found "unknown"/.test(error.message));
});

test('a number of repeats that is none is named before anything is started', async () => {
	const chosen = started(NOWHERE, { FAULTS: 'healthy', REPEATS: 'many' });
	await assert.rejects(chosen, (error) => error instanceof NotReadyError && /^REPEATS/.test(error.message));
});

test('what would change the dose of a fault, or what is gone on with, is refused', async () => {
	for (const [faults, name] of [
		['healthy', 'DELAY'],
		['healthy', 'SEED'],
		['healthy', 'WORKERS'],
		['rest', 'REPEATS'],
		['again', 'BUDGET'],
	]) {
		const chosen = started(NOWHERE, { FAULTS: faults, [name]: '3' });
		const wanted = new RegExp(`^${name}: expected none, because it changes nothing about the self-test with FAULTS=${faults}`);
		await assert.rejects(chosen, (error) => error instanceof NotReadyError && wanted.test(error.message));
	}
});

/** @param check of a real run, with a mark that a node left */
async function inStoredRun(check: (folder: string) => Promise<void>) {
	const folder = await mkdtemp(join(os.tmpdir(), 'selftest-'));
	try {
		await putStoredRun(folder);
		await appendFile(join(folder, 'raw', 'app-1.log'), 'fault 1-1 destroyShare\n');
		await check(folder);
	} finally {
		await rm(folder, { recursive: true });
	}
}

test('a stored run is scored from its record, as often as one likes', () =>
	inStoredRun(async (folder) => {
		const target = targetWith([...namedFaults().values()], analyseRun);
		const first = await target.score('table-64', folder);
		assert.ok(first.failures > 0 && first.pairs.every(({ expected }) => expected.startsWith('load-balancer: ')));
		assert.ok(first.right <= first.right_tier && first.right_tier + first.unattributed <= first.failures);
		assert.deepEqual(await target.score('table-64', folder), first);
	}));

test('a fault that the system bore leaves nothing to diagnose; one that has to be said all the same does', () =>
	inStoredRun(async (folder) => {
		const result = await analyseRun(folder);
		const expected = [{ tier: 'app' as const, cause: 'app-crashed' }];
		const isBorne = async (demand: Demand, failures = 0, mayBear = true) => {
			const read = async () => ({ ...result, metrics: { ...result.metrics, failures } });
			const { skipped } = await targetWith([{ id: 'x', level: null, demand, mayBear }], read).score('x', folder);
			return skipped !== undefined;
		};
		assert.equal(await isBorne({ expected, least: 1 }), true);
		assert.equal(await isBorne({ expected, least: 1 }, 1), false);
		assert.equal(await isBorne({ expected, least: 1, near_misses: [{ ids: ['ended'], services: ['web'] }] }), false);
		assert.equal(await isBorne({ expected: [] }), false);
		assert.equal(await isBorne({ expected, least: 1 }, 0, false), false);
	}));

test('the diagnosis knows nothing of the faults: no file of it reads them or the self-test', () => {
	const folder = join(ROOT, 'lab', 'diagnose');
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
		(file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
	);
	assert.ok(files.length > 20);
	for (const file of files) assert.doesNotMatch(readFileSync(join(folder, file), 'utf8'), /faults\.js|selftest\/|injection/, file);
});

test('the ledger, the bottleneck and their limits do not look at what the user put in', () => {
	const folder = join(ROOT, 'lab', 'diagnose');
	const files = [
		...readdirSync(join(folder, 'ledger')).map((file) => join('ledger', file)),
		...readdirSync(join(folder, 'limits')).map((file) => join('limits', file)),
	];
	for (const file of files) assert.doesNotMatch(readFileSync(join(folder, file), 'utf8'), /manifest\.faults|disturb/, file);
});

const FOLDER = '/home/ada/shop';

const consentTo = async ({ runs, seconds }: { runs: number; seconds: number }, ask: Ask) =>
	targetOf({ plan: new Map(), secondsOf: () => seconds } as any, { folder: FOLDER, ask }).consent?.(Array(runs).fill('healthy'));

test('where nobody can be asked it is refused with the number of runs, their time and what to type', async () => {
	await assert.rejects(consentTo({ runs: 195, seconds: 195 * 74 }, null), (error) => {
		assert.ok(error instanceof NotReadyError);
		assert.match(error.message, /in \/home\/ada\/shop, or a yes to 195 runs of .*, about 4 h 1 min; found neither/);
		assert.match(error.message, /doubletake selftest --yes .*FAULTS=short/);
		return true;
	});
});

test('who is asked is told the same, and a yes begins', async () => {
	const asked = [] as string[];
	const ask = (answer: boolean) => async (question: string) => {
		asked.push(question);
		return answer;
	};
	await consentTo({ runs: 1, seconds: 31 }, ask(true));
	assert.match(
		asked[0],
		/^There is no doubletake\.yaml in \/home\/ada\/shop: this tests Doubletake itself, with 1 run of .*, about a minute\. Begin\? \[y\/N\] $/,
	);
	await assert.rejects(consentTo({ runs: 1, seconds: 31 }, ask(false)), NotReadyError);
});

test('the self-test asks with all its runs before it takes anything, and what is wrong in its variables is told first', async () => {
	const asked = [] as string[];
	const ask = async (question: string) => {
		asked.push(question);
		return false;
	};
	const started = (env: Record<string, string>) => selftest(FOLDER, env, { permission: NO_PERMISSION, ask, ...listen().around });
	await assert.rejects(started({ FAULTS: 'healthy,healthy-balanced', REPEATS: '2' }), NotReadyError);
	// Each takes half a minute and more.
	assert.match(asked[0], /with 4 runs of systems that Doubletake brings along, about [2-9] minutes\./);
	await assert.rejects(started({ FAULTS: 'unknown' }), /found "unknown"/);
	assert.equal(asked.length, 1);
});

for (const [seconds, length] of [
	[30, 'a minute'],
	[61, '2 minutes'],
	[3540, '59 minutes'],
	[3600, '1 h'],
	[8041, '2 h 15 min'],
] as [number, string][])
	test(`${seconds} s are reported as ${length}`, async () => {
		await assert.rejects(consentTo({ runs: 2, seconds }, null), ({ message }: Error) => message.includes(`, about ${length};`));
	});
