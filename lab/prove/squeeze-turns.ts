/**
 * How much a whole depends on each of its services, by Coz's reading (Curtsinger and Berger, SOSP 2015): each is slowed by a known share in short
 * turns of random order, and what that costs the whole is compared with turns in which nothing is slowed. Pure.
 *
 * A service without which nothing goes on loses the whole as large a share as it stands still: its dependence is 1. One that has time to spare loses it nothing.
 * Where the machine's cores are used up, a service that stands still gives its cores to the others, and what it costs is hidden. At most so much as
 * they could do with these cores is added again.
 */

import type { Turn } from '../options/trial.ts';
import type { Squeeze, SqueezedService, Stage } from '../record/types.js';
import type { SlowedTurn } from '../run/faults/slowing.ts';
import { mean } from '../stats/numbers.ts';
import { comparePaired } from '../stats/paired.ts';
import { createRandom } from '../stats/random.ts';

type Group = { group: string; services: string[] };

/** of a turn; share: of it by which the group was slowed */
type Measured = { group: string; round: number; good_rps: number; share: number };

/**
 * Before most services some tens of milliseconds of work wait, which others go on with while one stands still: a
 * longer standstill would stop these too. A shorter one costs the engine more than it takes from the service.
 */
export const SQUEEZE = Object.freeze({ share: 0.3, period_s: 0.3, turn_s: 3, gap_s: 1, rounds: 8, lead_s: 4 });

/**
 * Of what was asked: a service that was slowed by more stood still for far longer at once, as the engine takes half a second now and then to let it
 * go on. Then all others stand still too: 13 of 760
 * turns were so, with 0.25 to 0.45 of the answers of the others of their kind (measured).
 */
const SLOWED_MOST = 1.25;

/** Of its own slowing that a service has to cost the whole to be named, surely: below it a fluke of few turns may. The rule's own choice. */
const NAMED = 0.2;

const FAILED_MOST = 0.01;
/**
 * Seconds of work that wait before what is slowest, by Little's law. A service stands still for 0.09 s at a time (SQUEEZE), and a request may pass
 * each other one a few times: with less they would have nothing to do meanwhile. With more the answers come in waves of seconds, as a program
 * with one thread takes up all that waits before it answers the first: with 2.3 s, turns without a slowed service varied by 15 %.
 */
const QUEUE_S = 0.5;

/**
 * With how many users work waits before what is slowest for longer than a service stands still, and not for much longer.
 * @param stages of the run
 * @param given thinkS: of a user, for each request; isScript: it has the users of its stages, and no others
 * @returns never more than the run had; until when the run had them too; null where users do not make its load, or too many requests failed
 */
export function heldUsers(
	stages: Stage[],
	{ thinkS, isScript }: { thinkS: number; isScript: boolean },
): { users: number; until_s: number } | null {
	const served = stages
		.filter(({ unit, failure_rate: failed, goodput_rps: good }) => unit === 'users' && (failed ?? 0) <= FAILED_MOST && (good ?? 0) > 0)
		.map(({ target, goodput_rps: good, to_s: until }) => ({ users: target, good: Number(good), until_s: until }));
	const best = Math.max(...served.map(({ good }) => good));
	const wanted = Math.ceil(best * (QUEUE_S + thinkS));
	const levels = served.toSorted((one, other) => one.users - other.users);
	const level = levels.find(({ users }) => users >= wanted) ?? levels.at(-1);
	return level === undefined ? null : { users: isScript ? level.users : Math.min(wanted, level.users), until_s: level.until_s };
}

/** Services that are one thing several times are slowed together: one of two alone hands its work to the other. */
export function groupsOf(services: Record<string, { tier: string; product: string }>): Group[] {
	const groups: Map<string, Group> = new Map();
	for (const [service, { tier, product }] of Object.entries(services)) {
		const stem = stemOf(service);
		const key = JSON.stringify([stem, tier, product]);
		const known = groups.get(key);
		if (known) known.services.push(service);
		else groups.set(key, { group: stem, services: [service] });
	}
	return [...groups.values()];
}

/** What a service is called without a number behind it. */
export const stemOf = (service: string) => service.replace(/[-_]?\d+$/, '') || service;

/**
 * In each round each group has a turn, and nothing has one, in random order.
 * @param begun seconds of the load before that
 * @returns seconds: of the load, from then on
 */
