/** What copies showed, as a record and in sentences. Pure. */

import type { Proof, ProofCopy, ProofProbe } from '../record/types.js';
import type { Copy } from './decide.ts';
import { copiesOf, isShown, type nextCopy, RULE, shareOf, verdictOf } from './decide.ts';
import type { Switched } from './live.ts';
import type { Probe } from './probes.ts';
import type { Trouble } from './trouble.ts';

type Made = Copy & { run: string };

export function proofOf({
	run,
	started,
	tookS,
	trouble,
	load,
	probes,
	copies,
	switched,
	refused,
	state,
}: {
	run: string;
	started: string;
	tookS: number;
	trouble: Trouble;
	/** of each copy, in words */
	load: string;
	/** in the order in which they were to be tried */
	probes: Probe[];
	copies: Made[];
	/** by probe: what turns with it and without it showed */
	switched: Record<string, Switched>;
	/** by probe: why no copy came up so */
	refused: Record<string, string>;
	/** by which it ended */
	state: ReturnType<typeof nextCopy>;
}): Proof {
	const asWas = copiesOf(copies, null);
	const tried = probes.map((probe) => probeOf(probe, { copies, switched, refused, state, trouble }));
	const outcome = 'end' in state ? state.end : 'undecided';
	const [worst] = trouble.places;
	return {
		schema: 1,
		run,
		started,
		took_s: Math.round(tookS),
		outcome,
		sentence: sentenceOf(outcome, { tried, asWas, trouble }),
		trouble: {
			...{ service: worst?.service ?? '', cause: worst?.cause ?? '', title: worst?.title ?? '' },
			...{ failed: trouble.failed, requests: trouble.requests, load },
			...(trouble.slow_ms === null ? {} : { slow_ms: Math.round(trouble.slow_ms) }),
		},
		as_it_was: asWas.map(asRecord),
		probes: tried,
		rule: { ...RULE },
	};
}

const asRecord = (copy: Copy): ProofCopy => {
	const { run, failed, requests, good_rps: good, place, later } = copy as Made;
	return { run, failed, requests, good_rps: Math.round(good * 10) / 10, place, ...(later && { later }) };
};

function probeOf(
	{ id, kind, service, title, line = '' }: Probe,
	{
		copies,
		switched,
		refused,
		state,
		trouble,
	}: {
		copies: Made[];
		switched: Record<string, Switched>;
		refused: Record<string, string>;
		state: ReturnType<typeof nextCopy>;
		trouble: Trouble;
	},
): ProofProbe {
	const own = copiesOf(copies, id);
	const turns = switched[id] && { ...switched[id], agree: isShown(switched[id].pairs, trouble.share) };
	const about = { id, kind, service, title, line, ...(turns && { switched: turns }), copies: own.map(asRecord) };
	if (own.length === 0 && Object.hasOwn(refused, id)) return { ...about, verdict: 'refused', text: refused[id] };
	if (own.length === 0) return { ...about, verdict: 'untried', text: '' };
	const verdict = verdictOf(id, copies, state);
	const beside = besideOf(own, copiesOf(copies, null));
	const [worst] = own.toSorted((one, other) => shareOf(other) - shareOf(one));
	const moved =
		verdict === 'moved'
			? `; ${trouble.slow_ms === null ? 'most of them fail elsewhere now' : 'the bottleneck is elsewhere now'}: ${worst.place}`
			: '';
	const inTurns = turns?.agree ? `, and ${turns.pairs.length} of ${turns.pairs.length} times when it was switched on within one load` : '';
	const putsOff = verdict === 'proved' && putOff(about.copies, trouble) !== null;
	const text = `${sharesText(own, trouble)}${inTurns}${moved}`;
	return { ...about, verdict, text, ...(putsOff && { puts_off: true }), ...(beside.length > 0 && { beside }) };
}

/** Of what a service uses, from which on a change is told: copies of one kind differ by less. The proof's own choices. */
const OTHERWISE = 1.25;
const [CORES_LEAST, MIB_LEAST] = [0.1, 32];

/**
 * What else is otherwise in all copies with a change: it may be how the change works, or a price of it.
 * clauses
 */
function besideOf(own: Copy[], asWas: Copy[]): string[] {
	const names = [...new Set(own.flatMap(({ used = {} }) => Object.keys(used)))];
	return names.flatMap((name) => [
		...otherwise(name, { own, asWas, of: 'cores', least: CORES_LEAST, unit: 'cores', digits: 2 }),
		...otherwise(name, { own, asWas, of: 'mib', least: MIB_LEAST, unit: 'MiB', digits: 0 }),
	]);
}

