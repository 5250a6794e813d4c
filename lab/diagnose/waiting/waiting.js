/**
 * Follows the waiting of a run: for each kind of failure, where it came about, why, and how that is known. Pure.
 *
 * @typedef {import('../../record/types.js').Waiting} Waiting
 * @typedef {import('../../record/types.js').WaitingFinding} WaitingFinding
 * @typedef {import('./spread.js').FailedKind} FailedKind
 * @typedef {import('./follow.js').End} End
 */

import { GENERATOR_NAME } from '../../base/paths.js';
import { Flags } from '../joins/spans.js';
import { FOLLOWED_LEAST, follow, saidOf } from './follow.js';
import { readingsOf } from './readings.js';
import { seenOf } from './seen.js';
import { failedOf, grouped } from './spread.js';
import { calmMoments } from './step.js';
import { counted, MECHANISMS } from './text.js';
import { reasonIn, withWords } from './words.js';

/*
 * Lines of a log without what varies from one to the next or is a user's: figures, times, ids, addresses, paths, values. What stays are the
 * words of the program. Each mask is bounded and begins where a word does, so that the time is linear in the line.
 */

/** More of a line says no more. */
const TEXT_MOST = 1_000;
const SHOWN_MOST = 160;
const MASK = '#';
const HIDDEN = '…';

/** First match wins, from left to right. */
const VARYING = new RegExp(
  [
    String.raw`(?<![\w.+-])[\w.+-]+@[\w.-]+`, // a mail address
    String.raw`:\/\/[^\s"'<>]+`, // an address, behind its scheme
    '"[A-Z]{3,9} [^"]*"', // a request line
    String.raw`(?<![\w\/.#)\]])\/[^\s"'<>(),;:\]]+`, // a path
    String.raw`(?<=\w)=(?:\([^)]{0,200}\)|"[^"]{0,200}"|'[^']{0,200}'|[^\s,;)\]}"'(]+)`, // a value, behind its key
    String.raw`(?<![\w-])[\w-]{8,}(?![\w-])`, // an id, or a long word
    String.raw`\d+(?:[.,:]\d+)*`, // a figure, a time, an address
  ].join('|'),
  'g',
);
/** A hexadecimal number, and a long mixture of letters and figures. */
const HEXADECIMAL = /^(?:0x)?(?=[a-f-]*\d)[\da-f-]+$/i;
const MIXED_LENGTH = 16;
const MIXED_FIGURES = 2;
const FIGURES = /0x[\da-f]+|\d+/gi;

/** Values in quotes; an apostrophe is none. */
const QUOTED = /"[^"]*"|(?<!\w)'[^']*'(?!\w)|`[^`]*`/g;

/**
 * Its words, with what is quoted in them.
 * @param {string} text a line, without its time
 */
