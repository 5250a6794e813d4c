/**
 * What the lab adds to the command that starts PostgreSQL, with the user's consent: statements that took long, and waits for a lock, in the
 * log.
 */

import type { ServiceModel } from '../contract.ts';
import { imageName, imageTag, lastPart } from '../recognise.ts';
import { SLOW_MS } from './statements.ts';

/** Images whose entrypoint puts `postgres` before options and runs any other command as it is (github.com/docker-library/postgres). */
const OFFICIAL_ENTRYPOINT = /^(postgres|postgis|timescaledb|pgvector)$/;
const SERVERS = new Set(['postgres', 'postmaster']);
/** The first version that can leave the values of a statement's parameters out of its log. An older one would refuse to start. */
const HIDES_PARAMETERS_FROM = 13;

/**
 * Settings of the server's command line come before those of its files, and the last one of a name counts
 * (https://www.postgresql.org/docs/15/config-setting.html). Connections are not logged: without a pool the log would have two
 * lines for each request.
 */
function settingsFor({ image }: ServiceModel): string[] {
	const settings = [
		`log_min_duration_statement=${SLOW_MS}`,
		'log_line_prefix=%m [%p] ',
		'log_lock_waits=on',
		// A failed statement's text stays out of the log.
		'log_min_error_statement=panic',
	];
	if ((majorOf(image) ?? 0) >= HIDES_PARAMETERS_FROM) settings.push('log_parameter_max_length=0');
	return settings.flatMap((setting) => ['-c', setting]);
}

/**
 * Of an image's tag ("15.4-alpine", "2.11-pg15"); a tag without a number is a new one.
 * @returns null where nothing says it
 */
function majorOf(image: string): number | null {
	if (!OFFICIAL_ENTRYPOINT.test(imageName(image))) return null;
	const tag = imageTag(image);
	const number = /pg(\d+)/.exec(tag)?.[1] ?? /^(\d+)/.exec(tag)?.[1];
	return number === undefined ? Number.POSITIVE_INFINITY : Number(number);
}

/**
 * The service's command with the lab's settings after it, as the entrypoint takes it: Compose replaces a command and leaves an
 * entrypoint as it is.
 * @returns null where it cannot be told which words are the command's
 */
export function commandWithSettings(service: ServiceModel): string[] | null {
	const command = commandOf(service);
	return command && [...command, ...settingsFor(service)];
}

/**
 * As the entrypoint takes it.
 * @returns null where it cannot be told
 */
export function commandOf({ image, command }: ServiceModel): string[] | null {
	if (command.length === 0) return OFFICIAL_ENTRYPOINT.test(imageName(image)) ? ['postgres'] : null;
	// Scripts that come first are an entrypoint's.
	const at = command.findIndex((word) => !word.endsWith('.sh'));
	if (at < 0) return null;
	return SERVERS.has(lastPart(command[at])) || command[at].startsWith('-') ? command.slice(at) : null;
}
