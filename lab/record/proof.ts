/**
 * What a proof left beside a run's record: `proof.json`. It is read with the record, and is not a part of what was observed.
 *
 *
 * @import { Proof } from './types.js'
 */

import { join } from 'node:path';
import { readPrivate } from '../base/files.ts';
import { jsonIn } from '../base/values.ts';
import { lifted } from './versions.ts';

/** Name inside a run's folder. */
export const PROOF_FILE = 'proof.json';

const OUTCOMES = ['proved', 'undecided', 'not-shown', 'unsteady'];

/**
 * @param {string} folder  of a run
 * @param {string} run     its id: a proof of another run is none of this one
 * @returns {Proof | null} null where there is none, or none that can be read
 */
export function readProof(folder, run) {
	const path = join(folder, PROOF_FILE);
	const found = /** @type {any} */ (jsonIn(String(readPrivate(path) ?? '')));
	if (found === null || typeof found !== 'object' || found.run !== run || !Array.isArray(found.probes) || !Array.isArray(found.as_it_was))
		return null;
	return OUTCOMES.includes(found.outcome) && typeof found.sentence === 'string' ? lifted('proof', found, path) : null;
}

/** A headline with what a proof showed: first where that decides something, else last. @param {string} headline @param {Proof} proof */
export function provedHeadline(headline, { outcome, probes, sentence }) {
	const decides = outcome === 'proved' || probes.some(({ verdict }) => verdict === 'acquitted');
	return decides ? `${sentence} ${headline}` : `${headline} ${sentence}`;
}
