/**
 * The rule by which a proof goes on, and by which it ends. Pure: it gets what copies showed and says which copy comes next, or what is proved.
 *
 * A copy is one sample, whatever its requests: they share all that happens to it. So the rule counts copies. Let q be the chance that a copy
 * as it was shows the trouble, which nobody knows. If no change had any effect, the first one that is tried would be called proved only where three
 * copies as they were showed it and two with the change did not: at most q³(1-q)². A later one needs two copies more, which adds q⁴(1-q)³ for
 * all of them together, however many they are. The sum is 4.3 % at its highest. What ends the trouble once and not the next time ends the
 * proof, so that there is no second chance. decide.test.ts plays it.
 *
 * Where a change can be switched on and off within one load, all pairs of turns agree by chance in one of 2^pairs (live.ts). Then the copy as it was
 * and one with the change are enough: that adds at most q(1-q)/2^pairs, since it is tried of one change alone. The sum is 4.7 %.
 */
export type Copy = {
	/** id of what was changed; null: nothing */
	probe: string | null;
	/** requests, those included that were open at the end */
	failed: number;
	requests: number;
	/** good answers a second: in a closed load who fails at once asks again at once, so that a share alone misleads */
	good_rps: number;
	/** where most of them failed, and why: `api/pool-wait`; empty where none did */
	place: string;
	/** of the load behind the part that is compared, where it went on */
	later?: { from_s: number; failed: number; requests: number };
	/** by service, means over the load */
	used?: Record<string, { cores: number; mib: number }>;
};

type Verdict = ProofProbe['verdict'];

/** isRival: it is tried even where another one is proved */
type Tried = { id: string; isRival?: boolean };

import type { ProofProbe } from '../record/types.js';
import type { Pair } from './live.ts';

export const RULE = Object.freeze({
	/** The share of failed requests that may be left of what the least of the copies as they were had. The rule's own choice. */
	cured: 0.2,
	/**
	 * Of the trouble's share, from which on a copy shows it: of copies of one system in which callers hold each other's connections 14 to 29 % failed.
	 * The rule's own choice; how often a proof is wrong does not depend on it.
	 */
	shown: 1 / 3,
	/** Of the share of copies as they were, below which a change has relieved a part of the trouble. The rule's own choice. */
	trouble: 0.5,
	/** Good answers a second, of the least that copies as they were gave, without which a change has only moved the trouble. */
	served: 0.8,
	/** Copies as they were that have to show it: the first, and after the first one with the change the others. */
	as_was: 3,
	/** Copies with the change that must not; and how many more where others were tried before. */
	relieved: 2,
	relieved_later: 2,
	/** Pairs of turns within one load, with the change and without it, that all have to agree; then one copy of each kind is enough. */
	pairs: 6,
	/** Of the trouble's share, that a turn without the change has to show: a trouble that was gone needs some time to come back. The rule's own choice. */
	back: 0.2,
});

export const shareOf = ({ failed, requests }: Pick<Copy, 'failed' | 'requests'>) => (requests === 0 ? 0 : failed / requests);

/**
 * Whether the change ended the trouble in each pair of turns of one load, and it was there without it.
 * @param share of the trouble
 */
export const isShown: (pairs: Pair[], share: number) => boolean = (pairs, share) =>
	pairs.length >= RULE.pairs && pairs.every((pair) => agrees(pair, share));

const agrees: (pair: Pair, share: number) => boolean = ({ off, on }, share) =>
	off.failed > 0 &&
	shareOf(off) >= RULE.back * share &&
	on.requests > 0 &&
	shareOf(on) <= RULE.cured * shareOf(off) &&
	on.good_rps >= RULE.served * off.good_rps;

export const copiesOf = (copies: Copy[], probe: string | null) => copies.filter((copy) => copy.probe === probe);

/** the least of the copies as they were */
function leastAsWas(copies: Copy[]): { share: number; good: number } {
	const asWas = copiesOf(copies, null);
	return { share: Math.min(...asWas.map(shareOf)), good: Math.min(...asWas.map(({ good_rps: good }) => good)) };
}

