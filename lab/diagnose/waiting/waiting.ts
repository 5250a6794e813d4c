/** Follows the waiting of a run: for each kind of failure, where it came about, why, and how that is known. Pure. */

import { GENERATOR_NAME } from '../../base/paths.ts';
import { grouped } from '../../base/values.ts';
import type { Mechanism } from '../../record/causes.ts';
import type { Waiting, WaitingFinding } from '../../record/types.js';
import type { WireRecord } from '../../wire/record.ts';
import type { Joined } from '../joins/joined.ts';
import type { Raw } from '../read-raw.ts';
import { GOOD_LEAST } from './asked.ts';
import type { End } from './follow.ts';
import { entryOf, FOLLOWED_LEAST, follow } from './follow.ts';
import type { LogWords } from './logs.ts';
import { logsOf } from './logs.ts';
import { readingsOf } from './readings.ts';
import type { Load, Seen } from './seen.ts';
import { GOOD, seenOf } from './seen.ts';
import type { FailedKind } from './spread.ts';
import { failedOf, mostFirst, share } from './spread.ts';
import { calmMoments, lostOf } from './step.ts';
import { counted, few } from './text.ts';
import { withWords } from './words.ts';
import type { Said } from './writing.ts';
import { titleOf, written } from './writing.ts';

/** Kinds that are followed, the most frequent first: a stack under attack has more than anybody reads. */
const KINDS_MOST = 40;
/** What is known of fewer than so many is reported, and never more than inferred but by ids: their lift says little. */
const FEW = FOLLOWED_LEAST;
/** The wire and the generator count the same requests. */
const UNSEEN_SHARE = 0.05;

export type Followed = {
	reported: Waiting;
	seen: Seen;
	/** requests of the load, by the numbers of their calls to the entry */
	failed: Set<number>;
	/** by request: those that were followed */
	foundOf: Map<number, Found>;
};

/** isLoose: nothing on its way is known of this very one */
export type Found = { finding: WaitingFinding; isLoose: boolean };

export function followAll(
	raw: Raw,
	load: Load,
	{
		joined,
		words,
		failures = null,
		isDamaged = false,
	}: {
		/** the wire of that run */
		joined: Joined;
		/** how logs are read */
		words: LogWords;
		/** that the generator counts; null where that is not known */
		failures?: number | null;
		/** the record is not whole: what it lacks may tell otherwise */
		isDamaged?: boolean;
	},
): Followed {
	const reasonOf = reasonIn(joined.wire);
	const seen = seenOf(joined, load);
	const { kinds, failed, goodOf } = failedOf(seen, raw.program ? null : new Set(raw.failures.map(({ id }) => id)));
	const followed = kinds.slice(0, KINDS_MOST);
	const given = {
		seen,
		readings: readingsOf(raw),
		calm: calmMoments(seen, failed),
		lost: lostOf(seen, failed),
		codeCause: words.codeCause,
	};
	const found = followed.flatMap((kind) => follow(given, entryOf(seen, kind, goodOf(kind))).map((end) => ({ kind, end })));
	const logOf = logsOf(raw, words, { from: load.warmupFrom, to: seen.until });
	const worded = withWords(found, {
		seen,
		reasonOf,
		calm: given.calm,
		logOf,
		codeMeaning: words.codeMeaning,
		uncaughtIn: words.uncaughtIn,
	});
	const ends = withEdges(worded).map(({ kind, end }) => ({ kind, end: capped(end, isDamaged) }));
	const alike = alikeIn(raw);
	// Of one place and one reason, one finding; the most requests first.
	const groups = [...grouped(ends, reasonOf).values()]
		.map((own) => ({ finding: findingOf(seen, own, alike), own }))
		.toSorted((one, other) => other.finding.count - one.finding.count);
	const findings = groups.map(({ finding }) => finding);
	const left = failed.size - followed.reduce((sum, { calls }) => sum + calls.length, 0);
	return {
		reported: { failed: failed.size, followed: failed.size - left, findings, doubts: doubtsOf(failed.size, left, failures) },
		...{ seen, failed },
		foundOf: new Map(
			groups.flatMap(({ finding, own }) =>
				own.flatMap(({ end: { roots, loose } }) => roots.map((root) => [root, { finding, isLoose: loose.has(root) }] as const)),
			),
		),
	};
}

