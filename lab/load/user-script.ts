/**
 * A user's own k6 script as the load: what is mounted for it, and what it will do. The script itself stays as it is; k6 runs a wrapper
 * around it, which it gets by its standard input, in the script's folder (wrapper.ts says why).
 */

import { statSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, posix, resolve } from 'node:path';
import type { Shape } from '../../k6/lib/shapes.js';
import type { OverlayPart } from '../adapters/contract.ts';
import { readIfThere, readText } from '../base/bounded-file.ts';
import { NotReadyError } from '../base/errors.ts';
import { ROOT } from '../base/paths.ts';
import { headersIn } from '../base/secret-names.ts';
import { secrets } from '../base/secrets.ts';
import { entryUrls, PROJECT_FILE, type Project } from '../catalog/project-schema.ts';
import { runBounded } from '../docker/bounded.ts';
import { labelledSystem, labelOf, newRunProject, OWN_LABEL } from '../docker/containers.ts';
import { makeScratch } from '../docker/scratch.ts';
import { type Allowed, NOTHING } from '../options/allowed.ts';
import { ITSELF, machineAddresses } from '../target/machine-addresses.ts';
import { isWithin } from '../target/real-path.ts';
import { hostsOf } from './choose-load.ts';
import { refuseOutside } from './outside-folder.ts';
import { abortingIn, beginsAtOnce, shapeOfScript } from './script-shape.ts';
import { attachScript } from './wrapper.ts';

export type UserScript = {
	shape: Shape;
	/** of the generator */
	mounts: OverlayPart['mounts'];
	/** in which k6 is to run */
	folder: string;
	/** the script itself */
	entry: string;
	/** what of this machine it sees, under the paths that it has here */
	places: { source: string; target: string; readOnly: boolean }[];
	/** its modules, and data whose paths are written out in them */
	files?: string[];
	/** of which it is made */
	scenarios: string[];
	/** metrics whose thresholds may end it early */
	aborting: string[];
	/** its first seconds have requests of all its scenarios, and the lab sees all of them */
	isKnownAtOnce: boolean;
	/** it names no host outside of the run, so that its load is to stay there whatever a redirect says */
	isInside?: boolean;
	/** names that its own option `hosts` leads to the user's machine, with the port there; empty where that is the one that is asked */
	hosts?: Record<string, string>;
	/** ranges of addresses that it blocks itself */
	blocked?: string[];
	/** by its own names, which plain k6 in a container does not find */
	asksMachine: boolean;
	/** a sentence for each thing that the lab will not see, and why */
	notes: string[];
};

/** In the container. */
const WRAPPER = '/doubletake-wrapper.js';
const INSPECT_LIMIT_MS = 60_000;
const LAST_LINES = 8;
/** k6 runs as a user of its own. */
const READ_BY_OTHERS = 0o004;
const ENTERED_BY_OTHERS = 0o005;
const READABLE = 0o644;

/**
 * @param options folder: of
 * doubletake.yaml; label: of what is run for it; scratch: a folder for copies, which is the caller's to remove
 * @throws {NotReadyError} when k6 cannot read the script, or it does not say when it ends
 */
async function prepareScript({
	folder,
	project,
	allowed,
	image,
	label,
	scratch,
}: {
	folder: string;
	project: Project;
	allowed: Allowed;
	image: string;
	label: string;
	scratch: string;
}): Promise<UserScript> {
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
 * @returns null where the load is no script
 * @throws {NotReadyError}
 */
export async function scriptOfProject({
	project,
	folder,
	allowed = NOTHING,
	runProject,
	image,
	scratch,
	say,
}: {
	project: Project;
	/** of doubletake.yaml */
	folder: string;
	/** Compose's name of the run that it is for */
	runProject: string;
	/** of k6 */
	image: string;
	/** a folder for copies, which is the caller's to remove */
	scratch: string;
	/** at the command line */
	allowed?: Allowed;
	say: (text: string) => void;
}): Promise<UserScript | null> {
	if (project.load.script === undefined) return null;
	const label = labelOf(labelledSystem(runProject));
	const script = await prepareScript({ folder, project, allowed, image, label, scratch });
	for (const note of script.notes) say(`note: ${note}`);
	return { ...script, isInside: isInside(script.files ?? [], project) };
}

/** An address and a port, as k6 takes them. https://grafana.com/docs/k6/latest/using-k6/k6-options/reference/#hosts */
const ADDRESS = /^(?:\[([^\]]+)\]|([^:]+)|(::1))(?::(\d+))?$/;

