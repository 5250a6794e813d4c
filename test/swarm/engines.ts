/**
 * Several Docker engines on one machine, each with a network of its own as if it were another host, and joined to one Swarm. Needs root,
 * iproute2, iptables and util-linux, which the engine itself came with or needs too.
 */
import { mkdir, mkdtemp, readdir, readFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { execa } from 'execa';

const BRIDGE = 'dtl-hosts';
/** This machine's own engine may be changing its rules. */
const IPTABLES = ['iptables', '--wait'];
/** Where bridged frames pass iptables, the policy of this machine's own engine would drop them. */
const BRIDGED = ['FORWARD', '--in-interface', BRIDGE, '--out-interface', BRIDGE, '--jump', 'ACCEPT'];
/** What the names of their folders begin with. */
const FOLDERS = 'dtl-engines-';
/** Of the range that nobody routes (RFC 5737 keeps it for documentation). */
const NETWORK = '192.0.2';
const COMMAND_LIMIT_MS = 30_000;
const COPY_LIMIT_MS = 300_000;
const READY_LIMIT_MS = 60_000;
const END_LIMIT_MS = 30_000;
const LOOK_MS = 200;

/** @param number from 1 */
const interfaceOf = (number: number) => `dtl-host${number}`;
const namespaceOf = (number: number) => `dtl-${number}`;
const addressOf = (number: number) => `${NETWORK}.${10 + number}`;

const run = ([file, ...args]: string[]) => execa(file, args, { timeout: COMMAND_LIMIT_MS, stdin: 'ignore' });
/** What may be gone already. */
const tryTo = (words: string[]) => run(words).catch(() => {});

export class Engines {
	#count;
	#root;

	constructor(count: number, root: string) {
		this.#count = count;
		this.#root = root;
	}

	/** @returns that answer, the first of them a manager */
	static async start(count: number): Promise<Engines> {
		await clearAway();
		const engines = new Engines(count, await mkdtemp(join(os.tmpdir(), FOLDERS)));
		try {
			await engines.#connect();
			await Promise.all(engines.numbers.map((number) => engines.#startOne(number)));
			await engines.#join();
			return engines;
		} catch (error) {
			await engines.stop();
			throw error;
		}
	}

	get numbers() {
		return Array.from({ length: this.#count }, (_, index) => index + 1);
	}

	socket(number: number) {
		return join(this.#root, String(number), 'docker.sock');
	}

	name(number: number) {
		return `host${number}`;
	}

	docker(number: number, args: string[], limitMs = COMMAND_LIMIT_MS) {
		return execa('docker', ['--host', `unix://${this.socket(number)}`, ...args], { timeout: limitMs, stdin: 'ignore' });
	}

	/** Brings images of this machine's own engine to one of these. */
	async copyImages(number: number, images: string[]) {
		const saved = execa('docker', ['save', ...images], { timeout: COPY_LIMIT_MS, buffer: { stdout: false }, encoding: 'buffer' });
		await saved.pipe('docker', ['--host', `unix://${this.socket(number)}`, 'load'], { timeout: COPY_LIMIT_MS });
	}

	/** Takes one off the network, as a cable that is pulled. */
	cut(number: number) {
		return run(['ip', 'link', 'set', interfaceOf(number), 'down']);
	}

	mend(number: number) {
		return run(['ip', 'link', 'set', interfaceOf(number), 'up']);
	}

	async #connect() {
		await run(['ip', 'link', 'add', BRIDGE, 'type', 'bridge']);
		await run(['ip', 'address', 'add', `${NETWORK}.1/24`, 'dev', BRIDGE]);
		await run(['ip', 'link', 'set', BRIDGE, 'up']);
		await run([...IPTABLES, '--insert', ...BRIDGED]);
	}

	async #startOne(number: number) {
		const namespace = namespaceOf(number);
		const inside = ['nsenter', `--net=/run/netns/${namespace}`];
		await run(['ip', 'netns', 'add', namespace]);
		await run(['ip', 'link', 'add', interfaceOf(number), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace]);
		await run(['ip', 'link', 'set', interfaceOf(number), 'master', BRIDGE, 'up']);
		await run([...inside, 'ip', 'link', 'set', 'lo', 'up']);
		await run([...inside, 'ip', 'address', 'add', `${addressOf(number)}/24`, 'dev', 'eth0']);
		await run([...inside, 'ip', 'link', 'set', 'eth0', 'up']);
		await run([...inside, 'ip', 'route', 'add', 'default', 'via', `${NETWORK}.1`]);
		const folder = join(this.#root, String(number));
		await mkdir(folder);
		const log = join(folder, 'log');
		// "ip netns exec" would hide the mounts of the cgroups.
		const engine = execa(
			'nsenter',
			[
				...[`--net=/run/netns/${namespace}`, 'unshare', '--uts', 'sh', '-c', 'hostname "$0"; exec dockerd "$@"', this.name(number)],
				...['--host', `unix://${this.socket(number)}`, '--pidfile', join(folder, 'pid')],
				...['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')],
				...['--containerd-namespace', namespace, '--containerd-plugins-namespace', `${namespace}-plugins`],
			],
			{
				detached: true,
				cleanup: false,
				reject: false,
				stdin: 'ignore',
				stdout: { file: log, append: true },
				stderr: { file: log, append: true },
			},
		);
		engine.unref();
		const endsAt = Date.now() + READY_LIMIT_MS;
		for (;;) {
			const isReady = await this.docker(number, ['version']).then(
				() => true,
				() => false,
			);
			if (isReady) return;
			if (Date.now() > endsAt || engine.exitCode !== null)
				throw new Error(`engine ${number} does not answer; its log ends with:\n${await this.logOf(number)}`);
			await wait(LOOK_MS);
		}
	}

	/** The end of its log. */
	async logOf(number: number) {
		return (await readFile(join(this.#root, String(number), 'log'), 'utf8')).split('\n').slice(-10).join('\n');
	}

	async #join() {
		await this.docker(1, ['swarm', 'init', '--advertise-addr', addressOf(1)]);
		const { stdout: token } = await this.docker(1, ['swarm', 'join-token', '--quiet', 'worker']);
		const joinOne = (number: number) => this.docker(number, ['swarm', 'join', '--token', token, `${addressOf(1)}:2377`]);
		await Promise.all(this.numbers.slice(1).map(joinOne));
	}

	/** Ends them, and removes what they made. */
	async stop() {
		await Promise.all(this.numbers.map((number) => this.docker(number, ['swarm', 'leave', '--force']).catch(() => {})));
		await clearAway();
	}
}

/** Removes every engine of this kind, those too that a test left that was killed. */
async function clearAway() {
	const { stdout: list } = await run(['ip', 'netns', 'list']);
	const namespaces = list.split('\n').flatMap((line) => line.match(/^dtl-\d+/) ?? []);
	await Promise.all(namespaces.map(endProcessesIn));
	const parent = os.tmpdir();
	const roots = (await readdir(parent)).filter((name) => name.startsWith(FOLDERS)).map((name) => join(parent, name));
	// Network namespaces of containers stay mounted.
	const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').map((line) => line.split(' ')[1] ?? '');
	const ofEngines = mounts.filter((path) => roots.some((root) => path.startsWith(`${root}/`)));
	for (const mount of ofEngines.toReversed()) await tryTo(['umount', '--lazy', mount]);
	for (const namespace of namespaces) await tryTo(['ip', 'netns', 'delete', namespace]);
	const { stdout: links } = await run(['ip', '-brief', 'link']);
	for (const [link] of links.matchAll(/^dtl-[^@\s]+/gm)) await tryTo(['ip', 'link', 'delete', link]);
	await tryTo([...IPTABLES, '--delete', ...BRIDGED]);
	// Of the layers of images Node would take many times as long.
	await execa('rm', ['--recursive', '--force', '--one-file-system', ...roots], { timeout: COPY_LIMIT_MS, stdin: 'ignore' });
}

/** An engine ends its containers when it is asked to end. */
async function endProcessesIn(namespace: string) {
	const find = async () => (await run(['ip', 'netns', 'pids', namespace])).stdout.split('\n').filter(Boolean);
	const endsAt = Date.now() + END_LIMIT_MS;
	for (const pid of await find()) await tryTo(['kill', '-TERM', pid]);
	while ((await find()).length > 0 && Date.now() < endsAt) await wait(LOOK_MS);
	for (const pid of await find()) await tryTo(['kill', '-KILL', pid]);
}
