/**
 * Starts Doubletake from its image. The engine looks on the machine for what it mounts into containers, so the program and the user's folder must have
 * the same path in the container and on the machine. The first container puts the program into a volume. It then starts a second one, in which the
 * volume and the folder have the paths that they have on the machine.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';

const SOCKET = '/var/run/docker.sock';
const PROGRAM = '/opt/doubletake';
const LABEL = 'doubletake.program=yes';
const USAGE = `docker run --rm -it -v ${SOCKET}:${SOCKET} -v "$PWD:$PWD" -w "$PWD" doubletake run`;
/** Asking the engine takes milliseconds, and copying the program some seconds. */
const ASK_LIMIT_MS = 20_000;
const COPY_LIMIT_MS = 120_000;
const USAGE_ERROR = 2;

/**
 * @typedef {object} Inspected  a container, as the engine describes it
 * @property {string} Image   its id
 * @property {{ Type: string, Source: string, Destination: string }[]} Mounts
 * @property {{ Env: string[] | null }} Config
 *
 * @typedef {object} Machine
 * @property {string} cwd         of this container
 * @property {string} place       folder of the volume, on the machine
 * @property {string} volume      its name
 * @property {string} user        uid:gid of whoever owns the folder
 * @property {number} socketGroup  gid of the engine's socket
 * @property {boolean} isTerminal
 */

/** Root gives the record's folders to the containers that write into them; another user lets everybody write there. */
const ROOT_NEEDS = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER'].flatMap((capability) => ['--cap-add', capability]);

/** A mistake in how the image was started. */
export class LaunchError extends Error {}

/**
 * The user's folder, or one that contains it, as far as it has one path on both sides.
 * @param {Inspected['Mounts']} mounts
 * @param {string} cwd
 * @returns {string}
 * @throws {LaunchError} where there is none
 */
export function folderOf(mounts, cwd) {
	const around = mounts.filter(
		({ Type: type, Source: source, Destination: target }) =>
			type === 'bind' && source === target && `${cwd}/`.startsWith(target.endsWith('/') ? target : `${target}/`),
	);
	const [nearest] = around.toSorted((one, other) => other.Source.length - one.Source.length);
	if (nearest) return nearest.Source;
	throw new LaunchError(
		`expected the folder ${cwd} to have the same path in the container and on the machine; found no such mount.\n  To do: ${USAGE}`,
	);
}

/**
 * @param {Inspected} self
 * @param {string[]} ofImage  variables that every container of the image has
 * @param {Machine} machine
 * @param {string[]} args     of the user
 * @returns {string[]} arguments of `docker` for the second container
 */
export function secondContainer(self, ofImage, { cwd, place, volume, user, socketGroup, isTerminal }, args) {
	const folder = folderOf(self.Mounts, cwd);
	// By their names alone: a value would stand in the list of processes.
	const names = (self.Config.Env ?? []).filter((line) => !ofImage.includes(line)).map((line) => line.split('=')[0]);
	return [
		...['run', '--rm', '--interactive', ...(isTerminal ? ['--tty'] : [])],
		...['--network', 'host', '--pid', 'host', '--user', user, '--group-add', String(socketGroup)],
		...['--cap-drop', 'ALL'],
		...(user.startsWith('0:') ? ROOT_NEEDS : []),
		...['--security-opt', 'no-new-privileges', '--read-only', '--tmpfs', '/tmp'],
		...names.flatMap((name) => ['--env', name]),
		...['--env', `DOUBLETAKE_PLACE=${place}`, '--env', 'BOOTSTRAP=0'],
		...['--volume', `${SOCKET}:${SOCKET}`, '--volume', `${volume}:${place}`, '--volume', `${folder}:${folder}`],
		...['--workdir', cwd, self.Image, ...args],
	];
}

/** @param {string[]} args @param {number} [limitMs] @returns {string} @throws {LaunchError} */
function ask(args, limitMs = ASK_LIMIT_MS) {
	const { status, stdout, stderr, error } = spawnSync('docker', args, { encoding: 'utf8', timeout: limitMs });
	if (status === 0) return stdout.trim();
	throw new LaunchError(`docker ${args[0]} ${args[1]} failed: ${error?.message ?? stderr.trim()}\n  To do: ${USAGE}`);
}

/** @param {string[]} args @returns {number} exit code */
function launch(args) {
	if (!existsSync(SOCKET)) throw new LaunchError(`expected the engine's socket at ${SOCKET}; found none.\n  To do: ${USAGE}`);
	const [self] = /** @type {Inspected[]} */ (JSON.parse(ask(['container', 'inspect', os.hostname()])));
	const ofImage = /** @type {string[]} */ (JSON.parse(ask(['image', 'inspect', '--format', '{{json .Config.Env}}', self.Image]))) ?? [];
	const cwd = process.cwd();
	const { uid, gid } = statSync(folderOf(self.Mounts, cwd) && cwd);
	const user = `${uid}:${gid}`;
	const volume = `doubletake-program-${self.Image.replace(/^sha256:/, '').slice(0, 12)}-${uid}-${gid}`;
	ask(['volume', 'create', '--label', LABEL, volume]);
	const place = ask(['volume', 'inspect', '--format', '{{.Mountpoint}}', volume]);
	const copy = `[ -e /place/ready ] || { cp -a ${PROGRAM} /place/program && mkdir -p /place/tmp /place/cache /place/home && chown -R ${user} /place && touch /place/ready; }`;
	ask(
		['run', '--rm', '--network', 'none', '--user', 'root', '--entrypoint', 'sh', '--volume', `${volume}:/place`, self.Image, '-c', copy],
		COPY_LIMIT_MS,
	);
	const machine = { cwd, place, volume, user, socketGroup: statSync(SOCKET).gid, isTerminal: process.stdin.isTTY && process.stdout.isTTY };
	// Ctrl-C reaches both: the second one ends, and this one with it.
	for (const signal of /** @type {NodeJS.Signals[]} */ (['SIGINT', 'SIGTERM'])) process.on(signal, () => {});
	return spawnSync('docker', secondContainer(self, ofImage, machine, args), { stdio: 'inherit' }).status ?? 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	try {
		process.exitCode = launch(process.argv.slice(2));
	} catch (error) {
		if (!(error instanceof LaunchError)) throw error;
		process.stderr.write(`error: ${error.message}\n`);
		process.exitCode = USAGE_ERROR;
	}
}
