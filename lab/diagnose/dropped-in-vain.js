/**
 * Arrivals that found no user to begin them because all users waited for a system that stood still. They are the system's doing: the generator
 * had as many users as it was given, and each of them asked.
 *
 * @typedef {import('./time/standstill.js').Standstill} Standstill
 * @typedef {import('./time/asked-seconds.js').AskedSecond} AskedSecond
 */
import { OPEN_USERS } from '../../k6/lib/shapes.js';
import { sum } from '../stats/numbers.js';
import { SATURATED_SHARE } from './limits/saturation.js';
import { stoodIn } from './time/standstill.js';

/** Of the users: the others have just failed or are about to ask. The lab's own choice. */
const ALL_SHARE = 0.9;

/**
 * @param {Pick<import('./ledger/facts.js').Facts, 'raw' | 'generator'>} facts
 * @param {object} about
 * @param {Standstill | null} about.standstill
 * @param {AskedSecond[] | null} about.asked
 * @param {Record<string, (number | null)[]>} about.cpu  shares on the timeline's seconds
 * @param {import('../record/result.js').TimelineRow[]} about.timeline
 * @returns {number} of all that were dropped
 */
export function droppedInVain({ raw, generator }, { standstill, asked, cpu, timeline }) {
  if (standstill === null || asked === null || generator.droppedArrivals === 0) return 0;
  const { shape, services = [] } = raw.manifest;
  const most = usersOf(shape) * ALL_SHARE;
  const generators = services.filter((/** @type {{ tier: string }} */ { tier }) => tier === 'generator');
  const isBusy = busyIn(generators, cpu, timeline);
  // Only then can an arrival find none. In which of these seconds one did is on no record: in each as many as were meant to come.
  const taken = asked.filter(({ users }) => users >= most);
  const inVain = taken.filter(({ t_s }) => stoodIn(standstill, { from_s: t_s - 1, to_s: t_s }) && !isBusy(t_s));
  const due = (/** @type {AskedSecond[]} */ seconds) => sum(seconds.map(({ demand }) => demand));
  return due(taken) === 0 ? 0 : Math.round((generator.droppedArrivals * due(inVain)) / due(taken));
}

/** That the generator has at most. @param {import('../../k6/lib/shapes.js').Shape} shape */
const usersOf = ({ model, usersMost = OPEN_USERS, stages }) =>
  model === 'open' ? usersMost : stages.reduce((most, { target }) => Math.max(most, target), 0);

/**
 * Then it is the generator that could not begin them.
 * @type {(generators: { name: string }[], cpu: Record<string, (number | null)[]>, timeline: import('../record/result.js').TimelineRow[]) => (second: number) => boolean}
 */
function busyIn(generators, cpu, timeline) {
  const places = new Map(timeline.map(({ t_s }, index) => [t_s, index]));
  return (second) => {
    const at = places.get(second);
    return at !== undefined && generators.some(({ name }) => (cpu[name]?.[at] ?? 0) >= SATURATED_SHARE);
  };
}
