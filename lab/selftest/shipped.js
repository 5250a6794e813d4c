/**
 * The self-test on the shipped architectures: the faults of lab/adapters/shipped-faults.js.
 */
import { join } from 'node:path';
import { faults } from '../adapters/shipped-faults.js';
import { analyseRun } from '../analyse/result.js';
import { calibrationFor } from '../calibrate.js';
import { acceptedBy, readOption, refuseAllBut } from '../define/accepted-options.js';
import { DEFAULT_BUDGET } from '../define/budgets.js';
import { NotReadyError } from '../define/errors.js';
import { instead } from '../define/nearest.js';
import { RECORD } from '../define/paths.js';
import { readPrivate } from '../define/private-file.js';
import { readSettings } from '../define/settings.js';
import { spell } from '../define/spelling.js';
import { measureRun } from '../measure/run.js';
import { prepareInjection } from './inject.js';
import { scoreRecord } from './score-record.js';
import { AGAIN, ALL, REST, testDiagnosis } from './selftest.js';

/** Of all faults, as the result page is made; some of them are tried once. */
const REPEATS_OF_ALL = 3;

/** @typedef {Record<string, string | undefined>} Env */

/**
 * @param {Env} env  FAULTS: `all` (default), `short`, ids with commas between, `rest` or `again`; REPEATS: runs of each
 * @param {import('../reporter.js').Around} around
 * @param {import('./selftest.js').Subject['consent']} [consent]  where it may not have been meant
 * @returns {Promise<number>} exit code: 0 when every fault is diagnosed rightly
 */
export async function selftest(env, around, consent) {
  const wanted = readOption('FAULTS', env);
  // The dose of a fault is its own, and what is gone on with was settled when it began.
  const isNew = wanted !== AGAIN && wanted !== REST;
  refuseAllBut(`the self-test with FAULTS=${wanted}`, isNew ? acceptedBy('selftest') : ['FAULTS'], env);
  return testDiagnosis({ ...shippedSubject(env), consent }, env, around);
}

/** @param {Env} env @returns {import('./selftest.js').Subject} */
export const shippedSubject = (env) => ({
  command: spell(['selftest']),
  budget: env.BUDGET || DEFAULT_BUDGET,
  repeatsOfAll: REPEATS_OF_ALL,
  system: undefined,
  choose: chooseFaults,
  titleOf: (id) => faults[id]?.title,
  cannot: () => null,
  measure: (id, given) => measureFault(id, env, given),
  score: scoreFolder,
  mayRefuse: false,
});

/** @param {string} wanted @returns {string[]} ids */
function chooseFaults(wanted) {
  if (wanted === ALL) return Object.keys(faults);
  if (wanted === 'short') return Object.keys(faults).filter((id) => faults[id].short);
  const ids = wanted.split(',');
  const unknown = ids.filter((id) => !faults[id]);
  if (unknown.length === 0) return ids;
  throw new NotReadyError(
    `FAULTS: expected all, short, rest, again or some of ${Object.keys(faults).join(', ')}; found "${unknown.join(', ')}".`,
    instead(unknown[0], Object.keys(faults), 'use these names.'),
  );
}

/** @type {(id: string, env: Env, given: Parameters<import('./selftest.js').Subject['measure']>[1]) => Promise<string>} */
async function measureFault(id, env, { budget, progress, signal }) {
  const fault = faults[id];
  const settings = readSettings(fault.architecture, { ...env, BUDGET: budget, LOAD: fault.load });
  const calibration = await calibrationFor({ settings, progress, signal });
  const injection = await prepareInjection(fault);
  try {
    const { folder } = await measureRun({ settings, progress, signal, calibration, injection });
    return folder;
  } finally {
    await injection.remove();
  }
}

/** @param {string} id of the fault @param {string} folder of a run with it */
export async function scoreFolder(id, folder) {
  const result = await analyseRun(folder);
  return scoreRecord({ id, fault: faults[id], folder, result, marksOf: (services) => readMarks(folder, services) });
}

/**
 * What the nodes wrote of the faults that they committed; the diagnosis does not read it.
 * @param {string} folder
 * @param {{ name: string, tier: string }[]} services
 */
async function readMarks(folder, services) {
  /** @type {Map<string, Set<string>>} */
  const marks = new Map();
  for (const { name } of services.filter(({ tier }) => tier === 'app')) {
    const text = String(readPrivate(join(folder, RECORD.raw, `${name}.log`)) ?? '');
    for (const [, id, mark] of text.matchAll(/^fault (\S+) (\w+)$/gm)) marks.set(id, (marks.get(id) ?? new Set()).add(mark));
  }
  return marks;
}
