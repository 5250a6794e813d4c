/**
 * Where the time of good answers went in a system of which the lab knows no more than what its services recorded of each request: a part for
 * each service that tells how long it had the request, and for what lies between two of them. A service that does not tell is in the time
 * of the one before it, and is said to be.
 */

import type { HopRecord, RequestRecord } from '../../adapters/contract.ts';
import type { TimeLedger } from '../../record/types.js';
import { FIRST_BAD_STATUS } from '../../wire/contract.ts';
import type { Facts } from '../ledger/facts.ts';
import type { Tier } from '../ledger/place.ts';
import type { Raw } from '../read-raw.ts';

type Part = TimeLedger['parts'][number];

/** services that are asked at the same distance from the user */
type Level = {
	names: string[];
	/** those of them that recorded single requests */
	hops: HopRecord[];
};

/** milliseconds over good answers, by part; n: how many */
type Sums = Record<string, number> & { n: number };

/** From here on a proxy tells its times, and so does a program. */
const TELLS = { 'load-balancer': 2, app: 3 } as Record<string, number>;

/** @returns isComplete: each service on the way told; null where the service that users talk to tells nothing */
export function hopTimes({
	raw,
	hops,
	entries,
	window,
	tiers,
}: Facts): { parts: Part[]; bySecond: Map<number, Sums>; isComplete: boolean } | null {
	const levels = levelsOf(raw.manifest, hops, entries);
	const timed = levels.filter((level) => level.hops.length > 0);
	if (timed.length === 0 || timed[0] !== levels[0]) return null;
	const steps = timed.map((level, index) => stepOf(level, levels.slice(levels.indexOf(level) + 1), timed[index + 1], tiers));
	const bySecond: Map<number, Sums> = new Map();
	const [first, ...behind] = timed.map((level) => timesById(level.hops));
	const good = timed[0].hops.flatMap(({ requestRecords }) => requestRecords.filter(isGood));
	if (good.length === 0) return null;
	for (const { id, ended } of good) {
		const second = Math.ceil((ended as number) - window.from);
		const sums = bySecond.get(second) ?? { n: 0, whole: 0 };
		bySecond.set(second, sums);
		sums.n += 1;
		sums.whole += first.get(id)?.whole ?? 0;
		addTo(
			sums,
			steps,
			[first, ...behind].map((times) => times.get(id) ?? null),
		);
	}
	return { parts: steps.flatMap(({ parts }) => parts), bySecond, isComplete: timed.length === levels.length };
}

type Times = { whole: number; behind: number | null; connect: number };

/** ids of its parts; between: what is left behind it */
type Step = { own: string; connect: string | null; between: string; parts: Part[] };

/** @param times of one request, by level; null where it did not come there */
function addTo(sums: Sums, steps: Step[], times: (Times | null)[]) {
	const add = (id: string, ms: number) => {
		sums[id] = (sums[id] ?? 0) + Math.max(0, ms);
	};
	for (const [index, { own, connect, between }] of steps.entries()) {
		const here = times[index];
		if (here === null) continue;
		const next = times.slice(index + 1).find((other) => other !== null)?.whole ?? 0;
		const rest = here.behind === null ? here.whole : here.behind - here.connect;
		if (here.behind !== null) add(own, here.whole - here.behind);
		if (connect !== null) add(connect, here.connect);
		add(between, rest - next);
	}
}

/**
 * The parts of a level. A proxy tells its own time, that of connecting, and how long what is behind it had the request; a program from when to
 * when it had the request, and not how long it waited for others meanwhile.
 */
