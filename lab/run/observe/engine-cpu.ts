/**
 * CPU of the container engine's own processes: what it passes on of logs, its health checks, and what is run in containers cost time that is
 * neither a container's nor another program's.
 */

import type { Proc } from './observe-kernel.ts';

/** As the kernel names processes, cut to 15 characters (man 5 proc_pid_comm): Docker Engine's, and those of its containers. */
const ENGINE = new Set(['dockerd', 'containerd', 'containerd-shim', 'docker-proxy']);
/** Whoever starts later is found then; a scan of all processes takes some milliseconds. */
const SCAN_EVERY = 10;
/** The kernel counts CPU time for user space in hundredths of a second (man 5 proc_pid_stat). */
const TICKS_PER_S = 100;
/** Of /proc/<pid>/stat behind the name: user and system time. */
const [USER, SYSTEM] = [11, 12];

/** @param text of /proc/<pid>/stat */
function parseProcessStat(text: string): { name: string; cpu_s: number } | null {
	// The name may have blanks and brackets in it.
	const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(text) ?? [];
	if (name === undefined) return null;
	const fields = rest.split(' ');
	return { name, cpu_s: (Number(fields[USER]) + Number(fields[SYSTEM])) / TICKS_PER_S };
}

export class EngineCpu {
	#read;
	#list;
	#reads = 0;
	#total = 0;
	/** Of each process that was found, when it was read last. */
	#found: Map<string, number> = new Map();

	constructor({ read, list }: Proc) {
		this.#read = read;
		this.#list = list;
	}

	/** @returns seconds since the first reading; null where none was seen on this machine */
	read(): number | null {
		if (this.#reads % SCAN_EVERY === 0) this.#scan();
		this.#reads += 1;
		for (const [pid, before] of this.#found) {
			const now = parseProcessStat(this.#read(`/proc/${pid}/stat`) ?? '');
			// A number that is another process's by now has another name.
			if (now === null || !ENGINE.has(now.name)) this.#found.delete(pid);
			else {
				this.#total += Math.max(0, now.cpu_s - before);
				this.#found.set(pid, now.cpu_s);
			}
		}
		return this.#found.size === 0 && this.#total === 0 ? null : this.#total;
	}

	#scan() {
		for (const pid of this.#list().filter((name) => /^\d+$/.test(name) && !this.#found.has(name))) {
			const process = parseProcessStat(this.#read(`/proc/${pid}/stat`) ?? '');
			// What began since the last scan has used all of its time since then.
			if (process !== null && ENGINE.has(process.name)) this.#found.set(pid, this.#reads === 0 ? process.cpu_s : 0);
		}
	}
}