function capped(end: End, isDamaged: boolean): End {
	if (isDamaged) return unproved(end, 'the record is not whole');
	if (end.roots.length >= FEW || end.basis === 'proved') return end;
	return unproved(end, `it is known of ${counted(end.roots.length)} failed ${end.roots.length === 1 ? 'request' : 'requests'} alone`);
}

const unproved = (end: End, doubt: string): End => ({
	...end,
	basis: 'inferred',
	why: { ...end.why, basis: 'inferred' },
	doubts: [...end.doubts, doubt],
});

/** What ends have in common that are one finding: the place, by its service, the mechanism, and the edge on which it shows. */
function reasonIn({ services }: WireRecord): (found: { end: End }) => string {
	const service = new Map(services.map((one) => [one.name, one.service]));
	return ({ end: { place, why } }) => JSON.stringify([service.get(place.service) || place.service, why.mechanism, place.edge?.to]);
}

/** What a log alone tells of a place is what the wire tells of others there, if that has the same name. */
function withEdges(found: Ended[]): Ended[] {
	const known = grouped(
		found.filter(({ end }) => end.place.edge !== null && end.why.mechanism !== null),
		({ end }) => JSON.stringify([end.place.service, end.why.mechanism]),
	);
	return found.map((one) => {
		const { place, why } = one.end;
		const [same] = place.edge === null ? (known.get(JSON.stringify([place.service, why.mechanism])) ?? []) : [];
		if (same === undefined) return one;
		return { ...one, end: { ...one.end, place: same.end.place, why: { ...why, title: same.end.why.title } } };
	});
}

type Ended = { kind: FailedKind; end: End };

function findingOf(seen: Seen, group: Ended[], alike: Alike): WaitingFinding {
	const [most] = group.toSorted((one, other) => other.end.roots.length - one.end.roots.length);
	const { end } = most;
	const { mechanism } = end.why;
	const count = group.reduce((sum, one) => sum + one.end.roots.length, 0);
	// Where the place itself is full, whoever waits for it is too.
	const through =
		end.why.full !== undefined || mechanism === 'workers-taken'
			? null
			: (group.map((one) => one.end.through).find((one) => one !== null) ?? null);
	const names = [...new Set(group.flatMap(({ end: { place } }) => [place.service, ...place.beside]))].sort();
	return {
		kind: [...new Set(group.map(({ kind }) => kind.kind).filter(Boolean))].slice(0, KINDS_SHOWN).join(', '),
		count,
		place: { service: names.join(', '), edge: end.place.edge },
		chain: end.chain,
		mechanism,
		title: titleText(end.why, [through?.text ?? triesText(end), siblingsText(seen, end)]),
		basis: end.basis,
		why_basis: mechanism === null ? null : end.why.basis,
		is_given_up: mechanism === null && end.isGivenUp,
		...logOf(group.map((one) => one.end)),
		evidence: [
			...new Set(
				[
					...countedOfAll(
						seen,
						group.map((one) => one.end),
						end,
					),
					...(through ? [through.evidence] : []),
				].map(written),
			),
			...ofOneKind(most, count),
			...otherWays(group.map((one) => one.end)),
			...unshared(seen, names, alike(names)),
		],
		doubts: [...new Set(end.doubts.map(written))],
	};
}
const KINDS_SHOWN = 5;

/**
 * What its log says of all that ended so.
 * @returns nothing where it says it of some alone
 */
function logOf([{ log: first }, ...others]: End[]): Pick<WaitingFinding, 'log'> {
	const isSame = others.every(
		({ log }) => log?.words === first?.words && log?.is_each === first?.is_each && log?.is_first === first?.is_first,
	);
	return first === undefined || !isSame ? {} : { log: first };
}

function titleText(why: End['why'], more: (Said | null)[]): string | null {
	const own = why.title === undefined && why.mechanism === null ? null : titleOf(why);
	const all = [own, ...more].filter((said) => said !== null).map(written);
	return all.length === 0 ? null : all.join('; ');
}

