/**
 * What the source measured, beside what was measured here, as a matrix: a row for each arm, a column for each figure, and
 * why figures are not near each other. The page and the Markdown write the same.
 *
 * @typedef {import('../../record/experiment-result.js').ExperimentResult} ExperimentResult
 * @typedef {import('../../record/experiment-result.js').PublishedFigure} PublishedFigure
 */
import { FORMATS, MISSING, percent, ratio } from '../format.js';
import { failedText } from './arms.js';

/**
 * @typedef {object} PublishedMatrix
 * @property {{ metric: string, label: string }[]} columns
 * @property {PublishedRow[]} rows
 *
 * @typedef {object} PublishedRow
 * @property {string} arm
 * @property {string | null} failed               the failed share; a latency of successes says nothing of what failed
 * @property {(PublishedFigure | null)[]} figures  one for each column; null where the source has none
 * @property {string[]} reasons                   why figures are not near, each in a sentence with their names
 */

const SPACE = '\u00a0';

/**
 * @param {ExperimentResult} result  one written before there was a table of published figures has none
 * @returns {PublishedMatrix | null} null without any figure
 */
export function publishedMatrix({ published, arms }) {
  const rows = published?.arms ?? [];
  const labels = new Map(rows.flatMap(({ figures }) => figures.map(({ metric, label }) => [metric, label])));
  if (labels.size === 0) return null;
  const columns = [...labels].map(([metric, label]) => ({ metric, label }));
  return {
    columns,
    rows: rows.map(({ arm: id, figures }) => {
      const arm = arms.find((one) => one.id === id);
      return {
        arm: id,
        failed: arm ? failedText(arm) : null,
        figures: columns.map(({ metric }) => figures.find((figure) => figure.metric === metric) ?? null),
        reasons: reasonsOf(figures),
      };
    }),
  };
}

/** A reason is found for an arm, so figures that have the same share a sentence. @param {PublishedFigure[]} figures */
function reasonsOf(figures) {
  const apart = figures.filter(({ near }) => near === false);
  const textOf = (/** @type {PublishedFigure} */ { reason }) => reason ?? 'not explained';
  return [...new Set(apart.map(textOf))].map((text) => {
    const labels = apart.filter((figure) => textOf(figure) === text).map(({ label }) => label);
    return `${labels.join(', ')} not near: ${text}`;
  });
}

/** What is to be seen in the matrix, and what its figures are. @param {import('../../record/experiment-result.js').PublishedTable} published */
export const captionOf = ({ source, within }) =>
  `See where the ratio is far from 1×. First is the median over the runs that count, then what was published, then measured over published.${
    within === null ? '' : ` Where the two are expected to be within ${percent(within)}, a mark says whether they are near.`
  } The range of each median is under Arms. A latency of successes says nothing of requests that failed, so their share stands with the arm. Published: ${source}.`;

/** The measured median. @param {PublishedFigure} figure */
export const medianText = ({ unit, measured }) => FORMATS[unit](measured.median);

/** Its unit only where the measured median has another. @param {PublishedFigure} figure */
export function publishedText(figure) {
  const [amount, unit] = FORMATS[figure.unit](figure.published).split(SPACE);
  if (unit === undefined || medianText(figure).endsWith(`${SPACE}${unit}`)) return `published ${amount}`;
  return `published ${amount}${SPACE}${unit}`;
}

/** Measured over published; null where nothing was measured. @param {PublishedFigure} figure */
export function ratioText({ ratio: times }) {
  const text = ratio(times, 1);
  return text === MISSING ? null : text;
}

/** Null where nothing is expected. @param {PublishedFigure} figure */
export const nearText = ({ near }) => (near === null ? null : near ? 'near' : 'not near');
