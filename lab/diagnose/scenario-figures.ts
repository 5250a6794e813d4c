/**
 * The figures of a scenario's own: what it leaves beside the metrics that every run has. Each experiment that brought a scenario reads
 * them from the record.
 */

import { modulesOf } from '../catalog/experiment-folders.ts';
import { scenarios } from '../catalog/scenarios.ts';
import type { Breakdown, Ledger } from '../record/types.js';
import { rounded } from '../stats/numbers.ts';
import type { Facts } from './ledger/facts.ts';

export type ScenarioFigures = {
	/** by the ids of the scenarios table */
	figures: Record<string, number | null>;
	breakdowns: Breakdown[];
	/** that join the ledger's own */
	checks: Ledger['checks'];
};

const DIGITS = 4;

/** By the experiment whose scenario it is. */
const READERS: Map<string | undefined, { figuresOf: (facts: Facts) => ScenarioFigures }> = new Map(await modulesOf('figures.ts'));

/** @returns with every figure of the scenario's table entry, and no other */
export function figuresOf(facts: Facts): ScenarioFigures {
	const { figures: wanted, experiment } = scenarios[facts.raw.manifest.scenario];
	const { figures: read, breakdowns, checks } = READERS.get(experiment)?.figuresOf(facts) ?? { figures: {}, breakdowns: [], checks: [] };
	const figures = Object.fromEntries(wanted.map(({ id }) => [id, rounded(read[id], DIGITS)]));
	return { figures, breakdowns, checks };
}
