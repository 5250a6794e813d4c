/**
 * Is it one kind of call that is slow, and nothing else?
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */
import { grouped, middle, share, some } from './spread.js';
import { calmAt } from './step.js';
import { counted, percent, seconds } from './text.js';

/** Of the time that all calls took. */
const MOST = 0.5;
/** Shorter ones are over before anybody notices. */
const SLOW_LEAST_S = 0.1;

/**
 * Others go on being answered as ever: it is that statement, command or URL. Where it leaves no room for others, those of calm seconds stand
 * for them, if it is none of calm seconds itself.
 * @param {Step} step @returns {Why | null}
 */
export function slowKind(step) {
  const { seen, service, caller, meanwhile } = step;
  const during = meanwhile.filter((call) => seen.calls[call].end === 'answered');
  const took = (/** @type {number[]} */ calls) => calls.map((call) => seen.over[call] - seen.began[call]);
  const rows = [...grouped(during, (call) => seen.kind[call])].map(([kind, calls]) => ({
    kind,
    calls,
    sum: calls.reduce((sum, call) => sum + (seen.over[call] - seen.began[call]), 0),
  }));
  const [most] = rows.toSorted((one, other) => other.sum - one.sum);
  if (!most || most.kind === '' || most.sum < MOST * rows.reduce((sum, row) => sum + row.sum, 0)) return null;
  const slow = middle(took(most.calls));
  if (slow < SLOW_LEAST_S) return null;
  const beside = during.filter((call) => seen.kind[call] !== most.kind);
  const isBeside = Math.min(most.calls.length, beside.length) >= OTHERS_LEAST;
  const others = isBeside ? beside : calmCalls(step);
  if (others.length < OTHERS_LEAST || (!isBeside && others.some((call) => seen.kind[call] === most.kind))) return null;
  const quick = middle(took(others));
  if (slow < SLOW_TIMES * quick) return null;
  const theirs = share(most.calls.filter((call) => seen.from[call] === caller).length, most.calls.length);
  return {
    mechanism: 'slow-kind',
    title: `took ${seconds(slow)} for ${most.calls.length === 1 ? 'one' : 'each'} ${most.kind}`,
    basis: isBeside ? 'counted' : 'inferred',
    evidence: [
      `${counted(most.calls.length)} calls ${most.kind} took ${seconds(slow)} at ${service}, ${percent(theirs)} of them for ${caller}.`,
      isBeside
        ? `${counted(others.length)} other calls took ${seconds(quick)} in the same time.`
        : `Calls took ${seconds(quick)} in calm seconds, of which none was ${most.kind}.`,
    ],
  };
}

/** @param {Step} step @returns {number[]} answered ones that began in calm seconds */
function calmCalls({ seen, service, calm }) {
  const isCalm = calmAt(calm);
  return some(
    seen.servedBy(service).filter((call) => seen.calls[call].end === 'answered' && isCalm(seen.began[call])),
    CALM_MOST,
  );
}
/** More tell no more. */
const CALM_MOST = 2000;
/** Fewer others tell nothing of how it goes for them. */
const OTHERS_LEAST = 5;
/** Of the middle time of all others. The lab's own choice. */
const SLOW_TIMES = 10;

/** What its slowest kind of call took, beside its usual, for whoever reads on. @param {Step} step @returns {string[]} none or a sentence */
export function slowestText({ seen, meanwhile }) {
  const rows = [...grouped(meanwhile, (call) => seen.kind[call])].map(([kind, calls]) => ({
    kind,
    calls: calls.length,
    sum: calls.reduce((sum, call) => sum + seen.over[call] - seen.began[call], 0),
  }));
  const [most] = rows.toSorted((one, other) => other.sum - one.sum);
  if (!most || most.kind === '') return [];
  return [`${counted(most.calls)} calls ${most.kind} took ${seconds(most.sum / most.calls)} each at the mean.`];
}