export const maskedFigures = (text) => text.slice(0, TEXT_MOST).replace(VARYING, mask).replace(/#{2,}/g, MASK).replace(/\s+/g, ' ').trim();

/** @param {string} value */
function mask(value) {
  if (value.startsWith('://')) return `://${MASK}`;
  if (value.startsWith('"')) return `"${MASK}"`;
  if (value.startsWith('/')) return `/${MASK}`;
  if (value.startsWith('=')) return `=${MASK}`;
  return value.includes('@') || HEXADECIMAL.test(value) || isMixed(value)
    ? MASK
    : value.replace(/^\d[\d.,:]*$/, MASK).replace(FIGURES, MASK);
}

/** @param {string} value */
const isMixed = (value) => value.length >= MIXED_LENGTH && /[a-z]/i.test(value) && (value.match(/\d+/g)?.length ?? 0) >= MIXED_FIGURES;

/** @param {string} text @param {(quoted: string) => boolean} [isKept] */
const maskedQuotes = (text, isKept = () => false) =>
  text.replace(QUOTED, (quoted) => (isKept(quoted) ? quoted : quoted[0] + HIDDEN + quoted[0]));

/**
 * As it is shown: without what is quoted, but for the words of a known phrase.
 * @param {string} masked by `maskedFigures`
 * @param {RegExp} [known]
 */
export function shownTemplate(masked, known) {
  const found = known?.exec(masked);
  if (!known || !found) return cut(maskedQuotes(masked));
  // Of what the phrase itself quotes, its own words.
  const phrase = maskedQuotes(found[0], (quoted) => known.source.includes(quoted.slice(1, -1)));
  const [before, after] = [masked.slice(0, found.index), masked.slice(found.index + found[0].length)];
  const quoted = maskedQuotes(before);
  // A quote that is open where the phrase begins hides what stands in it before.
  const isOpen = quoted.split('"').length % 2 === 0;
  const words = isOpen ? `${quoted.slice(0, quoted.lastIndexOf('"') + 1)}${HIDDEN}` : quoted;
  const start = words.length + phrase.length > SHOWN_MOST ? HIDDEN : words;
  return cut(`${start}${phrase}${maskedQuotes(after)}`);
}

/** @param {string} text */
const cut = (text) => (text.length > SHOWN_MOST ? `${text.slice(0, SHOWN_MOST - 1)}${HIDDEN}` : text);

/**
 * The logs of services as templates: how often each was written, and when. Read where a finding asks for them, and bounded: lines, templates,
 * passes. Pure.
 *
 * @typedef {import('../../adapters/phrases/phrase.js').Phrase} Phrase
 *
 * @typedef {object} LogWords   how what services say is read, by those who know what products write
 * @property {(log: string, isAsked: (t: number) => boolean) => Iterable<{ t: number, text: string }>} messagesIn  isAsked: of whole seconds
 * @property {(text: string) => Phrase | null} phraseIn  text: with its figures masked
 * @property {(log: string) => State[]} statesIn
 * @property {(protocol: string, code: string) => string | null} codeMeaning  of an error
 * @property {(protocol: string, code: string) => import('./text.js').Mechanism | null} codeCause  that it says by itself
 *
 * @typedef {{ phrase: Phrase, text: string, from: number, to: number }} State  what was said once and held until then; to: infinite where nothing
 *   says that it is over
 *
 * @typedef {object} Template
 * @property {string} text      as it is shown
 * @property {Phrase | null} phrase  a known one that it has
 * @property {number[]} times   seconds since 1970, in their order
 *
 * @typedef {object} ServiceLog
 * @property {Template[]} templates
 * @property {State[]} states   text: as it is shown
 * @property {(t: number) => boolean} isRead  whether lines of that moment were read
 * @property {number} part      of the seconds of the load, one in so many was read
 */

/** Below it a service is watched as a container alone (lab/adapters/contract.js). */
const LEVEL_LEAST = 1;
/** Lines with words of one service. More take more time than an analysis should: then fewer seconds of the load are read. */
const LINES_MOST = 60_000;
/** Of one service at a time. The rarest are given up first: what is written for failures is frequent, or known. */
const TEMPLATES_MOST = 2_000;
/** Seconds that are read, or left out, together: a failure and its line are seldom in two. */
const TOGETHER_S = 4;
const PASSES_MOST = 4;

/**
 * @param {Pick<import('../read-raw.js').Raw, 'adapted' | 'beside'>} raw
 * @param {LogWords} words
 * @param {{ from: number, to: number }} span  that is asked for
 * @returns {(service: string) => ServiceLog | null} null where its log is not on record, or not to be read
 */
export function logsOf({ adapted, beside = [] }, words, span) {
  /** @type {Map<string, ServiceLog | null>} */
  const read = new Map();
  return (service) => {
    const known = read.get(service);
    if (known !== undefined) return known;
    const log = [...adapted, ...beside].find((one) => one.service === service && one.level >= LEVEL_LEAST)?.files.log ?? '';
    const found = log === '' ? null : readLog(log, words, span);
    read.set(service, found);
    return found;
  };
}

/** @param {string} log @param {LogWords} words @param {{ from: number, to: number }} span @returns {ServiceLog} */
function readLog(log, words, span) {
  const states = words.statesIn(log).map((state) => ({ ...state, text: shownTemplate(maskedFigures(state.text), state.phrase.pattern) }));
  let part = 1;
  for (let pass = 1; ; pass += 1) {
    const isRead = partOf(part, span);
    const { templates, until } = templatesIn(log, words, isRead);
    if (until === null) return { templates, states, isRead, part };
    // What was read of it tells how much of it may be read.
    const enough = Math.ceil((span.to - span.from) / Math.max(until - span.from, 1));
    if (pass === PASSES_MOST) return { templates, states, isRead: (t) => t < until && isRead(t), part: part * enough };
    part *= Math.max(2, enough);
  }
}

/** @param {number} part @param {{ from: number, to: number }} span @returns {(t: number) => boolean} */
const partOf =
  (part, { from, to }) =>
  (t) =>
    t >= Math.floor(from) && t <= to && Math.floor((t - Math.floor(from)) / TOGETHER_S) % part === 0;

/** @param {string} log @param {LogWords} words @param {(t: number) => boolean} isRead @returns {{ templates: Template[], until: number | null }} until: null where all was read */
function templatesIn(log, { messagesIn, phraseIn }, isRead) {
  /** @type {Map<string, Template>} */
  const byText = new Map();
  /** Different lines of one phrase are one. @type {Map<Phrase, Template>} */
  const byPhrase = new Map();
  let count = 0;
  for (const { t, text } of messagesIn(log, isRead)) {
    if (count === LINES_MOST) return { templates: all(byText, byPhrase), until: t };
    count += 1;
    const key = maskedFigures(text);
    let template = byText.get(key);
    if (template === undefined) {
      const phrase = phraseIn(key);
      template = (phrase && byPhrase.get(phrase)) ?? { text: shownTemplate(key, phrase?.pattern), phrase, times: [] };
      if (phrase) byPhrase.set(phrase, template);
      if (byText.size >= TEMPLATES_MOST) giveUpRarest(byText);
      byText.set(key, template);
    }
    template.times.push(t);
  }
  return { templates: all(byText, byPhrase), until: null };
}

/** @param {Map<string, Template>} byText @param {Map<Phrase, Template>} byPhrase */
function all(byText, byPhrase) {
  const templates = [...new Set([...byPhrase.values(), ...byText.values()])];
  for (const { times } of templates) times.sort((one, other) => one - other);
  return templates;
}

/** At least half of them at a time, so that each line costs the same. @param {Map<string, Template>} byText */
function giveUpRarest(byText) {
  const enough = byText.size / 2;
  for (let rare = 1; byText.size > enough; rare *= 2)
    for (const [key, { times, phrase }] of byText) if (phrase !== null || times.length <= rare) byText.delete(key);
}

/** Kinds that are followed, the most frequent first: a stack under attack has more than anybody reads. */
const KINDS_MOST = 40;
/** What is known of fewer than so many is reported, and never more than inferred but by ids: their lift says little. */
const FEW = FOLLOWED_LEAST;
/** The wire and the generator count the same requests. */
const UNSEEN_SHARE = 0.05;

/**
 * @typedef {object} Followed
 * @property {Waiting} reported
 * @property {import('./seen.js').Seen} seen
 * @property {Set<number>} failed   requests of the load, by the numbers of their calls to the entry
 * @property {Map<number, Found>} foundOf  by request: those that were followed
 *
 * @typedef {{ finding: WaitingFinding, isLoose: boolean }} Found  isLoose: nothing on its way is known of this very one
 */

/**
 * @param {import('../read-raw.js').Raw} raw
 * @param {import('./seen.js').Load} load
 * @param {object} given
 * @param {import('../joins/joined.js').Joined} given.joined  the wire of that run
 * @param {LogWords} given.words  how logs are read
 * @param {number | null} [given.failures]  that the generator counts; null where that is not known
 * @returns {Followed}
 */
export function followAll(raw, load, { joined, words, failures = null }) {
  const seen = seenOf(joined, load);
  const { kinds, failed, good } = failedOf(seen, raw.program ? null : new Set(raw.failures.map(({ id }) => id)));
  const followed = kinds.slice(0, KINDS_MOST);
  const given = {
    seen,
    readings: readingsOf(raw),
    calm: calmMoments(seen, failed),
    lost: lostOf(seen, failed),
    codeCause: words.codeCause,
  };
  const goodOf = goodBy(seen, good);
  const found = followed.flatMap((kind) => follow(given, entryOf(seen, kind, goodOf(kind))).map((end) => ({ kind, end })));
  const logOf = logsOf(raw, words, { from: load.warmupFrom, to: seen.until });
  const worded = withWords(found, { seen, calm: given.calm, logOf, codeMeaning: words.codeMeaning });
  const ends = withEdges(worded).map(({ kind, end }) => ({ kind, end: capped(end) }));
  const groups = merged(seen, ends, alikeIn(raw));
  const findings = groups.map(({ finding }) => finding);
  const left = failed.size - followed.reduce((sum, { calls }) => sum + calls.length, 0);
  return {
    reported: { failed: failed.size, followed: failed.size - left, findings, doubts: doubtsOf(failed.size, left, failures) },
    ...{ seen, failed },
    foundOf: new Map(
      groups.flatMap(({ finding, own }) =>
        own.flatMap(({ end: { roots, loose } }) =>
          roots.map((root) => /** @type {const} */ ([root, { finding, isLoose: loose.has(root) }])),
        ),
      ),
    ),
  };
}

/** @type {(...given: Parameters<typeof followAll>) => Waiting} */
export const waitingOf = (...given) => followAll(...given).reported;

/** @param {End} end @returns {End} */
const capped = (end) =>
  end.roots.length >= FEW || end.basis === 'proved'
    ? end
    : {
        ...end,
        basis: 'inferred',
        why: { ...end.why, basis: 'inferred' },
        doubts: [
          ...end.doubts,
          `it is known of ${counted(end.roots.length)} failed ${end.roots.length === 1 ? 'request' : 'requests'} alone`,
        ],
      };

/** Good ones to compare with: of the same service, and of the same URL where that is followed by itself. @param {import('./seen.js').Seen} seen @param {number[]} good @returns {(failure: FailedKind) => number[]} */
function goodBy({ to, kind: kindOf }, good) {
  const services = grouped(good, (call) => to[call]);
  const kinds = new Map([...services].map(([service, calls]) => [service, grouped(calls, (call) => kindOf[call])]));
  return ({ service, kind }) => (kind === '' ? services.get(service) : kinds.get(service)?.get(kind)) ?? [];
}

/** @param {import('./seen.js').Seen} seen @param {FailedKind} failure @param {number[]} good @returns {import('./follow.js').At} */
function entryOf(seen, { service, sign, calls }, good) {
  return {
    ...{
      service,
      caller: GENERATOR_NAME,
      path: [GENERATOR_NAME],
      failed: calls,
      good,
      roots: calls,
      rootOf: new Map(calls.map((call) => [call, call])),
      loose: new Set(),
      evidence: [],
      doubts: [],
    },
    chain: [{ service, edge: { from: GENERATOR_NAME, to: service }, said: saidOf(seen, calls, sign), failed: 1, good: 0, by: 'request' }],
  };
}

/** With all lookups that failed for them. @param {import('./seen.js').Seen} seen @param {Set<number>} failed */
function lostOf({ calls, childrenOf }, failed) {
  const lost = new Flags(calls.length);
  const left = [...failed];
  for (let call = left.pop(); call !== undefined; call = left.pop()) {
    if (lost.has(call)) continue;
    lost.add(call);
    left.push(...childrenOf(call));
  }
  return lost;
}

/** What a log alone tells of a place is what the wire tells of others there, if that has the same name. @param {Ended[]} found @returns {Ended[]} */
function withEdges(found) {
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

/** Of one place and one reason, one finding. @param {import('./seen.js').Seen} seen @param {Ended[]} found @param {Alike} alike @returns {{ finding: WaitingFinding, own: Ended[] }[]} the most requests first */
function merged(seen, found, alike) {
  return [...grouped(found, reasonIn(seen)).values()]
    .map((own) => ({ finding: findingOf(seen, own, alike), own }))
    .toSorted((one, other) => other.finding.count - one.finding.count);
}
/** @typedef {{ kind: FailedKind, end: End }} Ended */

/** @param {import('./seen.js').Seen} seen @param {Ended[]} group @param {Alike} alike @returns {WaitingFinding} */
function findingOf(seen, group, alike) {
  const [{ end }] = group.toSorted((one, other) => other.end.roots.length - one.end.roots.length);
  const { mechanism } = end.why;
  const names = [...new Set(group.map((one) => one.end.place.service))].sort();
  return {
    kind: [...new Set(group.map(({ kind }) => kind.kind).filter(Boolean))].slice(0, KINDS_SHOWN).join(', '),
    count: group.reduce((sum, one) => sum + one.end.roots.length, 0),
    place: { service: names.join(', '), edge: end.place.edge },
    chain: end.chain,
    mechanism,
    title: end.why.title ?? (mechanism === null ? null : MECHANISMS[mechanism].title),
    basis: end.basis,
    why_basis: mechanism === null ? null : end.why.basis,
    is_given_up: mechanism === null && end.isGivenUp,
    evidence: [...end.evidence, ...otherWays(group.map((one) => one.end)), ...unshared(seen, names, alike(names))],
    doubts: end.doubts,
  };
}
const KINDS_SHOWN = 5;

/** Of several that ended at one place, how many came by another way than the first. @param {End[]} ends @returns {string[]} */
function otherWays(ends) {
  const ways = grouped(ends, ({ chain }) => [GENERATOR_NAME, ...chain.map(({ service }) => service)].join(' → '));
  if (ways.size < 2) return [];
  return [...ways]
    .map(([way, own]) => `${counted(own.reduce((sum, { roots }) => sum + roots.length, 0))} of these requests went ${way}.`)
    .slice(0, KINDS_SHOWN);
}

/** Others of its service had hardly any of what it was asked: so few as come of checks. The lab's own choices. */
const UNSHARED_PART = 0.05;
const SHARED_LEAST = 20;

/**
 * @typedef {(names: string[]) => { others: string[], because: string }} Alike  because: why they could have had the calls as well
 */

/**
 * Who is there for the same as others: containers of one service, or else of the same image and asked by the same.
 * @param {Pick<import('../read-raw.js').Raw, 'wire' | 'manifest'>} raw @returns {Alike}
 */
function alikeIn({ wire, manifest: { images = [], edges = [] } }) {
  const services = new Map(wire?.services.map(({ name, service }) => [name, service]));
  const imageOf = new Map(images.map((/** @type {any} */ { name, id }) => [name, id]));
  const askersOf = (/** @type {string} */ name) => edges.flatMap((/** @type {any} */ { from, to }) => (to === name ? [from] : []));
  const otherThan = (/** @type {string[]} */ names, /** @type {string[]} */ all) =>
    [...new Set(all)].filter((name) => !names.includes(name));
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
    const asker = askersOf(name).find((/** @type {string} */ from) => names.every((one) => askersOf(one).includes(from)));
    const asked = edges.flatMap((/** @type {any} */ { from, to }) => (from === asker && imageOf.get(to) === imageOf.get(name) ? [to] : []));
    const others = imageOf.has(name) ? otherThan(names, asked) : [];
    return { others, because: `of the same image and known to ${asker} too, ${others.length === 1 ? 'it' : 'they'} shared none of them` };
  };
}

/**
 * What one container of several had, where that is nearly all: they are there to share it.
 * @param {import('./seen.js').Seen} seen @param {string[]} names  of the place's containers @param {ReturnType<Alike>} alike @returns {string[]} none or a sentence
 */
function unshared({ servedBy, began, load }, names, { others, because }) {
  const countOf = (/** @type {string} */ name) => servedBy(name).filter((call) => began[call] >= load.from).length;
  const own = names.reduce((sum, name) => sum + countOf(name), 0);
  const theirs = others.map(countOf);
  if (others.length === 0 || own < SHARED_LEAST || Math.max(...theirs) > UNSHARED_PART * own) return [];
  return [
    `${names.join(' and ')} had ${counted(own)} calls in the load, and ${others.map((name, index) => `${name} ${counted(theirs[index])}`).join(', ')}: ${because}.`,
  ];
}

/** @param {number} failed @param {number} left  that were not followed @param {number | null} failures */
function doubtsOf(failed, left, failures) {
  const isShort = failures !== null && Math.abs(failures - failed) > UNSEEN_SHARE * Math.max(failures, failed);
  return [
    ...(left > 0
      ? [`${counted(left)} failed requests were of further kinds than the ${counted(KINDS_MOST)} most frequent, and not followed`]
      : []),
    ...(isShort ? [`the generator counts ${counted(failures)} failed requests, and ${counted(failed)} were seen on the wire`] : []),
  ];
}
