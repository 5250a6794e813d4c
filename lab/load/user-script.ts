/**
 * A user's own k6 script as the load: what is mounted for it, and what it will do. The script itself stays as it is; k6 runs a wrapper
 * around it, which it gets by its standard input, in the script's folder (wrapper.js says why).
 *
 * @typedef {object} UserScript
 * @property {Shape} shape
 * @property {OverlayPart['mounts']} mounts  of the generator
 * @property {string} folder  in which k6 is to run
 * @property {string} entry   the script itself
 * @property {{ source: string, target: string, readOnly: boolean }[]} places  what of this machine it sees, under the paths that it has here
 * @property {string[]} [files]  its modules, and data whose paths are written out in them
 * @property {string[]} scenarios  of which it is made
 * @property {string[]} aborting  metrics whose thresholds may end it early
 * @property {boolean} isKnownAtOnce  its first seconds have requests of all its scenarios, and the lab sees all of them
 * @property {boolean} [isInside]  it names no host outside of the run, so that its load is to stay there whatever a redirect says
 * @property {Record<string, string>} [hosts]  names that its own option `hosts` leads to the user's machine, with the port there; empty where that
 *   is the one that is asked
 * @property {string[]} [blocked]  ranges of addresses that it blocks itself
 * @property {boolean} asksMachine  by its own names, which plain k6 in a container does not find
 * @property {string[]} notes  a sentence for each thing that the lab will not see, and why
 *
 * @import { LoadChange } from '../../k6/lib/changed-load.js'
 * @import { Ends, Shape } from '../../k6/lib/shapes.js'
 * @import { OverlayPart } from '../adapters/contract.ts'
 * @import { Project } from '../catalog/project-schema.ts'
 * @import { Allowed } from '../options/allowed.ts'
 */

import { statSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, posix, resolve } from 'node:path';
import { durationMs, isOpen, lengthMs } from '../../k6/lib/durations.js';
import { readIfThere, readText } from '../base/bounded-file.ts';
import { NotReadyError } from '../base/errors.ts';
import { ROOT } from '../base/paths.ts';
import { headersIn } from '../base/secret-names.ts';
import { secrets } from '../base/secrets.ts';
import { entryUrls, PROJECT_FILE } from '../catalog/project-schema.ts';
import { runBounded } from '../docker/bounded.ts';
import { labelledSystem, labelOf, newRunProject } from '../docker/containers.ts';
import { makeScratch } from '../docker/scratch.ts';
import { NOTHING } from '../options/allowed.ts';
import { ITSELF, machineAddresses } from '../target/machine-addresses.ts';
import { isWithin } from '../target/real-path.ts';
import { hostsOf } from './choose-load.ts';
import { refuseOutside } from './outside-folder.ts';
import { attachScript } from './wrapper.ts';

/*
 * What a user's k6 script will do, as k6 itself says before it runs (`k6 inspect --execution-requirements`): for how long, with how many
 * users, and whether it may stop by itself. Pure.
 */

const LONGEST_S = 3600;
/**
 * How many iterations end a scenario of these executors, with k6's own defaults.
 * https://grafana.com/docs/k6/latest/using-k6/scenarios/executors/
 * @type {Record<string, (scenario: Scenario) => number>}
 */
const ITERATIONS = {
	'shared-iterations': ({ iterations }) => iterations ?? 1,
	'per-vu-iterations': ({ iterations, vus }) => (iterations ?? 1) * (vus ?? 1),
};

/** @typedef {{ executor: string, startTime?: string | null, stages?: { duration: string, target: number }[], [option: string]: any }} Scenario */

/** At the latest. @param {Scenario} scenario @returns {number} seconds from the start of the load */
const endOf = (scenario) => (durationMs(scenario.startTime ?? 0) + lengthMs(scenario)) / 1000;

/** @typedef {Record<string, (string | { abortOnFail?: boolean })[]>} Thresholds */

/**
 * @param {{ scenarios?: Record<string, Scenario>, maxVUs?: number, thresholds?: Thresholds }} inspected
 * @param {string} script  its name
 * @param {LoadChange} [change]  of a trial
 * @returns {Shape}
 * @throws {NotReadyError} when k6 does not say when it ends, or that is too late
 */
