/**
 * Numbers, times and names as every page writes them. Counts are exact, measured figures have three significant digits,
 * and a figure that is missing is a dash: it never looks like a zero.
 */

export const MISSING = '–';
/** Keeps a figure and its unit on one line. */
const SPACE = '\u00a0';
export const SIGNIFICANT_DIGITS = 3;
const LEAST_PERCENT = 0.001;
const MIB = 2 ** 20;
const GIB = 2 ** 30;

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const rounded = new Intl.NumberFormat('en-US', { maximumSignificantDigits: SIGNIFICANT_DIGITS });

/** @typedef {number | null | undefined} Figure */

/**
 * @param {Figure} value
 * @returns {value is null | undefined} a figure that is not a number counts as missing
 */
function isMissing(value) {
  return value === null || value === undefined || !Number.isFinite(value);
}

/**
 * A count, in full: `58,012`.
 * @param {Figure} value
 */
export const count = (value) => (isMissing(value) ? MISSING : whole.format(value));

/**
 * A measured figure without a unit: `2,190`, `0.42`.
 * @param {Figure} value
 */
export const figure = (value) => (isMissing(value) ? MISSING : rounded.format(value));

/**
 * A number of things, which may be a mean or a median: in full where it is whole, `4,000,000`, and as measured otherwise, `5.3`.
 * @param {Figure} value
 */
export const amount = (value) => (isMissing(value) || Number.isInteger(value) || Math.abs(value) >= 1000 ? count(value) : figure(value));

/**
 * @param {Figure} value
 * @param {string} unit
 */
export const withUnit = (value, unit) => (isMissing(value) ? MISSING : `${figure(value)}${SPACE}${unit}`);

/** @param {Figure} value requests a second */
export const rate = (value) => withUnit(value, 'rps');

/** @param {Figure} value CPU cores */
export const cores = (value) => (isMissing(value) ? MISSING : `${figure(value)}${SPACE}${value === 1 ? 'core' : 'cores'}`);

/**
 * Milliseconds below a second, seconds from there on.
 * @param {Figure} value milliseconds
 */
export function milliseconds(value) {
  if (isMissing(value)) return MISSING;
  // 999.6 would round to "1,000 ms".
  return Math.abs(value) < 999.5 ? withUnit(value, 'ms') : withUnit(value / 1000, 's');
}

/**
 * How long something took: `82.4 s`, `5 min 3 s`.
 * @param {Figure} value seconds
 */
export function duration(value) {
  if (isMissing(value)) return MISSING;
  if (value < 120) return withUnit(value, 's');
  const total = Math.round(value);
  return `${whole.format(Math.floor(total / 60))}${SPACE}min ${total % 60}${SPACE}s`;
}

/**
 * A share of 0 to 1 as per cent. What is not nothing is not called 0 %, and what is not all is not called 100 %.
 * @param {Figure} value
 */
export function percent(value) {
  if (isMissing(value)) return MISSING;
  const inPercent = value * 100;
  if (inPercent > 0 && inPercent < LEAST_PERCENT) return `<${SPACE}${LEAST_PERCENT}${SPACE}%`;
  const text = figure(inPercent);
  return inPercent < 100 && text === '100' ? `>${SPACE}99.9${SPACE}%` : `${text}${SPACE}%`;
}

/**
 * How many times the other figure: `0.61×`.
 * @param {Figure} value
 * @param {Figure} other
 */
export function ratio(value, other) {
  if (isMissing(value) || isMissing(other) || other === 0) return MISSING;
  return `${figure(value / other)}×`;
}

/** @param {Figure} value megabytes a second */
const megabytesPerSecond = (value) => withUnit(value, 'MB/s');

/**
 * How a figure of each unit is written.
 * @type {Record<import('../catalog/metrics.js').Unit, (value: Figure) => string>}
 */
export const FORMATS = { rps: rate, share: percent, ms: milliseconds, count: amount, mb_per_s: megabytesPerSecond };

/** @param {Figure} value bytes */
export function bytes(value) {
  if (isMissing(value)) return MISSING;
  return value < GIB ? withUnit(value / MIB, 'MiB') : withUnit(value / GIB, 'GiB');
}

/**
 * A moment in UTC, the same for every reader: `2026-03-14 09:26 UTC`.
 * @param {string} iso ISO 8601
 */
export function moment(iso) {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  const [day, clock] = time.toISOString().split('T');
  return `${day} ${clock.slice(0, 5)} UTC`;
}

/**
 * `1 request`, `2 requests`.
 * @param {number} value
 * @param {string} noun in the singular
 */
export const plural = (value, noun) => `${count(value)}${SPACE}${noun}${value === 1 ? '' : 's'}`;
