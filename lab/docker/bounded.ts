/**
 * Runs a program within a limit, with all that it starts. `docker compose` is two programs, and a plug-in that hangs outlives the one that
 * was called and keeps its output open: so each call is a process group of its own, which is ended as a whole, and nothing that is still
 * written then is waited for.
 *
 * @typedef {object} Ended
 * @property {boolean} failed     it did not start, was ended, or ended with another code than 0
 * @property {number | null} exitCode  null where it did not end by itself
 * @property {string} stdout      without the end of its last line, as the others
 * @property {string} stderr
 * @property {string} all         both, as they came
 * @property {boolean} timedOut
 * @property {string} [code]      of what kept it from starting, such as ENOENT
 * @property {string} shortMessage  a clause that says how it ended
 *
 * @typedef {object} Bounds
 * @property {number} limitMs
 * @property {number} [graceMs]   from the request to end until it is ended
 * @property {AbortSignal} [signal]  ends it
 * @property {boolean} [survives]  an interruption of the lab does not end it: what takes down has to come to its end
 * @property {string} [cwd]
 * @property {Record<string, string | undefined>} [env]  beside that of the lab; undefined takes a variable away
 * @property {string} [input]
 */

import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { guardCall, markOfCall, openGuard, releaseCall } from './call-guard.ts';

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
const INTERRUPTIONS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** Calls that end with the lab. @type {Set<Call>} */
const mortal = new Set();

/**
 * @param {string} file
 * @param {string[]} args
 * @param {Bounds} bounds
 * @returns {Promise<Ended>} always; whoever calls it looks at how it ended
 */
export function runBounded(file, args, bounds) {
	const call = new Call(file, args, bounds);
	if (!bounds.survives) watchOver(call);
	return call.ended.finally(() => forget(call));
}

class Call {
	#name;
	#bounds;
	/** @type {import('node:child_process').ChildProcess} */
	#child;
	/** @type {{ of: 'stdout' | 'stderr', piece: Buffer }[]} */
	#output = [];
	#bytes = 0;
	/** Why it is being ended. @type {'timedOut' | 'interrupted' | 'tooLong' | null} */
	#why = null;
	/** @type {NodeJS.Timeout[]} */
	#timers = [];
	/** @type {(ended: Ended) => void} */
	#resolve = () => {};

	/** @param {string} file @param {string[]} args @param {Bounds} bounds */
	constructor(file, args, bounds) {
		const { cwd, env = {}, limitMs, signal, input } = bounds;
		this.#name = [file, ...args.slice(0, 1)].join(' ');
		this.#bounds = bounds;
		/** @type {Promise<Ended>} */
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
		this.#child.on('error', (error) => this.#finish({ code: /** @type {NodeJS.ErrnoException} */ (error).code, message: error.message }));
		this.#child.on('close', () => this.#finish());
		for (const of of /** @type {const} */ (['stdout', 'stderr'])) this.#child[of]?.on('data', (piece) => this.#take(of, piece));
		// Whoever does not read to the end says why.
		this.#child.stdin?.on('error', () => {});
		this.#child.stdin?.end(input);
		this.#timers.push(setTimeout(() => this.#end('timedOut'), limitMs));
		signal?.addEventListener('abort', this.interrupt);
		if (signal?.aborted) this.interrupt();
	}

	interrupt = () => this.#end('interrupted');

	/** @param {'stdout' | 'stderr'} of @param {Buffer} piece */
	#take(of, piece) {
		this.#bytes += piece.length;
		if (this.#bytes > OUTPUT_MOST_BYTES) this.#end('tooLong');
		else this.#output.push({ of, piece });
	}

	/** @param {'timedOut' | 'interrupted' | 'tooLong'} why */
	#end(why) {
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

	/** @param {NodeJS.Signals} signal */
	#signalGroup(signal) {
		try {
			if (this.#child.pid) process.kill(-this.#child.pid, signal);
		} catch {
			// None of the group is there any more.
		}
	}

	/** @param {{ code?: string, message: string }} [fault]  that kept it from starting */
	#finish(fault) {
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

	/** @param {number | null} exitCode */
	#howItEnded(exitCode) {
		if (this.#why === 'timedOut') return `did not end in ${this.#bounds.limitMs / 1000} s`;
		if (this.#why === 'tooLong') return `wrote more than ${OUTPUT_MOST_BYTES / 2 ** 20} MB`;
		if (this.#why === 'interrupted') return 'was interrupted';
		return exitCode === null ? `was ended by ${this.#child.signalCode}` : `ended with code ${exitCode}`;
	}

	/** @param {'stdout' | 'stderr'} [wanted] */
	#textOf(wanted) {
		const pieces = this.#output.filter(({ of }) => wanted === undefined || of === wanted).map(({ piece }) => piece);
		return Buffer.concat(pieces)
			.toString('utf8')
			.replace(/\r?\n$/, '');
	}
}

/** A terminal's Ctrl-C does not reach another group by itself. @param {Call} call */
function watchOver(call) {
	if (mortal.size === 0) {
		for (const signal of INTERRUPTIONS) process.on(signal, endWith);
		process.on('exit', killAll);
	}
	mortal.add(call);
}

/** @param {Call} call */
function forget(call) {
	if (!mortal.delete(call) || mortal.size > 0) return;
	for (const signal of INTERRUPTIONS) process.removeListener(signal, endWith);
	process.removeListener('exit', killAll);
}

/** @param {NodeJS.Signals} signal */
function endWith(signal) {
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