function shapeOfScript({ scenarios = {}, maxVUs = 1, thresholds }, script, change) {
	const all = Object.values(scenarios);
	const ends = all.map(endOf);
	const seconds = Math.max(0, ...ends);
	if (all.length === 0 || !ends.every(Number.isFinite) || seconds > LONGEST_S)
		throw new NotReadyError(
			`${script}: expected a load that ends within an hour; found ${Number.isFinite(seconds) ? `one of ${Math.round(seconds)} s` : 'no end'}.`,
			'give each scenario a duration, or stages.',
		);
	const early = endsOf(scenarios, abortingIn({ thresholds }));
	const length = `${early ? 'at most ' : ''}${Math.round(seconds)} s`;
	const arriving = Object.keys(scenarios).filter((name) => isOpen(scenarios[name]));
	const rates = all.length === 1 && arriving.length === 1 ? ratesOf(all[0]) : null;
	const most = (/** @type {number} */ value) => value.toLocaleString('en-US');
	const begun = rates ? `${most(Math.max(...rates.map(({ target }) => target)))} iterations a second by up to ` : '';
	return {
		title: `${script}, ${change ? 'changed for a trial' : 'as it is'}: up to ${begun}${most(maxVUs)} users for ${length}`,
		warmup_s: 0,
		settle_s: 0,
		...(arriving.length === all.length ? { model: 'open', usersMost: maxVUs } : { model: 'closed' }),
		arriving,
		...(rates ? { unit: 'iterations/s', stages: rates } : { unit: 'users', stages: stagesOf(all, seconds, maxVUs) }),
		...(early ? { ends: early } : {}),
	};
}

/** k6's own. https://grafana.com/docs/k6/latest/using-k6/scenarios/executors/ramping-arrival-rate/ */
const TIME_UNIT = '1s';

/** Iterations a second of a scenario by whose rate they arrive. @param {Scenario} scenario @returns {Shape['stages']} */
function ratesOf({ rate, startRate, timeUnit, duration, stages }) {
	// k6 tells what nobody wrote as null.
	const aSecond = (/** @type {number} */ count) => Number(((count * 1000) / durationMs(timeUnit ?? TIME_UNIT)).toPrecision(3));
	if (!stages) return [{ duration_s: durationMs(duration) / 1000, target: aSecond(rate), held: true }];
	const targets = stages.map(({ duration: length, target }) => ({ duration_s: durationMs(length) / 1000, target: aSecond(target) }));
	return withHeld((startRate ?? 0) > 0 ? [{ duration_s: 0, target: aSecond(startRate) }, ...targets] : targets);
}

/**
 * @param {Record<string, Scenario>} scenarios
 * @param {string[]} aborting
 * @returns {Ends | null} null where the time alone says when it ends
 */
function endsOf(scenarios, aborting) {
	const all = Object.entries(scenarios);
	const counted = all.filter(([, { executor }]) => Object.hasOwn(ITERATIONS, executor));
	if (counted.length === 0 && aborting.length === 0) return null;
	const timed = all.filter((entry) => !counted.includes(entry));
	return {
		iterations: Object.fromEntries(counted.map(([name, scenario]) => [name, ITERATIONS[scenario.executor](scenario)])),
		timed_s: Math.max(0, ...timed.map(([, scenario]) => endOf(scenario))),
		aborting,
	};
}

/**
 * @param {{ thresholds?: Thresholds }} inspected
 * @returns {string[]} metrics whose thresholds may end the load before its time
 */
const abortingIn = ({ thresholds }) =>
	Object.entries(thresholds ?? {})
		.filter(([, all]) => all.some((one) => typeof one === 'object' && one.abortOnFail === true))
		.map(([metric]) => metric);

/**
 * @param {{ scenarios?: Record<string, Scenario> }} inspected
 * @returns {boolean} whether no scenario waits for others
 */
const beginsAtOnce = ({ scenarios = {} }) => Object.values(scenarios).every(({ startTime }) => durationMs(startTime ?? 0) === 0);

/**
 * Stages of one ramp are the load's; of several scenarios, or of another kind, all of it is one stage.
 * @param {Scenario[]} scenarios @param {number} seconds @param {number} users
 * @returns {Shape['stages']}
 */
function stagesOf(scenarios, seconds, users) {
	const [{ executor, stages }] = scenarios;
	if (scenarios.length > 1 || executor !== 'ramping-vus' || !stages) return [{ duration_s: seconds, target: users }];
	return withHeld(stages.map(({ duration, target }) => ({ duration_s: durationMs(duration) / 1000, target })));
}

/** @param {{ duration_s: number, target: number }[]} stages @returns {Shape['stages']} */
const withHeld = (stages) =>
	stages.map((stage, index) => ({ ...stage, ...(index > 0 && stages[index - 1].target === stage.target ? { held: true } : {}) }));

/** In the container. */
const WRAPPER = '/doubletake-wrapper.js';
const INSPECT_LIMIT_MS = 60_000;
const LAST_LINES = 8;
/** k6 runs as a user of its own. */
const READ_BY_OTHERS = 0o004;
const ENTERED_BY_OTHERS = 0o005;
const READABLE = 0o644;

