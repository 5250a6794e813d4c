/**
 * The panels in which both arms are drawn on one time axis: the median over the runs, and a band from the least to the most.
 * The page takes its captions and legends from here, the script in the page its charts and their tables.
 *
 * @typedef {import('../../record/comparison.js').Arm} Arm
 * @typedef {import('../../record/comparison.js').Range} Range
 * @typedef {import('../panels.js').Panel} Panel
 * @typedef {'goodput_rps' | 'failures_per_s' | 'latency_ms_p95_ok' | 'vus'} TimelineKey
 * @typedef {{ key: TimelineKey, title: string, caption: string, format: (value: number | null | undefined) => string, tick: (value: number) => string, logarithmic?: boolean, height: number }} Subject
 */
import { count, figure, MISSING, milliseconds, rate, withUnit } from '../format.js';
import { panelSeries } from '../panels.js';
import { extremes } from './words.js';

/** @type {Subject[]} */
const SUBJECTS = [
  {
    key: 'goodput_rps',
    title: 'Goodput',
    caption: 'Good answers a second. Where the bands part, the arms differ in every block.',
    format: rate,
    tick: figure,
    height: 160,
  },
  {
    key: 'failures_per_s',
    title: 'Failures',
    caption: 'Failed requests a second. See when they begin, and in which arm.',
    format: (value) => withUnit(value, '/s'),
    tick: figure,
    height: 120,
  },
  {
    key: 'latency_ms_p95_ok',
    title: 'p95 of successes',
    caption: 'On a logarithmic axis. It leaves out what failed: read it below the failures of the same seconds.',
    format: milliseconds,
    tick: milliseconds,
    logarithmic: true,
    height: 160,
  },
  { key: 'vus', title: 'Users', caption: 'Virtual users at work: the same load on both arms.', format: count, tick: count, height: 90 },
];

/**
 * @param {Record<import('./sides.js').Side, Pick<Arm, 'id' | 'timeline'>>} comparison
 * @returns {Panel[]} from top to bottom
 */
export function comparePanels({ base, other }) {
  const seconds = [...new Set([base, other].flatMap(({ timeline }) => timeline.map(({ t_s: t }) => t)))].sort((one, two) => one - two);
  return SUBJECTS.map((subject) => ({
    id: subject.key,
    title: subject.title,
    caption: subject.caption,
    t_s: seconds,
    series: [
      armSeries(base, seconds, subject, { colour: '--arm-base', stroke: 'dashed' }),
      armSeries(other, seconds, subject, { colour: '--arm-other', stroke: 'solid' }),
    ],
    tick: subject.tick,
    logarithmic: subject.logarithmic ?? false,
    reference: null,
    height: subject.height,
    marksStages: false,
  }));
}

/** @type {(arm: Pick<Arm, 'id' | 'timeline'>, seconds: number[], subject: Subject, look: { colour: string, stroke: 'solid' | 'dashed' }) => import('../panels.js').PanelSeries} */
function armSeries({ id, timeline }, seconds, { key, format }, look) {
  const bySecond = new Map(timeline.map((row) => [row.t_s, row[key]]));
  const ranges = seconds.map((second) => bySecond.get(second) ?? { median: null, low: null, high: null });
  const values = ranges.map(({ median }) => median);
  const range = { low: ranges.map(({ low }) => low), high: ranges.map(({ high }) => high) };
  return panelSeries({ label: id, values, range, text: (index) => rangeText(ranges[index], format), ...look }, format);
}

/** `932 rps (918 to 944 rps)`. @type {(range: Range, format: Subject['format']) => string} */
function rangeText(range, format) {
  const median = format(range.median);
  const ends = extremes(range, format);
  return median === MISSING || ends === MISSING || ends === median ? median : `${median} (${ends})`;
}
