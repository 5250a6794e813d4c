/**
 * What of a user's own system is secret, found when its files are read: values of variables, labels, build arguments and commands that are
 * named so, passwords within addresses, Compose's secrets, and what the shell and `.env` have under such names.
 */

import { parseEnv } from 'node:util';
import { readIfThere } from '../base/bounded-file.ts';
import { SECRET_NAME, secretsInCommand, secretsOf } from '../base/secret-names.ts';

/** What is longer is no password. */
const READ_MOST = 64 * 1024;
/** Fields of a service that are commands. */
const COMMANDS = ['command', 'entrypoint', 'test'];
const NAMED = ['services', 'networks', 'volumes', 'secrets', 'configs'];
const OF_SERVICE = ['container_name', 'hostname', 'domainname', 'image'];

/**
 * @param config as Compose resolves the files
 * @returns names: all that something is called; keys: those in which the record is written,
 * and into which Compose fills nothing, so that they are no secret, whatever has the same value
 */
export function secretValues(
	config: any,
	{
		shell,
		env,
		read = readIfThere,
	}: {
		shell: Record<string, string | undefined>;
		/** text of `.env` */
		env: string;
		/** a file that a secret is in */
		read?: (file: string) => string | null;
	},
): { values: string[]; names: string[]; keys: string[] } {
	// Those of the shell first, for which there is room then, however many the folder has.
	const settings = { ...shell, ...parseEnv(env), ...shell };
	const files = Object.values<any>(config?.secrets ?? {}).flatMap((secret: any) => [
		...(typeof secret?.file === 'string' ? [(read(secret.file) ?? '').slice(0, READ_MOST)] : []),
		...(typeof secret?.content === 'string' ? [secret.content] : []),
		...(typeof secret?.environment === 'string' ? [settings[secret.environment] ?? ''] : []),
	]);
	const named = Object.entries(settings).flatMap(([name, value]) => (SECRET_NAME.test(name) ? secretsOf(name, value ?? '') : []));
	const keys = [config?.name ?? '', ...NAMED.flatMap((part) => Object.keys(config?.[part] ?? {}))];
	return {
		values: [...named, ...files.flatMap((text) => [text, ...secretsOf('', text)]), ...valuesIn('', config)],
		names: [...keys, ...namesIn(config)],
		keys,
	};
}

/** @param key that it stands under */
function valuesIn(key: string, found: unknown): string[] {
	// Of an image the tag before a digest looks like a password in an address.
	if (OF_SERVICE.includes(key)) return [];
	if (typeof found === 'string') return COMMANDS.includes(key) ? secretsInCommand(found.split(/\s+/)) : secretsOf(key, found);
	if (Array.isArray(found)) {
		const texts = found.filter((one) => typeof one === 'string');
		if (COMMANDS.includes(key)) return [...secretsInCommand(texts), ...texts.flatMap((text) => secretsInCommand(text.split(/\s+/)))];
		return found.flatMap((one) => (typeof one === 'string' ? assigned(one) : valuesIn('', one)));
	}
	return typeof found === 'object' && found !== null ? Object.entries(found).flatMap(([name, one]) => valuesIn(name, one)) : [];
}

/** An entry of a list: `NAME=value`. */
function assigned(entry: string): string[] {
	const at = entry.indexOf('=');
	return at < 0 ? secretsOf('', entry) : secretsOf(entry.slice(0, at), entry.slice(at + 1));
}

/** That are no keys. */
function namesIn(config: any): string[] {
	const parts = NAMED.flatMap((part) => Object.values<any>(config?.[part] ?? {}).map((one: any) => one?.name));
	const services = Object.values<any>(config?.services ?? {}).flatMap((service: any) => [
		...OF_SERVICE.map((field) => service?.[field]),
		...Object.values<any>(service?.networks ?? {}).flatMap((network: any) => network?.aliases ?? []),
	]);
	return [...parts, ...services].filter((name) => typeof name === 'string');
}
