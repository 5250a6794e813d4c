/**
 * Services that a Compose file has and a run has not, since their profile is not active. Compose leaves them out by itself and says nothing, so
 * that a system may be measured at what little is left of it.
 */

import { formatProjectCommand } from '../base/format-command.ts';
import { readConfig } from '../docker/compose.ts';
import type { System } from '../docker/containers.ts';

/** entry: where requests would enter with it, if that is elsewhere */
type Idle = { profile: string; services: string[]; entry: string | null };

/** The whole of a file, whatever is active. https://docs.docker.com/compose/how-tos/profiles/ */
const ALL = '*';
const READ_LIMIT_MS = 20_000;
/** A file that names none, and has no other read with it, has none. */
const MAY_HAVE = /\b(profiles|include|extends)\b/;
/** As Compose takes them: https://docs.docker.com/reference/compose-file/profiles/ */
const PLAIN = /^[A-Za-z\d][\w.-]*$/;
/** More profiles than anybody reads. */
const SHOWN = 4;
/** Each of them is looked at with the services of the file. */
const LOOKED_AT_MOST = 12;

/**
 * @param system that the files are read with
 * @param files whole paths
 * @returns what Compose makes of the files with all profiles; null where they have none, and where it does not say
 */
export async function withAllProfiles(system: System, files: string[], read: (file: string) => string | null): Promise<any> {
	if (!files.some((file) => MAY_HAVE.test(read(file) ?? ''))) return null;
	const all = { ...system, flags: [...system.flags, '--profile', ALL] };
	return readConfig(all, {}, undefined, { limitMs: READ_LIMIT_MS }).catch(() => null);
}

/**
 * @param config as Compose has resolved the files
 * @param whole the same with all profiles, or null
 * @param entryOf where requests to such a system would enter
 * @returns a sentence each; none where all services are there
 */
export const idleProfiles = (config: any, whole: any, entryOf: (config: any) => string | null): string[] =>
	whole === null ? [] : textsOf(idleIn(config, whole, entryOf), config);

/**
 * @param config without the services of profiles that are not active
 * @param whole with those of all
 * @returns those that change where requests enter first
 */
function idleIn(config: any, whole: any, entryOf: (config: any) => string | null): Idle[] {
	const left = Object.entries<any>(whole.services ?? {}).filter(([service]) => !Object.hasOwn(config.services ?? {}, service));
	const named = new Set(left.flatMap(([, { profiles: own = [] }]) => own.map(String)));
	const profiles = [...named].filter((profile) => PLAIN.test(profile)).slice(0, LOOKED_AT_MOST);
	const now = entryOf(config);
	return profiles
		.map((profile) => {
			const own = left.filter(([, { profiles: all = [] }]) => all.includes(profile));
			const entry = entryOf({ ...whole, services: { ...config.services, ...Object.fromEntries(own) } });
			return { profile, services: own.map(([service]) => service), entry: entry === now ? null : entry };
		})
		.toSorted((one, other) => Number(other.entry !== null) - Number(one.entry !== null));
}

/** @returns a sentence each */
function textsOf(idle: Idle[], { services = {} }: any): string[] {
	if (idle.length === 0) return [];
	const isIdle = (profile: string) => idle.some((one) => one.profile === profile);
	const active = [...new Set(Object.values<any>(services).flatMap(({ profiles = [] }) => profiles.map(String)))].filter(
		(profile) => !isIdle(profile),
	);
	const [first] = idle;
	const named = idle.slice(0, SHOWN).map(({ profile, services: own }) => `${profile} (${own.join(', ')})`);
	const more = idle.length > SHOWN ? `, and ${idle.length - SHOWN} more` : '';
	const elsewhere = first.entry === null ? '' : ` With ${first.profile} requests would enter at ${first.entry}.`;
	const command = formatProjectCommand(['init'], [`COMPOSE_PROFILES=${[...active, first.profile].join(',')}`]);
	return [
		`Not in the system, since their Compose profiles are not active: ${named.join('; ')}${more}.${elsewhere} To take ${first.profile}: ${command}, and the same before "doubletake run".`,
	];
}
