/**
 * What the stored experiments measured of the reliefs: each pair of a system and one that relieves it. It goes into the table of
 * lab/catalog/measured-reliefs.json, which a package has too.
 *
 * @typedef {import('../../catalog/measured-reliefs.js').MeasuredRelief} MeasuredRelief
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLES, EXPERIMENT_RECORD } from '../../base/paths.js';
import { architectures } from '../../catalog/architectures.js';
import { isExcerpt, readExcerpt } from '../../record/findings.js';

/** @returns {Promise<MeasuredRelief[]>} */
export async function storedReliefs() {
  const folders = readdirSync(EXAMPLES)
    .sort()
    .filter((name) => isExcerpt(join(EXAMPLES, name)));
  const each = await Promise.all(folders.map(async (experiment) => reliefsIn(experiment, await readExcerpt(join(EXAMPLES, experiment)))));
  return each.flat();
}

/** @type {(experiment: string, records: Record<string, any>) => MeasuredRelief[]} */
const reliefsIn = (experiment, records) =>
  Object.entries(records)
    .filter(([path]) => path.startsWith(`${EXPERIMENT_RECORD.pairs}/`) && path.endsWith(EXPERIMENT_RECORD.comparison))
    .flatMap(([, compared]) => reliefOf(experiment, compared));

/** @type {(experiment: string, compared: import('../../record/types.js').Comparison) => MeasuredRelief[]} */
function reliefOf(experiment, { base, other, load, budget, verdict, metrics }) {
  const isRelief = architectures[base.architecture]?.remedies?.some(({ system }) => system === other.architecture);
  const failures = metrics.find(({ id }) => id === 'failure_rate');
  // An arm with settings of its own is another system.
  if (!isRelief || !failures || base.id !== base.architecture || other.id !== other.architecture) return [];
  return [
    {
      base: base.architecture,
      relief: other.architecture,
      experiment,
      load,
      budget,
      verdict: verdict.word,
      blocks: failures.blocks,
      failure_rate_base: failures.base.median,
      failure_rate_relief: failures.other.median,
    },
  ];
}
