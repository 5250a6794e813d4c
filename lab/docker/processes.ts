/**
 * Processes of this machine, told apart by number and start: a number is given again to another one.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';

const ASK_LIMIT_MS = 2000;
/** Fields of /proc/<pid>/stat behind the program's name, which may have blanks and brackets (proc(5)). */
const STATE = 0;
const START_TIME = 19;
/** Dead, and its parent has not asked for it yet. */
const DEAD = /^[ZX]/;

/**
 * @param env of a program that is asked where there is no /proc
 * @returns null where it cannot be read; started: as the system says it
 */
export function processOf(pid: number, env?: Record<string, string | undefined>): { started: string; isDead: boolean } | null {
	const text = firstOf([() => readFileSync(`/proc/${pid}/stat`, 'utf8')]);
	if (text !== '') {
		const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
		return { started: fields[START_TIME], isDead: DEAD.test(fields[STATE]) };
	}
	// macOS has no /proc.
	const [state, ...started] = firstOf([() => ask('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)], env)]).split(/\s+/);
	return started.length === 0 ? null : { started: started.join(' '), isDead: DEAD.test(state) };
}

/** In which the processes of this one have their numbers: a container counts its own. Empty where the system has no such thing. */
export const pidSpace = () => firstOf([() => readlinkSync('/proc/self/ns/pid')]);

export const ask = (file: string, args: string[], env: Record<string, string | undefined> = {}) =>
	execFileSync(file, args, {
		encoding: 'utf8',
		timeout: ASK_LIMIT_MS,
		stdio: ['ignore', 'pipe', 'ignore'],
		env: { ...env, LC_ALL: 'C', TZ: 'UTC' },
	});

/** What the first of them that can be asked says; empty where none can. */
export function firstOf(questions: (() => string)[]) {
	for (const question of questions) {
		try {
			return question().trim();
		} catch {
			// Not on this system.
		}
	}
	return '';
}
