/** What a proof left beside a run's record: `proof.json`. It is read with the record, and is not a part of what was observed. */

import { join } from 'node:path';
import { readPrivate } from '../base/files.ts';
import { jsonIn } from '../base/values.ts';
import type { Proof } from './types.js';
import { lifted } from './versions.ts';

/** Name inside a run's folder. */
export const PROOF_FILE = 'proof.json';

const OUTCOMES = ['proved', 'undecided', 'not-shown', 'unsteady'];

/**
 * @param folder of a run
 * @param run its id: a proof of another run is none of this one
 * @returns null where there is none, or none that can be read
 */
export function readProof(folder: string, run: string): Proof | null {
	const path = join(folder, PROOF_FILE);
	const found = jsonIn(String(readPrivate(path) ?? '')) as any;
	if (found === null || typeof found !== 'object' || found.run !== run || !Array.isArray(found.probes) || !Array.isArray(found.as_it_was))
		return null;
	return OUTCOMES.includes(found.outcome) && typeof found.sentence === 'string' ? lifted('proof', found, path) : null;
}

/** A headline with what a proof showed: first where that decides something, else last. */
export function provedHeadline(headline: string, { outcome, probes, sentence }: Proof) {
	const decides = outcome === 'proved' || probes.some(({ verdict }) => verdict === 'acquitted');
	return decides ? `${sentence} ${headline}` : `${headline} ${sentence}`;
}
