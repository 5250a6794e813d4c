/**
 * How busy this machine is, and what it has left.
 */

import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { readIfThere } from '../../base/bounded-file.ts';
import { UnreadyMachineError } from '../../base/errors.ts';
import { QUIET_BUSY_SHARE } from '../../catalog/budgets.ts';
import { known, parsePressure } from '../../docker/proc.ts';

/** The kernel counts CPU time for user space in hundredths of a second, whatever its own clock is (man 5 proc_stat, USER_HZ). */
const TICKS_PER_S = 100;
const CPU_STATES = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal'] as const;

/** seconds of all cores since the boot */
type CpuStat = Record<(typeof CPU_STATES)[number], number>;

/**
 * @param text of /proc/stat
 * @returns null where there is none
 */
function parseStat(text: string | null): CpuStat | null {
	const values = /^cpu +(.*)$/m
		.exec(text ?? '')?.[1]
		.split(' ')
		.map(Number);
	if (!values || values.length < CPU_STATES.length) return null;
	return Object.fromEntries(CPU_STATES.map((state, index) => [state, values[index] / TICKS_PER_S])) as CpuStat;
}

/** Time that programs and the kernel worked, and all time. Stolen time is in `total` alone: another machine worked in it. */
function busyAndTotal(stat: CpuStat) {
	const busy = stat.user + stat.nice + stat.system + stat.irq + stat.softirq;
	return { busy, total: busy + stat.idle + stat.iowait + stat.steal };
}

/**
 * Seconds of CPU time since the boot, all cores: busy and in all, and each state by itself where the kernel tells.
 * @param text of /proc/stat
 */
export function readCpuTimes(text: string | null = readIfThere('/proc/stat')): { busy: number; total: number; stat: CpuStat | null } {
	const stat = parseStat(text);
	if (stat) return { ...busyAndTotal(stat), stat };
	let busy = 0;
	let total = 0;
	for (const { times } of os.cpus()) {
		const working = (times.user + times.nice + times.sys + times.irq) / 1000;
		busy += working;
		total += working + times.idle / 1000;
	}
	return { busy, total, stat: null };
}

/**
 * How busy the machine is right now.
 * @returns share of all cores, 0 to 1
 */
async function sampleBusyShare(signal: AbortSignal, forMs: number): Promise<number> {
	const before = readCpuTimes();
	await wait(forMs, undefined, { signal });
	const after = readCpuTimes();
	// The kernel counts in hundredths of a second; less than one passed only where there is no clock to speak of.
	return (after.busy - before.busy) / Math.max(1 / TICKS_PER_S, after.total - before.total);
}

const FIRST_MS = 1000;
/** A quiet second between two busy ones is not enough once the machine was seen to be busy. */
const AGAIN_MS = 5000;
/** The neighbours of a run have a minute to end. */
const AGAIN_TIMES = 12;
const WAIT_S = (AGAIN_MS * AGAIN_TIMES) / 1000;

/**
 * Waits until nothing else uses the machine, for a bounded time: it is often just settling from the run before.
 * @throws {UnreadyMachineError} when the machine stays busy and that is not allowed
 */
export async function waitForQuiet({
	busy,
	say,
	signal,
	sample = (forMs) => sampleBusyShare(signal, forMs),
}: {
	/** what to do on a machine that stays busy */
	busy: 'refuse' | 'wait' | 'allow';
	say: (text: string) => void;
	signal: AbortSignal;
	/** busy share of all cores, 0 to 1 */
	sample?: (forMs: number) => Promise<number>;
}): Promise<{ share: number; warnings: string[] }> {
	let share = await sample(FIRST_MS);
	if (share > QUIET_BUSY_SHARE && busy !== 'allow') {
		say(`the machine is ${percent(share)} busy; waiting up to ${WAIT_S} s for it to be quiet`);
		for (let tries = 0; tries < AGAIN_TIMES && share > QUIET_BUSY_SHARE; tries += 1) share = await sample(AGAIN_MS);
	}
	if (share <= QUIET_BUSY_SHARE) return { share, warnings: [] };
	if (busy !== 'refuse') return { share, warnings: [`the machine was ${percent(share)} busy before the run: something else is using it`] };
	throw new UnreadyMachineError(
		`Expected a machine that is at most ${percent(QUIET_BUSY_SHARE)} busy before a run; found ${percent(share)}, after waiting ${WAIT_S} s.`,
		'stop the other programs ("top" shows them), or add BUSY=allow: the runs are then made, and say what is in doubt.',
	);
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

/** How long some task of the machine waited for each resource, in seconds since the boot; null where the kernel does not count it. */
export const readPressure = () =>
	known(
		Object.fromEntries(['cpu', 'memory', 'io'].map((resource) => [resource, parsePressure(readIfThere(`/proc/pressure/${resource}`))])),
	);

const CONNTRACK = '/proc/sys/net/netfilter/nf_conntrack_';

/**
 * Connections that the host's firewall tracks, and how many it can. Docker's bridge passes through it.
 * @returns null where it tracks none
 */
export function readConntrack(): { count: number; max: number } | null {
	const [count, max] = ['count', 'max'].map((name) => readIfThere(`${CONNTRACK}${name}`));
	return count === null || max === null ? null : { count: Number(count), max: Number(max) };
}

/** Memory that programs can still have, in bytes. */
export function availableMemory() {
	const kilobytes = /^MemAvailable:\s+(\d+) kB/m.exec(readIfThere('/proc/meminfo') ?? '')?.[1];
	return kilobytes === undefined ? os.freemem() : Number(kilobytes) * 1024;
}

/**
 * Open files that a process of this machine may have at most; containers get no more than the host's.
 * @returns Infinity when it is not known
 */
export async function openFilesLimit(): Promise<number> {
	const text = await readFile('/proc/self/limits', 'utf8').catch(() => '');
	const hard = /^Max open files\s+\d+\s+(\d+)/m.exec(text)?.[1];
	return hard === undefined ? Number.POSITIVE_INFINITY : Number(hard);
}

/** connections that are established and not yet accepted */
export type Listener = { port: number; queued: number };
