/**
 * Runs a program within a limit, with all that it starts. `docker compose` is two programs, and a plug-in that hangs outlives the one that
 * was called and keeps its output open: so each call is a process group of its own, which is ended as a whole, and nothing that is still
 * written then is waited for.
 */

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { guardCall, markOfCall, openGuard, releaseCall } from './call-guard.ts';

export type Ended = {
	/** it did not start, was ended, or ended with another code than 0 */
	failed: boolean;
	/** null where it did not end by itself */
	exitCode: number | null;
	/** without the end of its last line, as the others */
	stdout: string;
	stderr: string;
	/** both, as they came */
	all: string;
	timedOut: boolean;
	/** of what kept it from starting, such as ENOENT */
	code?: string;
	/** a clause that says how it ended */
	shortMessage: string;
};

export type Bounds = {
	limitMs: number;
	/** from the request to end until it is ended */
	graceMs?: number;
	/** ends it */
	signal?: AbortSignal;
	/** an interruption of the lab does not end it: what takes down has to come to its end */
	survives?: boolean;
	cwd?: string;
	/** beside that of the lab; undefined takes a variable away */
	env?: Record<string, string | undefined>;
	input?: string;
};

/**
 * The environment in which a command was given. Programs that the lab starts inherit it, and Compose reads the variables of a user's files
 * from it. What the lab itself can be told comes as options, which are handed down from the command line.
 */
export const shell = process.env;

/** Whose command line starts plug-ins, and no program that is to stay. */
const DOCKER = 'docker';
const GRACE_MS = 2000;
/** Of the end of a group until its output has ended too; it is not waited for any longer. */
const DROP_MS = 200;
/** A model of Compose with thousands of services has a few MB. */
const OUTPUT_MOST_BYTES = 100 * 2 ** 20;
const INTERRUPTIONS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls that end with the lab. */
const mortal: Set<Call> = new Set();

/** @returns always; whoever calls it looks at how it ended */
export function runBounded(file: string, args: string[], bounds: Bounds): Promise<Ended> {
	const call = new Call(file, args, bounds);
	if (!bounds.survives) watchOver(call);
	return call.ended.finally(() => forget(call));
}

class Call {
	ended: Promise<Ended>;
	#name;
	#bounds;
	#child: ChildProcess;
	#output: { of: 'stdout' | 'stderr'; piece: Buffer }[] = [];
	#bytes = 0;
	/** Why it is being ended. */
	#why: 'timedOut' | 'interrupted' | 'tooLong' | null = null;
	#timers: NodeJS.Timeout[] = [];
	#resolve: (ended: Ended) => void = () => {};

