/** The one place that calls `docker compose`. Every call is bounded, with the plug-in that it is. */

import { resolve } from 'node:path';
import { readIfThere } from '../base/bounded-file.ts';
import { NotReadyError } from '../base/errors.ts';
import { faultOfYaml } from '../catalog/project-file.ts';
import type { Bounds } from './bounded.ts';
import { runBounded, shell } from './bounded.ts';
import type { System } from './containers.ts';

/** What Compose says when it refuses a file, or has doubts about it: as what was expected, what was found and what to do. Pure. */
type Refusal = { problem: string; remedy: string };

const INSTALL = 'install Docker with its Compose plug-in (https://docs.docker.com/compose/install/).';
/** Says nothing about what is run. */
const IDLE_WARNING = /is obsolete/;
const NO_COMPOSE = /is not a docker command|unknown (shorthand )?flag: .*--?(ansi|progress|project-name|file)/;

/** First match wins; what matched in round brackets is given. */
const REFUSALS: [RegExp, (found: string[]) => Refusal][] = [
	[
		/required variable (\w+) is missing a value(?:: *(.*))?/,
		([name, why = '']) => ({
			problem: `The Compose file: expected a value of the variable ${name}; found none${why === '' ? '' : ` (${why.trim()})`}.`,
			remedy: `write ${name}=... into ".env" beside the Compose file (often there is an example of it to copy), or set it in this shell.`,
		}),
	],
	[
		/env file (\S+) not found|Failed to load (\S+?\.env\S*?): /i,
		([one, other]) => ({
			problem: `The Compose file: expected the file "${one ?? other}", which it names under env_file; found none.`,
			remedy: 'create it (often there is an example of it to copy), or leave the entry out.',
		}),
	],
	[
		/(?:open|stat) (\S+\.ya?ml): no such file or directory/,
		([file]) => ({
			problem: `Expected the Compose file "${file}"; found none.`,
			remedy: 'correct its name under "compose" in doubletake.yaml, or in the file that includes it.',
		}),
	],
	[
		/(?:^|: )(?:open|stat) (\S+): no such file or directory/m,
		([file]) => ({
			problem: `The Compose file: expected the file "${file}", which it or a file that it includes names; found none.`,
			remedy: 'create it (often there is an example of it to copy), or leave its name out under include, extends or env_file.',
		}),
	],
	[
		/read (\S+): is a directory/,
		([folder]) => ({
			problem: `The Compose file: expected a file at "${folder}", which it names; found a folder.`,
			remedy: 'remove the folder, which an engine may have made in the place of a missing file, and get the file; or correct its name.',
		}),
	],
	// What stands in such a file is not shown: it may be a file of keys that was named on purpose.
	[
		/line (\d+): (?:unexpected character|unterminated quoted value|key cannot contain|.*(?:in|of) variable)/,
		([line]) => ({
			problem: `A file of variables (".env", or one under env_file or label_file): expected lines such as NAME=value; Compose cannot read line ${line} of one.`,
			remedy: 'correct that line, or name another file.',
		}),
	],
	[
		/^(Invalid template): /m,
		() => ({
			problem:
				'A file of variables (".env", or one under env_file or label_file): expected the name of a variable after each "$"; Compose cannot read one of its values.',
			remedy: 'write "$$" for the sign itself, or name another file.',
		}),
	],
	[
		/((?<![\w.])(?:yaml|go-yaml|failed to parse \S+): .*(?:\n +line \d+: .*)*)/,
		([words]) => ({
			problem: `The Compose file: expected YAML; Compose found a fault in it: ${words.replaceAll(/\s*\n\s*/g, ' ')}.`,
			remedy: 'correct that line, or the one before it.',
		}),
	],
	[
		/\(root\) Additional property (\S+) is not allowed/,
		([key]) => ({
			problem: `The Compose file: expected "services" with all services in it; found "${key}" beside it, or none.`,
			remedy: `correct "${key}"; in a file of the first format put all services under "services:".`,
		}),
	],
	[
		/(\S+) Additional property (\S+) is not allowed/,
		([place, key]) => ({
			problem: `The Compose file, ${place}: expected what this version of Compose knows; found "${key}".`,
			remedy: `install a newer Compose if "${key}" is right, else correct it.`,
		}),
	],
	[
		/(service .* depends on undefined service .*)/,
		([words]) => ({
			problem: `The Compose file: Compose refuses it: ${words}.`,
			remedy: 'correct the name; if that service has a profile, name the profile in COMPOSE_PROFILES.',
		}),
	],
];

