/**
 * One run at a time on an engine: two at once would measure each other, and clear away what the other has as what an earlier run left.
 *
 * The engine itself keeps who it is, because whoever shares it shares nothing else for certain: labs of several users, in containers, on
 * several machines have folders and processes of their own. A holder is a volume that nothing mounts, with a label that says whose it is.
 * Each is called like no other, so that one can be removed without removing the one that took its place meanwhile. Whoever wants the
 * engine first makes theirs and then looks for others: of two that come at once at least one sees the other.
 *
 * - The holder's process can be seen from here: it lives, or it is gone and what it held is free.
 * - It cannot (another machine, another container): it makes a newer volume in place of its own every 20 s, and counts as gone when by the
 *   engine's own clock there was none for two minutes. What cannot be judged counts as alive.
 *
 * A volume that somebody prunes is there again with the next sign. Should another take over all the same (a laptop that slept), the one
 * that lost the engine takes down nothing that both would call by one name.
 */

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { NotReadyError } from '../base/errors.ts';
import { REPORTS } from '../base/paths.ts';
import { jsonIn } from '../base/values.ts';
import { shell } from './bounded.ts';
import { PROJECT_LABEL } from './containers.ts';
import { docker, ignoreGone } from './docker.ts';
import { checkEngine } from './engine.ts';
import { ask, firstOf, pidSpace, processOf } from './processes.ts';
import { isAlive } from './scratch.ts';

export type Engine = Pick<import('dockerode'), 'listVolumes' | 'createVolume' | 'getVolume' | 'info'>;

/**
 * lastSignMs: since 1970 by the engine's
 *  clock; NaN where it does not say
 */
type Holder = { token: string; owner: Owner | null; names: string[]; lastSignMs: number };

/** Whose a run is, as it is written on the engine, and whether that process still lives. */
export type Owner = {
	/** on which the lab runs; a container has a name of its own */
	host: string;
	/** id of its kernel since it started; empty where it is not known */
	boot: string;
	/** in which its process has its number: a container counts its own */
	space: string;
	pid: number;
	/** when the process began, as its system says it: a number is given again to another one */
	started: string;
	user: string;
	/** folder */
	reports: string;
	/** UTC */
	since: string;
};

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** @returns this process */
export const thisOwner = (): Owner => ({
	host: os.hostname(),
	boot: firstOf([() => readFileSync(BOOT_ID, 'utf8'), () => ask('sysctl', ['-n', 'kern.bootsessionuuid'], shell)]),
	space: pidSpace(),
	pid: process.pid,
	started: processOf(process.pid, shell)?.started ?? '',
	user: firstOf([() => os.userInfo().username, () => String(process.getuid?.() ?? '')]),
	reports: REPORTS,
	since: new Date().toISOString(),
});

/**
 * @param here a process of this machine
 * @returns unknown: its number means nothing here, or another user's process may not be looked at
 */
function stateOf({ host, boot, space, pid, started }: Owner, here: Owner): 'alive' | 'gone' | 'unknown' {
	if (boot === '' || boot !== here.boot || space !== here.space || host !== here.host) return 'unknown';
	if (!isAlive(pid)) return 'gone';
	const found = processOf(pid, shell);
	if (found === null || started === '') return 'unknown';
	return found.isDead || found.started !== started ? 'gone' : 'alive';
}

const formatOwner = ({ host, pid, user, reports, since }: Owner) =>
	`process ${pid} of ${user} on ${host}, since ${since.slice(0, 19).replace('T', ' ')} UTC, with its reports in ${reports}`;

/**
 * @param text as it is written on the engine
 * @returns null where it says nothing that can be used
 */
function readOwner(text: string | undefined): Owner | null {
	const owner = jsonIn(text ?? '');
	const isWhole = ['host', 'boot', 'space', 'started', 'user', 'reports', 'since'].every((name) => typeof owner?.[name] === 'string');
	return isWhole && Number.isInteger(owner.pid) && owner.pid > 0 ? owner : null;
}

const TOKEN_LABEL = 'doubletake.lock';
const OWNER_LABEL = 'doubletake.owner';
const NAME = 'doubletake-lock';
const TOKEN_BYTES = 6;
const SIGN_MS = 20_000;
/** Six signs. Neither a busy engine nor the analysis of a long run, during which nothing else is done, takes as long. */
const SILENT_S = 120;
/** Of two that came at once each gives way, and comes again after a time of its own. */
const ATTEMPTS = 5;
const AT_ONCE_S = 5;
const AGAIN_MS = 500;