/** Of what is short of something, tries again are a part of what it is asked. */
const triesText = ({ why: { mechanism }, tries }: End): string | null =>
	tries === null || mechanism === null || !SHORT.has(mechanism)
		? null
		: `${tries.by.join(' and ')} asked again, which makes ${few(tries.each)} calls to it for each request, and ${few(tries.usual)} in calm seconds`;
const SHORT: Set<Mechanism> = new Set([
	'accept-backlog-overflow',
	'busy',
	'cpu-taken',
	'cpu-throttled',
	'pool-full',
	'slots-taken',
	'workers-taken',
]);

/** Of what does not say why: that others were asked the same by the same meanwhile, and did well, says that it is of that one. */
const OF_ONE: Set<Mechanism | null> = new Set([null, 'own-error', 'own-wait', 'hung', 'workers-taken']);
/** Of the calls of each of them. The lab's own choices, as is how much fewer they were sent. */
const WELL_SHARE = 0.95;
const FEWER_TIMES = 3;

function siblingsText({ began, over, kind, sign, onEdge, calleesOf }: Seen, { place, why, failed, chain }: End): string | null {
	const { service, beside } = place;
	const edge = place.edge ?? chain[chain.length - 1]?.edge ?? null;
	if (edge === null || edge.to !== service || beside.length > 0 || !OF_ONE.has(why.mechanism)) return null;
	const from = failed.reduce((least, call) => Math.min(least, began[call]), Number.POSITIVE_INFINITY);
	const to = failed.reduce((most, call) => Math.max(most, over[call]), 0);
	const kinds = new Set(failed.map((call) => kind[call]));
	const such = (callee: string) =>
		onEdge(edge.from, callee).filter((call) => kinds.has(kind[call]) && began[call] >= from && began[call] <= to);
	const others = calleesOf(edge.from)
		.filter((callee) => callee !== service)
		.map((callee) => ({ callee, calls: such(callee) }))
		.filter(({ calls }) => calls.length > 0);
	const isWell = ({ calls }: { calls: number[] }) =>
		calls.length >= GOOD_LEAST && share(calls.filter((call) => sign[call] === GOOD).length, calls.length) >= WELL_SHARE;
	if (others.length === 0 || !others.every(isWell)) return null;
	const own = such(service).length;
	const count = others.reduce((sum, { calls }) => sum + calls.length, 0);
	const isUneven = own >= FEWER_TIMES * Math.max(...others.map(({ calls }) => calls.length));
	const names = others.map(({ callee }) => callee).toSorted();
	const whom = names.length > SIBLINGS_SHOWN ? `${counted(names.length)} others` : names.join(' and ');
	return isUneven
		? `${edge.from} sent it ${counted(own)} such calls, and ${whom} ${counted(count)} in all, which went well`
		: `${whom} answered ${counted(count)} such calls of ${edge.from} well meanwhile`;
}
const SIBLINGS_SHOWN = 2;

/**
 * What the place answered is counted over all that ended alike there, so that the first that is read of a finding has its number.
 * @param ends of one finding
 * @returns the evidence of the largest
 */
function countedOfAll({ sign }: Seen, ends: End[], { evidence, why }: End): Said[] {
	const own = why.ofAll?.said;
	if (own === undefined || ends.length === 1) return evidence;
	const alike = grouped(
		ends.filter((end) => end.why.ofAll !== undefined),
		({ place, failed: calls }) => JSON.stringify([place.service, mostFirst(calls, (call) => sign[call])[0]?.[0]]),
	);
	const texts = [...alike.values()].map((all) =>
		(all[0].why.ofAll as NonNullable<End['why']['ofAll']>).of([...new Set(all.flatMap((end) => end.failed))]),
	);
	return evidence.flatMap((said) => (said === own ? texts.slice(0, KINDS_SHOWN) : [said]));
}

/**
 * Kinds that are one finding were followed apart, and read is the largest. Lines of logs are compared with all of them.
 * @param all requests of the finding
 * @returns none or a sentence
 */