function stepOf({ names, hops }: Level, behind: Level[], next: Level | undefined, tiers: Map<string, Tier>): Step {
	const who = names.join(', ');
	const { tier } = hops[0];
	const unreported = behind.slice(0, next === undefined ? behind.length : behind.indexOf(next)).flatMap((level) => level.names);
	const splits = hops.some(({ requestRecords }) => requestRecords.some(({ took_ms: took }) => took !== undefined));
	if (!splits) {
		const label = unreported.length > 0 ? `in ${who}, ${unreported.join(', ')} behind it included` : `in ${who}`;
		return { own: `own ${who}`, connect: null, between: `own ${who}`, parts: [{ id: `own ${who}`, label, tier, waits: false }] };
	}
	const rest = { id: `behind ${who}`, ...restOf(who, unreported, next), tier: tiers.get(unreported[0] ?? next?.names[0] ?? '') ?? tier };
	const connects = { id: `connect ${who}`, label: `${who} connects`, tier, waits: true };
	const own = { id: `own ${who}`, label: `in ${who}`, tier, waits: false };
	const parts = behind.length > 0 ? [own, connects, rest] : [own, rest];
	return { own: own.id, connect: behind.length > 0 ? connects.id : null, between: rest.id, parts };
}

/** What a proxy gave away, but for what the next that tells had of it. */
function restOf(who: string, unreported: string[], next: Level | undefined): { label: string; waits: boolean } {
	if (unreported.length > 0 && next)
		return { label: `in ${unreported.join(', ')} or before ${next.names.join(', ')}, not told apart`, waits: false };
	if (unreported.length > 0)
		return { label: `in ${unreported.join(', ')}${unreported.length > 1 ? ', not told apart' : ''}`, waits: false };
	return { label: next ? `between ${who} and ${next.names.join(', ')}` : `behind ${who}`, waits: true };
}

/** How long each request was with the services of a level, all that they were asked for it together. */
function timesById(hops: HopRecord[]): Map<string, Times> {
	const byId: Map<string, Times> = new Map();
	for (const { id, received, ended, took_ms: took } of hops.flatMap(({ requestRecords }) => requestRecords)) {
		if (id === '' || ended === null) continue;
		const before = byId.get(id);
		const whole = took?.whole ?? (ended - received) * 1000;
		byId.set(id, {
			whole: whole + (before?.whole ?? 0),
			behind: took === undefined ? (before?.behind ?? null) : took.behind + (before?.behind ?? 0),
			connect: (took?.connect ?? 0) + (before?.connect ?? 0),
		});
	}
	return byId;
}

const hasNamed = ({ requestRecords }: HopRecord) => requestRecords.some(({ id }) => id !== '');

const isGood = ({ id, status, ended }: RequestRecord) => id !== '' && ended !== null && status !== null && status < FIRST_BAD_STATUS;

/** from the services that users talk to */
function levelsOf({ edges = [] }: any, hops: HopRecord[], entries: Set<string>): Level[] {
	const levels = [];
	const seen = new Set();
	for (let names = [...entries]; names.length > 0; ) {
		for (const name of names) seen.add(name);
		levels.push({ names, hops: hops.filter((hop) => names.includes(hop.service) && hasNamed(hop)) });
		const asked = edges.filter(({ from }: { from: string }) => names.includes(from)).map(({ to }: { to: string }) => to);
		names = [...(new Set(asked) as Set<string>)].filter((name) => !seen.has(name));
	}
	return levels;
}

/**
 * What would tell more: services on the way that do not say how long they had a request, and could.
 * @returns sentences without their stop
 */
export function unreportedTimes({ raw, hops, entries }: Facts): string[] {
	const unreported = levelsOf(raw.manifest, hops, entries)
		.flatMap(({ names }) => names)
		.flatMap((name) => {
			const known = raw.adapted.find(({ service }) => service === name);
			const isKnown = hops.some((hop) => hop.service === name && hasNamed(hop));
			return known && !isKnown && known.tier in TELLS ? [{ name, why: whyUnreported(known) }] : [];
		});
	const whys = [...new Set(unreported.map(({ why }) => why))];
	return whys.map(
		(why) =>
			`${unreported
				.filter((one) => one.why === why)
				.map(({ name }) => name)
				.join(', ')}: ${why}`,
	);
}

function whyUnreported({ product, level, tier }: Raw['adapted'][number]) {
	if (product === 'opaque') return 'how long it had a request is not on record, for Doubletake knows no product in it';
	if (level < TELLS[tier])
		return `how long it had each request it tells at watch: ${TELLS[tier]} (in doubletake.yaml); it was watched at ${level}`;
	return 'it left no record of single requests by their ids';
}
