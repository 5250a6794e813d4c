/**
 * Whether the system stood still: for a time that is long by what is usual in this load users went on asking, and nobody was answered well.
 *
 * How long is long has no number of seconds. What is usual is read from the rest of the load: how much of it passed for each good answer, half
 * of the time. So a load of one request in five seconds does not stand still in between, and in one of a thousand a second three seconds are
 * an age. Where the load was smaller, as at the begin of a ramp, as much less is expected of it. A load that is over asks nothing.
 *
 * @typedef {import('./seconds.js').AskedSecond} AskedSecond
 * @typedef {{ from_s: number, to_s: number }} StandstillInterval  seconds of the load: from the last good answer before it to the first one after it
 *
 * @typedef {object} Standstill
 * @property {'never' | 'stopped' | 'came-back'} kind  nobody was ever answered well; from the last interval on nobody was; after each somebody was
 * @property {StandstillInterval[]} intervals  in the order of time
 * @property {number} end_s         of the load
 */

import { loadDuration } from '../../../k6/lib/shapes.js';
import { count, many } from '../../stats/figure-words.js';
import { median, sum } from '../../stats/numbers.js';
import { SUSTAINED_S } from '../limits/saturations.js';

/** That the time would have had. Of answers that come by chance one gap in e^10 = 22,000 is as long (Poisson). */
const ANSWERS_LEAST = 10;

/**
 * @param {Pick<import('../ledger/facts.js').Facts, 'raw' | 'window'>} facts
 * @param {AskedSecond[] | null} seconds  in the order of time, those after the load's end too
 * @returns {Standstill | null} null where it did not, or the record does not tell
 */
export function standstillOf({ raw, window }, seconds) {
  if (seconds === null) return null;
  const end_s = Math.floor(Math.min(window.to - window.from, loadDuration(raw.manifest.shape)));
  const load = seconds.filter(({ t_s }) => t_s <= end_s);
  if (seconds.every(({ good }) => good === 0))
    return askedIn(load) > 0 ? { kind: 'never', intervals: [{ from_s: 0, to_s: end_s }], end_s } : null;
  const stood = standing(silencesIn(load), load);
  if (stood.length === 0) return null;
  const intervals = stood.map((silence) => intervalOf(silence, seconds, end_s)).toSorted((one, other) => one.from_s - other.from_s);
  const [{ from_s: last }] = intervals.slice(-1);
  return { kind: seconds.some(({ t_s, good }) => good > 0 && t_s > last) ? 'came-back' : 'stopped', intervals, end_s };
}

/** @param {Standstill | null | undefined} standstill @param {{ from_s: number, to_s: number }} span @returns {boolean} in some of it */
export const stoodIn = (standstill, span) =>
  standstill?.intervals.some(({ from_s, to_s }) => from_s < span.to_s && to_s > span.from_s) ?? false;

/** From which it did not come back, else the first of the longest. @param {Standstill} standstill @returns {StandstillInterval} */
export function onsetInterval({ kind, intervals }) {
  const byLength = intervals.toSorted((one, other) => other.to_s - other.from_s - (one.to_s - one.from_s));
  return kind === 'came-back' ? byLength[0] : intervals[intervals.length - 1];
}

/** Seconds in a row in which somebody was there and nobody was answered well. @param {AskedSecond[]} load */
function silencesIn(load) {
  const silences = /** @type {AskedSecond[][]} */ ([]);
  let isSilent = false;
  for (const second of load) {
    const wasSilent = isSilent;
    isSilent = second.good === 0 && second.demand > 0;
    if (isSilent && wasSilent) silences[silences.length - 1].push(second);
    else if (isSilent) silences.push([second]);
  }
  return silences;
}

/** The longest first, each by the load without those before it: else two of them would make each other usual. @param {AskedSecond[][]} silences @param {AskedSecond[]} load */
function standing(silences, load) {
  const perAnswer = new Map(load.map((second) => [second, second.demand / second.good]));
  for (const silence of silences) for (const second of silence) perAnswer.set(second, demandIn(silence));
  const stood = /** @type {AskedSecond[][]} */ ([]);
  for (const silence of silences.filter(isWaitedFor).toSorted((one, other) => demandIn(other) - demandIn(one))) {
    for (const second of silence) perAnswer.delete(second);
    if (demandIn(silence) >= (median([...perAnswer.values()]) ?? 0) * ANSWERS_LEAST) stood.push(silence);
    else for (const second of silence) perAnswer.set(second, demandIn(silence));
  }
  return stood;
}

/**
 * Users who think all at once are no silence of the system: in it as many failed or waited as are to be missed, or all who were there.
 * @param {AskedSecond[]} silence
 */
const isWaitedFor = (silence) =>
  silence.length >= SUSTAINED_S && askedIn(silence) >= Math.min(ANSWERS_LEAST, Math.max(1, ...silence.map(({ users }) => users)));

/** Requests that failed in it or waited at its end. @param {AskedSecond[]} seconds */
const askedIn = (seconds) => sum(seconds.map(({ failed }) => failed)) + (seconds.at(-1)?.waiting ?? 0);

