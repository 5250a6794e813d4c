/**
 * Plans whose arms are said by what runs in place of a folder as it is, on the command line or in experiment.yaml: files, variables that they read, a
 * revision. Each is resolved and checked before anything is measured.
 */

import { resolve } from 'node:path';
import { readText } from '../../base/bounded-file.ts';
import { NotReadyError } from '../../base/errors.ts';
import { formatCommand, shellWord } from '../../base/format-command.ts';
import { nameOfFolder } from '../../catalog/architectures.ts';
import type { Experiment } from '../../catalog/experiments.ts';
import type { ImageMode } from '../../catalog/image-mode.ts';
import type { Project } from '../../catalog/project-schema.ts';
import { PROJECT_FILE } from '../../catalog/project-schema.ts';
import { ensureGenerator } from '../../docker/images.ts';
import { refuseOutside } from '../../load/outside-folder.ts';
import { readScript } from '../../load/user-script.ts';
import { readOption, refuse, refuseIdle } from '../../options/accepted-options.ts';
import type { Allowed, Permission } from '../../options/allowed.ts';
import { formatAllowed } from '../../options/allowed.ts';
import type { Arm, GivenArm, Resolved } from '../../options/arms.ts';
import {
	AS_IT_IS,
	formatArms,
	formatSeveral,
	isNumbers,
	isSameSystem,
	labelOfSide,
	optionsOfArm,
	readGivenArm,
	readSeveral,
	tellApart,
	titleOfSide,
} from '../../options/arms.ts';
import type { Settings } from '../../options/settings.ts';
import { readSettings } from '../../options/settings.ts';
import type { ResolvedArm } from '../../run/project/checked-system.ts';
import { checkConfig, loadNameOf, resolveSide } from '../../run/project/checked-system.ts';
import { loadFingerprint } from '../../run/project/fingerprint.ts';
import { askedFingerprint } from '../../run/project/open-view.ts';
import { refuseOtherImages } from '../../run/project/prepare-images.ts';
import { LEAST_BLOCKS } from '../../stats/ranks.ts';
import { describedIn } from '../../target/described.ts';
import { follow, isWithin } from '../../target/real-path.ts';
import { changedFiles, openCheckouts } from '../../target/revision.ts';
import { notesOfNames } from '../../target/run-options.ts';
import { absentServices, projectOfSide } from '../../target/side-project.ts';
import { ALPHA } from '../comparison/metric.ts';
import type { MeasuredRun } from '../measured-rate.ts';
import { measuredFor, shapeOfShare, withRate } from '../measured-rate.ts';
import type { Plan } from '../plan.ts';
import { ASKED, COMPARE, VALUES } from '../plan.ts';
import { stoppingIn } from '../stopping.ts';
import { openBaseline } from './baseline.ts';
import type { LoadChange } from './experiment-file.ts';
import { claimsIn, curveIn, EXPERIMENT_FILE, loadUnder, readQuestion, saidOf } from './experiment-file.ts';
import type { Env, Question } from './make-plan.ts';
import { againstBaseline, comparisonOf, makePlan } from './make-plan.ts';

/** of the command line */
export type Given = {
	/** of doubletake.yaml */
	folder: string;
	permission: Permission;
	/** REPEATS, SEED, IMAGES; of an experiment ARMS */
	env: Env;
	say: (text: string) => void;
	signal: AbortSignal;
};

const EXPERIMENT = 'experiment';
/** Of a list that is too long for a line. */
const FILES_NAMED = 5;

/**
 * @param given a: of the baseline, none: the folder as it is; b: of the candidate
 * @throws {NotReadyError} naming what keeps an arm from being run as it is meant; or how long it would take, where nothing says what is compared
 */
