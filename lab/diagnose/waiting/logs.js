/**
 * The logs of services as templates: how often each was written, and when. Read where a finding asks for them, and bounded: lines, templates,
 * passes. Pure.
 *
 * @typedef {import('../../adapters/phrases/phrase.js').Phrase} Phrase
 *
 * @typedef {object} LogWords   how what services say is read, by those who know what products write
 * @property {(log: string, isAsked: (t: number) => boolean) => Iterable<{ t: number, text: string }>} messagesIn  isAsked: of whole seconds
 * @property {(text: string) => Phrase | null} phraseIn  text: with its figures masked
 * @property {(protocol: string, code: string) => string | null} codeMeaning  of an error
 * @property {(protocol: string, code: string) => import('./mechanisms.js').Mechanism | null} codeCause  that it says by itself
 *
 * @typedef {object} Template
 * @property {string} text      as it is shown
 * @property {Phrase | null} phrase  a known one that it has
 * @property {number[]} times   seconds since 1970, in their order
 *
 * @typedef {object} ServiceLog
 * @property {Template[]} templates
 * @property {(t: number) => boolean} isRead  whether lines of that moment were read
 * @property {number} part      of the seconds of the load, one in so many was read
 */
import { maskedFigures, shownTemplate } from './template.js';

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
 * @param {Pick<import('../read-raw.js').Raw, 'adapted'>} raw
 * @param {LogWords} words
 * @param {{ from: number, to: number }} span  that is asked for
 * @returns {(service: string) => ServiceLog | null} null where its log is not on record, or not to be read
 */
export function logsOf({ adapted }, words, span) {
  /** @type {Map<string, ServiceLog | null>} */
  const read = new Map();
  return (service) => {
    const known = read.get(service);
    if (known !== undefined) return known;
    const log = adapted.find((one) => one.service === service && one.level >= LEVEL_LEAST)?.files.log ?? '';
    const found = log === '' ? null : readLog(log, words, span);
    read.set(service, found);
    return found;
  };
}

/** @param {string} log @param {LogWords} words @param {{ from: number, to: number }} span @returns {ServiceLog} */
function readLog(log, words, span) {
  let part = 1;
  for (let pass = 1; ; pass += 1) {
    const isRead = partOf(part, span);
    const { templates, until } = templatesIn(log, words, isRead);
    if (until === null) return { templates, isRead, part };
    // What was read of it tells how much of it may be read.
    const enough = Math.ceil((span.to - span.from) / Math.max(until - span.from, 1));
    if (pass === PASSES_MOST) return { templates, isRead: (t) => t < until && isRead(t), part: part * enough };
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