export function turnsOf(groups: Group[], seed: number, begun: number = 0): { turns: Turn[]; seconds: number } {
	const random = createRandom(seed);
	const { turn_s: turnS, gap_s: gapS, rounds, lead_s: leadS } = SQUEEZE;
	const all = Array.from({ length: rounds }, () => random.shuffle([{ group: '', services: [] }, ...groups])).flat();
	const turns = all.map((one, index) => {
		const from = begun + leadS + index * (turnS + gapS);
		return { ...one, from_s: from, to_s: from + turnS };
	});
	return { turns, seconds: leadS + all.length * (turnS + gapS) };
}

/**
 * @param ends of good answers, seconds since 1970
 * @returns of those that were whole, and as they were asked for
 */
export function measuredIn(turns: SlowedTurn[], ends: number[]): Measured[] {
	const each = new Set(turns.map(({ group }) => group)).size;
	return turns
		.map((turn, index) => ({ ...turn, round: Math.floor(index / each) }))
		.filter(({ failed, from_s: from, to_s: to }) => failed === null && to > from)
		.filter(({ from_s: from, to_s: to, slowed_s: slowed }) => slowed <= SLOWED_MOST * SQUEEZE.share * (to - from))
		.map(({ group, round, from_s: from, to_s: to, slowed_s: slowed }) => ({
			group,
			round,
			good_rps: ends.filter((end) => end > from && end <= to).length / (to - from),
			share: slowed / (to - from),
		}));
}

/**
 * @param about cores: that each group used; used: of
 * the machine's, by whomever
 * @returns the one first on which the whole depends most
 */
export function dependencesOf(
	measured: Measured[],
	{ groups, cores, machine }: { groups: Group[]; cores: Record<string, number>; machine: { cores: number; used: number } },
): SqueezedService[] {
	const of = (group: string) => measured.filter((one) => one.group === group);
	const base = new Map(of('').map(({ round, good_rps: rps }) => [round, rps]));
	return groups
		.map(({ group, services }) => {
			// A turn is compared with that of its own round.
			const own = of(group).filter(({ round }) => base.has(round));
			const share = mean(own.map((one) => one.share)) ?? 0;
			const { estimate, low, high } = comparePaired(
				own.map(({ round }) => base.get(round) ?? null),
				own.map(({ good_rps: rps }) => rps),
				'ratio',
			);
			const given = givenBack(cores[group] ?? 0, share, machine);
			const dependence = (ratio: number | null) => (ratio === null || share === 0 ? null : (1 - ratio / (1 + given)) / share);
			return {
				...{ group, services, turns: own.length, slowed_share: share, cores: cores[group] ?? 0 },
				...{ lost: estimate === null ? null : 1 - estimate, given_back: given },
				...{ dependence: dependence(estimate), low: dependence(high), high: dependence(low) },
			};
		})
		.toSorted((one, other) => (other.dependence ?? -1) - (one.dependence ?? -1));
}

/** How much more the others can do at most with the cores that a group leaves them while it stands still. */
function givenBack(cores: number, share: number, { cores: all, used }: { cores: number; used: number }): number {
	const idle = Math.max(0, all - used);
	const beyondIdle = Math.max(0, cores * share - idle);
	return beyondIdle / Math.max(all - cores * share, 0.01);
}

const percent = (share: number) => `${Math.round(100 * share)} %`;

/**
 * @param services the first first
 * @param load in words
 * @returns first: the groups on which the whole depends most, which cannot be told apart; none where no one is named
 */
export function squeezeFinding(services: SqueezedService[], load: string): Pick<Squeeze, 'sentence' | 'first'> {
	const named = services.filter(({ low }) => low !== null && low > NAMED);
	const [top] = named;
	if (top === undefined)
		return {
			sentence: `The throughput depends on no single service, ${load}: no service cost it more than ${percent(NAMED)} of its own slowing for certain.`,
			first: [],
		};
	// What is not known for certain may be as much: less evidence clears nobody.
	const alike = [top, ...services.filter((one) => one !== top && (one.high === null || one.high >= (top.dependence ?? 0)))];
	const names = alike.map(({ group }) => group).join(' and ');
	const apart = alike.length > 1 ? ', which cannot be told apart' : '';
	return {
		sentence: `The throughput depends most on ${names}${apart}, ${load}: ${alike.map(costOf).join('; ')}.`,
		first: alike.map(({ group }) => group),
	};
}

const costOf: (service: SqueezedService) => string = ({ group, slowed_share: slowed, lost }) =>
	lost === null
		? `what ${group} costs is not known`
		: `while ${group} was slowed by ${percent(slowed)}, ${percent(lost)} fewer requests succeeded`;
