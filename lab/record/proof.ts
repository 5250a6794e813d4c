/** What a proof left beside a run's record: `proof.json`. It is read with the record, and is not a part of what was observed. */

import { join } from 'node:path';
import { readPrivate } from '../base/private-file.ts';
import { jsonIn } from '../base/values.ts';
import { causes } from './causes.ts';
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

/** What stands before a diagnosis where a change of another service ended the trouble. */
export const RUN_ALONE = 'From the run alone: ';

const changeOf = ({ outcome, probes }: Proof) => (outcome === 'proved' ? probes.find(({ verdict }) => verdict === 'proved') : undefined);

/** Whether what ended the trouble is of another service than the one that the run accuses. */
export const isElsewhere = (proof: Proof): boolean => !['', proof.trouble.service].includes(changeOf(proof)?.service ?? '');

/**
 * Whether the change that ended the trouble is one that the diagnosis of the run expects to end it: a change of the service that it accuses, or of
 * the load, which would confirm its cause. Another change is proved all the same, and the diagnosis is not.
 */
export function bearsOut(proof: Proof): boolean {
	const change = changeOf(proof);
	if (change === undefined || isElsewhere(proof)) return false;
	return (causes[proof.trouble.cause]?.confirm ?? []).some(({ id, expect }) => id === change.kind && expect !== 'same');
}

/** A headline with what a proof showed: first where that decides something, else last. */
export function provedHeadline(headline: string, proof: Proof) {
	const { outcome, probes, sentence } = proof;
	if (outcome === 'proved') return `${sentence} ${isElsewhere(proof) ? RUN_ALONE : ''}${headline}`;
	return probes.some(({ verdict }) => verdict === 'acquitted') ? `${sentence} ${headline}` : `${headline} ${sentence}`;
}