export async function planProjectComparison({ a, b, ...given }: Given & { a: string[]; b: string[] }): Promise<Plan> {
	if (given.env.RESUME)
		throw new NotReadyError(
			`RESUME: expected none in a new comparison of your own system; found "${given.env.RESUME}".`,
			'leave out --a and --b to go on with it.',
		);
	if (given.env.BASELINE) return planAgainstBaseline({ a, b, ...given }, given.env.BASELINE);
	const { architecture: name, budget } = settingsIn(COMPARE, given);
	const givenArms = [readGivenArm('--a', a), readGivenArm('--b', b)];
	const asked = { ...given, permission: withNamed(givenArms, given) };
	checkOptions(name, givenArms, asked.env);
	const project = await projectIn(asked, ASKED.compare);
	const { arms, configs } = await resolveArms(givenArms, { ...asked, project, name });
	const { given: numbered, measured } = await withNumber(asked, { project, arm: arms[0] });
	const table = comparisonOf(arms, loadOfComparison(project, numbered));
	const isAsked = a.length + b.length > 0;
	const about = { budget, loads: { [table.load]: {} }, givenArms, configs, project, measured };
	const { words } = formatArms({ a: arms[0], b: arms[1] });
	const saying = isAsked ? numbered : { ...numbered, say: () => {} };
	const plan = await makePlan(
		questionOf({ id: COMPARE, table, claims: () => [], words: [COMPARE, ...words] }, about, saying),
		numbered.env,
	);
	if (isAsked) return plan;
	const { minutes, secondsLeft } = await import('./run-experiment.ts');
	throw unasked(name, `${plan.schedule.flat().length} runs, about ${minutes(secondsLeft(plan))}`);
}

/**
 * @param path of the baseline's folder
 * @throws {NotReadyError} as openBaseline, or where the first arm is given too
 */
async function planAgainstBaseline({ a, b, ...given }: Given & { a: string[]; b: string[] }, path: string): Promise<Plan> {
	if (a.length > 0)
		throw new NotReadyError(`BASELINE: expected its runs for the first arm; found --a ${a.join(' ')} too.`, 'leave out one of them.');
	const { architecture: name, budget } = settingsIn(COMPARE, given);
	const givenArms = [readGivenArm('--b', b)];
	const asked = { ...given, permission: withNamed(givenArms, given) };
	checkOptions(name, givenArms, asked.env);
	const project = await projectIn(asked, ASKED.compare);
	const label = labelOfSide(givenArms[0], name);
	const { base, takeInto } = await openBaseline(path, label, name);
	const { arms, configs } = await resolveArms(givenArms, { ...asked, project, name, names: [label] });
	const { given: numbered, measured } = await withNumber(asked, { project, arm: arms[0] });
	const load = loadOfComparison(project, numbered);
	const table = { ...againstBaseline(arms[0], base), load };
	const about = { budget, loads: { [load]: {} }, givenArms, configs, project, measured };
	const { words } = formatArms({ b: arms[0] });
	return takeInto(
		await makePlan(questionOf({ id: COMPARE, table, claims: () => [], words: [COMPARE, ...words] }, about, numbered), numbered.env),
	);
}

/**
 * Every value of one variable with every other: an experiment of `compare`.
 * @throws {NotReadyError} as planProjectComparison
 */
export async function planProjectValues({ values, a, b, ...given }: Given & { values: string[]; a: string[]; b: string[] }): Promise<Plan> {
	refuse('a comparison of several values', ['FAIL_ON', 'BASELINE', 'RESUME', 'STOP'], given.env);
	if (a.length + b.length > 0)
		throw new NotReadyError(`compare: expected ${values} alone; found --a or --b too.`, 'leave out one of them.');
	const givenArms = readSeveral(values);
	const { architecture: name, budget } = settingsIn(COMPARE, given);
	const project = await projectIn(given, ASKED.compare);
	const names = givenArms.map((arm) => labelOfSide(arm, name));
	const { arms, configs } = await resolveArms(givenArms, { ...given, project, name, names });
	const { given: numbered, measured } = await withNumber(given, { project, arm: arms[0] });
	const load = loadOfComparison(project, numbered);
	const pairs = names.flatMap((base, index) => names.slice(index + 1).map((other) => [base, other] as [string, string]));
	const [[variable]] = Object.entries(givenArms[0].variables);
	const x = Object.fromEntries(givenArms.map(({ variables }, index) => [names[index], variables[variable]]));
	const title = formatSeveral(arms);
	const repeats = blocksFor(pairs.length);
	const table = {
		...{ title, question: `Which value of ${variable} is better?`, load, arms, pairs, repeats },
		...(isNumbers(Object.values(x)) && {
			curve: {
				...{ x_label: variable, metric: 'goodput_rps', is_setting: true },
				x: Object.fromEntries(Object.entries(x).map(([arm, value]) => [arm, Number(value)])),
			},
		}),
		remarks: [
			`each value is compared with each other: p is adjusted for the metrics (Holm 1979) and multiplied by the ${pairs.length} pairs (Bonferroni); with fewer than ${repeats} repetitions no pair can differ`,
		],
	};
	const about = { budget, loads: { [load]: {} }, givenArms, configs, project, measured };
	return makePlan(questionOf({ id: VALUES, table, claims: () => [], words: [COMPARE, shellWord(title)] }, about, numbered), numbered.env);
}

