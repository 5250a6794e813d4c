/** Had it no local port left? */

import { ascending } from '../../stats/numbers.ts';
import { once } from './seen.ts';
import type { Of, Step, Why } from './step.ts';
import { counted, percent } from './text.ts';

const PORTS_SHARE = 0.9;
/** A port that was used stays taken so long: Linux's TIME_WAIT. */
const TIME_WAIT_S = 60;
/** Of local ports, unless told otherwise: ip_local_port_range is 32768 to 60999. */
const PORTS = 28_232;

export function noPorts({
	seen,
	service,
	readings,
	moments,
	time,
	asked,
}: Of<'asked' | 'moments' | 'seen' | 'service' | 'time', 'ports'>): Why | null {
	const read = readings.ports(service, moments);
	const closed = seen.calleesOf(service).map((to) => ({ to, count: closedByItself(seen, service, to, time) }));
	const [most] = closed.toSorted((one, other) => other.count - one.count);
	const used = Math.max(read?.used ?? 0, most?.count ?? 0);
	if (!most || used < PORTS_SHARE * (read?.range ?? PORTS) || asked.failed > (asked.good ?? 1) / 2) return null;
	return {
		mechanism: 'no-ports',
		title: `had no local port left for connections to ${most.to}`,
		basis: 'counted',
		place: { service, edge: { from: service, to: most.to } },
		evidence: [
			`${service} had closed ${counted(most.count)} connections to ${most.to} by itself within ${TIME_WAIT_S} s; each keeps its local port that long.`,
			read
				? `${counted(read.used)} of ${counted(read.range)} local ports were taken.`
				: `By default there are ${counted(PORTS)} local ports.`,
			`${service} made calls for ${percent(asked.failed)} of the failed requests${asked.good === null ? '' : `, and for ${percent(asked.good)} of the good requests`}.`,
		],
	};
}

/** The most within the time that a port stays taken. */
function closedByItself(seen: Step['seen'], from: string, to: string, time: { to: number }) {
	const ends = closings(seen, from, to);
	let [most, first] = [0, 0];
	for (let last = 0; last < ends.length && ends[last] <= time.to; last += 1) {
		while (ends[first] < ends[last] - TIME_WAIT_S) first += 1;
		most = Math.max(most, last - first + 1);
	}
	return most;
}

/** When it closed connections by itself. */
const closings = once(({ lines }, from, to) =>
	ascending(
		lines(from, to).flatMap(({ connection: { by, ended_at: at, accepted_at: accepted } }) =>
			by === 'client' && accepted !== null && at !== null ? [at] : [],
		),
	),
);
