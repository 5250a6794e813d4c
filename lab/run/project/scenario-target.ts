/**
 * A target whose Compose files have what makes its load, which is a scenario of the lab: it is brought up as they stand, under the names by which
 * anybody can bring it up by hand. Which parts of it start profiles say, and what is asked of them variables.
 */

import type { Shape } from '../../../k6/lib/shapes.js';
import { shapeOfRun, TRIAL_SHAPE } from '../../../k6/lib/shapes.js';
import { profileOf } from '../../catalog/architectures.ts';
import { liftedIn, periodOf, quotaVariables } from '../../catalog/budgets.ts';
import type { Project } from '../../catalog/project-schema.ts';
import { scenarios, scriptOf, shapeOf, shapes } from '../../catalog/scenarios.ts';
import { databasesIn, tiersIn } from '../../catalog/shipped-services.ts';
import { readConfig } from '../../docker/compose.ts';
import { architectureSystem, labSystem } from '../../docker/containers.ts';
import { ensureImages } from '../../docker/images.ts';
import { describeMachine } from '../../docker/lock.ts';
import { makeRunFolder } from '../../docker/run-folder.ts';
import type { RunFolder } from '../../docker/scratch.ts';
import { bringUp } from '../../docker/stack.ts';
import { drivers } from '../../load/drivers.ts';
import type { Calibration } from '../../options/calibration.ts';
import { conditionsOf, takesCalibration } from '../../options/calibration.ts';
import type { Settings } from '../../options/settings.ts';
import { clientEnvironment } from '../../options/settings.ts';
import { describeSystem, wayOf } from '../../target/describe.ts';
import { prepareGenerators } from '../../target/generators.ts';
import { besides, namedFaults } from '../faults/planned-faults.ts';
import { publishedPorts } from '../preflight.ts';
import type { Injection, Target, TargetRun } from '../run-target.ts';
import { SWARM_PERIOD_US } from '../run-target.ts';

/** The profile of what observes the database, on in every run that has one to observe. */
const OBSERVE_PROFILE = 'observe';
/**
 * Seconds without load after the warm-up, where a queue keeps what it took then: it is worked off before the load begins. In 7 runs it
 * took 2.4 s at most.
 */
const QUEUE_SETTLES_S = 10;

/** The published app, and the architecture that is the same; its folder is called like its profile. */
const PLAIN = 'plain';
const PLAIN_OF = 'a';
/** Profile and service of Compose. */
const GENERATORS = { plain: ['plain-load', 'k6-plain'], lab: ['load', 'k6'] };

/**
 * What it is measured as without the whole lab, the plainest first. App and generator are each the published one in its plainest
 * form, or the lab's own, so that what each of the lab's parts costs can be told.
 */
const BARE_ARMS: Record<string, { title: string; parts: { app: 'plain' | 'lab'; generator: 'plain' | 'lab' } }> = {
	plain: { title: 'the published app, bare k6', parts: { app: 'plain', generator: 'plain' } },
	app: { title: 'Doubletake’s app, bare k6', parts: { app: 'lab', generator: 'plain' } },
	generator: { title: 'the published app, Doubletake’s k6 scenario', parts: { app: 'plain', generator: 'lab' } },
	// What the whole lab costs beyond this are its observers.
	unobserved: { title: 'Doubletake’s app and k6 scenario, no observers', parts: { app: 'lab', generator: 'lab' } },
};

/**
 * @param given scenario: key of
 * the scenarios table
 */