/** @param result of a call that failed */
function refusalOf({
	all = '',
	shortMessage = '',
	code,
	timedOut = false,
}: {
	all?: unknown;
	shortMessage?: string;
	code?: string;
	timedOut?: boolean;
}): Refusal {
	const words = withoutWarnings(String(all));
	if (code === 'ENOENT') return { problem: 'Expected Docker; found no program "docker".', remedy: INSTALL };
	if (NO_COMPOSE.test(words))
		return { problem: 'Expected Docker with its Compose plug-in; found none, or one that is too old.', remedy: INSTALL };
	if (timedOut)
		return {
			problem: 'docker compose config did not end in time.',
			remedy: 'see whether a file that it includes comes from the network, or is a pipe.',
		};
	for (const [pattern, refusal] of REFUSALS) {
		const [, ...found] = pattern.exec(words) ?? [];
		if (found.length > 0) return refusal(found);
	}
	return { problem: `docker compose config failed: ${words || shortMessage}`, remedy: 'correct what it names in the Compose file.' };
}

/**
 * The variable without which Compose refuses the files.
 * @param refusal with a problem of refusalOf
 */
export const missingVariableIn = ({ message }: Error): string | null => /expected a value of the variable (\w+)/.exec(message)?.[1] ?? null;

/**
 * The file of variables without which Compose refuses them.
 * @param refusal as of missingVariableIn
 */
export const missingEnvFileIn = ({ message }: Error): string | null =>
	/expected the file "(.+)", which it names under env_file/.exec(message)?.[1] ?? null;

/**
 * Another file without which it refuses them.
 * @param refusal as of missingVariableIn
 */
export const missingFileIn = ({ message }: Error): string | null =>
	/expected the file "(.+)", which it or a file that it includes names/.exec(message)?.[1] ?? null;

/**
 * @param errors what a call that went well wrote to its second output
 * @returns a sentence for each doubt
 */
