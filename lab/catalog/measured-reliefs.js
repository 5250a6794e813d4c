/**
 * What the lab's stored experiments measured of the reliefs of its systems: a table that "make docs" makes of their records, so that nothing
 * is recommended which the lab itself has judged worse. A test compares it with them.
 *
 * @typedef {object} MeasuredRelief
 * @property {string} base        architecture
 * @property {string} relief      architecture
 * @property {string} experiment  folder of the stored experiment
 * @property {string} load
 * @property {string} budget
 * @property {import('../record/types.js').Verdict['word']} verdict  of the relief against the base
 * @property {number} blocks
 * @property {number | null} failure_rate_base    median over its runs, 0 to 1
 * @property {number | null} failure_rate_relief
 */
import { readFileSync } from 'node:fs';

export const MEASURED_RELIEFS_FILE = 'lab/catalog/measured-reliefs.json';

/** @type {MeasuredRelief[]} */
export const measuredReliefs = JSON.parse(readFileSync(new URL('measured-reliefs.json', import.meta.url), 'utf8'));

/**
 * Whether what was measured speaks for a relief: it was better somewhere, and not worse under the load at hand. Of one that nobody measured
 * nothing speaks against it.
 * @param {MeasuredRelief[]} measured  of one relief of one base
 * @param {string} load
 */
export const isWorthTrying = (measured, load) =>
  measured.length === 0 ||
  (measured.some(({ verdict }) => verdict === 'better') && !measured.some((one) => one.load === load && one.verdict === 'worse'));
