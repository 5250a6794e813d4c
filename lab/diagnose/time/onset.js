/**
 * When the system stopped, in a sentence: what a reader has to know first, for who waits makes few requests, and a share of them hides a death.
 *
 * @typedef {import('./standstill.js').Standstill} Standstill
 * @typedef {import('../../record/result.js').Onset} Onset
 * @typedef {import('../../record/result.js').FaultEffect} FaultEffect
 */

import { count, many } from '../../stats/figure-words.js';
import { onsetSpell } from './standstill.js';

/** That a sentence names; the picture has all. */
const SPELLS_NAMED = 3;
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
  const { from_s: from, to_s: to } = onsetSpell(standstill);
  const began = faults.filter(isAround(from)).map(({ text, began_s: at }) => `"${text}" began at second ${count(Math.round(at ?? 0))}.`);
  const text = [`${stoodText(standstill, failures > 0)}${afterwards(standstill)}`, ...began].join(' ');
  return { kind, from_s: from, to_s: kind === 'came-back' ? to : null, text };
}

/**
 * @param {Standstill} standstill
 * @param {boolean} isFailing  some requests failed; else all were answered well in the end
 * @returns {string} a sentence without its end
 */
export function stoodText({ kind, spells }, isFailing) {
  const nobody = isFailing ? 'no request was answered well' : 'no answer came';
  if (kind === 'never') return `N${nobody.slice(1)}`;
  if (kind === 'stopped') {
    const before = spells.slice(0, -1);
    const from = `From second ${count(spells[spells.length - 1].from_s)} on`;
    return before.length === 0 ? `${from} ${nobody}` : `${from} ${nobody}, nor from second ${listed(before)}`;
  }
  const [{ from_s: from, to_s: to }] = spells;
  if (spells.length === 1 && from === 0) return `Until second ${count(to)} ${nobody}`;
  return `From second ${listed(spells)} ${nobody}`;
}

/** @param {Standstill} standstill */
function afterwards({ kind, spells, end_s: end }) {
  if (kind === 'never') return '.';
  if (kind === 'stopped')
    return `: service did not come back in the ${many(end - spells[spells.length - 1].from_s, 'second')} until the load ended.`;
  if (spells.length === 1 && spells[0].from_s === 0) return '.';
  return spells.length === 1 ? '; then service came back.' : '; each time service came back.';
}

/** The longest, as they came: `20 to 31 and 40 to 45`. @param {Standstill['spells']} spells */
function listed(spells) {
  const lengthOf = (/** @type {Standstill['spells'][number]} */ { from_s: from, to_s: to }) => to - from;
  const longest = spells.toSorted((one, other) => lengthOf(other) - lengthOf(one)).slice(0, SPELLS_NAMED);
  const texts = longest
    .toSorted((one, other) => one.from_s - other.from_s)
    .map(({ from_s: from, to_s: to }) => `${count(from)} to ${count(to)}`);
  const rest = spells.length - longest.length;
  const named = rest > 0 ? [...texts, `${many(rest, 'more time')}`] : texts;
  return named.length === 1 ? named[0] : `${named.slice(0, -1).join(', ')} and ${named[named.length - 1]}`;
}

/** There at that moment, or shortly before. @type {(moment: number) => (fault: Pick<FaultEffect, 'began_s' | 'ended_s'>) => boolean} */
const isAround =
  (moment) =>
  ({ began_s: began, ended_s: ended }) =>
    began !== null && Math.floor(began) <= moment && (ended ?? Number.POSITIVE_INFINITY) >= moment - FAULT_BEFORE_S;
