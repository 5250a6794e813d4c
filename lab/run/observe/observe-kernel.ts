/**
 * What the kernel counts in each container's network namespace, and how busy the whole machine is, once a second. Read
 * from the host's /proc, so that no container is entered while the load runs; where the engine has a
 * kernel of its own (Docker Desktop) the record stays empty.
 */

import { existsSync, readdirSync } from 'node:fs';
import { readIfThere } from '../../base/bounded-file.ts';
import { isOnThisKernel, type Placed, parseCgroup, readProcesses } from '../../docker/cgroup.ts';
import type { Records } from '../../docker/containers.ts';
import { known, readHead } from '../../docker/proc.ts';
import { EngineCpu } from './engine-cpu.ts';
import { type Listener, readConntrack, readCpuTimes, readPressure } from './machine.ts';
import { HostPackets, LOOPBACK, parsePackets } from './packets.ts';
import { countLookups, parseListeners, parsePorts } from './sockets.ts';

/** What of this machine's kernel is read here. */
export type Proc = {
	/** null where there is no such file */
	read: (path: string) => string | null;
	/** names in /proc */
	list: () => string[];
	/** of an interface; a bridge passes on what its members have counted already */
	isBridge: (name: string) => boolean;
};

const PROC: Proc = {
	read: readIfThere,
	list: () => readdirSync('/proc'),
	isBridge: (name) => existsSync(`/sys/class/net/${name}/bridge`),
};

/**
 * Packets that went into a container and out of it, since it was made. What it sends to itself stays out: the host's
 * interfaces do not see it.
 * @param text of the namespace's /proc/net/dev
 * @returns null where the kernel does not show it
 */
function containerPackets(text: string | null): number | null {
	if (text === null) return null;
	const { [LOOPBACK]: _, ...others } = parsePackets(text);
	return Object.values(others).reduce((sum, packets) => sum + packets, 0);
}

export const EVERY_MS = 1000;
const MICROSECONDS = 1e6;
/**
 * The counters of /proc/net/netstat (TcpExt) and /proc/net/snmp (Tcp) that speak of connections: opened, refused, dropped,
 * reset or sent for again.
 */
const KEPT = new Set([
	'ListenOverflows',
	'ListenDrops',
	'TCPAbortOnData',
	'TCPAbortOnClose',
	'TCPAbortOnTimeout',
	'TCPBacklogDrop',
	'TCPReqQFullDrop',
	'TCPTimeWaitOverflow',
	'TCPSynRetrans',
	'TCPTimeouts',
	'ActiveOpens',
	'PassiveOpens',
	'AttemptFails',
	'EmbryonicRsts',
	'EstabResets',
	'OutRsts',
	'RetransSegs',
]);
/** Six lines of /proc/net/tcp: where a service listens. A longer read makes the kernel walk its table of connections (0.8 ms a walk). */
const LISTENERS_BYTES = 1024;
/** A namespace with no listener in a file is looked at again so often. */
const LISTENERS_AGAIN_TICKS = 10;
/** The whole of /proc/net/tcp has 150 bytes for each connection: read rarely, and only where the ports may become scarce. */
const PORTS_EVERY_TICKS = 5;
const PORTS_FROM_SOCKETS = 2000;

/** Docker's resolver has one in each namespace. */
const ENGINE_SOCKETS = 1;

/** a container; portRange: null where it is not known */
export type Watched = Placed & { name: string; portRange: [number, number] | null };

/** @returns stops watching */
export function observeKernel(watched: Watched[], records: Pick<Records, 'kernel' | 'host'>, proc: Proc = PROC): () => void {
	const here = watched.filter((one) => isOnThisKernel(one, proc.read));
	// Where none of them is here, what this machine does is not what theirs does.
	if (watched.length > 0 && here.length === 0) return () => {};
	const namespaces = here.map((one) => new Namespace(one, proc.read));
	const packets = new HostPackets(proc);
	const engine = new EngineCpu(proc);
	let ticks = 0;
	const timer = setInterval(() => {
		const t = Date.now() / 1000;
		records.host.write({ t, ...readHost(), ...known({ packets: packets.count(), engine_cpu_s: engine.read() }) });
		for (const namespace of namespaces) {
			const line = namespace.read(ticks);
			if (line) records.kernel.write({ t, name: namespace.name, ...line });
		}
		ticks += 1;
	}, EVERY_MS);
	return () => clearInterval(timer);
}

function readHost() {
	const { busy, total, stat } = readCpuTimes();
	const own = process.cpuUsage();
	return {
		cpu_busy_s: busy,
		cpu_total_s: total,
		lab_cpu_s: (own.user + own.system) / MICROSECONDS,
		...known({ stat, pressure: readPressure(), conntrack: readConntrack() }),
	};
}

