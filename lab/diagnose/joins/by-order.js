/**
 * Joins by order, one to one, where calls carry no id: an answer with the call that was over just before it and began after its question; then
 * what came before that call with its beginning, and so on to the first, over failed and good requests together. A connection serves one
 * request at a time: what lies in one transaction of it belongs together.
 *
 * @typedef {import('./spans.js').Spans} Spans
 * @typedef {import('./join-calls.js').Columns} Joins
 */
import { upTo } from '../../stats/quantile.js';
import { joinContained } from './contained.js';
import { inOrder } from './in-order.js';
import { nearestOneToOne } from './matching.js';
import { joinParallel } from './parallel.js';
import { Places } from './places.js';
import { END } from './profile.js';
import { BY_ORDER, TOLERANCE_S } from './rules.js';
import { joinTransaction } from './transactions.js';
import { Usual } from './usual.js';

/** Calls before a place that are looked at, and of those that could be the one. */
const LOOKED_AT_MOST = 160;
const FITTING_MOST = 24;
/** To learn from. */
const FITTING_FIRST = 4;
/** Of them, those in which a request looks for its last call. */
const ANSWERS_ROUNDS = 16;
/** Calls of one request, one after another. */
const ROUNDS_MOST = 256;

/**
 * @param {Spans} spans
 * @param {number[]} served
 * @param {number[]} made
 * @param {Joins} joins  is changed
 * @param {Pick<Where, 'work' | 'isPassedOn' | 'choices'> & Known} about  choices: room for so many
 * @typedef {object} Known
 * @property {import('./transactions.js').Neighbours} neighbours
 * @property {(request: number) => import('./profile.js').Profile | undefined} profileOf  undefined where its kind is not known
 * @property {(request: number) => boolean} isWhole  whether all that its kind asks is joined to it already (by-kind.js)
 */
export function joinByOrder(spans, served, made, joins, { work, isPassedOn, profileOf, isWhole, neighbours, choices }) {
  if (made.length === 0) return;
  const { over } = spans;
  const unjoined = made.filter((call) => joins.parent[call] < 0);
  let left = inOrder(unjoined, over);
  let [places, before] = [new Places(served.length), new Places(served.length)];
  for (let index = 0; index < served.length; index += 1) {
    const request = served[index];
    if (!isWhole(request))
      places.add(request, over[request], Math.min(spans.worked[request], spans.length_s), { after: -1, next: -1, isDoubted: 0 });
  }
  const costBefore = (/** @type {number} */ request, /** @type {number} */ call, /** @type {number} */ next) =>
    profileOf(request)?.costBefore(spans.way[call], next < 0 ? END : spans.way[next]) ?? 0;
  const usual = new Usual(spans, neighbours, costBefore);
  // What is usual is learned from the nearest first.
  usual.learn(matched(spans, { places, left, usual, choices, work, isPassedOn, most: FITTING_FIRST }).taken, places, left);
  /** Joins those of places that find one. @param {Places} found  gets what comes before it @returns {number} how many */
  const step = (found) => {
    const matching = matched(spans, { places, left, usual, choices, work, isPassedOn, most: FITTING_MOST });
    const [taken, ambiguous] = [matching.taken, matching.ambiguous()];
    const size = found.size;
    for (let index = 0; index < places.size; index += 1) {
      if (taken[index] < 0) continue;
      const request = places.request[index];
      const call = left[taken[index]];
      const isDoubted = places.isDoubted[index] | ambiguous[taken[index]];
      joins.parent[call] = request;
      joins.basis[call] = BY_ORDER;
      joins.ambiguous[call] = isDoubted;
      const first = joinTransaction(spans, neighbours, joins, call, request);
      const at = spans.began[first];
      found.add(request, at, at, { after: spans.connection[first], next: first, isDoubted });
    }
    places.keep((index) => taken[index] < 0);
    if (found.size > size) left = unjoinedOf(left, joins);
    return found.size - size;
  };
  // With what is left, a request whose calls others took may find its own: before any is given a second one.
  for (let round = 0; round < ANSWERS_ROUNDS && left.length > 0; round += 1) if (step(before) === 0) break;
  for (let round = 0; round < ROUNDS_MOST && before.size > 0 && left.length > 0; round += 1) {
    places.clear();
    [places, before] = [before, places];
    step(before);
  }
  joinParallel(spans, made, joins, (request, call) => profileOf(request)?.sides.has(spans.way[call]) !== false);
  joinContained(spans, served, made, joins);
}

/** Without a copy: of many rounds each would leave one behind. @param {Int32Array} left  is changed @param {Joins} joins */
function unjoinedOf(left, { parent }) {
  let kept = 0;
  for (let at = 0; at < left.length; at += 1) if (parent[left[at]] < 0) left[kept++] = left[at];
  return left.subarray(0, kept);
}

/**
 * @typedef {object} Where
 * @property {Places} places
 * @property {Int32Array} left  in the order of their ends
 * @property {Usual} usual
 * @property {import('./matching.js').Choices} choices
 * @property {{ steps: number }} work
 * @property {(request: number, call: number) => boolean} isPassedOn  whether the call would carry the request's id
 * @property {number} most    calls that each place is compared with
 */

/** @param {Spans} spans @param {Where} where */
function matched(spans, where) {
  const { places, left, choices } = where;
  choices.begin(places.size, left, spans.over);
  const { ends } = choices;
  for (let index = 0; index < places.size; index += 1) {
    const at = places.at[index];
    const middle = upTo(ends, at + TOLERANCE_S);
    look(spans, where, choices, ends, index, middle - 1, -1);
    // Whoever is given up may work on.
    if (places.limit[index] > at) look(spans, where, choices, ends, index, middle, 1);
  }
  const { began } = spans;
  const { request, at } = places;
  // What comes first is most often done first, on both sides.
  return nearestOneToOne(choices, left.length, (place, call, otherPlace, otherCall) => {
    const isLate = (at[place] - at[otherPlace]) * (ends[call] - ends[otherCall]) < 0;
    return isLate && (began[request[place]] - began[request[otherPlace]]) * (began[left[call]] - began[left[otherCall]]) < 0;
  });
}

/**
 * @type {(spans: Spans, where: Where, choices: import('./matching.js').Choices, ends: Float64Array, index: number, from: number, step: 1 | -1) => void} index: of the
 *   place; from, step: in the calls
 */
function look({ began }, { places, left, usual, work, isPassedOn, most }, choices, ends, index, from, step) {
  const request = places.request[index];
  const placeAt = places.at[index];
  const limit = places.limit[index];
  const earliest = began[request] - TOLERANCE_S;
  let fitting = 0;
  let at = from;
  for (let looked = 0; looked < LOOKED_AT_MOST && fitting < most; looked += 1, at += step) {
    if (at < 0 || at >= left.length || ends[at] > limit + TOLERANCE_S || ends[at] < earliest) break;
    work.steps += 1;
    const call = left[at];
    if (call === request || began[call] < earliest || began[call] > placeAt + TOLERANCE_S) continue;
    if (isPassedOn(request, call)) continue;
    fitting += 1;
    choices.add(index, at, usual.costOf(places, index, call, Math.abs(placeAt - ends[at]), choices.farthest(index)));
  }
}
