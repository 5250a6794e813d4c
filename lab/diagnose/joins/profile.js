/**
 * What one kind of request asks, one call after another, and how long its service works between them: how likely each step is, from its
 * beginning over its calls to its answer. Of calls that go on at the same time the last to end is a step; the others are beside it.
 *
 * @typedef {import('./numbering.js').Spans} Spans
 * @typedef {{ request: number, calls: number[] }} Alone
 *
 * @typedef {object} Step        from one state to the next: after a call of one way, so often asked by then, one of another
 * @property {number} way        of the next; END of the answer
 * @property {State | null} next  null of the answer
 * @property {number} seen       so often
 * @property {number} cost       logarithm of how unlikely
 * @property {Gap} gap           between both
 *
 * @typedef {object} State
 * @property {number} way
 * @property {Step[]} steps
 * @property {Step} end          to the answer, seen or not
 * @property {Step | null} again  the same call once more, where that was not seen
 * @property {Step} unseen       any other
 */

import { quantilesOf } from '../../stats/numbers.js';

/*
 * How long a service works between two steps of a request, and how unlikely another time is: most are alike, by their logarithms, and some far
 * off.
 */

/** The clock of a record, and what passes a bridge out of order, are no finer. */
const LEAST_S = 0.00005;
/** Fewer say nothing of what is usual. */
const LEARNED_LEAST = 3;
/** As many as this count for what is believed before: half a millisecond, or a third of it, or three times. */
const [BELIEVED, BELIEVED_S, BELIEVED_SPREAD] = [3, 0.0005, 1.1];
/** So alike is nothing that a program does. The lab's own choice. */
const SPREAD_LEAST = 0.4;
/** Of a normal spread, half lie within so much of it. */
const HALF_WITHIN = 0.6745;
/** From here on the unlikely grows by its logarithm: a queue may make it any time. */
const FAR_COST = 4;

class Gap {
  #middle = Math.log(BELIEVED_S);
  #spread = BELIEVED_SPREAD;