class Namespace {
	name: Watched['name'];
	#id;
	#pid;
	#cgroup;
	#folder = '';
	#portRange;
	#read;
	/** Files of the namespace in which a socket listened. */
	#listening: Set<string> = new Set();

	constructor({ id, name, pid, portRange }: Watched, read: Proc['read']) {
		this.name = name;
		this.#id = id;
		this.#read = read;
		this.#pid = pid;
		// It has the same place in each of the container's lives.
		this.#cgroup = parseCgroup(read(`/proc/${pid}/cgroup`) ?? '');
		this.#portRange = portRange;
	}

	/** One that was started again has another process, and a namespace of its own. */
	#find() {
		const isOwn = (pid: number) => isOnThisKernel({ id: this.#id, pid }, this.#read);
		if (!isOwn(this.#pid) && this.#cgroup !== null)
			this.#pid = readProcesses(this.#cgroup, this.#read).map(Number).find(isOwn) ?? this.#pid;
		this.#folder = isOwn(this.#pid) ? `/proc/${this.#pid}/net` : '';
	}

	/** @param ticks since the start */
	read(ticks: number) {
		this.#find();
		const sockstat = this.#folder === '' ? null : this.#read(`${this.#folder}/sockstat`);
		if (sockstat === null) return null;
		const sockets = parseSockets(sockstat);
		const counters = {
			...parseCounters(this.#read(`${this.#folder}/netstat`) ?? ''),
			...parseCounters(this.#read(`${this.#folder}/snmp`) ?? ''),
		};
		const packets = containerPackets(this.#read(`${this.#folder}/dev`));
		const [accept, ports, lookups] = [
			this.#readQueues(ticks),
			this.#readPorts(ticks, sockets),
			this.#countLookups(parseDatagrams(sockstat)),
		];
		return { sockets, counters, ...known({ packets, accept, ports, lookups }) };
	}

	/**
	 * Reading them costs twice as much as all the rest: only where there is more than the engine's own.
	 * @param sockets for datagrams
	 */
	#countLookups(sockets: number | null): number | null {
		if (sockets === null || sockets <= ENGINE_SOCKETS) return sockets === null ? null : 0;
		const text = this.#read(`${this.#folder}/udp`);
		return text === null ? null : countLookups(text);
	}

	/** @returns null where nothing listens */
	#readQueues(ticks: number): Listener[] | null {
		const files = ticks % LISTENERS_AGAIN_TICKS === 0 ? ['tcp', 'tcp6'] : [...this.#listening];
		const queues = files.flatMap((file) => {
			const found = parseListeners(readHead(`${this.#folder}/${file}`, LISTENERS_BYTES) ?? '');
			if (found.length > 0) this.#listening.add(file);
			return found;
		});
		return queues.length > 0 ? queues : null;
	}

	#readPorts(ticks: number, { tw = 0, inuse = 0 }: Record<string, number>) {
		if (ticks % PORTS_EVERY_TICKS !== 0 || tw + inuse <= PORTS_FROM_SOCKETS || this.#portRange === null) return null;
		const text = this.#read(`${this.#folder}/tcp`);
		return text === null ? null : parsePorts(text, this.#portRange);
	}
}

/**
 * @param text of /proc/net/sockstat
 * @returns TCP sockets by state: `inuse`, `tw` (TIME_WAIT), `alloc`, `orphan`
 */
function parseSockets(text: string): Record<string, number> {
	const words = (/^TCP: (.*)$/m.exec(text)?.[1] ?? '').split(' ');
	const sockets: Record<string, number> = {};
	for (let at = 0; at + 1 < words.length; at += 2) sockets[words[at]] = Number(words[at + 1]);
	return sockets;
}

/**
 * @param text of /proc/net/sockstat
 * @returns sockets for datagrams
 */
function parseDatagrams(text: string): number | null {
	const count = /^UDP: inuse (\d+)/m.exec(text)?.[1];
	return count === undefined ? null : Number(count);
}

/** @param text of /proc/net/netstat or snmp: pairs of lines, names and values */
function parseCounters(text: string): Record<string, number> {
	const counters: Record<string, number> = {};
	const lines = text.split('\n');
	for (let at = 0; at + 1 < lines.length; at += 2) {
		if (!/^(TcpExt|Tcp):/.test(lines[at])) continue;
		const values = lines[at + 1].split(' ');
		for (const [index, name] of lines[at].split(' ').entries()) if (KEPT.has(name)) counters[name] = Number(values[index]);
	}
	return counters;
}