/** The least p of so many blocks, times the two gates and the pairs, is below the level. */
const blocksFor = (pairs: number) => Math.max(LEAST_BLOCKS, Math.floor(2 + Math.log2((2 * pairs) / ALPHA)));

/** The load of a comparison. */
function loadOfComparison({ load }: Project, { env }: Given): string {
	const own = loadNameOf(load);
	return load.script === undefined ? env.LOAD || own : own;
}

/** A file that is named at the command line is allowed by that. */
function withNamed(givenArms: GivenArm[], { folder, permission }: Given): Permission {
	const named = givenArms.flatMap(({ files, revision }) => (revision === null ? (files ?? []) : []));
	const outside = named.map((file) => follow(file, { from: folder }).real).filter((real) => !isWithin(real, follow(folder).real));
	const { allowData, allowed } = permission;
	return { allowData, allowed: { ...allowed, paths: [...new Set([...allowed.paths, ...outside])] } };
}

/** A rate that is a share is one of what the first arm served, and is asked of both. */
async function withNumber(
	given: Given,
	{ project, arm }: { project: Project; arm: Arm },
): Promise<{ given: Given; measured: MeasuredRun | null }> {
	const { env, folder, say } = given;
	const measured = await measuredFor({
		...{ settings: readSettings(arm.architecture, { ...env, ...optionsOfArm(arm) }), project, env },
		fingerprints: async () => ({ files: String(arm.resolved?.fingerprint), load: askedFingerprint(project, readText, folder) }),
	});
	if (measured === null) return { given, measured };
	await refuseOtherImages(measured);
	say(measured.said);
	return { given: { ...given, env: withRate(env, measured) }, measured };
}

/**
 * Nobody who has named no other arm expects a machine to be busy for half an hour.
 * @param name of the system
 * @param takes in words
 */
const unasked = (name: string, takes: string) =>
	new NotReadyError(
		`compare: expected what differs, as in --b POOL=32 (a variable that your Compose files read), --b compose.tuned.yaml or --b rev:HEAD~1; found nothing, by which ${name} would be measured against itself: ${takes}.`,
		`name what differs; or give --b ${AS_IT_IS} to measure ${name} against itself all the same, which shows what this machine can tell apart.`,
	);

/**
 * @param given file: the experiment's, as seen from the folder; its own unless given
 * @throws {NotReadyError} naming what is wrong in it, or what keeps an arm from being run as it is meant
 */
export async function planProjectExperiment({ file = EXPERIMENT_FILE, ...given }: Given & { file?: string }): Promise<Plan> {
	const { architecture: name, budget } = settingsIn(EXPERIMENT, given);
	const project = await projectIn(given, ASKED.experiment);
	const question = await readQuestion(given.folder, file);
	const names = Object.keys(question.arms);
	const { title = `${name}: ${names.join(', ')}`, loads = { [loadNameOf(project.load)]: {} }, repeats } = question;
	const id = idOf(file);
	const givenArms = names.map((arm) => readGivenArm(`${file}, arms.${arm}`, saidOf(question.arms[arm])));
	checkOptions(name, givenArms, given.env);
	const { arms, configs, models } = await resolveArms(givenArms, { ...given, project, name, names });
	const [load, ...further] = Object.keys(loads);
	const table = {
		...{ title, question: question.question, budget, repeats, load, arms },
		pairs: question.pairs ?? names.slice(1).map((arm) => [names[0], arm] as [string, string]),
		further_loads: further.map((other) => ({ load: other, variables: {} })),
		curve: curveIn(question.nodes, models, file),
	};
	const named = file === EXPERIMENT_FILE ? [] : [shellWord(file)];
	const asked = { id, table, claims: () => claimsIn(question, id, file), words: [EXPERIMENT, ...named] };
	return makePlan(questionOf(asked, { budget, loads, givenArms, configs, project, file: named[0] }, given), given.env);
}

/** Beside the lab's own, of which some are called as a file of the user's may be. */
function idOf(file: string) {
	if (file === EXPERIMENT_FILE) return EXPERIMENT;
	const name = file.toLowerCase().replace(/\.ya?ml$/, '');
	return `${EXPERIMENT}-${name.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '')}`;
}

