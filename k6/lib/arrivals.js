/**
 * When the arrivals of an open load are meant to begin. k6 starts arrival n when the rate, summed up over time, has reached
 * n + 1; how long after that it really begins is the generator's delay, which the user waits too.
 * https://grafana.com/docs/k6/latest/using-k6/scenarios/executors/ramping-arrival-rate/
 *
 * @import { Shape } from './shapes.js'
 */

/**
 * @param {Shape} shape an open one
 * @param {number} index of the arrival, from 0
 * @returns {number} seconds from the load's start; the end of the load for arrivals beyond it
 */
export function intendedOffset(shape, index) {
	let left = index + 1;
	let from = 0;
	let rate = 0;
	for (const { duration_s: seconds, target, held } of shape.stages) {
		if (held) rate = target;
		const arrivals = ((rate + target) / 2) * seconds;
		if (left <= arrivals) return from + timeTo(left, rate, (target - rate) / seconds);
		left -= arrivals;
		from += seconds;
		rate = target;
	}
	return from;
}

/**
 * @param {Shape} shape an open one
 * @param {number} until  seconds from the load's start
 * @returns {number} arrivals that are meant to have begun by then, with their fraction
 */
export function arrivalsBy({ stages }, until) {
	let arrivals = 0;
	let from = 0;
	let rate = 0;
	for (const { duration_s: seconds, target, held } of stages) {
		if (held) rate = target;
		const inside = Math.min(seconds, Math.max(0, until - from));
		// A script may change its rate in no time.
		if (inside > 0) arrivals += (rate + ((target - rate) * inside) / seconds / 2) * inside;
		from += seconds;
		rate = target;
	}
	return arrivals;
}

/**
 * Solves rate * t + slope * t^2 / 2 = arrivals.
 * @param {number} arrivals @param {number} rate a second @param {number} slope of the rate, a second squared
 */
function timeTo(arrivals, rate, slope) {
	if (slope === 0) return arrivals / rate;
	return (Math.sqrt(rate * rate + 2 * slope * arrivals) - rate) / slope;
}