/** @param {AskedSecond[]} seconds */
const demandIn = (seconds) => sum(seconds.map(({ demand }) => demand));

/** @type {(silence: AskedSecond[], seconds: AskedSecond[], end_s: number) => StandstillInterval} */
function intervalOf(silence, seconds, end_s) {
  const [from, last] = [silence[0].t_s - 1, silence[silence.length - 1].t_s];
  const next = seconds.find(({ t_s }) => t_s > last);
  if (next !== undefined && next.t_s <= end_s) return { from_s: from, to_s: next.good > 0 ? next.t_s - 1 : last };
  // Beyond the load's end nobody asks, but whoever waits may be answered.
  const answered = seconds.find(({ t_s, good }) => t_s > last && good > 0);
  return { from_s: from, to_s: answered ? answered.t_s - 1 : end_s };
}

/**
 * When the system stopped, in a sentence: what a reader has to know first, for who waits makes few requests, and a share of them hides a death.
 *
 * @typedef {import('../../record/types.js').Onset} Onset
 * @typedef {import('../../record/types.js').FaultEffect} FaultEffect
 */

/** That a sentence names; the picture has all. */
const INTERVALS_NAMED = 3;
/** Before the last good answer: what was under way comes back yet when the system behind it is gone. The lab's own choice. */
const FAULT_BEFORE_S = 10;

/**
 * @param {Standstill | null} standstill
 * @param {{ failures: number, faults?: Pick<FaultEffect, 'text' | 'began_s' | 'ended_s'>[] }} about
 * @returns {Onset | null}
 */
export function onsetOf(standstill, { failures, faults = [] }) {
  if (standstill === null) return null;
  const { kind } = standstill;
  const { from_s: from, to_s: to } = onsetInterval(standstill);
  const began = faults.filter(isAround(from)).map(({ text, began_s: at }) => `"${text}" began at second ${count(Math.round(at ?? 0))}.`);
  const text = [`${stoodText(standstill, failures > 0)}${afterwards(standstill)}`, ...began].join(' ');
  return { kind, from_s: from, to_s: kind === 'came-back' ? to : null, text };
}

/**
 * @param {Standstill} standstill
 * @param {boolean} isFailing  some requests failed; else all were answered well in the end
 * @returns {string} a sentence without its end
 */
export function stoodText({ kind, intervals }, isFailing) {
  const nobody = isFailing ? 'no request was answered well' : 'no answer came';
  if (kind === 'never') return `N${nobody.slice(1)}`;
  if (kind === 'stopped') {
    const before = intervals.slice(0, -1);
    const from = `From second ${count(intervals[intervals.length - 1].from_s)} on`;
    return before.length === 0 ? `${from} ${nobody}` : `${from} ${nobody}, nor from second ${listed(before)}`;
  }
  const [{ from_s: from, to_s: to }] = intervals;
  if (intervals.length === 1 && from === 0) return `Until second ${count(to)} ${nobody}`;
  return `From second ${listed(intervals)} ${nobody}`;
}

/** @param {Standstill} standstill */
function afterwards({ kind, intervals, end_s: end }) {
  if (kind === 'never') return '.';
  if (kind === 'stopped')
    return `: service did not come back in the ${many(end - intervals[intervals.length - 1].from_s, 'second')} until the load ended.`;
  if (intervals.length === 1 && intervals[0].from_s === 0) return '.';
  return intervals.length === 1 ? '; then service came back.' : '; each time service came back.';
}

/** The longest, as they came: `20 to 31 and 40 to 45`. @param {Standstill['intervals']} intervals */
function listed(intervals) {
  const lengthOf = (/** @type {Standstill['intervals'][number]} */ { from_s: from, to_s: to }) => to - from;
  const longest = intervals.toSorted((one, other) => lengthOf(other) - lengthOf(one)).slice(0, INTERVALS_NAMED);
  const texts = longest
    .toSorted((one, other) => one.from_s - other.from_s)
    .map(({ from_s: from, to_s: to }) => `${count(from)} to ${count(to)}`);
  const rest = intervals.length - longest.length;
  const named = rest > 0 ? [...texts, `${many(rest, 'more time')}`] : texts;
  return named.length === 1 ? named[0] : `${named.slice(0, -1).join(', ')} and ${named[named.length - 1]}`;
}

/** There at that moment, or shortly before. @type {(moment: number) => (fault: Pick<FaultEffect, 'began_s' | 'ended_s'>) => boolean} */
const isAround =
  (moment) =>
  ({ began_s: began, ended_s: ended }) =>
    began !== null && Math.floor(began) <= moment && (ended ?? Number.POSITIVE_INFINITY) >= moment - FAULT_BEFORE_S;

