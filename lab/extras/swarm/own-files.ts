/**
 * A stack of a user's own files, which nobody wrote for a Swarm: what gets to which host and how, where a service may run, what is refused, and
 * what is said of it.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { NotReadyError } from '../../base/errors.ts';
import { ROOT } from '../../base/paths.ts';
import { filesIn } from '../../base/sources.ts';
import type { Node } from './placement.ts';
import { spreadOver } from './placement.ts';
import type { Given, Model, Mount } from './stack-file.ts';
import { stackOf } from './stack-file.ts';

/** how a stack is made of a model */
export type Form = {
	/** constraints */
	mayRunOn: (service: any) => string[];
	isHandedOn: Given['isHandedOn'];
	/** a sentence for each thing that the stack has not, or has otherwise */
	notes: string[];
};

/**
 * What is below a place of this machine; a file by itself is all that there is.
 * @returns paths from there
 */
export const filesAt = (place: string): string[] => (statSync(place).isFile() ? [''] : filesIn(place));

/** What each host has of its own, at the same place. */
const OF_EACH_HOST = /^\/(proc|sys|dev|run|etc|usr|lib|var\/run|var\/lib)?(\/|$)/;
/** A Swarm takes no larger configuration (its manager's limit is 500 KB up to Engine 20.10), and a task with more takes long. */
const HANDED_ON_MOST = { files: 100, bytes: 500_000 };

/**
 * How what a service mounts gets to its host.
 * @param folders of this machine, whatever they are called
 * @returns handed on: as configurations; here: on this machine alone; there: on each host
 */
const wayOfMounts = (folders: string[]): ((mount: Mount) => 'handed on' | 'here' | 'there') => {
	const isHere = (source: string) => folders.some((folder) => source === folder || source.startsWith(`${folder}/`));
	return ({ type, source, read_only: isReadOnly }) => {
		const place = (source ?? '').replaceAll('$$', () => '$');
		if (type !== 'bind' || (OF_EACH_HOST.test(place) && !isHere(place))) return 'there';
		return isReadOnly && fits(place) ? 'handed on' : 'here';
	};
};

function fits(place: string) {
	const files = filesAt(place);
	return files.length <= HANDED_ON_MOST.files && files.every((path) => statSync(join(place, path)).size <= HANDED_ON_MOST.bytes);
}

/** Without which a service would be another one. */
const NEEDED = { network_mode: 'networks of the file', volumes_from: 'volumes of its own' };

/** @throws {NotReadyError} */
function refuseUnfit({ services, configs = {}, secrets = {} }: Model) {
	for (const [name, service] of Object.entries(services))
		for (const [field, expected] of Object.entries(NEEDED))
			if (service[field])
				throw new NotReadyError(
					`services.${name}.${field}: expected ${expected} on a Swarm, whose containers may be on several hosts; found "${service[field]}".`,
					'change it in a second Compose file (named under "compose" in doubletake.yaml), or use "doubletake run".',
				);
	for (const [kind, all] of Object.entries({ configs, secrets }))
		for (const [name, one] of Object.entries(all))
			if (one.file === undefined && one.content === undefined)
				throw new NotReadyError(
					`${kind}.${name}: expected a file on a Swarm; found ${one.environment === undefined ? 'none' : 'a variable'}.`,
					'name a file in a second Compose file (named under "compose" in doubletake.yaml), or use "doubletake run".',
				);
}

/**
 * Each host has its own.
 * @param here volumes that are on this machine
 */
const aboutShared = ({ services, volumes = {} }: Model, here: string[]) =>
	Object.keys(volumes).flatMap((volume) => {
		const sharing = Object.keys(services).filter((name) => (services[name].volumes ?? []).some(({ source }: Mount) => source === volume));
		return sharing.length < 2 || here.includes(volume)
			? []
			: [`volumes.${volume} is used by ${sharing.join(', ')}: on different hosts each has its own (deploy.placement can put them on one).`];
	});

/**
 * @param model of the user's files
 * @throws {NotReadyError} when a stack cannot have what the files say
 */
export function formOf(
	model: Model,
	{
		nodes,
		reached,
		cwd,
		filled,
		parts,
	}: {
		nodes: Node[];
		/** names of the hosts whose engines the lab reaches, this machine's first */
		reached: string[];
		/** folder of the files */
		cwd: string;
		/** volumes that this machine alone has: with what is in them */
		filled: string[];
		/** and those that are parts of these */
		parts: string[];
	},
): Form {
	refuseUnfit(model);
	const [here] = reached;
	const wayOf = wayOfMounts([cwd, ROOT]);
	const boundBy = (service: any) =>
		(service.volumes ?? []).flatMap((mount: Mount) =>
			wayOf(mount) === 'here' || [...filled, ...parts].includes(mount.source) ? [mount.target] : [],
		);
	const { ignored } = stackOf(model, { filesIn: () => [], read: () => '' });
	return {
		mayRunOn: spreadOver({ nodes, reached, isBound: (service) => boundBy(service).length > 0 }),
		isHandedOn: (mount) => wayOf(mount) === 'handed on',
		notes: [
			...ignored
				.filter(({ service }) => model.services[service].labels['doubletake.tier'] !== 'generator')
				.map(({ service, field, why }) => `services.${service}.${field} is left out on a Swarm: ${why}.`),
			...Object.entries(model.services).flatMap(([name, service]) =>
				boundBy(service).length > 0 ? [`${name} runs on ${here}, which alone has what it mounts at ${boundBy(service).join(', ')}.`] : [],
			),
			...aboutShared(model, [...filled, ...parts]),
		],
	};
}