/**
 * Whether a copy shows no more of the trouble, and serves.
 * @param copies those as they were among them
 */
function isCured(copy: Copy, copies: Copy[]) {
	const { share, good } = leastAsWas(copies);
	return shareOf(copy) <= RULE.cured * share && copy.good_rps >= RULE.served * good && copy.requests > 0;
}

/** share: of the trouble */
export const showsTrouble: (copy: Copy, share: number) => boolean = (copy, share) => copy.failed > 0 && shareOf(copy) >= RULE.shown * share;

/**
 * @param copies in the order in which they were made; the first is as it was
 * @param probes in the order in which they are to be tried
 * @param share of the trouble in the run that is to be explained
 * @param shown changes that ended it in each pair of turns of one load
 * @returns next: of the copy to make; unsteady:
 * copies of one kind show it and do not
 */
export function nextCopy(
	copies: Copy[],
	probes: Tried[],
	share: number,
	shown: string[] = [],
): { next: string | null } | { end: 'not-shown' | 'unsteady' | 'proved' | 'undecided'; probe?: string } {
	const asWas = copiesOf(copies, null);
	if (asWas.length === 0) return { next: null };
	if (!showsTrouble(asWas[0], share)) return { end: 'not-shown' };
	if (asWas.some((copy) => !showsTrouble(copy, share))) return { end: 'unsteady' };
	const triedIds = probes.filter(({ id }) => copiesOf(copies, id).length > 0).map(({ id }) => id);
	const ending = triedIds.filter((id) => isCured(copiesOf(copies, id)[0], copies));
	if (ending.some((id) => copiesOf(copies, id).some((copy) => showsTrouble(copy, share)))) return { end: 'unsteady' };
	const cured = ending.find((id) => copiesOf(copies, id).every((copy) => isCured(copy, copies)));
	if (cured !== undefined) {
		const made = copiesOf(copies, cured).length;
		const since = copies.slice(copies.findIndex(({ probe }) => probe === cured)).filter(({ probe }) => probe === null).length;
		const before = triedIds.filter(
			(id) => copies.findIndex(({ probe }) => probe === id) < copies.findIndex(({ probe }) => probe === cured),
		);
		const isSwitched = shown.includes(cured);
		const needed = isSwitched ? 1 : RULE.relieved + (before.length > 0 ? RULE.relieved_later : 0);
		const wanted = isSwitched ? 0 : RULE.as_was - 1;
		if (since >= wanted && made >= needed) {
			const rival = probes.find(({ id, isRival }) => isRival && !triedIds.includes(id));
			return rival === undefined ? { end: 'proved', probe: cured } : { next: rival.id };
		}
		// In turns, so that what the machine does meanwhile meets both.
		return { next: since < wanted && (since < made || made >= needed) ? null : cured };
	}
	const untried = probes.find(({ id }) => !triedIds.includes(id));
	return untried === undefined ? { end: 'undecided' } : { next: untried.id };
}

const serviceOf = ({ place }: Copy) => place.split('/')[0];

/** What the copies with one change say of it. */
export function verdictOf(id: string, copies: Copy[], state: ReturnType<typeof nextCopy>): Verdict {
	const own = copiesOf(copies, id);
	if ('end' in state && state.probe === id) return 'proved';
	if (own.length === 0 || own.every((copy) => isCured(copy, copies))) return 'undecided';
	const { share } = leastAsWas(copies);
	// Another cause at the same service is no other place.
	const places = copiesOf(copies, null).map(serviceOf);
	const worst = own.toSorted((one, other) => shareOf(other) - shareOf(one))[0];
	if (own.some((copy) => isCured(copy, copies))) return 'undecided';
	if (worst.place !== '' && !places.includes(serviceOf(worst))) return 'moved';
	return shareOf(worst) < RULE.trouble * share ? 'partly' : 'acquitted';
}