function otherwise(
	name: string,
	{ own, asWas, of, least, unit, digits }: { own: Copy[]; asWas: Copy[]; of: 'cores' | 'mib'; least: number; unit: string; digits: number },
): string[] {
	const amounts = (copies: Copy[]) => copies.map(({ used }) => used?.[name]?.[of] ?? 0);
	const [now, before] = [amounts(own), amounts(asWas)];
	const isApart = Math.min(...now) > Math.max(...before) * OTHERWISE || Math.max(...now) * OTHERWISE < Math.min(...before);
	const [meanNow, meanBefore] = [now, before].map((all) => all.reduce((sum, one) => sum + one, 0) / all.length);
	return isApart && Math.abs(meanNow - meanBefore) >= least
		? [`${name} used ${meanNow.toFixed(digits)} ${unit} instead of ${meanBefore.toFixed(digits)}`]
		: [];
}

const percent = (share: number) => `${share > 0 && share < 0.0995 ? (100 * share).toFixed(1) : Math.round(100 * share)} %`;

/** The least and the most of several copies. */
function sharesText(copies: Copy[], { slow_ms: slowMs }: Trouble) {
	const shares = copies.map(shareOf).toSorted((one, other) => one - other);
	const [least, most] = [percent(shares[0]), percent(shares[shares.length - 1])];
	const range = least === most ? least : `${least.replace(' %', '')} to ${most}`;
	const what = slowMs === null ? 'failed' : 'of the seconds were slow';
	return `${range} ${what} in ${copies.length === 1 ? 'one copy' : `${copies.length} copies`}`;
}

function sentenceOf(
	outcome: Proof['outcome'],
	{ tried, asWas, trouble }: { tried: ProofProbe[]; asWas: Copy[]; trouble: Trouble },
): string {
	const before = asWas.length === 0 ? '' : ` Without a change, ${sharesText(asWas, trouble)}.`;
	if (outcome === 'not-shown') return `Not decided: a copy as it was did not show the trouble.${before}`;
	if (outcome === 'unsteady') return `Not decided: some copies show the trouble and others of the same kind do not.${before}`;
	const proved = tried.find(({ verdict }) => verdict === 'proved');
	if (proved) return `Proved by relief: with ${proved.title}, ${proved.text}.${before}${laterText(proved, trouble)}`;
	const [worst] = trouble.places;
	const ofAccused = tried.filter(({ verdict, service }) => verdict === 'acquitted' && worst !== undefined && service === worst.service);
	const said =
		ofAccused.length > 0 ? ` To relieve ${worst.service} changed nothing: ${ofAccused.map(({ title }) => title).join('; ')}.` : '';
	const [less] = tried.filter(({ verdict }) => verdict === 'partly').toSorted((one, other) => worstOf(one) - worstOf(other));
	const fewer = less === undefined ? '' : ` Fewest failed with ${less.title}: ${less.text}.`;
	const alone = tried.find(({ kind, verdict }) => kind === 'one-user' && verdict === 'acquitted');
	const anyway = alone === undefined ? '' : ` It does not depend on the load: of one user at a time ${alone.text}.`;
	const open = tried.filter(({ verdict }) => verdict === 'untried').length;
	return `Not decided: no change that was tried ended the trouble.${before}${fewer}${said}${anyway}${open > 0 ? ` There was no time for ${open} further changes.` : ''}`;
}

/** Failed requests, below which a load that went on shows nothing. The proof's own choice. */
const LATER_LEAST = 10;

/** @returns what failed with a change that only puts the trouble off */
function putOff(copies: ProofCopy[], { share }: Trouble): NonNullable<ProofCopy['later']> | null {
	const [later] = copies.flatMap((copy) => copy.later ?? []).toSorted((one, other) => shareOf(other) - shareOf(one));
	return later === undefined || later.failed < LATER_LEAST || shareOf(later) < RULE.cured * share ? null : later;
}

function laterText({ copies }: ProofProbe, trouble: Trouble): string {
	const later = putOff(copies, trouble);
	if (later === null) return '';
	return ` The change only delays the failures: when the load went on after second ${Math.round(later.from_s)}, ${percent(shareOf(later))} failed with it.`;
}

const worstOf = ({ copies }: ProofProbe) => Math.max(...copies.map(shareOf));
