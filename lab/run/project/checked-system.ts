/**
 * All that can be said of a user's system before anything is changed: what its files are, whether doubletake.yaml still fits them,
 * what a run could harm, and what it will send.
 */

import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { ListedRequest } from '../../../k6/lib/request-list.js';
import type { OverlayPart } from '../../adapters/contract.ts';
import { relaysSocket, writesRoutes } from '../../adapters/found-servers.ts';
import type { Proposal } from '../../adapters/observed-system.ts';
import { everyAdapter } from '../../adapters/registry.ts';
import { isSomethingAt, readIfThere, readText } from '../../base/bounded-file.ts';
import { NotReadyError } from '../../base/errors.ts';
import { kindOf } from '../../base/format-command.ts';
import { lineWithCodes } from '../../base/hidden-characters.ts';
import { REPORTS } from '../../base/paths.ts';
import { secrets } from '../../base/secrets.ts';
import { refuseExpansion } from '../../catalog/alias-expansion.ts';
import { lineOfSource } from '../../catalog/project-file.ts';
import type { Project, ProjectLoad, ProjectTier } from '../../catalog/project-schema.ts';
import { entryUrls, LOAD_DEFAULTS, PROJECT_FILE } from '../../catalog/project-schema.ts';
import { readConfig } from '../../docker/compose.ts';
import { listInUse, newRunProject } from '../../docker/containers.ts';
import { refuseElsewhere, requestsOf } from '../../load/load-requests.ts';
import { isAllowedBy, refuseOutside, refuseVariables } from '../../load/outside-folder.ts';
import { attachScript } from '../../load/wrapper.ts';
import type { Allowed, Permission } from '../../options/allowed.ts';
import { NOTHING } from '../../options/allowed.ts';
import type { GivenArm } from '../../options/arms.ts';
import { isOfPrograms } from '../../options/known-command.ts';
import type { Settings } from '../../options/settings.ts';
import { changed, together, withOwnLabels } from '../../target/compose-changes.ts';
import type { AttachedService, View } from '../../target/compose-model.ts';
import { aboutView, serviceModels, viewFor, withView } from '../../target/compose-model.ts';
import type { Away, Danger, Outside } from '../../target/dangers.ts';
import { aboutOutside, dangersOf, outsideOf, refuseDangers, refuseLive } from '../../target/dangers.ts';
import type { Original } from '../../target/describe.ts';
import { entryServices, originalsOf, projectService } from '../../target/describe.ts';
import { checkProject } from '../../target/described.ts';
import { detectTiers, proposalOf } from '../../target/detect.ts';
import type { Look } from '../../target/dockerfile.ts';
import { lookWith, withDockerfiles } from '../../target/dockerfile.ts';
import { idleProfiles, withAllProfiles } from '../../target/idle-profiles.ts';
import { aboutLeftOut, leftOut, withoutServices } from '../../target/left-out.ts';
import { withNamedFiles } from '../../target/machine-addresses.ts';
import type { ProjectCopy } from '../../target/project-copy.ts';
import { ANYWHERE, copyOf } from '../../target/project-copy.ts';
import { partOf } from '../../target/project-part.ts';
import { follow, isWithin } from '../../target/real-path.ts';
import type { Checkouts } from '../../target/revision.ts';
import { findCommit } from '../../target/revision.ts';
import type { AskedLoad, RunOptions } from '../../target/run-options.ts';
import { askedLoad, checkBudget, checkIntegrity } from '../../target/run-options.ts';
import { refuseShellSecrets } from '../../target/shell-secrets.ts';
import type { Supplies } from '../../target/supplied-config.ts';
import { readAgain, readSupplied, suppliedSystem } from '../../target/supplied-config.ts';
import { refuseTakenNames } from '../../target/taken-names.ts';
import { refuseIdleVariables } from '../../target/variable-effect.ts';
import type { ArmCheckout, Fingerprints } from '../run-target.ts';
import { configFingerprint } from './fingerprint.ts';
import { askedFingerprint, ownNameOf } from './open-view.ts';

type AskedSettings = RunOptions & Pick<Settings, 'allowData'> & Partial<Pick<Settings, 'allowed'>>;

/** the shape of a script is what k6 says of it, which is asked later */
export type CheckedSystem = Checked & AskedLoad;