function doubtsIn(errors: string): string[] {
	const warnings = [...errors.matchAll(/level=warning msg="((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text.replaceAll(/\\(.)/g, '$1'));
	return [...new Set(warnings)].filter((text) => !IDLE_WARNING.test(text)).map((text) => `Compose: ${text}`);
}

const withoutWarnings = (words: string) =>
	words
		.split('\n')
		.filter((line) => !line.includes('level=warning'))
		.join('\n')
		.trim();

const CONFIG_LIMIT_MS = 20_000;
const DOWN_LIMIT_MS = 60_000;
const LAST_LINES = 4;
/** Every profile, because Compose does not count services of inactive profiles as its own when it tears down. */
const ALL_PROFILES = ['--profile', '*'];

/** Variables by which a shell tells Compose what to read and how. */
const OF_COMPOSE = /^COMPOSE_/;

/**
 * Compose would get included files from elsewhere before anything of them is looked at, by programs that variables of the folder's own `.env` choose.
 * https://docs.docker.com/compose/how-tos/environment-variables/envvars/
 */
const NO_REMOTE_FILES = { COMPOSE_EXPERIMENTAL_GIT_REMOTE: 'false', COMPOSE_EXPERIMENTAL_OCI_REMOTE: 'false' };

const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'FTP_PROXY'];
/**
 * By which a program is led elsewhere, or to other programs. Compose takes what the folder's own `.env` says of one into its environment unless the
 * shell has it, and hands that on to programs which it starts: 2.26 does so with any name, and had a library of the folder loaded.
 */
const LEADING = [
	...['LD_PRELOAD', 'LD_AUDIT', 'LD_LIBRARY_PATH', 'DYLD_INSERT_LIBRARIES', 'DYLD_LIBRARY_PATH', 'DYLD_FRAMEWORK_PATH'],
	...['DOCKER_CONFIG', 'DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_CERT_PATH', 'DOCKER_TLS', 'DOCKER_TLS_VERIFY', 'DOCKER_AUTH_CONFIG'],
	...['DOCKER_CLI_OTEL_EXPORTER_OTLP_ENDPOINT', 'BUILDX_BUILDER', 'BUILDX_CONFIG', 'BUILDX_BAKE_FILE', 'BUILDKIT_HOST', 'GNUPGHOME'],
	// With these another passes for a registry, or reads what is told to one.
	...['SSL_CERT_FILE', 'SSL_CERT_DIR', ...PROXIES, ...PROXIES.map((name) => name.toLowerCase())],
	...['GODEBUG', 'HOME', 'XDG_CONFIG_HOME', 'XDG_RUNTIME_DIR', 'SSH_AUTH_SOCK', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
];
/** More, which no folder has for its own. */
const STEERING =
	/^((BUILDX|BUILDKIT(?!_(PROGRESS|INLINE)))_.*|EXPERIMENTAL_(BUILD|DOCKER|COMPOSE).*|LD_(DEBUG|PROFILE).*|GIT_(SSH|SSH_COMMAND|CONFIG.*|ASKPASS|EXEC_PATH|DIR|PROXY_COMMAND)|DOCKER_(API_VERSION|CONTENT_TRUST.*|CUSTOM_HEADERS|CLI_PLUGIN_EXTRA_DIRS)|OTEL_EXPORTER_OTLP_TRACES_ENDPOINT|GCONV_PATH|GLIBC_TUNABLES|HOSTALIASES|RES_OPTIONS|BASH_ENV|SSH_ASKPASS|TMPDIR|PATH)$/;
const isSteering = (name: string) => LEADING.includes(name) || STEERING.test(name);
/** Of these, what a file of variables has and is not taken. */
export const refusedOf = (names: string[]) => names.filter((name) => isSteering(name) && !shell[name]);
/** A folder means its own of Compose. */
export const isObeyed = (name: string) => isSteering(name) || /^COMPOSE_|^NODE_OPTIONS$/.test(name);
/** The builder's client would ask git about the folder, whose settings can name programs: https://docs.docker.com/build/building/variables/ */
const NO_GIT = { BUILDX_GIT_INFO: 'false' };

const closed = () => ({ ...NO_GIT, ...Object.fromEntries(LEADING.map((name) => [name, shell[name] ?? ''])) });

/** @param args command and its arguments */
export async function composeWith(
	{ cwd, flags, env: own = {}, isClosed = false }: System,
	args: string[],
	{
		env = {},
		services = [],
		...bounds
	}: { env?: Record<string, string>; services?: string[] } & Pick<Bounds, 'limitMs' | 'graceMs' | 'signal' | 'survives'>,
) {
	// A service may be called as a flag is.
	const named = services.length > 0 ? ['--', ...services] : [];
	return runBounded('docker', ['compose', '--ansi', 'never', '--progress', 'plain', ...flags, ...args, ...named], {
		cwd,
		env: { ...(isClosed ? withoutShell() : {}), ...own, ...env, ...closed(), ...NO_REMOTE_FILES },
		...bounds,
	});
}

/** Files, profiles and whatever else Compose would be told by the user's shell is about something of theirs. */
const withoutShell = () =>
	Object.fromEntries(
		Object.keys(shell)
			.filter((name) => OF_COMPOSE.test(name))
			.map((name) => [name, undefined]),
	);

/**
 * What Compose makes of the files.
 * @param onDoubt given a sentence for each thing that Compose warns of, such as a variable that is not set
 * @throws {NotReadyError} when Compose refuses them
 */
export async function readConfig(
	system: System,
	env: Record<string, string>,
	onDoubt: (doubt: string) => void = () => {},
	bounds: Partial<Pick<Bounds, 'limitMs' | 'graceMs'>> = {},
): Promise<{ services: Record<string, any>; [part: string]: any }> {
	const result = await composeWith(system, ['config', '--format', 'json'], { env, limitMs: CONFIG_LIMIT_MS, ...bounds });
	for (const doubt of doubtsIn(String(result.stderr ?? ''))) onDoubt(doubt);
	if (result.failed) {
		const { problem, remedy } = faultIn(system) ?? refusalOf(result);
		throw new NotReadyError(problem, remedy);
	}
	return JSON.parse(result.stdout);
}

/** Of what Compose refuses: a file that is no YAML at all, with the line of the fault. */
function faultIn({ cwd, flags }: Pick<System, 'cwd' | 'flags'>): Refusal | null {
	const files = flags.flatMap((flag, at) => (flag === '--file' ? [flags[at + 1]] : []));
	for (const file of files) {
		const fault = faultOfYaml(readIfThere(resolve(cwd, file)) ?? '', file);
		if (fault !== null) return fault;
	}
	return null;
}

/**
 * Removes every container, network and volume of the project, whatever state it is in.
 * @returns null when it went well, else what Compose says of it
 */
export async function down(
	system: System,
	env: Record<string, string>,
	{ keepsVolumes = false }: { keepsVolumes?: boolean } = {},
): Promise<string | null> {
	const args = [...ALL_PROFILES, 'down', ...(keepsVolumes ? [] : ['--volumes']), '--remove-orphans', '--timeout', '5'];
	const { failed, all, shortMessage } = await composeWith(system, args, { env, limitMs: DOWN_LIMIT_MS, survives: true });
	return failed ? lastOf(all) || shortMessage : null;
}

const lastOf = (words: string) => words.trim().split('\n').slice(-LAST_LINES).join('\n');

/**
 * How many containers a service has.
 * @param found as `docker compose config` prints it
 */
export const replicasOf = ({ deploy, scale }: { deploy?: { replicas?: number | string }; scale?: number | string }) =>
	Number(deploy?.replicas ?? scale ?? 1);

/**
 * What a service of the model may use, under the names that whoever runs it has for that.
 * @param cpu name of the limit of cores
 * @returns with `memory`; what is not limited is not in it
 */
export function limitsOf(
	{
		cpu_quota: quota,
		cpu_period: period,
		cpus,
		mem_limit: memory,
	}: { cpu_quota?: number; cpu_period?: number; cpus?: number; mem_limit?: string | number },
	cpu: string,
): Record<string, string> {
	const cores = quota && period ? quota / period : cpus;
	return { ...(cores ? { [cpu]: String(cores) } : {}), ...(memory ? { memory: String(memory) } : {}) };
}