function ofOneKind({ kind: { kind }, end: { roots } }: Ended, all: number): string[] {
	if (roots.length === all) return [];
	const whose = kind === '' ? 'of the most frequent end' : kind;
	return [
		`This evidence is about ${counted(roots.length)} of the ${counted(all)} failed requests (${whose}). The quoted log lines were compared with all ${counted(all)}.`,
	];
}

/** Of several that ended at one place, how many came by another way than the first. */
function otherWays(ends: End[]): string[] {
	const ways = grouped(ends, ({ chain }) => [GENERATOR_NAME, ...chain.map(({ service }) => service)].join(' → '));
	if (ways.size < 2) return [];
	return [...ways]
		.map(([way, own]) => `${counted(own.reduce((sum, { roots }) => sum + roots.length, 0))} of these failed requests went the way ${way}.`)
		.slice(0, KINDS_SHOWN);
}

/** Others of its service had hardly any of what it was asked: so few as come of checks. */
const UNSHARED_PART = 0.05;
const SHARED_LEAST = 20;

/** because: why they could have had the calls as well */
type Alike = (names: string[]) => { others: string[]; because: string };

/** Who is there for the same as others: containers of one service, or else of the same image and asked by the same. */
function alikeIn({ wire, manifest: { images = [], edges = [] } }: Pick<Raw, 'wire' | 'manifest'>): Alike {
	const services = new Map(wire?.services.map(({ name, service }) => [name, service]));
	const imageOf = new Map<any, any>(images.map(({ name, id }: any) => [name, id]));
	const askersOf = (name: string) => edges.flatMap(({ from, to }: any) => (to === name ? [from] : []));
	const otherThan = (names: string[], all: string[]) => [...new Set(all)].filter((name) => !names.includes(name));
	return (names) => {
		const [name] = names;
		const service = services.get(name);
		const ofService = service
			? otherThan(
					names,
					[...services].flatMap(([one, its]) => (its === service ? [one] : [])),
				)
			: [];
		if (ofService.length > 0) return { others: ofService, because: `the containers of ${service} did not share them` };
		const asker = askersOf(name).find((from: string) => names.every((one) => askersOf(one).includes(from)));
		const asked = edges.flatMap(({ from, to }: any) => (from === asker && imageOf.get(to) === imageOf.get(name) ? [to] : []));
		const others = imageOf.has(name) ? otherThan(names, asked) : [];
		return { others, because: `of the same image and known to ${asker} too, ${others.length === 1 ? 'it' : 'they'} shared none of them` };
	};
}

/**
 * What one container of several had, where that is nearly all: they are there to share it.
 * @param names of the place's containers
 * @returns none or a sentence
 */
function unshared({ servedBy, began, kind, load }: Seen, names: string[], { others: known, because }: ReturnType<Alike>): string[] {
	const ownKinds = new Set(names.flatMap(servedBy).map((call) => kind[call]));
	// Who is asked for other things alone is of the same image, and there for something else.
	const others = known.filter((name) => servedBy(name).length === 0 || servedBy(name).some((call) => ownKinds.has(kind[call])));
	const countOf = (name: string) => servedBy(name).filter((call) => began[call] >= load.from).length;
	const own = names.reduce((sum, name) => sum + countOf(name), 0);
	const theirs = others.map(countOf);
	if (others.length === 0 || own < SHARED_LEAST || Math.max(...theirs) > UNSHARED_PART * own) return [];
	return [
		`${names.join(' and ')} had ${counted(own)} calls in the load, and ${others.map((name, index) => `${name} ${counted(theirs[index])}`).join(', ')}: ${because}.`,
	];
}

/** @param left that were not followed */
function doubtsOf(failed: number, left: number, failures: number | null) {
	const isShort = failures !== null && Math.abs(failures - failed) > UNSEEN_SHARE * Math.max(failures, failed);
	return [
		...(left > 0
			? [`${counted(left)} failed requests were of further kinds than the ${counted(KINDS_MOST)} most frequent, and not followed`]
			: []),
		...(isShort ? [`the generator counts ${counted(failures)} failed requests, and ${counted(failed)} were seen on the wire`] : []),
	];
}