type Checked = {
	/** Compose's name of the run */
	runProject: string;
	fingerprints: Fingerprints;
	/** of the run, in the ids that its system is to store */
	mark: string;
	models: AttachedService[];
	/** of the load */
	requests: ListedRequest[];
	/** that each is sent with; their values are for nobody but the generator */
	headers: Record<string, string>;
	/** by service, what its adapter asks for */
	parts: Record<string, OverlayPart>;
	/** of which changed copies are laid over the services' own */
	originals: Original[];
	/** of doubletake.yaml, in which it is said where the load's requests come from */
	loadLine: number;
	/** what the run has in place of what is the user's; view: of the engine, null where no service needs it */
	copy: Pick<ProjectCopy, 'config' | 'changes' | 'folders' | 'secrets'> & { view: View | null };
	/** what init would write today */
	proposal: Proposal;
	/** a sentence for each thing that is worth knowing, and no fault */
	notes: string[];
	/** what Compose has made of the files, under the run's own project name */
	resolved: any;
	/** what Compose was given beside the files */
	supplies: Pick<Supplies, 'flags' | 'env'>;
	/** of these, in what the copy is another system than the user's */
	differs: string[];
	/** of these, what of this machine, or of others, containers reach */
	outside: string[];
	/** a sentence for each socket and pipe that lies in a mounted folder by now, and did not when this was checked */
	appeared: () => string[];
};

/** The load of a script of the user's own. */
const SCRIPT = 'script';
/** As k6/lib/stored-id.js has it. */
const MARK_BYTES = 6;

/**
 * @param options folder: of doubletake.yaml
 * @throws {import('../../base/errors.ts').NotReadyError} naming the first thing that keeps it from being run
 */
export async function checkSystem({
	folder,
	project,
	arm,
	settings,
}: {
	folder: string;
	project: Project;
	arm: ArmCheckout | null;
	settings: AskedSettings;
}): Promise<CheckedSystem> {
	if (arm) refuseLeading(arm.arm.id, arm.arm.variables ?? {});
	const runProject = newRunProject();
	const cwd = arm?.folder ?? folder;
	refuseOutside({ folder, project, allowed: settings.allowed, place: arm ?? undefined });
	refuseExpansion(cwd, project.compose);
	const given = { project: runProject, folder: cwd, files: project.compose, env: arm?.arm.variables };
	const { config, named, supplies, doubts, ...files } = await readSupplied(given, readIfThere, { isAllowed: mayBe(settings) });
	const system = suppliedSystem(given, supplies);
	const env = readIfThere(resolve(cwd, project.compose[0] ?? '', '../.env')) ?? '';
	if (!settings.allowData) {
		const resolve = (other: Record<string, string | undefined>) => readAgain(given, supplies, other);
		await refuseShellSecrets(config, { resolve, named: system.env, env, variables: settings.allowed?.variables ?? [] });
	}
	const print = configFingerprint(config, { runProject, root: arm?.root ?? folder });
	if (arm) refuseChanged(arm, print);
	const read = (file: string) => readText(resolve(folder, file));
	const look = lookWith(await listInUse());
	const own = await ownNameOf(config, given, supplies);
	const paths = project.compose.map((file) => resolve(cwd, file));
	const idle = idleProfiles(config, await withAllProfiles(system, paths, readIfThere), entryIn);
	const checked = checkConfig(named, { project, settings, read, folder: cwd, root: arm?.root, home: folder, ...files, look, own });
	const { changes } = checked.copy;
	const copy = { ...checked.copy, changes: (filesFolder: string) => together(supplies.changes, changes(filesFolder)) };
	return {
		...{ runProject, mark: randomBytes(MARK_BYTES).toString('hex'), ...checked, copy, resolved: config, supplies },
		fingerprints: { files: print, load: askedFingerprint(project, readText, folder) },
		notes: [...idle, ...supplies.said, ...doubts, ...checked.notes],
		differs: [...supplies.said, ...checked.differs],
	};
}

export const mayBe: (permission: Partial<Permission>) => (path: string) => boolean = ({ allowData = false, allowed = NOTHING }) =>
	allowData ? () => true : isAllowedBy(allowed);

/**
 * All runs of an arm are of one thing, or they could not be compared with those of the other.
 * @param found fingerprint
 * @throws {NotReadyError}
 */