/** @throws {NotReadyError} where its arms have names */
async function projectIn(
	{ folder, permission: { allowed } }: Pick<Given, 'folder' | 'permission'>,
	asked: typeof ASKED.compare,
): Promise<Project> {
	const { name, project } = await describedIn(folder, asked);
	// Compose files are of an arm, and are looked at with it.
	refuseOutside({ folder, project: { ...project, compose: [] }, allowed });
	if (project.load.scenario === undefined) return project;
	throw new NotReadyError(
		`${asked.command}: expected ${asked.or}, because what is in this folder is compared by its name; found the folder of ${name}.`,
		`name it, as in ${formatCommand([COMPARE], [`A=${name}`, 'B=<architecture>'])}.`,
	);
}

/** What is wrong of what is given is told before anything is asked. */
function settingsIn(command: 'compare' | 'experiment', { folder, env }: Given): Settings {
	const name = nameOfFolder(folder);
	refuseIdle(command, name, env);
	readOption('REPEATS', env);
	stoppingIn(env);
	return readSettings(name, env);
}

function checkOptions(name: string, givenArms: GivenArm[], env: Env): void {
	for (const { options } of givenArms) readSettings(name, { ...env, ...options });
}

type About = {
	budget: string;
	loads: Record<string, LoadChange>;
	givenArms: GivenArm[];
	/** what Compose makes of each arm */
	configs: Map<Resolved, any>;
	project: Project;
	/** of whose good answers the rate is a share */
	measured?: MeasuredRun | null;
	/** that an experiment is in, where the command names it */
	file?: string;
};

const questionOf = (asked: Pick<Question, 'id' | 'table' | 'claims' | 'words'>, about: About, given: Given): Question => ({
	...asked,
	budget: about.budget,
	// Its loads have names of their own, and its quotas are of services.
	ofPlan: ['SEED'],
	keep: async (experiment) => ({
		loads: await keptLoads(experiment, about, given),
		allow_data: given.permission.allowData,
		allowed: given.permission.allowed,
		...(about.file === undefined ? {} : { file: about.file }),
	}),
	what: 'any arm of your own system',
	words: [...asked.words, ...formatAllowed(given.permission)],
	given: ['ARMS', 'BASELINE'].flatMap((option) => (given.env[option] ? [`${option}=${shellWord(given.env[option])}`] : [])),
	launcher: 'doubletake',
});

/**
 * What a plan keeps of its loads. Each arm is checked under each.
 * @param experiment of the arms that are wanted
 */
async function keptLoads(
	{ arms, curve }: Experiment,
	{ loads, givenArms, configs, project, measured = null }: About,
	{ folder, permission, env, say, signal }: Given,
): Promise<NonNullable<Plan['loads']>> {
	const read = (file: string) => readText(resolve(folder, file));
	const made = [...new Map(arms.map((arm) => [arm.resolved as Resolved, arm]))].map(([resolved, arm]) => ({
		...{ arm, resolved, config: configs.get(resolved) },
		settings: readSettings(arm.architecture, { ...env, ...optionsOfArm(arm) }, permission),
	}));
	const changed = Object.entries(loads).map(([name, change]) => {
		const under = { ...project, load: loadUnder(project.load, name, change) };
		refuseOutside({ folder, project: { ...under, compose: [] }, allowed: permission.allowed });
		const [{ shape, thinkTimeS }] = made.map(({ config, resolved, settings }) =>
			checkConfig(config, { project: projectOfSide(under, resolved), settings, read, folder }),
		);
		return { name, change, under, shape, think: under.load.script === undefined ? thinkTimeS : null };
	});
	// What there is to say of each arm its first run says.
	const ofArms = await notesOfArms({ arms: made.map(({ arm }) => arm), givenArms, folder, project });
	const ofCurve = curve === undefined || curve.is_setting ? [] : notesOfCurve(made, project);
	for (const note of [...notesOfNames(env, project.compose, read), ...ofArms, ...ofCurve]) say(`note: ${note}`);
	const known: NonNullable<Plan['loads']> = {};
	for (const { name, change, under, shape, think } of changed) {
		const ofScript = await scriptShape({
			project: under,
			folder,
			allowed: permission.allowed,
			images: made[0].settings.images,
			say,
			signal,
		});
		known[name] = {
			think_s: think,
			shape: shapeOfShare(ofScript ?? shape, measured),
			change,
			fingerprint: loadFingerprint(under, readText, folder),
		};
	}
	return known;
}

/**
 * @param given name: of the system; names: of the arms, what their
 * arms say unless given
 * @returns models: by the arms' names
 */
