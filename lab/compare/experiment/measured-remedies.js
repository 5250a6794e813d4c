/**
 * What the stored experiments measured of the remedies: each pair of a system and one that is its remedy. It goes into the table of
 * lab/catalog/measured-remedies.json, which a package has too.
 *
 * @typedef {import('../../catalog/measured-remedies.js').MeasuredRemedy} MeasuredRemedy
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLES, EXPERIMENT_RECORD } from '../../base/paths.js';
import { architectures } from '../../catalog/architectures.js';
import { isExcerpt, readExcerpt } from '../../record/findings.js';

/** @returns {Promise<MeasuredRemedy[]>} */
export async function storedRemedies() {
  const folders = readdirSync(EXAMPLES)
    .sort()
    .filter((name) => isExcerpt(join(EXAMPLES, name)));
  const each = await Promise.all(folders.map(async (experiment) => remediesIn(experiment, await readExcerpt(join(EXAMPLES, experiment)))));
  return each.flat();
}

/** @type {(experiment: string, records: Record<string, any>) => MeasuredRemedy[]} */
const remediesIn = (experiment, records) =>
  Object.entries(records)
    .filter(([path]) => path.startsWith(`${EXPERIMENT_RECORD.pairs}/`) && path.endsWith(EXPERIMENT_RECORD.comparison))
    .flatMap(([, compared]) => remedyOf(experiment, compared));

/** @type {(experiment: string, compared: import('../../record/types.js').Comparison) => MeasuredRemedy[]} */
function remedyOf(experiment, { base, other, load, budget, verdict, metrics }) {
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
