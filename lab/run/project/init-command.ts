/** `doubletake init` in the folder of a user's own Compose file. */

import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { routesIn } from '../../adapters/found-servers.ts';
import { everyAdapter } from '../../adapters/registry.ts';
import { readIfThere, readText } from '../../base/bounded-file.ts';
import { EXIT, NotReadyError } from '../../base/errors.ts';
import { shellWord } from '../../base/format-command.ts';
import { REPORTS, ROOT } from '../../base/paths.ts';
import type { Reporter } from '../../base/progress.ts';
import { secrets } from '../../base/secrets.ts';
import { refuseExpansion } from '../../catalog/alias-expansion.ts';
import { hasProject, projectIn, writeProject } from '../../catalog/project-file.ts';
import { entryUrls, PROJECT_FILE } from '../../catalog/project-schema.ts';
import { shell } from '../../docker/bounded.ts';
import { listInUse, newRunProject } from '../../docker/containers.ts';
import { exposedPorts } from '../../docker/images.ts';
import { candidatesIn, chooseLoad } from '../../load/choose-load.ts';
import type { Permission } from '../../options/allowed.ts';
import { NO_PERMISSION } from '../../options/allowed.ts';
import { composeFilesIn, hasComposeFile } from '../../target/compose-files.ts';
import { detectTiers } from '../../target/detect.ts';
import { lookWith, withDockerfiles } from '../../target/dockerfile.ts';
import { refuseForeign } from '../../target/foreign-files.ts';
import { idleProfiles, withAllProfiles } from '../../target/idle-profiles.ts';
import { withImagePorts } from '../../target/image-ports.ts';
import { chooseProject, explainProject } from '../../target/init.ts';
import { placesOnMachine, withNamedFiles } from '../../target/machine-addresses.ts';
import { newVolumes } from '../../target/new-volumes.ts';
import { follow, isWithin, waysOf } from '../../target/real-path.ts';
import { notesOfPlace } from '../../target/reports-place.ts';
import { routedHosts, withDeclaredPorts, withRoutes } from '../../target/routed-host.ts';
import { refuseShellSecrets } from '../../target/shell-secrets.ts';
import { notesOf, summariseProject } from '../../target/summary.ts';
import { readAgain, readSupplied, suppliedSystem } from '../../target/supplied-config.ts';
import { copyFor, entryIn, mayBe, modelsOfCopy } from './checked-system.ts';
import { ownNameOf } from './open-view.ts';

/**
 * Writes doubletake.yaml, and says what was taken for what.
 * @param given Compose files, in their order, as seen from the folder; those that Compose would take itself where there are none
 * @param options isExplained: at length, with its reasons; of a doubletake.yaml that is there too, which stays
 * @returns the exit code
 * @throws {NotReadyError} when there is no Compose file, or a doubletake.yaml that would be lost
 */