async function resolveArms(
	givenArms: GivenArm[],
	{
		folder,
		permission,
		project,
		name,
		names,
	}: { folder: string; permission: Permission; project: Project; name: string; names?: string[] },
): Promise<{ arms: Arm[]; configs: Map<Resolved, any>; models: Record<string, ResolvedArm['models']> }> {
	const checkouts = openCheckouts(folder);
	try {
		const resolved: ResolvedArm[] = [];
		for (const arm of givenArms) resolved.push(await resolveSide(arm, { folder, project, checkouts, allowed: permission.allowed }));
		const arms = armsOf(resolved, { project, name, names });
		return {
			arms,
			configs: new Map(arms.map(({ resolved: to }, index) => [to as Resolved, resolved[index].config])),
			models: Object.fromEntries(arms.map(({ id }, index) => [id, resolved[index].models])),
		};
	} finally {
		await checkouts.close();
	}
}

function armsOf(
	resolved: Pick<ResolvedArm, 'arm' | 'commit' | 'compose' | 'models' | 'fingerprint'>[],
	{ project, name, names }: { project: Project; name: string; names?: string[] },
): Arm[] {
	const services = resolved.map(({ models }) => models.map(({ service }) => service));
	const arms = resolved.map(({ arm, commit, compose, fingerprint }, index) => ({
		id: names?.[index] ?? labelOfSide(arm, name),
		architecture: name,
		variables: arm.variables,
		resolved: {
			title: titleOfSide(arm, name, commit),
			given: arm.given,
			...(Object.keys(arm.options).length > 0 ? { options: arm.options } : {}),
			compose,
			commit,
			absent: absentServices(project, services[index], services.toSpliced(index, 1).flat()),
			fingerprint,
		},
	}));
	return names === undefined ? tellApart(arms[0], arms[1]) : arms;
}

/**
 * What is worth knowing of them before the first run.
 * @param given folder: of doubletake.yaml
 * @returns a sentence for each
 */
async function notesOfArms({
	arms,
	givenArms,
	folder,
	project: { load },
}: {
	arms: Arm[];
	givenArms: GivenArm[];
	folder: string;
	project: Project;
}): Promise<string[]> {
	const revisions = givenArms.flatMap(({ revision }) => (revision === null ? [] : [`rev:${revision}`]));
	// The load is that of the folder in either case.
	const ofFolder = [PROJECT_FILE, ...[load.openapi ?? load.script ?? []].flat()];
	const changed = revisions.length === 0 ? [] : await changedFiles(folder, ofFolder);
	const alike = arms.flatMap((arm, index) =>
		arms.slice(index + 1).flatMap((other) => (isSameSystem(arm, other) ? [[arm.id, other.id]] : [])),
	);
	return [
		...(changed.length > 0 ? [`not committed, and so not in ${[...new Set(revisions)].join(' and ')}: ${listed(changed)}.`] : []),
		...alike.map(([one, other]) => `to Compose ${one} and ${other} are one system: this is an A/A control.`),
	];
}

/**
 * What a capacity plan will lack, said before hours are spent on it.
 * @returns a sentence, where a service has no CPU quota
 */
function notesOfCurve(arms: { settings: Pick<Settings, 'cores'>; config: any }[], project: Project): string[] {
	const unlimited = arms.flatMap(({ settings: { cores }, config: { services } }) =>
		Object.keys(project.services).filter(
			(service) =>
				Object.hasOwn(services, service) &&
				project.services[service].tier !== 'other' &&
				cores?.[service] === undefined &&
				!hasQuota(services[service]),
		),
	);
	const names = [...new Set(unlimited)];
	if (names.length === 0) return [];
	return [
		`no CPU quota for ${names.join(', ')}: no capacity plan can be made of this experiment; give one, as in BUDGET='${names.map((name) => `${name}=0.2`).join(',')}'.`,
	];
}

/** @param service as Compose has resolved it */
const hasQuota = ({ cpus, cpu_quota: quota, deploy }: any) =>
	Number(cpus ?? deploy?.resources?.limits?.cpus ?? 0) > 0 || Number(quota ?? 0) > 0;

function listed(files: string[]) {
	const more = files.length - FILES_NAMED;
	return [...files.slice(0, FILES_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** How long a script lasts k6 says, and nobody else. */
async function scriptShape({
	project,
	folder,
	allowed,
	images: mode,
	say,
	signal,
}: {
	project: Project;
	folder: string;
	allowed: Allowed;
	images: ImageMode;
	say: (text: string) => void;
	signal: AbortSignal;
}) {
	if (project.load.script === undefined) return null;
	const images = await ensureGenerator({ mode, say, signal });
	const script = await readScript({ project, folder, allowed, image: images.variables.K6_IMAGE, say });
	return script?.shape ?? null;
}