  /** @param {number[]} gaps_s */
  learn(gaps_s) {
    if (gaps_s.length < LEARNED_LEAST) return;
    const logs = gaps_s.map(logOf);
    this.#middle = middleOf(logs);
    const spread = middleOf(logs.map((log) => Math.abs(log - this.#middle))) / HALF_WITHIN;
    const share = logs.length / (logs.length + BELIEVED);
    this.#spread = Math.max(SPREAD_LEAST, spread) * share + BELIEVED_SPREAD * (1 - share);
  }

  /** @param {number} gap_s @returns {number} 0 of the usual */
  costOf(gap_s) {
    const off = (logOf(gap_s) - this.#middle) / this.#spread;
    return FAR_COST * Math.log1p((off * off) / (2 * FAR_COST));
  }
}

/** @param {number} gap_s */
const logOf = (gap_s) => Math.log(gap_s > 0 ? LEAST_S + gap_s : LEAST_S);

/** @param {number[]} values */
const middleOf = (values) => quantilesOf(values, [0.5])[0] ?? 0;

export const END = -1;
const [START, NONE] = [-2, -3];
/** Asked more often, a call is one of a list, whose length differs. */
const COUNTED_MOST = 4;
/** A step that was not seen counts as half seen (Jeffreys' prior), and costs no more than this however often it was not. */
const HALF = 0.5;
const COST_MOST = 6;

export class Profile {
  /** @type {State} */
  start;
  /** Ways that any of them asked. @type {Set<number>} */
  ways = new Set();
  /** Of them, those that went on beside another. @type {Set<number>} */
  sides = new Set();
  /** Each asked one call, as whoever passes on does. */
  isOne;
  /** What came before what: by way, END the last; how often each, and all. @type {Map<number, { all: number, ways: Map<number, number> }>} */
  #before = new Map();
  #count;
  /** Services that they asked, and the share of them that did. @type {Map<string, number>} */
  callees = new Map();

  /** @param {Spans} spans @param {Alone[]} all */
  constructor(spans, all) {
    /** @type {Map<number, State>} */
    const states = new Map();
    this.start = stateIn(states, START, 0);
    this.isOne = all.every(({ calls }) => calls.length === 1);
    this.#count = all.length;
    /** @type {Map<Step, number[]>} */
    const gaps = new Map();
    for (const { request, calls } of all) {
      for (const call of calls) this.ways.add(spans.way[call]);
      for (const callee of new Set(calls.map(spans.calleeOf))) this.callees.set(callee, (this.callees.get(callee) ?? 0) + 1 / all.length);
      let state = this.start;
      let at = spans.began[request];
      const counts = new Map();
      const main = mainOf(spans, request, calls);
      const ways = [START, ...main.map((call) => spans.way[call]), END];
      for (const [place, way] of ways.entries()) if (place > 0) this.#note(ways[place - 1], way);
      for (const call of calls) if (!main.includes(call)) this.sides.add(spans.way[call]);
      for (const call of main) {
        const way = spans.way[call];
        counts.set(way, (counts.get(way) ?? 0) + 1);
        const next = stateIn(states, way, Math.min(COUNTED_MOST, counts.get(way)));
        note(gaps, stepTo(state, next), spans.began[call] - at);
        [state, at] = [next, spans.over[call]];
      }
      note(gaps, state.end, spans.over[request] - at);
    }
    for (const state of states.values()) weigh(state);
    for (const [step, own] of gaps) step.gap.learn(own);
  }

  /** @param {number} way @param {number} next */
  #note(way, next) {
    const own = this.#before.get(next) ?? { all: 0, ways: new Map() };
    this.#before.set(next, own);
    own.all += 1;
    own.ways.set(way, (own.ways.get(way) ?? 0) + 1);
  }

  /**
   * How unlikely it is that a call came just before another, or before the answer.
   * @param {number} way @param {number} next  END of the answer
   */
  costBefore(way, next) {
    const known = this.#costs.get(next) ?? new Map();
    let cost = known.get(way);
    if (cost === undefined) {
      const own = this.#before.get(next);
      cost = own === undefined ? costOf(0, this.#count) : costOf(own.ways.get(way) ?? 0, own.all);
      this.#costs.set(next, known.set(way, cost));
    }
    return cost;
  }
  /** Asked for millions of times, of few ways. @type {Map<number, Map<number, number>>} */
  #costs = new Map();
}

/** @param {Map<Step, number[]>} gaps @param {Step} step @param {number} gap_s */
function note(gaps, step, gap_s) {
  step.seen += 1;
  const own = gaps.get(step);
  if (own) own.push(gap_s);
  else gaps.set(step, [gap_s]);
}

/** @param {Map<number, State>} states @param {number} way @param {number} count */
function stateIn(states, way, count) {
  const key = way * (COUNTED_MOST + 1) + count;
  const known = states.get(key);
  if (known) return known;
  const state = /** @type {State} */ ({ way, steps: [], end: newStep(END, null), again: null, unseen: newStep(NONE, null) });
  states.set(key, state);
  return state;
}

/** @param {number} way @param {State | null} next @returns {Step} */
const newStep = (way, next) => ({ way, next, seen: 0, cost: 0, gap: new Gap() });

/** @param {State} state @param {State} next */
function stepTo(state, next) {
  const known = state.steps.find((step) => step.next === next);
  if (known) return known;
  const step = newStep(next.way, next);
  state.steps.push(step);
  return step;
}

/** @param {State} state */
function weigh(state) {
  const { steps, end, way, unseen } = state;
  if (way >= 0 && !steps.some((step) => step.way === way)) state.again = newStep(way, state);
  const all = steps.reduce((sum, { seen }) => sum + seen, end.seen);
  for (const step of [...steps, end, unseen, ...(state.again ? [state.again] : [])]) step.cost = costOf(step.seen, all);
}

/** @param {number} seen @param {number} all */
const costOf = (seen, all) => Math.min(COST_MOST, -Math.log(Math.max(HALF, seen) / (all + HALF)));

/** Backwards from its answer: what was over last before the next began. @param {Spans} spans @param {number} request @param {number[]} calls */
function mainOf({ began, over }, request, calls) {
  const main = [];
  let at = over[request];
  for (const call of calls.toSorted((one, other) => over[other] - over[one])) {
    if (over[call] > at) continue;
    main.push(call);
    at = began[call];
  }
  return main.reverse();
}

/*
 * How far a call is from the request that it may have been made for: by the time from its end to the answer and from the question to its
 * beginning, each as compared with what is usual on its edge. Of the same protocol, another status or another template is farther.
 */

/** Before anything is known. */
const FIRST_S = 0.001;
/** Each in the measure of costs: the logarithm of how many times the usual. */
const OTHER_STATUS = 2;
const OTHER_TEMPLATE = 1;
const SAME_CONNECTION = 1;
const WITHIN_TRANSACTION = 3;

export class Usual {
  #spans;
  #neighbours;
  #costBefore;
  /** Of each edge, from the call's end on; and to its beginning, endless while it is not known. */
  #ends;
  #starts;

  /**
   * @param {Spans} spans
   * @param {import('./rules.js').Neighbours} neighbours
   * @param {(request: number, call: number, next: number) => number} costBefore  by its kind; next: -1 of the answer
   */
  constructor(spans, neighbours, costBefore) {
    this.#spans = spans;
    this.#neighbours = neighbours;
    this.#costBefore = costBefore;
    this.#ends = new Float64Array(spans.edges.length).fill(FIRST_S);
    this.#starts = new Float64Array(spans.edges.length).fill(Number.POSITIVE_INFINITY);
  }

  /** @param {Int32Array} taken  of each place the place of its call in `left`, -1 of none @param {import('./in-order.js').Places} places @param {Int32Array} left */
  learn(taken, places, left) {
    /** @type {Map<number, { ends: number[], starts: number[] }>} */
    const gaps = new Map();
    const { edge, began, over } = this.#spans;
    for (let place = 0; place < places.size; place += 1) {
      if (taken[place] < 0) continue;
      const request = places.request[place];
      const call = left[taken[place]];
      let own = gaps.get(edge[call]);
      if (own === undefined) {
        own = { ends: [], starts: [] };
        gaps.set(edge[call], own);
      }
      own.ends.push(Math.abs(over[request] - over[call]));
      own.starts.push(Math.abs(this.#beginOf(call, request) - began[request]));
    }
    for (const [number, { ends, starts }] of gaps)
      [this.#ends[number], this.#starts[number]] = [usualMiddleOf(ends), usualMiddleOf(starts)];
  }

  /**
   * @param {import('./in-order.js').Places} places @param {number} place @param {number} call
   * @param {number} gap_s  from its end to the place
   * @param {number} most  at as much it is none of the nearest
   * @returns {number} endless where it is not near enough by its end alone: nothing else brings it nearer than SAME_CONNECTION does
   */
  costOf({ request: requests, after: connections, next }, place, call, gap_s, most) {
    const { calls, connection, protocol, began, edge, answer, asked, turnedAway } = this.#spans;
    const request = requests[place];
    const after = connections[place];
    const number = edge[call];
    let cost = Math.log1p(gap_s / this.#ends[number]) + this.#costBefore(request, call, next[place]);
    if (cost - (after < 0 ? 0 : SAME_CONNECTION) >= most) return Number.POSITIVE_INFINITY;
    if (this.#isWithin(call, request)) cost += WITHIN_TRANSACTION;
    // What is asked last in a request begins at any time in it: then the usual is long, and tells little.
    if (after < 0) cost += Math.log1p(Math.abs(this.#beginOf(call, request) - began[request]) / this.#starts[number]);
    if (after >= 0) return connection[call] === after ? cost - SAME_CONNECTION : cost;
    // Who was turned away last of all had nothing to answer well with.
    if (turnedAway[call] === 1 && calls[request].end === 'answered' && !calls[request].bad) cost += OTHER_STATUS;
    if (protocol[request] !== protocol[call]) return cost;
    if (answer[request] !== answer[call]) cost += OTHER_STATUS;
    if (asked[request] !== asked[call]) cost += OTHER_TEMPLATE;
    return cost;
  }

  /** Of its transaction, where all of that lies in the request. @param {number} call @param {number} request */
  #beginOf(call, request) {
    const { began } = this.#spans;
    const first = this.#neighbours.first[call];
    return first >= 0 && began[first] >= began[request] ? began[first] : began[call];
  }

  /** Whether its transaction goes on after it, and the request is not a statement of that transaction itself: of a pooler. @param {number} call @param {number} request */
  #isWithin(call, request) {
    const { state } = this.#spans;
    return this.#neighbours.after[call] >= 0 && state[request] !== state[call];
  }
}

/** @param {number[]} values */
const usualMiddleOf = (values) => Math.max(LEAST_S, quantilesOf(values, [0.5])[0] ?? FIRST_S);
