/** The score of a run, from its record on disk. */

import type { Demand } from '../../adapters/faults.ts';
import { gatherFacts } from '../../diagnose/ledger/facts.ts';
import { placementsOf } from '../../diagnose/placements.ts';
import { readRaw } from '../../diagnose/read-raw.ts';
import { type Window, windowOf } from '../../diagnose/time/window.ts';
import { stolen } from '../../diagnose/validity/machine-doubts.ts';
import { eachStage, wholeLoad } from '../../diagnose/validity/span.ts';
import { isRight, type Score, scoreRun } from '../../record/selftest-total.ts';
import type { Result } from '../../record/types.js';
import type { Described } from './selftest.ts';

export async function scoreRecord({
	id,
	fault,
	folder,
	result,
	marksOf = async () => new Map(),
}: {
	/** of the fault */
	id: string;
	/** of services by the names of their containers */
	fault: Demand;
	folder: string;
	result: Result;
	/** what services wrote of their own doings, by the request's id */
	marksOf?: (services: Described[]) => Promise<Map<string, Set<string>>>;
}): Promise<Score> {
	const raw = await readRaw(folder);
	const window = windowOf(raw) as Window;
	const facts = gatherFacts(raw, window);
	const score = scoreRun({
		id,
		fault,
		placed: placementsOf(facts),
		beganS: window.from,
		marks: await marksOf(raw.manifest.services),
		result,
	});
	const isControl = fault.validity === 'VALID';
	const spans = [wholeLoad(window), ...(isControl ? eachStage(result.stages) : [])];
	// A control has to be VALID, which on a machine that others took anything of, in any stage, it cannot be.
	const taken = spans.flatMap((span) => stolen({ facts }, span)).find(({ grade }) => isControl || grade === 'INVALID');
	return taken !== undefined && !isRight(score) ? { ...score, spoilt: taken.reason } : score;
}
