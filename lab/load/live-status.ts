/**
 * What is said of a load while it goes on. What k6's users write of their requests comes some seconds late, so stage, users, rate, p95 and
 * failures are all of the same seconds, those that the record is whole for; how much time is left is of now.
 */

import { loadDuration, loadStart, type Shape, WARMUP_USERS } from '../../k6/lib/shapes.js';
import type { LoadStatus } from '../base/progress.ts';
import { type LiveRequests, OF_S } from './live-requests.ts';

/** Of fewer seconds a rate says little: one request more or less, or how the load begins. */
const LEAST_S = 1;

export function liveStatus(
	{
		shape,
		beganS,
		requests,
	}: {
		shape: Shape;
		/** when k6 began, seconds since 1970; null before */
		beganS: number | null;
		requests: LiveRequests;
	},
	now: number,
): LoadStatus {
	const start = loadStart(shape);
	const left = {
		leftS: start + loadDuration(shape) - (beganS === null ? 0 : now - beganS),
		isLongest: shape.ends !== undefined,
		...(areUsersKnown(shape) ? {} : { usersMost: usersMostOf(shape) }),
	};
	const none = { users: null, rps: null, p95Ms: null, failureRate: null, ofS: null };
	if (beganS === null) return { stage: stageName(shape, null), ...none, ...left, nowS: null };
	const nowS = now - beganS - start;
	// Before anything is told there is only what goes on now.
	const until = Math.max(0, Math.min(now - beganS, requests.completeUntil(now) - beganS));
	const span = secondsAt(shape, until);
	if (span === null || span.to - span.from < LEAST_S) return { stage: stageName(shape, until), ...none, ...left, nowS };
	const figures = requests.figures({ from: beganS + span.from, to: beganS + span.to, isOfLoad: span.isOfLoad });
	const middle = (span.from + span.to) / 2;
	const reported = { stage: stageName(shape, middle), ...figures, ...left, nowS };
	return figures.rps === null
		? { ...reported, users: null, ofS: null }
		: { ...reported, users: usersOf(shape, middle), ofS: [span.from - start, span.to - start] };
}

/**
 * The last few seconds until a moment, of the load alone or of the warm-up alone.
 * @param until seconds since k6 began
 * @returns null in the pause between them
 */
function secondsAt(shape: Shape, until: number): { from: number; to: number; isOfLoad: boolean } | null {
	const start = loadStart(shape);
	if (until > start) return { from: Math.max(start, until - OF_S), to: until, isOfLoad: true };
	if (until > shape.warmup_s) return null;
	return { from: Math.max(0, until - OF_S), to: until, isOfLoad: false };
}

/** Whether the shape says how many users there are in each moment. */
export const areUsersKnown = ({ model, warmup_s: warmup }: Shape) => model === 'closed' && warmup > 0;

/** @returns null of a load that has a rate, and as many users as that takes */
const usersMostOf = ({ unit, stages }: Shape): number | null => (unit === 'users' ? Math.max(...stages.map(({ target }) => target)) : null);

/**
 * Users that the shape wants. Of a script of the user's own the lab knows no more than how many there are at most.
 * @param elapsedS since k6 began, in the warm-up or in the load
 */
function usersOf(shape: Shape, elapsedS: number): number | null {
	const { warmupUsers = WARMUP_USERS, stages } = shape;
	if (!areUsersKnown(shape)) return null;
	if (elapsedS < loadStart(shape)) return warmupUsers;
	let from = loadStart(shape);
	let users = stages[0].held ? stages[0].target : 1;
	for (const { duration_s: duration, target } of stages) {
		if (elapsedS < from + duration) return Math.round(users + ((target - users) * (elapsedS - from)) / duration);
		from += duration;
		users = target;
	}
	return null;
}

function stageName(shape: Shape, elapsedS: number | null): string {
	if (elapsedS === null) return 'preparing users';
	if (elapsedS < loadStart(shape)) return 'warm-up (not counted)';
	let end = loadStart(shape);
	for (const { duration_s: duration, target } of shape.stages) {
		end += duration;
		if (elapsedS < end) return `to ${target.toLocaleString('en-US')} ${target === 1 && shape.unit === 'users' ? 'user' : shape.unit}`;
	}
	return 'last answers';
}
