/**
 * How long a user's stack may take until all of it is well, by what its own file says: each health check gives its service a time, and who
 * waits for another (`depends_on`) begins when that is over.
 */

import { ownOf } from '../base/values.ts';

/** why: it is so long, as a clause; isCut: the file would give more */
type StartBound = { limitMs: number; why: string; isCut: boolean };

/** Programs without a health check, and migrations in them, need some time too. */
const LEAST_MS = 300_000;
const MOST_MS = 1_800_000;
/** For a job that has to end before others start: no file says how long that takes. */
const JOB_MS = 300_000;
/** Of the engine, where a check does not name them. https://docs.docker.com/reference/dockerfile/#healthcheck */
const STANDARD = { interval: '30s', timeout: '30s', start_period: '0s', retries: 3 };
/** https://docs.docker.com/reference/compose-file/extension/#specifying-durations */
const UNIT_MS = { us: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as Record<string, number>;

/** @param config as Compose has resolved it */
export function startBound({ services = {} }: any): StartBound {
	const known: Map<string, number> = new Map();
	/** until it may be started */
	const beginOf: (service: string) => number = (service) => {
		// Compose refuses a file in which services wait for each other in a circle.
		if (known.has(service)) return known.get(service) ?? 0;
		known.set(service, 0);
		const waits = Object.entries<any>(ownOf<any>(services, service)?.depends_on ?? {}).map(
			([other, { condition }]) => beginOf(other) + waitFor(services[other], condition),
		);
		const begin = Math.max(0, ...waits);
		known.set(service, begin);
		return begin;
	};
	const longest = Math.max(0, ...Object.entries<any>(services).map(([service, found]) => beginOf(service) + checkTime(found)));
	if (longest <= LEAST_MS) return { limitMs: LEAST_MS, why: '', isCut: false };
	const isCut = longest > MOST_MS;
	return { limitMs: Math.min(longest, MOST_MS), why: isCut ? 'which is the most' : 'as its health checks say', isCut };
}

/** @returns a sentence where there is something to say */
export const aboutBound = ({ limitMs, isCut }: StartBound): string[] =>
	isCut ? [`Its health checks would wait for longer than a run does: for ${limitMs / 60_000} min until all of it is well.`] : [];

function waitFor(found: any, condition: string): number {
	if (condition === 'service_healthy') return checkTime(found);
	return condition === 'service_completed_successfully' ? JOB_MS : 0;
}

/**
 * Until its engine calls it unhealthy.
 * @param found of a service
 */
function checkTime(found: any) {
	const check = found?.healthcheck;
	if (!check?.test || check.disable === true || check.test[0] === 'NONE') return 0;
	const { interval, timeout, start_period: startPeriod, retries } = { ...STANDARD, ...check };
	return durationMs(startPeriod) + Number(retries) * (durationMs(interval) + durationMs(timeout));
}

/** @param text as of `1m30s` */
const durationMs = (text: unknown) =>
	[...String(text).matchAll(/(\d+(?:\.\d+)?)(us|ms|s|m|h)/g)].reduce((sum, [, count, unit]) => sum + Number(count) * UNIT_MS[unit], 0);

/**
 * Which page of a service its own health check asks, as a Compose file says it.
 */
const ASKED = /https?:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?::(\d+))?(\/[^\s'"|&;)#]*)/i;

/**
 * @param found of a service, as Compose has resolved it
 * @param port of the entry
 * @returns with its query; empty where it asks none at that port
 */
export function healthPathOf(
	{ healthcheck: { test = [], disable = false } = {} }: { healthcheck?: { test?: string | string[]; disable?: boolean } },
	port: number,
): string {
	const [, asked = '80', path = ''] = ASKED.exec([test].flat().join(' ')) ?? [];
	return disable || Number(asked) !== port ? '' : path;
}