/**
 * @param {{ folder: string, project: Project, allowed: Allowed, image: string, label: string, scratch: string }} options  folder: of
 *   doubletake.yaml; label: of what is run for it; scratch: a folder for copies, which is the caller's to remove
 * @returns {Promise<UserScript>}
 * @throws {NotReadyError} when k6 cannot read the script, or it does not say when it ends
 */
async function prepareScript({ folder, project, allowed, image, label, scratch }) {
	const script = String(project.load.script);
	// Whoever called this looked at it, and it is asked again of what is mounted now.
	refuseOutside({ folder, project: { ...project, compose: [] }, allowed });
	const entry = resolve(folder, script);
	const attached = attachScript({ entry, read: readText, change: project.load.change });
	for (const file of attached.files) secrets.learn(headersIn(readIfThere(file) ?? ''));
	const places = placesOf(entry, attached.files, folder);
	refuseUnreadable(places, attached.files);
	const copies = [{ path: WRAPPER, text: attached.wrapper }, ...attached.changed];
	const mounts = [
		...places,
		...(await Promise.all(
			copies.map(async ({ path, text }, index) => {
				const source = join(scratch, `script-${index}.js`);
				await writeFile(source, text);
				// It is mounted into a container whose user is another; the folder around it stays the lab's alone.
				await chmod(source, READABLE);
				return { source, target: path, readOnly: true };
			}),
		)),
	];
	const place = { folder: dirname(entry), mounts };
	const inspected = await inspect({ ...place, image, label, script });
	const shape = shapeOfScript(inspected, basename(script), project.load.change);
	const { notes } = attached;
	const isKnownAtOnce = notes.length === 0 && beginsAtOnce(inspected);
	const asksMachine = attached.files.some((file) => machineAddresses(readIfThere(file) ?? '', {}).length > 0);
	return {
		...place,
		entry,
		places,
		files: attached.files,
		shape,
		scenarios: Object.keys(inspected.scenarios ?? {}),
		aborting: abortingIn(inspected),
		isKnownAtOnce,
		hosts: machineHosts(inspected.hosts ?? {}),
		blocked: inspected.blacklistIPs ?? [],
		asksMachine,
		notes,
	};
}

/**
 * The script of doubletake.yaml.
 * @param {object} options
 * @param {Project} options.project
 * @param {string} options.folder   of doubletake.yaml
 * @param {string} options.runProject  Compose's name of the run that it is for
 * @param {string} options.image    of k6
 * @param {string} options.scratch  a folder for copies, which is the caller's to remove
 * @param {Allowed} [options.allowed]  at the command line
 * @param {(text: string) => void} options.say
 * @returns {Promise<UserScript | null>} null where the load is no script
 * @throws {NotReadyError}
 */
export async function scriptOfProject({ project, folder, allowed = NOTHING, runProject, image, scratch, say }) {
	if (project.load.script === undefined) return null;
	const label = labelOf(labelledSystem(runProject));
	const script = await prepareScript({ folder, project, allowed, image, label, scratch });
	for (const note of script.notes) say(`note: ${note}`);
	return { ...script, isInside: isInside(script.files ?? [], project) };
}

/** An address and a port, as k6 takes them. https://grafana.com/docs/k6/latest/using-k6/k6-options/reference/#hosts */
const ADDRESS = /^(?:\[([^\]]+)\]|([^:]+)|(::1))(?::(\d+))?$/;

/** In the container of k6 they would lead to k6. @param {Record<string, string>} hosts @returns {Record<string, string>} */
const machineHosts = (hosts) =>
	Object.fromEntries(
		Object.entries(hosts).flatMap(([name, to]) => {
			const [, bracketed, plain, alone, port = ''] = ADDRESS.exec(to) ?? [];
			return ITSELF.test(bracketed ?? plain ?? alone ?? '') && !/[*:]/.test(name) ? [[name.toLowerCase(), port]] : [];
		}),
	);

/** As the engine gives them unless a file says otherwise. */
const PRIVATE = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|f[cd])/i;

/**
 * With whether only private addresses are to be asked: a file may give its networks others.
 * @template {UserScript | null} S
 * @param {S} script @param {{ networks?: Record<string, any> }} config  as Compose has resolved it @returns {S}
 */
export function keptInside(script, { networks = {} }) {
	const subnets = Object.values(networks).flatMap((network) => network?.ipam?.config ?? []);
	const isPrivate = subnets.every(({ subnet = '10.' }) => PRIVATE.test(subnet));
	return script && { ...script, isInside: script.isInside === true && isPrivate };
}