export async function init(
	folder: string,
	given: string[],
	reporter: Reporter,
	{ isExplained = false, permission = NO_PERMISSION }: { isExplained?: boolean; permission?: Permission } = {},
): Promise<number> {
	const path = join(folder, PROJECT_FILE);
	const written = await projectIn(folder);
	if (written !== null && !isExplained)
		throw new NotReadyError(
			`init: expected no ${PROJECT_FILE} in ${folder}; found one.`,
			`correct it as it is ("doubletake init --explain" says what it was made from), or delete it and run this again.`,
		);
	const files = written !== null && given.length === 0 ? written.compose : composeFilesIn(folder, given, shell);
	refuseExpansion(folder, files);
	if (given.length === 0 && !shell.COMPOSE_FILE) refuseElsewhere(folder, files);
	const asked = { project: newRunProject(), folder, files };
	const { named: config, supplies, doubts, foreign, ...read } = await readSupplied(asked, readIfThere, { isAllowed: mayBe(permission) });
	if (!permission.allowData) {
		const again = (other: Record<string, string | undefined>) => readAgain(asked, supplies, other);
		const env = readIfThere(resolve(folder, files[0] ?? '', '../.env')) ?? '';
		await refuseShellSecrets(config, { resolve: again, env, variables: permission.allowed.variables });
	}
	const seen = { folder, look: lookWith(await listInUse()) };
	const inFile = withNamedFiles(withDockerfiles(modelsOfCopy(config, seen), config, readText), config);
	const isReported = detectTiers(inFile, everyAdapter).entry !== null;
	const all = isReported ? inFile : withDeclaredPorts(await withImagePorts(inFile, exposedPorts), config);
	// What a run leaves out is no part of it: nobody asks it, and it asks nobody.
	const { without } = copyFor(config, { ...seen, project: chooseProject(detectTiers(all, everyAdapter), all, files) });
	const models = all.filter(({ service }) => !without.includes(service));
	const detections = detectTiers(models, everyAdapter);
	const services = models.map(({ service }) => service);
	const found = chooseProject(detections, models, files);
	const own = await ownNameOf(config, { project: config.name, folder, files }, supplies);
	const entries = entryUrls(found);
	const sites = Object.fromEntries(inFile.map((model) => [model.service, model.sites]));
	const routed = routedHosts({ detections, routes: routesIn(models, own), sites });
	const hosts = Object.keys(routed.hosts);
	const proposed = chooseLoad(candidatesIn(folder), { entries, hosts, services, places: placesOnMachine(models) });
	const { load, said } = withRoutes(proposed, routed, found.entry);
	const chosen = { ...found, load, ...(hosts.length > 0 ? { hosts: routed.hosts } : {}) };
	const { copy, dangers, differs, outside, saidOfOutside } = copyFor(config, { ...seen, ...read, project: chosen, own });
	const project = {
		...chosen,
		data: Object.fromEntries(
			copy.folders
				// What is not named there is a copy too.
				.filter(({ services: writing, name }) => writing.length > 0 && !foreign.some(({ value }) => isShown(value, name)))
				.map(({ name }) => [name, 'copy' as const]),
		),
	};
	refuseForeign(PROJECT_FILE, [writeProject(project)], foreign, ({ value }) => secrets.hides(value));
	const filled = copy.folders.map(({ volume }) => volume);
	const paths = files.map((file) => resolve(folder, file));
	const idle = idleProfiles(config, await withAllProfiles(suppliedSystem(asked, supplies), paths, readIfThere), entryIn);
	const place = notesOfPlace(models, REPORTS, readIfThere);
	if (written === null) await writeFile(path, writeProject(project), { flag: 'wx' });
	const reported = {
		project,
		fresh: newVolumes(copy.config, filled),
		place,
		doubts,
		differs: [...idle, ...supplies.said, ...differs, ...saidOfOutside],
		dangers,
	};
	const did = written === null ? `wrote ${PROJECT_FILE}` : `this is what init would write; ${PROJECT_FILE} is there already, and stays`;
	const about = { detections, project, doubts, load: said, end: `${did}; next: doubletake run` };
	reporter.tell(
		isExplained
			? explainProject({ ...about, ...reported, isOutsideOpen: outside.some(({ writes }) => writes) })
			: summariseProject({ ...about, notes: notesOf(reported) }),
	);
	reporter.give({ file: PROJECT_FILE, result: reported });
	return EXIT.done;
}

const isShown = (value: string, text: string) => secrets.couldHide(value) && text.includes(value);

/** Which files are taken a folder of others may say, by its `.env` or by a link; which of another folder only whoever calls the command. */
function refuseElsewhere(folder: string, files: string[]): void {
	const { real: home } = follow(folder);
	const away = files.find((file) => waysOf(file, { from: folder }).some(({ real }) => !isWithin(real, home)));
	if (away === undefined) return;
	throw new NotReadyError(
		`init: expected Compose files in ${folder}, because nobody named others; found "${away}", which leads to ${follow(away, { from: folder }).real}.`,
		`leave it out of COMPOSE_FILE in ".env"; or, if you know that it is meant, name it: doubletake init ${files.map(shellWord).join(' ')}.`,
	);
}

/** What a run does where nobody has written doubletake.yaml. */
export async function initFirst(folder: string, reporter: Reporter, permission: Permission) {
	// The lab's own Compose file has the architectures, each of which is run by its name.
	if (folder !== ROOT && !hasProject(folder) && hasComposeFile(folder, shell)) await init(folder, [], reporter, { permission });
}