/** In the container of k6 they would lead to k6. */
const machineHosts = (hosts: Record<string, string>): Record<string, string> =>
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
 * @param config as Compose has resolved it
 */
export function keptInside<S extends UserScript | null>(script: S, { networks = {} }: { networks?: Record<string, any> }): S {
	const subnets = Object.values(networks).flatMap((network) => network?.ipam?.config ?? []);
	const isPrivate = subnets.every(({ subnet = '10.' }) => PRIVATE.test(subnet));
	return script && { ...script, isInside: script.isInside === true && isPrivate };
}

function isInside(files: string[], project: Project): boolean {
	const system = { entries: entryUrls(project), hosts: Object.keys(project.hosts ?? {}), services: Object.keys(project.services) };
	return files.every((path) => hostsOf(readIfThere(path) ?? '', system).outside.length === 0);
}

/**
 * What there is to know of the script of doubletake.yaml before anything is run; the copies that its `mounts` name are gone again.
 * @returns null where the load is no script
 * @throws {NotReadyError}
 */
export async function readScript(
	options: Omit<Parameters<typeof scriptOfProject>[0], 'runProject' | 'scratch'>,
): Promise<UserScript | null> {
	const scratch = await makeScratch('plan');
	try {
		return await scriptOfProject({ ...options, runProject: newRunProject(), scratch });
	} finally {
		await rm(scratch, { recursive: true, force: true });
	}
}

/**
 * k6 by its standard input, which a container that nobody is attached to has no other way to get.
 * @param command of k6
 */
export const fromWrapper = (command: string) => `exec k6 ${command} - <${WRAPPER}`;

/**
 * What k6 is given of this machine: the script's own folder, or that which holds all of its files, as far as they lie in the folder of
 * doubletake.yaml; what else was allowed, each by itself.
 * @param entry path of the script
 * @param files of it, absolute
 * @param folder of doubletake.yaml
 */
function placesOf(entry: string, files: string[], folder: string): UserScript['places'] {
	const place = (path: string) => ({ source: path, target: path, readOnly: true });
	const isOwn = (path: string) => isWithin(path, resolve(folder));
	const root = isOwn(entry) ? folderOfAll([entry, ...files.filter(isOwn)]) : dirname(entry);
	const others = files.filter((path) => !isWithin(path, root) && statSync(path, { throwIfNoEntry: false }) !== undefined);
	return [root, ...others].map(place);
}

/** @param paths of files */
function folderOfAll(paths: string[]) {
	const [first, ...others] = paths.map((path) => posix.dirname(path).split('/'));
	const shared = others.reduce((parts, other) => parts.slice(0, sameBegin(parts, other)), first);
	return shared.join('/') || '/';
}

function sameBegin(one: string[], other: string[]) {
	const at = one.findIndex((part, index) => part !== other[index]);
	return at < 0 ? one.length : at;
}

/** @throws {NotReadyError} */
function refuseUnreadable(places: UserScript['places'], files: string[]) {
	const modeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mode ?? 0o777;
	const [{ source: root }] = places;
	const closed =
		(modeOf(root) & ENTERED_BY_OTHERS) === ENTERED_BY_OTHERS ? files.find((path) => (modeOf(path) & READ_BY_OTHERS) === 0) : root;
	if (closed)
		throw new NotReadyError(
			`${PROJECT_FILE}, load.script: expected files that every user may read, because k6 runs as a user of its own; "${closed}" is not.`,
			`chmod o+rX "${closed}"`,
		);
}

/** What k6 itself says of the load. */
async function inspect({
	image,
	label,
	folder,
	mounts,
	script,
}: {
	image: string;
	label: string;
	folder: string;
	mounts: NonNullable<UserScript['mounts']>;
	script: string;
}) {
	const all = [...mounts, { source: join(ROOT, 'k6'), target: '/scripts/k6', readOnly: true }];
	// A line of CSV, in which a folder with a comma in its name would say more than one thing.
	const field = (text: string) => `"${text.replaceAll('"', '""')}"`;
	const volumes = all.flatMap(({ source, target }) => [
		'--mount',
		['type=bind', field(`source=${source}`), field(`target=${target}`), 'readonly'].join(','),
	]);
	const flags = [
		'--rm',
		'--network',
		'none',
		...['--label', label, '--label', OWN_LABEL],
		'--read-only',
		// As of the container that makes the load.
		...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--pids-limit', '1000', '--memory', '4g', '--memory-swap', '4g'],
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

const lastOf = (text: string) => text.trim().split('\n').slice(-LAST_LINES).join('\n    ');