function refuseChanged({ arm }: Pick<ArmCheckout, 'arm'>, found: string) {
	if (found === arm.resolved?.fingerprint) return;
	throw new NotReadyError(
		`${arm.id}: expected Compose to make of its files what it made before the first run; it makes something else of them now.`,
		'take back what was changed in the files, in .env or in the variables of this shell, or begin anew.',
	);
}

/** Of what a service of these is, its folder is data. */
const KEEPING: ProjectTier[] = ['database', 'queue', 'cache'];

/**
 * @param original as Compose has resolved the files under the run's own project name
 * @throws {import('../../base/errors.ts').NotReadyError}
 */
export function checkConfig(
	original: any,
	{
		project,
		settings,
		read,
		folder = '/',
		root = folder,
		home = folder,
		composed = [],
		taken = [],
		variables,
		look = lookWith(),
		own = original.name,
	}: {
		project: Project;
		settings: AskedSettings;
		/** a file of the project's folder */
		read: (file: string) => string | null;
		/** of the Compose files */
		folder?: string;
		/** in which all of the user's own lies; the folder unless given */
		root?: string;
		/** of doubletake.yaml */
		home?: string;
		/** whole paths of all Compose files */
		composed?: string[];
		/** whole paths of files of variables for them */
		taken?: string[];
		/** files of variables that lie elsewhere */
		variables?: Away[];
		look?: Look;
		/** Compose's name of the user's own stack */
		own?: string;
	},
): Omit<CheckedSystem, 'runProject' | 'mark' | 'fingerprints' | 'resolved' | 'supplies'> {
	const { allowData, allowed = NOTHING } = settings;
	const isAllowed = isAllowedBy(allowed);
	refuseVariables(project.load.headers, allowed);
	const found = copyFor(original, { project, allowData, isAllowed, folder, root, composed, variables, look, own });
	const { copy, dangers, differs, without } = found;
	if (!allowData) refuseLive(() => [...composed, ...taken, ...filesOfLoad(project.load, home), ...ofReports()], copy.folders, isAllowed);
	const unnamed = checkProject(project, serviceModels(original), everyAdapter, without);
	refuseDangers(dangers, { allowData });
	const said = dangers.map(({ service, what, why }) => `${service} ${what}: ${why}.`);
	const models = asWritten(serviceModels(copy.config), original);
	const asked = askedLoad(project.load, settings);
	refuseTakenNames(models, asked.generators);
	checkBudget(settings.cores, models);
	secrets.exempt([...models.map(({ service }) => service), ...Object.keys(project.hosts ?? {}), ...entryUrls(project)]);
	const { requests, headers, notes } = requestsOf(project.load, read, { entries: entryUrls(project), hosts: project.hosts });
	refuseElsewhere(requests, entryUrls(project)[0]);
	checkIntegrity(settings, project, { requests, headers });
	return {
		...asked,
		models,
		requests,
		headers,
		parts: Object.fromEntries(models.map((model) => [model.service, partOf(model, project)])),
		originals: originalsOf(models, project),
		load: project.load.script === undefined ? asked.load : SCRIPT,
		proposal: proposalOf(detectIn(models, original, read)),
		loadLine: lineOfSource(read(PROJECT_FILE) ?? ''),
		copy,
		notes: [...differs, ...found.saidOfOutside, ...[...unnamed, ...said, ...notes].map(lineWithCodes)],
		differs,
		outside: [...found.saidOfOutside, ...said],
		appeared: found.appeared,
	};
}

/** What a load is made of, its script's own files with it. */
function filesOfLoad({ script, openapi }: ProjectLoad, folder: string): string[] {
	const [entry, document] = [script, openapi].map((name) => (name === undefined ? [] : [resolve(folder, name)]));
	return [...document, ...entry, ...entry.flatMap((one) => attachScript({ entry: one, read: readText }).files)];
}

/** Links in it lead to other places in it. */
const ofReports = () => [
	REPORTS,
	...(existsSync(REPORTS) ? readdirSync(REPORTS, { recursive: true, withFileTypes: true }) : []).flatMap((one) =>
		one.isSymbolicLink() ? [join(one.parentPath, one.name)] : [],
	),
];

/** @param config of which they are */
const detectIn = (models: AttachedService[], config: any, read: (file: string) => string | null) =>
	detectTiers(withNamedFiles(withDockerfiles(models, config, read), config), everyAdapter);

/**
 * Where requests to a system enter, as its files alone say.
 * @param config as Compose has resolved them
 */
export const entryIn = (config: any): string | null => detectIn(serviceModels(config), config, readIfThere).entry?.url ?? null;

