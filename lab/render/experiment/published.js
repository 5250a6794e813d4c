/**
 * What the source measured, beside what was measured here: for each arm and figure both, their ratio, and whether they are
 * near each other where that is expected.
 *
 * @typedef {import('../../define/experiment-result.js').ExperimentArm} ExperimentArm
 * @typedef {import('../../define/experiment-result.js').ExperimentResult} ExperimentResult
 * @typedef {import('../../define/experiment-result.js').PublishedFigure} PublishedFigure
 */
import { metrics } from '../../define/metrics.js';
import { FORMATS, MISSING, percent, ratio } from '../format.js';
import { html } from '../html.js';
import { section } from '../sections/parts.js';
import { numeric, table } from '../table.js';
import { failedText } from './arms.js';
import { extremes } from './words.js';

/** @typedef {{ arm: string, title: string, isFirst: boolean, figure: PublishedFigure, failed: string | null }} PublishedRow  isFirst: of its arm; failed: what stands beside a latency of successes */

/** @param {ExperimentResult} result */
export function publishedSection(result) {
  const { published } = result;
  const rows = publishedRows(result);
  if (!published || rows.length === 0) return null;
  const isJudged = published.within !== null;
  const heads = [
    { title: 'Arm' },
    { title: 'Figure' },
    ...['Published', 'Measured', 'Ratio'].map(numeric),
    ...(isJudged ? [{ title: `Within ${percent(published.within)}` }] : []),
  ];
  return section(
    'published',
    'Published beside measured',
    html`<p class="lead">Published: ${published.source}. ${basisText(published.within)}</p>
<div class="published">${table(
      'Published beside measured',
      heads,
      rows.map((row) => [
        html`<b>${row.arm}</b>${row.isFirst && html`<span class="service">${row.title}</span>`}`,
        row.figure.label,
        FORMATS[row.figure.unit](row.figure.published),
        measuredCell(row),
        ratio(row.figure.ratio, 1),
        ...(isJudged ? [nearMark(row.figure)] : []),
      ]),
    )}</div>`,
  );
}

/**
 * A row for each figure of each arm.
 * @param {ExperimentResult} result  one written before there was a table of published figures has none
 * @returns {PublishedRow[]}
 */
export function publishedRows({ published, arms }) {
  return (published?.arms ?? []).flatMap(({ arm, arm_title: title, figures }) =>
    figures.map((figure, index) => ({ arm, title, isFirst: index === 0, figure, failed: failedBeside(arms, arm, figure) })),
  );
}

/** What the measured figures are, and where they are expected to be near. @param {number | null} within */
export const basisText = (within) =>
  `Measured is the median over the runs that count, with the least and the most; the ratio is measured over published.${
    within === null ? '' : ` Where it is expected, a mark says whether the two are within ${percent(within)}.`
  }`;

/** Whether a figure is near the published one, in words, and if it is not, why. @param {PublishedFigure} figure */
export function nearText({ near, reason }) {
  if (near === null) return MISSING;
  return near ? 'near' : `not near: ${reason ?? 'not explained'}`;
}

/** @param {PublishedFigure} figure */
function nearMark({ near, reason }) {
  if (near === null) return MISSING;
  if (near) return html`<span class="mark for"><span aria-hidden="true">✓</span> near</span>`;
  return html`<span class="mark against"><span aria-hidden="true">✕</span> not near</span><span class="service reason">${reason ?? 'not explained'}</span>`;
}

/** @param {PublishedRow} row */
function measuredCell({ figure: { unit, measured }, failed }) {
  const median = FORMATS[unit](measured.median);
  if (median === MISSING) return MISSING;
  return html`<b>${median}</b><span class="service">${extremes(measured, FORMATS[unit])}</span>${failed && html`<span class="service failed">${failed}</span>`}`;
}

/** @type {(arms: ExperimentArm[], id: string, figure: PublishedFigure) => string | null} */
function failedBeside(arms, id, { metric }) {
  const arm = arms.find((one) => one.id === id);
  const ofSuccesses = metrics.find((one) => one.id === metric)?.of_successes ?? false;
  return arm && ofSuccesses ? failedText(arm) : null;
}