/** @type {(files: string[], project: Project) => boolean} */
function isInside(files, project) {
	const system = { entries: entryUrls(project), hosts: Object.keys(project.hosts ?? {}), services: Object.keys(project.services) };
	return files.every((path) => hostsOf(readIfThere(path) ?? '', system).outside.length === 0);
}

/**
 * What there is to know of the script of doubletake.yaml before anything is run; the copies that its `mounts` name are gone again.
 * @param {Omit<Parameters<typeof scriptOfProject>[0], 'runProject' | 'scratch'>} options
 * @returns {Promise<UserScript | null>} null where the load is no script
 * @throws {NotReadyError}
 */
export async function readScript(options) {
	const scratch = await makeScratch('plan');
	try {
		return await scriptOfProject({ ...options, runProject: newRunProject(), scratch });
	} finally {
		await rm(scratch, { recursive: true, force: true });
	}
}

/** k6 by its standard input, which a container that nobody is attached to has no other way to get. @param {string} command of k6 */
export const fromWrapper = (command) => `exec k6 ${command} - <${WRAPPER}`;

/**
 * What k6 is given of this machine: the script's own folder, or that which holds all of its files, as far as they lie in the folder of
 * doubletake.yaml; what else was allowed, each by itself.
 * @param {string} entry  path of the script
 * @param {string[]} files  of it, absolute
 * @param {string} folder  of doubletake.yaml
 * @returns {UserScript['places']}
 */
function placesOf(entry, files, folder) {
	const place = (/** @type {string} */ path) => ({ source: path, target: path, readOnly: true });
	const isOwn = (/** @type {string} */ path) => isWithin(path, resolve(folder));
	const root = isOwn(entry) ? folderOfAll([entry, ...files.filter(isOwn)]) : dirname(entry);
	const others = files.filter((path) => !isWithin(path, root) && statSync(path, { throwIfNoEntry: false }) !== undefined);
	return [root, ...others].map(place);
}

/** @param {string[]} paths of files */
function folderOfAll(paths) {
	const [first, ...others] = paths.map((path) => posix.dirname(path).split('/'));
	const shared = others.reduce((parts, other) => parts.slice(0, sameBegin(parts, other)), first);
	return shared.join('/') || '/';
}

/** @param {string[]} one @param {string[]} other */
function sameBegin(one, other) {
	const at = one.findIndex((part, index) => part !== other[index]);
	return at < 0 ? one.length : at;
}

/** @param {UserScript['places']} places @param {string[]} files @throws {NotReadyError} */
function refuseUnreadable(places, files) {
	const modeOf = (/** @type {string} */ path) => statSync(path, { throwIfNoEntry: false })?.mode ?? 0o777;
	const [{ source: root }] = places;
	const closed =
		(modeOf(root) & ENTERED_BY_OTHERS) === ENTERED_BY_OTHERS ? files.find((path) => (modeOf(path) & READ_BY_OTHERS) === 0) : root;
	if (closed)
		throw new NotReadyError(
			`${PROJECT_FILE}, load.script: expected files that every user may read, because k6 runs as a user of its own; "${closed}" is not.`,
			`chmod o+rX "${closed}"`,
		);
}

/** What k6 itself says of the load. @param {{ image: string, label: string, folder: string, mounts: NonNullable<UserScript['mounts']>, script: string }} options */
async function inspect({ image, label, folder, mounts, script }) {
	const all = [...mounts, { source: join(ROOT, 'k6'), target: '/scripts/k6', readOnly: true }];
	// A line of CSV, in which a folder with a comma in its name would say more than one thing.
	const field = (/** @type {string} */ text) => `"${text.replaceAll('"', '""')}"`;
	const volumes = all.flatMap(({ source, target }) => [
		'--mount',
		['type=bind', field(`source=${source}`), field(`target=${target}`), 'readonly'].join(','),
	]);
	const flags = [
		'--rm',
		'--network',
		'none',
		'--label',
		label,
		'--read-only',
		'--workdir',
		folder,
		'--entrypoint',
		'sh',
		'--env',
		'RECORD_FOLDER=/raw',
	];
	const asked = await runBounded('docker', ['run', ...flags, ...volumes, image, '-c', fromWrapper('inspect --execution-requirements')], {
		limitMs: INSPECT_LIMIT_MS,
	});
	if (asked.failed)
		throw new NotReadyError(
			`${script}: expected a script that k6 can read; it says:\n    ${lastOf(asked.stderr || asked.shortMessage)}`,
			'try it with k6 alone: k6 inspect.',
		);
	return JSON.parse(asked.stdout);
}

/** @param {string} text */
const lastOf = (text) => text.trim().split('\n').slice(-LAST_LINES).join('\n    ');