/** As the manifest names it. */
export const loadNameOf = ({ script, shape = LOAD_DEFAULTS.shape }: ProjectLoad) => (script === undefined ? shape : SCRIPT);

/**
 * The copy of a system, with what is left out of it.
 * @param options own: Compose's
 * name of the user's own stack; the rest as of checkConfig
 * @returns dangers: that the copy still has; without: services that are left
 * out of it; saidOfOutside: a sentence, or none
 */
export function copyFor(
	original: any,
	{
		project,
		allowData = false,
		isAllowed,
		folder,
		root = folder,
		composed = [],
		variables = [],
		look,
		own = original.name,
	}: {
		project: Project;
		allowData?: boolean;
		isAllowed?: (path: string) => boolean;
		folder: string;
		root?: string;
		composed?: string[];
		variables?: Away[];
		look: Look;
		own?: string;
	},
): Pick<CheckedSystem, 'copy' | 'appeared'> & {
	dangers: Danger[];
	differs: string[];
	without: string[];
	outside: Outside[];
	saidOfOutside: string[];
} {
	const keepsData = (service: string) => KEEPING.includes(projectService(project, service).tier);
	const base = dirname(resolve(folder, project.compose[0] ?? ''));
	const asked = { data: project.data ?? {}, folder, base, look, keepsData, allowData };
	const { config, changes, folders, secrets, said } = copyOf(original, asked);
	const held = folders.filter(({ device }) => device !== '');
	const around = {
		...{ look, folder, base, isAllowed },
		own: held.filter(({ data }) => data !== 'live').map(({ device }) => device),
		held: held.map(({ device }) => device),
		live: folders.filter(({ data, isFile }) => data === 'live' && !isFile).map(({ source }) => source),
	};
	const all = dangersOf(config, around);
	const routing = serviceModels(config).filter((model) => relaysSocket(model) || writesRoutes(model));
	const needed = [...entryServices(project), ...project.edges.flat(), ...routing.map(({ service }) => service)];
	const without = allowData ? [] : leftOut(all, config, needed);
	const view = allowData || !look.sharesSockets ? null : viewFor(config, { original, without, own });
	const apart = withoutServices(without, config);
	const viewed = changed(config, together(withView(config, view, ANYWHERE), apart));
	const staying = Object.entries<any>(viewed.services).filter(([service]) => !without.includes(service));
	const made = { ...viewed, services: Object.fromEntries(staying) };
	const dangers = dangersOf(made, around);
	const { real: home } = follow(root);
	const isOwn = (real: string) => isWithin(real, home) || isWithin(real, ANYWHERE);
	const copied = folders.filter(({ data }) => data === 'copy').map(({ source }) => source);
	const outside = outsideOf(made, around, { original, isOwn, copied, dangers, allowData });
	const parts = composed.map((file) => follow(file).real).filter((file) => !isOwn(file));
	return {
		copy: {
			...{ config: made, folders, secrets, view },
			changes: (filesFolder) => {
				const all = [changes(filesFolder), withView(config, view, filesFolder), apart].reduce(together);
				return withOwnLabels(all, { volumes: Object.keys(made.volumes ?? {}), networks: Object.keys(made.networks ?? {}) });
			},
		},
		dangers: dangers.map((danger) => ({ ...danger, what: lineWithCodes(danger.what) })),
		outside,
		saidOfOutside: aboutOutside(outside, { parts, variables: variables.filter(({ real }) => !isOwn(real)) }).map(lineWithCodes),
		differs: [...said, ...aboutView(view), ...aboutLeftOut(without, all, config)].map(lineWithCodes),
		without,
		appeared: () => aboutAppeared(dangers, dangersOf(made, around)),
	};
}

/** What a mounted folder gets while the run goes on, its services reach: a program of the machine may have begun to listen there. */
function aboutAppeared(before: Danger[], now: Danger[]): string[] {
	const known = new Set(before.map(({ service, what }) => `${service} ${what}`));
	return now
		.map(({ service, what }) => `${service} ${what}`)
		.filter((text) => IN_FOLDER.test(text) && !known.has(text))
		.map((text) => lineWithCodes(`${text}: that was not there when the run began.`));
}
const IN_FOLDER = /, in which the (?:socket|pipe) /;