/**
 * Where the time of good answers went in a system of which the lab knows no more than what its services recorded of each request: a part for
 * each service that tells how long it had the request, and for what lies between two of them. A service that does not tell is in the time
 * of the one before it, and is said to be.
 *
 * @typedef {import('../../adapters/contract.js').HopRecord} HopRecord
 * @typedef {import('../../adapters/contract.js').RequestRecord} RequestRecord
 * @typedef {import('../../record/types.js').TimeLedger['parts'][number]} Part
 *
 * @typedef {object} Level          services that are asked at the same distance from the user
 * @property {string[]} names
 * @property {HopRecord[]} hops     those of them that recorded single requests
 *
 * @typedef {Record<string, number> & { n: number }} Sums  milliseconds over good answers, by part; n: how many
 */
const FIRST_BAD_STATUS = 400;
/** From here on a proxy tells its times, and so does a program. */
const TELLS = /** @type {Record<string, number>} */ ({ 'load-balancer': 2, app: 3 });

/**
 * @param {import('../ledger/facts.js').Facts} facts
 * @returns {{ parts: Part[], bySecond: Map<number, Sums>, isComplete: boolean } | null} isComplete: each service on the way told; null where the service that users talk to tells nothing
 */
export function hopTimes({ raw, hops, entries, window, tiers }) {
  const levels = levelsOf(raw.manifest, hops, entries);
  const timed = levels.filter((level) => level.hops.length > 0);
  if (timed.length === 0 || timed[0] !== levels[0]) return null;
  const steps = timed.map((level, index) => stepOf(level, levels.slice(levels.indexOf(level) + 1), timed[index + 1], tiers));
  /** @type {Map<number, Sums>} */
  const bySecond = new Map();
  const [first, ...behind] = timed.map((level) => timesById(level.hops));
  const good = timed[0].hops.flatMap(({ requestRecords }) => requestRecords.filter(isGood));
  if (good.length === 0) return null;
  for (const { id, ended } of good) {
    const second = Math.ceil(/** @type {number} */ (ended) - window.from);
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

/** @typedef {{ whole: number, behind: number | null, connect: number }} Times */
/** @typedef {{ own: string, connect: string | null, between: string, parts: Part[] }} Step  ids of its parts; between: what is left behind it */

/** @param {Sums} sums @param {Step[]} steps @param {(Times | null)[]} times of one request, by level; null where it did not come there */
function addTo(sums, steps, times) {
  const add = (/** @type {string} */ id, /** @type {number} */ ms) => {
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
 * @type {(level: Level, behind: Level[], next: Level | undefined, tiers: Map<string, import('../ledger/place.js').Tier>) => Step}
 */
function stepOf({ names, hops }, behind, next, tiers) {
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

/** What a proxy gave away, but for what the next that tells had of it. @type {(who: string, unreported: string[], next: Level | undefined) => { label: string, waits: boolean }} */
function restOf(who, unreported, next) {
  if (unreported.length > 0 && next)
    return { label: `in ${unreported.join(', ')} or before ${next.names.join(', ')}, not told apart`, waits: false };
  if (unreported.length > 0)
    return { label: `in ${unreported.join(', ')}${unreported.length > 1 ? ', not told apart' : ''}`, waits: false };
  return { label: next ? `between ${who} and ${next.names.join(', ')}` : `behind ${who}`, waits: true };
}

/** How long each request was with the services of a level, all that they were asked for it together. @param {HopRecord[]} hops @returns {Map<string, Times>} */
function timesById(hops) {
  /** @type {Map<string, Times>} */
  const byId = new Map();
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

/** @param {HopRecord} record */
const hasNamed = ({ requestRecords }) => requestRecords.some(({ id }) => id !== '');

/** @param {RequestRecord} requestRecord */
const isGood = ({ id, status, ended }) => id !== '' && ended !== null && status !== null && status < FIRST_BAD_STATUS;

/** @type {(manifest: any, hops: HopRecord[], entries: Set<string>) => Level[]} from the services that users talk to */
function levelsOf({ edges = [] }, hops, entries) {
  const levels = [];
  const seen = new Set();
  for (let names = [...entries]; names.length > 0; ) {
    for (const name of names) seen.add(name);
    levels.push({ names, hops: hops.filter((hop) => names.includes(hop.service) && hasNamed(hop)) });
    const asked = edges
      .filter((/** @type {{ from: string }} */ { from }) => names.includes(from))
      .map((/** @type {{ to: string }} */ { to }) => to);
    names = [.../** @type {Set<string>} */ (new Set(asked))].filter((name) => !seen.has(name));
  }
  return levels;
}

/**
 * What would tell more: services on the way that do not say how long they had a request, and could.
 * @param {import('../ledger/facts.js').Facts} facts
 * @returns {string[]} sentences without their stop
 */
export function unreportedTimes({ raw, hops, entries }) {
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

/** @param {import('../read-raw.js').Raw['adapted'][number]} service */
function whyUnreported({ product, level, tier }) {
  if (product === 'opaque') return 'how long it had a request is not on record, for the lab knows no product in it';
  if (level < TELLS[tier])
    return `how long it had each request it tells at watch: ${TELLS[tier]} (in doubletake.yaml); it was watched at ${level}`;
  return 'it left no record of single requests by their ids';
}