export function scenarioTarget({
	project,
	scenario,
	settings,
	calibration = null,
	group,
	injection,
	hosts,
}: TargetRun & { scenario: string; group: string; injection: Injection }): Target {
	const { architecture } = settings;
	const asked = { project, scenario, settings };
	const { driver: driverId, written } = scenarios[scenario];
	const driver = drivers[driverId];
	const profiles = [profileOf(architecture), ...(written ? [OBSERVE_PROFILE] : [])];
	const systemWith = (wanted: string[], files: string[] = []) => ({
		...architectureSystem(architecture, wanted, files),
		...(hosts ? { deployment: hosts } : {}),
	});
	const withGenerator = systemWith([...profiles, ...driver.profiles]);
	return {
		project: withGenerator.project,
		...{ group, settings, injection },
		// On a Swarm nothing is.
		published: async () => (hosts ? [] : publishedPorts(await readConfig(withGenerator, {}))),
		capture: settings.capture,
		images: ({ say, signal }) => ensureImages({ mode: settings.images, architectures: [architecture], say, signal }),
		prepare: async ({ run, images, scratch, say, signal }) => {
			const { files, variables } = await besides(injection.put, scratch, () => serviceNames(architecture));
			const prepared = await hosts?.prepare({ system: withGenerator, env: images.variables, helperImage: images.variables.APP_IMAGE });
			for (const note of prepared?.notes ?? []) say(`note: ${note}`);
			const { quotas, think_time_s: thinkTimeS, rate_rps: rate } = conditionsOf(settings, (await describeMachine()).cores, calibration);
			const load = loadOf(asked, { thinkTimeS, rate: rate ?? settings.rate });
			const env = {
				...images.variables,
				...quotaVariables(settings.budget, quotas),
				...variablesOf(asked, run, load),
				...(hosts ? { RAW_FOLDER: '' } : {}),
				...variables,
			};
			await makeRunFolder(run);
			const parts = await generatorParts(asked, run);
			const loadSystem = parts
				? systemWith([...profiles, ...parts.profiles], [...files, parts.file])
				: systemWith([...profiles, ...driver.profiles], files);
			const system = systemWith(profiles, files);
			return {
				system,
				down: systemWith([], files),
				loadSystem,
				generators: parts?.services,
				driver,
				env,
				generatorImage: driver.image(env),
				built: {},
				shape: load.shape,
				liftedTiers: liftedIn(settings.budget),
				facts: {
					...factsOf(asked, { quotas, thinkTimeS, calibration, shape: load.shape }),
					...(hosts ? { cpu_period_us: SWARM_PERIOD_US, hosts: prepared?.hosts } : {}),
				},
				bringUp: async (whenCreated) => ({
					// A stack of a Swarm is deployed as a whole, and the generators are started later.
					stack: await bringUp({ system: hosts ? loadSystem : system, env, whenCreated, signal }),
					notes: prepared?.notes ?? [],
					facts: {},
					// None where a program in its containers makes the load.
					way: project.entry === '' ? null : wayOf(project),
					probe: async () => {},
					driven: (drive) => drive(signal),
					whenDriven: async () => ({}),
					notesAfter: () => [],
				}),
			};
		},
		prepareBare: async ({ arm, images, writtenFolder, signal }) => {
			const { parts } = BARE_ARMS[arm];
			const stack = parts.app === 'plain' ? PLAIN : architecture;
			const [profile, generator] = GENERATORS[parts.generator];
			const { quotas, think_time_s: thinkTimeS } = conditionsOf(settings, (await describeMachine()).cores, calibration);
			const load = loadOf(asked, { thinkTimeS, rate: settings.rate });
			const env = {
				...images.variables,
				...quotaVariables(settings.budget, quotas),
				...variablesOf(asked, { id: 'bare', writtenFolder, user: '' }, load),
			};
			const system = architectureSystem(stack, [parts.app === 'plain' ? stack : profileOf(stack)]);
			return {
				loadSystem: architectureSystem(stack, [profile]),
				generator,
				down: labSystem(),
				env,
				shape: load.shape,
				bringUp: () => bringUp({ system, env, signal }),
			};
		},
		close: async () => {},
		faults: () => new Map([...namedFaults()].filter(([, { on }]) => on?.architecture === architecture)),
		bareArms: architecture === PLAIN_OF ? Object.fromEntries(Object.entries(BARE_ARMS).map(([id, { title }]) => [id, title])) : {},
		putLoad: async () => ({
			load: settings.load,
			shape: shapes[shapeOf(scenario, settings.load)](settings.variables),
			script: null,
		}),
	};
}

