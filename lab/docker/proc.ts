/**
 * Reads the kernel's own files. They are read at once and not by promises: such a file is made in memory while it is read,
 * and a read that goes through Node's threads costs 20 to 30 times as much CPU (0.01 against 0.3 ms, measured), which the
 * load would miss.
 */

import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';

/** The beginning of a file that would cost time to make as a whole. */
export function readHead(path: string, bytes: number): string | null {
	let file: number | undefined;
	try {
		file = openSync(path, 'r');
		const buffer = Buffer.alloc(bytes);
		return buffer.toString('latin1', 0, readSync(file, buffer, 0, bytes, 0));
	} catch {
		return null;
	} finally {
		if (file !== undefined) closeSync(file);
	}
}

/** Entries of a folder of /proc, such as a process's open files. */
export function countEntries(path: string): number | null {
	try {
		// From Linux 6.2 on the size of /proc/<pid>/fd is their number (https://docs.kernel.org/filesystems/proc.html); before, it is 0.
		return statSync(path).size || readdirSync(path).length;
	} catch {
		return null;
	}
}

/** @param text lines of a name and a number */
export function parseNumbers(text: string): Record<string, number> {
	return Object.fromEntries(
		text
			.split('\n')
			.map((line) => line.split(' '))
			.filter(([, value]) => value !== undefined)
			.map(([name, value]) => [name, Number(value)]),
	);
}

export const MICROSECONDS = 1e6;

/**
 * Pressure stall information: the time in which some task waited for the resource (https://docs.kernel.org/accounting/psi.html).
 * @param text of /proc/pressure/* or a cgroup's *.pressure
 * @returns seconds since the boot, or since the cgroup was made; null where the kernel does not count it
 */
export function parsePressure(text: string | null): number | null {
	const total = /^some .*\btotal=(\d+)/m.exec(text ?? '')?.[1];
	return total === undefined ? null : Number(total) / MICROSECONDS;
}

/**
 * What is known of some readings: those that could not be read are left out, so that none of them is taken for a zero.
 * @returns null when none could be read
 */
export function known<Value>(readings: Record<string, Value | null | undefined>): Record<string, Value> | null {
	const found = Object.entries(readings).filter(([, value]) => value !== null && value !== undefined);
	return found.length === 0 ? null : (Object.fromEntries(found) as Record<string, Value>);
}
