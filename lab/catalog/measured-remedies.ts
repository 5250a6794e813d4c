/**
 * What the lab's stored experiments measured of the remedies of its systems: a table that "make docs" makes of their records, so that nothing
 * is recommended which the lab itself has judged worse. A test compares it with them.
 *
 * @typedef {object} MeasuredRemedy
 * @property {string} base        architecture
 * @property {string} remedy      architecture
 * @property {string} experiment  folder of the stored experiment
 * @property {string} load
 * @property {string} budget
 * @property {import('../record/types.js').Verdict['word']} verdict  of the remedy against the base
 * @property {number} blocks
 * @property {number | null} failure_rate_base    median over its runs, 0 to 1
 * @property {number | null} failure_rate_remedy
 */
import { readFileSync } from 'node:fs';

export const MEASURED_REMEDIES_FILE = 'lab/catalog/measured-remedies.json';

/** @type {MeasuredRemedy[]} */
export const measuredRemedies = JSON.parse(readFileSync(new URL('measured-remedies.json', import.meta.url), 'utf8'));

/**
 * Whether what was measured speaks for a remedy: it was better somewhere, and not worse under the load at hand. Of one that nobody measured
 * nothing speaks against it.
 * @param {MeasuredRemedy[]} measured  of one remedy of one base
 * @param {string} load
 */
export const isWorthTrying = (measured, load) =>
	measured.length === 0 ||
	(measured.some(({ verdict }) => verdict === 'better') && !measured.some((one) => one.load === load && one.verdict === 'worse'));