/** By whom an engine was taken from this process. */
let lostTo: string | null = null;

/**
 * @param given engine: this machine's, as Docker's command line
 * finds it, unless given
 * @returns gives the lock back
 * @throws {NotReadyError} when another run holds it, or the engine does not answer
 */
export async function takeLock(
	say: (text: string) => void,
	{
		engine = docker,
		self = thisOwner(),
		signMs = SIGN_MS,
		againMs = AGAIN_MS,
	}: { engine?: Engine; self?: Owner; signMs?: number; againMs?: number } = {},
): Promise<() => Promise<void>> {
	if (engine === docker) await checkEngine();
	for (let attempt = 1; ; attempt += 1) {
		const lock = new Lock(engine, self, say);
		await lock.sign();
		const others = await lock.livingOthers();
		if (others.length === 0) return lock.hold(signMs);
		await lock.giveBack();
		if (attempt === ATTEMPTS || others.some(({ silentS }) => !(silentS < AT_ONCE_S))) throw refusal(others[0]);
		await wait(againMs * (1 + Math.random()));
	}
}

/** The same on several engines, of which a run on a Swarm has one on each host. */
export async function takeLocks(engines: Engine[], say: (text: string) => void) {
	const held: (() => Promise<void>)[] = [];
	const release = async () => void (await Promise.all(held.map((giveBack) => giveBack())));
	try {
		for (const engine of engines) held.push(await takeLock(say, { engine }));
	} catch (error) {
		await release();
		throw error;
	}
	return release;
}

/** Who has taken an engine over from this process, as a clause; null when nobody has. */
export const takenOverBy = () => lostTo;

class Lock {
	#engine;
	#self;
	#say;
	#token = randomBytes(TOKEN_BYTES).toString('hex');
	#signs = 0;
	#timer: NodeJS.Timeout | undefined;
	/** What is asked of the engine just now. */
	#asking = Promise.resolve();

	constructor(engine: Engine, self: Owner, say: (text: string) => void) {
		this.#engine = engine;
		this.#self = self;
		this.#say = say;
	}

