/**
 * What the stored experiments measured of the remedies: each pair of a system and one that is its remedy. It goes into the table of
 * lab/catalog/measured-remedies.json, which a package has too.
 */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLES, EXPERIMENT_RECORD } from '../base/paths.ts';
import { architectures } from '../catalog/architectures.ts';
import type { MeasuredRemedy } from '../catalog/measured-remedies.ts';
import { isExcerpt, readExcerpt } from '../record/excerpt-file.ts';
import type { Comparison } from '../record/types.js';

export async function storedRemedies(): Promise<MeasuredRemedy[]> {
	const folders = readdirSync(EXAMPLES)
		.sort()
		.filter((name) => isExcerpt(join(EXAMPLES, name)));
	const each = await Promise.all(folders.map(async (experiment) => remediesIn(experiment, await readExcerpt(join(EXAMPLES, experiment)))));
	return each.flat();
}

const remediesIn: (experiment: string, records: Record<string, any>) => MeasuredRemedy[] = (experiment, records) =>
	Object.entries(records)
		.filter(([path]) => path.startsWith(`${EXPERIMENT_RECORD.pairs}/`) && path.endsWith(EXPERIMENT_RECORD.comparison))
		.flatMap(([, compared]) => remedyOf(experiment, compared));

function remedyOf(experiment: string, { base, other, load, budget, verdict, metrics }: Comparison): MeasuredRemedy[] {
	const isRemedy = architectures[base.architecture]?.remedies?.some(({ system }) => system === other.architecture);
	const failures = metrics.find(({ id }) => id === 'failure_rate');
	// An arm with settings of its own is another system.
	if (!isRemedy || !failures || base.id !== base.architecture || other.id !== other.architecture) return [];
	return [
		{
			base: base.architecture,
			remedy: other.architecture,
			experiment,
			load,
			budget,
			verdict: verdict.word,
			blocks: failures.blocks,
			failure_rate_base: failures.base.median,
			failure_rate_remedy: failures.other.median,
		},
	];
}