/** environment: of the generator */
type Load = { shape: Shape; shapeId: string; environment: Record<string, string> };

type Asked = { project: Project; scenario: string; settings: Settings };

function loadOf({ scenario, settings }: Asked, { thinkTimeS, rate }: { thinkTimeS: number | null; rate: number | null }): Load {
	const { trial } = settings;
	const shapeId = trial?.users === undefined ? shapeOf(scenario, settings.load) : TRIAL_SHAPE;
	const users = trial?.users ?? settings.users;
	const environment = {
		RATE: rate === null ? '' : String(rate),
		THINK_TIME_S: thinkTimeS === null ? '' : String(thinkTimeS),
		USERS: users === null ? '' : String(users),
		CUT_S: String(trial?.cut_s ?? ''),
		SETTLE_S: tiersIn(settings.architecture).includes('queue') ? String(QUEUE_SETTLES_S) : '',
		...clientEnvironment(settings.client),
	};
	// What the generator makes its own of.
	return { shapeId, environment, shape: shapeOfRun({ ...settings.variables, ...environment, SHAPE: shapeId }, shapes) };
}

/** What the Compose files read. */
const variablesOf: (asked: Asked, run: Pick<RunFolder, 'id' | 'writtenFolder' | 'user'>, load: Load) => Record<string, string> = (
	{ project, scenario, settings },
	run,
	{ shapeId, environment },
) => ({
	...settings.variables,
	...scenarios[scenario].written?.observer,
	DATABASES: databasesIn(settings.architecture).join(','),
	RUN_ID: run.id,
	// Not where the lab writes: a container may put there what it likes.
	RAW_FOLDER: run.writtenFolder,
	LAB_USER: run.user,
	...scriptOf(scenario),
	SHAPE: shapeId,
	...environment,
	SEED: String(settings.seed),
	INTEGRITY: settings.integrity ? '1' : '',
	K6_WEB_DASHBOARD: String(settings.dashboard),
	EXTRA_DELAY_MS: String(settings.delay),
	TARGET: String(project.entry),
});

/** What the manifest says of it. */
const factsOf = (
	{ project, scenario, settings }: Asked,
	{
		quotas,
		thinkTimeS,
		calibration,
		shape,
	}: { quotas: Record<string, number>; thinkTimeS: number | null; calibration: Calibration | null; shape: Load['shape'] },
) => ({
	architecture: settings.architecture,
	system: { ...describeSystem(project, { isFollowed: false }), published: project.published },
	load: settings.load,
	shape,
	scenario,
	variables: settings.variables,
	budget: settings.budget,
	quotas_cores: quotas,
	cpu_period_us: periodOf(settings.budget),
	quotas_lifted_in_warmup: liftedIn(settings.budget),
	...(calibration !== null && takesCalibration(settings) ? { calibration } : {}),
	// Of a load that sets it; the scenario's own otherwise.
	...(thinkTimeS === null ? {} : { think_time_s: thinkTimeS }),
	seed: settings.seed,
	integrity: settings.integrity,
	delay_ms: settings.delay,
	...(settings.client === null ? {} : { client: settings.client }),
	command: settings.command,
});

/** Of a load that several generators make. */
const generatorParts: (asked: Asked, run: RunFolder) => Promise<Awaited<ReturnType<typeof prepareGenerators>> | null> = async (
	{ scenario, settings: { generators: count } },
	{ rawFolder, writtenFolder },
) => (count === 1 ? null : prepareGenerators({ count, scenario, rawFolder, writtenFolder }));

/** @returns label doubletake.name to Compose's service */
async function serviceNames(architecture: string): Promise<Record<string, string>> {
	const { services } = await readConfig(architectureSystem(architecture, [profileOf(architecture), 'load']), {});
	return Object.fromEntries(Object.entries(services).map(([service, { labels }]) => [labels['doubletake.name'], service]));
}