	constructor(file: string, args: string[], bounds: Bounds) {
		const { cwd, env = {}, limitMs, signal, input } = bounds;
		this.#name = [file, ...args.slice(0, 1)].join(' ');
		this.#bounds = bounds;
		this.ended = new Promise((resolve) => {
			this.#resolve = resolve;
		});
		openGuard();
		this.#child = spawn(file, args, {
			cwd,
			env: { ...shell, ...(basename(file) === DOCKER ? markOfCall() : {}), ...env },
			detached: true,
			stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
		});
		if (this.#child.pid !== undefined) guardCall(this.#child.pid, bounds.survives ? Math.ceil(limitMs / 1000) : 0);
		this.#child.on('error', (error) => this.#finish({ code: (error as NodeJS.ErrnoException).code, message: error.message }));
		this.#child.on('close', () => this.#finish());
		for (const stream of ['stdout', 'stderr'] as const) this.#child[stream]?.on('data', (piece) => this.#take(stream, piece));
		// Whoever does not read to the end says why.
		this.#child.stdin?.on('error', () => {});
		this.#child.stdin?.end(input);
		this.#timers.push(setTimeout(() => this.#end('timedOut'), limitMs));
		signal?.addEventListener('abort', this.interrupt);
		if (signal?.aborted) this.interrupt();
	}

	interrupt = () => this.#end('interrupted');

	#take(of: 'stdout' | 'stderr', piece: Buffer) {
		this.#bytes += piece.length;
		if (this.#bytes > OUTPUT_MOST_BYTES) this.#end('tooLong');
		else this.#output.push({ of, piece });
	}

	#end(why: 'timedOut' | 'interrupted' | 'tooLong') {
		if (this.#why !== null) return;
		this.#why = why;
		this.#signalGroup('SIGTERM');
		this.#timers.push(setTimeout(() => this.kill(), this.#bounds.graceMs ?? GRACE_MS));
	}

	/** Ends it at once, and waits for nothing. */
	kill() {
		this.#signalGroup('SIGKILL');
		this.#timers.push(setTimeout(() => this.#finish(), DROP_MS));
	}

	#signalGroup(signal: NodeJS.Signals) {
		try {
			if (this.#child.pid) process.kill(-this.#child.pid, signal);
		} catch {
			// None of the group is there any more.
		}
	}

	/** @param fault that kept it from starting */
	#finish(fault?: { code?: string; message: string }) {
		for (const timer of this.#timers) clearTimeout(timer);
		if (this.#child.pid !== undefined) releaseCall(this.#child.pid);
		// One of the group may have closed its output and go on.
		if (this.#why !== null) this.#signalGroup('SIGKILL');
		this.#bounds.signal?.removeEventListener('abort', this.interrupt);
		this.#child.stdin?.destroy();
		this.#child.stdout?.destroy();
		this.#child.stderr?.destroy();
		this.#child.unref();
		const exitCode = this.#why === null ? this.#child.exitCode : null;
		this.#resolve({
			failed: exitCode !== 0 || fault !== undefined,
			exitCode: fault ? null : exitCode,
			stdout: this.#textOf('stdout'),
			stderr: this.#textOf('stderr'),
			all: this.#textOf(),
			timedOut: this.#why === 'timedOut',
			...(fault?.code ? { code: fault.code } : {}),
			shortMessage: `"${this.#name}" ${fault ? `could not be started: ${fault.message}` : this.#howItEnded(exitCode)}`,
		});
	}

	#howItEnded(exitCode: number | null) {
		if (this.#why === 'timedOut') return `did not end in ${this.#bounds.limitMs / 1000} s`;
		if (this.#why === 'tooLong') return `wrote more than ${OUTPUT_MOST_BYTES / 2 ** 20} MB`;
		if (this.#why === 'interrupted') return 'was interrupted';
		return exitCode === null ? `was ended by ${this.#child.signalCode}` : `ended with code ${exitCode}`;
	}

	#textOf(wanted?: 'stdout' | 'stderr') {
		const pieces = this.#output.filter(({ of }) => wanted === undefined || of === wanted).map(({ piece }) => piece);
		return Buffer.concat(pieces)
			.toString('utf8')
			.replace(/\r?\n$/, '');
	}
}

/** A terminal's Ctrl-C does not reach another group by itself. */
function watchOver(call: Call) {
	if (mortal.size === 0) {
		for (const signal of INTERRUPTIONS) process.on(signal, endWith);
		process.on('exit', killAll);
	}
	mortal.add(call);
}

function forget(call: Call) {
	if (!mortal.delete(call) || mortal.size > 0) return;
	for (const signal of INTERRUPTIONS) process.removeListener(signal, endWith);
	process.removeListener('exit', killAll);
}

function endWith(signal: NodeJS.Signals) {
	// Without a listener of the program's own the signal would have ended it, and does.
	const isMeantForAll = process.listenerCount(signal) === 1;
	for (const call of mortal) call.interrupt();
	if (!isMeantForAll) return;
	killAll();
	process.removeListener(signal, endWith);
	process.kill(process.pid, signal);
}

function killAll() {
	for (const call of mortal) call.kill();
}
