/**
 * What the lab's stored experiments measured of the remedies of its systems: a table that "make docs" makes of their records, so that nothing
 * is recommended which the lab itself has judged worse. A test compares it with them.
 */
import { readFileSync } from 'node:fs';
import type { Verdict } from '../record/types.js';

export type MeasuredRemedy = {
	/** architecture */
	base: string;
	/** architecture */
	remedy: string;
	/** folder of the stored experiment */
	experiment: string;
	load: string;
	budget: string;
	/** of the remedy against the base */
	verdict: Verdict['word'];
	blocks: number;
	/** median over its runs, 0 to 1 */
	failure_rate_base: number | null;
	failure_rate_remedy: number | null;
};

export const MEASURED_REMEDIES_FILE = 'lab/catalog/measured-remedies.json';

export const measuredRemedies: MeasuredRemedy[] = JSON.parse(readFileSync(new URL('measured-remedies.json', import.meta.url), 'utf8'));

/**
 * Whether what was measured speaks for a remedy: it was better somewhere, and not worse under the load at hand. Of one that nobody measured
 * nothing speaks against it.
 * @param measured of one remedy of one base
 */
export const isWorthTrying = (measured: MeasuredRemedy[], load: string) =>
	measured.length === 0 ||
	(measured.some(({ verdict }) => verdict === 'better') && !measured.some((one) => one.load === load && one.verdict === 'worse'));
