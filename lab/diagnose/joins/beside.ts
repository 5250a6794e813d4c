/**
 * Calls that nobody asked for: health checks, a pool's look at its connections, a clock's work. Their kind goes on at the same pace while the
 * service serves nobody.
 */

import type { WireCall } from '../../wire/record.ts';
import { TOLERANCE_S } from './rules.ts';

/** Of the pace at busy times. */
const SAME_PACE_SHARE = 0.5;
/** One may be of the service's start. */
const TIMES_LEAST = 3;
/** Shorter silences tell no pace. */
const IDLE_LEAST_S = 1;

/** by the number of a call; seconds from one zero */
type Timed = {
	began: ArrayLike<number>;
	/** until when its server may have worked for it; endless where that is not known */
	worked: ArrayLike<number>;
	/** number of its edge, verb and template */
	kind: ArrayLike<number>;
	/** of the record */
	length_s: number;
};

/**
 * @param served by one service, in the order of their beginnings
 * @param made by it, in the order of their beginnings
 * @returns kinds
 */
export function besideOf({ began, worked, kind, length_s: length }: Timed, served: number[], made: number[]): Set<number> {
	/** By their numbers. */
	const kinds: { idle: number; busy: number }[] = [];
	const serving = new Serving({ began, worked, length_s: length }, served);
	for (let place = 0; place < made.length; place += 1) {
		const call = made[place];
		const at = began[call];
		serving.to(at + TOLERANCE_S);
		kinds[kind[call]] ??= { idle: 0, busy: 0 };
		const times = kinds[kind[call]];
		if (at > serving.until + TOLERANCE_S) times.idle += 1;
		else times.busy += 1;
	}
	serving.to(Number.POSITIVE_INFINITY);
	const { busy } = serving;
	const idle = length - busy;
	if (idle < IDLE_LEAST_S) return new Set();
	const isBeside = (times: { idle: number; busy: number }) =>
		times.idle >= TIMES_LEAST && times.idle / idle >= (SAME_PACE_SHARE * times.busy) / Math.max(busy, 1);
	return new Set(kinds.flatMap((times, number) => (isBeside(times) ? [number] : [])));
}

/** How long a service had any request, told on from call to call. */
class Serving {
	#times;
	#served;
	#next = 0;
	/** Seconds. */
	busy = 0;
	until = Number.NEGATIVE_INFINITY;

	constructor(times: Pick<Timed, 'began' | 'worked' | 'length_s'>, served: number[]) {
		this.#times = times;
		this.#served = served;
	}

	/** Goes on with those that had begun by then. */
	to(at: number) {
		const { began, worked, length_s: length } = this.#times;
		const served = this.#served;
		for (; this.#next < served.length && began[served[this.#next]] <= at; this.#next += 1) {
			const call = served[this.#next];
			const over = Math.min(worked[call], length);
			this.busy += Math.max(0, over - Math.max(this.until, began[call]));
			this.until = Math.max(this.until, over);
		}
	}
}

/**
 * Whoever is given up may be worked for all the same.
 * @param over its asker knew that it was over
 */
export const workedUntil = (call: WireCall, over: number) => (call.by === 'client' ? (call.late_at ?? Number.POSITIVE_INFINITY) : over);