/** Before it is known what they are. */
export const modelsOfCopy: (original: any, seen: { folder: string; look: Look }) => AttachedService[] = (original, seen) =>
	asWritten(serviceModels(copyOf(original, { ...seen, data: {}, keepsData: () => false }).config), original);

/** What a file mounts says what its services are and where their configurations lie, whatever a copy has in the place of it. */
function asWritten(models: AttachedService[], original: any) {
	const written = serviceModels(original);
	return models.map((model) => ({ ...model, mounts: written.find(({ service }) => service === model.service)?.mounts ?? model.mounts }));
}

/**
 * What one arm of a comparison comes to: its files, the commit that they are of, and what Compose makes of them. Whatever would keep
 * it from being run as it is meant is reported here, before anything is measured.
 */
export type ResolvedArm = {
	arm: GivenArm;
	commit: string | null;
	/** files, in their order */
	compose: string[];
	/** as Compose resolves them */
	config: any;
	models: AttachedService[];
	fingerprint: string;
};

/** @throws {NotReadyError} */
export async function resolveSide(
	arm: GivenArm,
	{
		folder,
		project,
		checkouts,
		allowed = NOTHING,
	}: {
		/** of doubletake.yaml, absolute */
		folder: string;
		project: Project;
		checkouts: Checkouts;
		/** at the command line */
		allowed?: Allowed;
	},
): Promise<ResolvedArm> {
	const commit = arm.revision === null ? null : await findCommit(arm.option, folder, arm.revision);
	const place = commit === null ? { folder, root: folder } : await checkouts.at(commit);
	refuseOddValues(arm, project);
	const compose = arm.files ?? project.compose;
	refuseOutside({ folder, project: { compose, load: {} }, allowed, place });
	refuseMissingFile(arm, compose, place.folder);
	refuseExpansion(place.folder, compose);
	const runProject = newRunProject();
	const given = { project: runProject, folder: place.folder, files: compose, env: arm.variables };
	const { config, supplies } = await readSupplied(given, readIfThere, { isAllowed: isAllowedBy(allowed) });
	const ask = (env: Record<string, string>) =>
		readConfig(suppliedSystem({ project: runProject, folder: place.folder, files: compose, env }, supplies), {});
	await refuseIdleVariables({
		arm,
		files: compose,
		resolved: (variables) =>
			ask(variables).then(
				(made) => JSON.stringify(made),
				() => null,
			),
	});
	const models = serviceModels(config);
	if (commit !== null) refuseMissingMount(arm, models, place.root);
	return { arm, commit, compose, config, models, fingerprint: configFingerprint(config, { runProject, root: place.root }) };
}

/** A stranger's experiment may give a variable that Docker's programs obey. */
function refuseLeading(option: string, variables: Record<string, string>): void {
	const name = Object.keys(variables).find(isOfPrograms);
	if (name === undefined) return;
	throw new NotReadyError(
		`${option}: expected a variable of the Compose files alone; found ${name}, which programs of this machine obey.`,
		'call it something else in the Compose file.',
	);
}

/** Of a variable that doubletake.yaml describes. */
function refuseOddValues({ option, variables }: GivenArm, { variables: known = {} }: Pick<Project, 'variables'>): void {
	refuseLeading(option, variables);
	for (const [name, value] of Object.entries(variables))
		if (Object.hasOwn(known, name)) kindOf(known[name]).parse(`${option} ${name}`, value);
}

function refuseMissingFile({ option, revision }: GivenArm, files: string[], folder: string): void {
	const missing = files.find((file) => !isSomethingAt(resolve(folder, file)));
	if (missing === undefined) return;
	const where = revision === null ? `in ${folder}` : `in the revision ${revision}`;
	throw new NotReadyError(
		`${option}: expected a Compose file "${missing}" ${where}; found none.`,
		'give Compose files with commas between, NAME=value, or rev:REVISION.',
	);
}

/** Docker would make an empty folder of a file that is not there. */
function refuseMissingMount({ option, revision }: GivenArm, models: Pick<AttachedService, 'service' | 'mounts'>[], root: string): void {
	for (const { service, mounts } of models) {
		const missing = mounts.find(({ type, source }) => type === 'bind' && source.startsWith(`${root}/`) && !existsSync(source));
		if (missing)
			throw new NotReadyError(
				`${option}: expected ${relative(root, missing.source)} in the revision ${revision}, because ${service} mounts it; found none.`,
				'commit it, or compare without a revision.',
			);
	}
}