	#nameOf(sign: number) {
		return `${NAME}-${this.#token}-${sign}`;
	}

	/** The sign before the last stays for whoever is just reading the list. */
	async sign() {
		this.#signs += 1;
		const labels = { [TOKEN_LABEL]: this.#token, [OWNER_LABEL]: JSON.stringify(this.#self) };
		await this.#engine.createVolume({ Name: this.#nameOf(this.#signs), Labels: labels });
		if (this.#signs > 2) await this.#remove([this.#nameOf(this.#signs - 2)]);
	}

	hold(signMs: number): () => Promise<void> {
		lostTo = null;
		this.#timer = setInterval(() => {
			// An engine that does not answer now may answer the next time.
			this.#asking = this.#asking.then(() => this.#signAgain()).catch(() => {});
		}, signMs);
		this.#timer.unref();
		return () => this.giveBack();
	}

	async #signAgain() {
		const holders = await this.#holders();
		const [other] = holders;
		if (other === undefined || holders.some(({ token }) => token === this.#token)) return this.sign();
		clearInterval(this.#timer);
		lostTo = other.owner === null ? 'another run' : `another run (${formatOwner(other.owner)})`;
		this.#say(`note: ${lostTo} has taken the engine over: nothing was heard of this one for ${SILENT_S} s`);
	}

	async giveBack() {
		clearInterval(this.#timer);
		await this.#asking;
		const own = (await this.#holders().catch(() => [])).filter(({ token }) => token === this.#token);
		// What stays there counts as gone as soon as this process is.
		await this.#remove(own.flatMap(({ names }) => names)).catch(() => {});
	}

	/** Those that hold the engine beside this one; what the dead held is free. */
	async livingOthers(): Promise<Living[]> {
		const living: Living[] = [];
		for (const holder of (await this.#holders()).filter(({ token }) => token !== this.#token)) {
			const state = holder.owner === null ? 'unknown' : stateOf(holder.owner, this.#self);
			const silentS = state === 'gone' ? Number.POSITIVE_INFINITY : await this.#silenceOf(holder);
			if (state === 'alive' || (state === 'unknown' && !(silentS > SILENT_S))) living.push({ holder, state, silentS });
			else await this.#takeOver(holder, state);
		}
		return living;
	}

	async #takeOver({ owner, names }: Holder, state: 'gone' | 'unknown') {
		const why = state === 'gone' ? 'its process is gone' : `nothing was heard of it for ${SILENT_S} s`;
		this.#say(`an earlier run did not come to its end, and ${why}${owner === null ? '' : ` (${formatOwner(owner)})`}`);
		await this.#remove(names);
	}

	/** @returns seconds; NaN where the engine does not say */
	async #silenceOf({ lastSignMs }: Holder): Promise<number> {
		const { SystemTime: now } = await this.#engine.info();
		return (Date.parse(now ?? '') - lastSignMs) / 1000;
	}

	async #holders(): Promise<Holder[]> {
		const { Volumes: volumes } = await this.#engine.listVolumes({ filters: JSON.stringify({ label: [TOKEN_LABEL] }) });
		const holders: Map<string, Holder> = new Map();
		for (const { Name: name, Labels: labels, ...volume } of volumes ?? []) {
			const token = labels[TOKEN_LABEL];
			// Any Compose file may give its volumes this label, and what is in them is its user's.
			if (labels[PROJECT_LABEL] !== undefined) continue;
			const { names, lastSignMs } = holders.get(token) ?? { names: [], lastSignMs: Number.NEGATIVE_INFINITY };
			const signMs = Date.parse((volume as { CreatedAt?: string }).CreatedAt ?? '');
			holders.set(token, {
				token,
				owner: readOwner(labels[OWNER_LABEL]),
				names: [...names, name],
				lastSignMs: Math.max(lastSignMs, signMs),
			});
		}
		return [...holders.values()];
	}

	async #remove(names: string[]) {
		await Promise.all(names.map((name) => this.#engine.getVolume(name).remove().catch(ignoreGone)));
	}
}

type Living = { holder: Holder; state: 'alive' | 'unknown'; silentS: number };

function refusal({ holder: { owner, names }, state, silentS }: Living): NotReadyError {
	const who = owner === null ? `one that does not say whose it is (volume ${names[0]})` : formatOwner(owner);
	const sign = state === 'unknown' && Number.isFinite(silentS) ? `, last heard of ${Math.round(silentS)} s ago` : '';
	const found = `Expected no other run of Doubletake on this engine; found ${who}${sign}.`;
	const remedy = 'wait until it ends, or stop it with Ctrl-C there';
	if (state === 'alive') return new NotReadyError(found, `${remedy}.`);
	const killed = Number.isFinite(silentS)
		? `it counts as ended ${SILENT_S} s after it was last heard of`
		: `docker volume rm ${names.join(' ')}`;
	return new NotReadyError(found, `${remedy}; if it was killed: ${killed}.`);
}

/**
 * What the machine is that containers run on: this one, or where the engine has a kernel of its own (Docker Desktop, another host by
 * DOCKER_HOST) the engine's, with cores and memory of its own.
 */
export type Described = {
	os: string;
	/** its release */
	kernel: string;
	cpu_model: string;
	cores: number;
	memory_bytes: number;
};

/** of GET /info */
type EngineFacts = { KernelVersion?: string; OperatingSystem?: string; NCPU?: number; MemTotal?: number };

/** Its engine runs in a virtual machine on this machine's own hardware. */
const DESKTOP = 'Docker Desktop';
const UNKNOWN = 'unknown';

/** @param ask the engine */
export async function describeMachine(ask: () => Promise<EngineFacts> = () => docker.info()): Promise<Described> {
	const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
	const here = {
		os: /^PRETTY_NAME="?([^"\n]*)/m.exec(release)?.[1] ?? os.type(),
		kernel: os.release(),
		cpu_model: os.cpus()[0]?.model ?? UNKNOWN,
		cores: os.availableParallelism(),
		memory_bytes: os.totalmem(),
	};
	const engine = await ask().catch(() => ({}) as EngineFacts);
	if (!isElsewhere(engine)) return here;
	const { OperatingSystem: system = UNKNOWN, KernelVersion: kernel = UNKNOWN, NCPU: cores, MemTotal: memory } = engine;
	return {
		os: system,
		kernel,
		cpu_model: system === DESKTOP ? here.cpu_model : UNKNOWN,
		cores: cores ?? here.cores,
		memory_bytes: memory ?? here.memory_bytes,
	};
}

/** Whether the engine says that its kernel is not this machine's. */
export const isElsewhere = ({ KernelVersion: kernel }: EngineFacts) => kernel !== undefined && kernel !== os.release();
