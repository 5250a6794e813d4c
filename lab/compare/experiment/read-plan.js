/**
 * Reads the plan of an experiment from its folder, and takes up one that was interrupted or that needs more blocks.
 */
import { join, resolve } from 'node:path';
import { NotReadyError } from '../../base/errors.js';
import { RECORD, REPORTS } from '../../base/paths.js';
import { spell, spellOwn } from '../../base/spelling.js';
import { describeMachine } from '../../docker/describe-machine.js';
import { acceptedBy, acceptedByOwn, FOR_ALL_ARMS, readOption, refuseAllBut } from '../../options/accepted-options.js';
import { readRecord } from '../../record/excerpt-file.js';
import { readCommit } from '../../run/components.js';
import { RUN_OPTIONS } from '../../target/run-options.js';
import { COMPARE } from './judge.js';
import { attemptsMost, definitionHashOf, hashOf, remainingOf, scheduleOf } from './plan.js';

const TAKEN = ['RESUME', 'REPEATS'];
/** What a plan has settled already. */
const SETTLED = [...new Set([...acceptedBy('compare'), ...acceptedBy('experiment')])].filter((name) => !TAKEN.includes(name));

/**
 * @param {string} name  of the variable that holds the path, for errors
 * @param {string} path  of the experiment's folder
 * @returns {Promise<import('../plan.js').Plan>}
 * @throws {NotReadyError} when there is no plan, or its claims or its definition are not those that their hashes were made of
 */
export async function readPlan(name, path) {
  const plan = await readRecord(resolve(path), RECORD.manifest);
  if (!plan?.schedule)
    throw new NotReadyError(
      `${name}: expected the folder of an experiment or a comparison; found ${plan === null ? 'no manifest.json' : 'the manifest of a single run'} in ${path}.`,
      'give the folder that was named when it began, such as reports/compare/...',
    );
  if (hashOf(plan.claims) !== plan.claims_hash)
    throw new NotReadyError(
      `${name}: expected the claims that were fixed before the first run (SHA-256 ${plan.claims_hash}); those in ${path} are others.`,
      'take back what was changed in its manifest.json.',
    );
  if (definitionHashOf(plan.definition) !== (plan.definition_hash ?? null))
    throw new NotReadyError(
      `${name}: expected the definition that was fixed before the first run (SHA-256 ${plan.definition_hash}); that in ${path} is another.`,
      'take back what was changed in its manifest.json.',
    );
  return withLoads(plan);
}

/** One made before a user's own system could have several loads has its only one's in the place of them. @param {any} plan @returns {import('../plan.js').Plan} */
function withLoads(plan) {
  if (plan.own?.shape === undefined) return plan;
  const { shape, fingerprint, ...own } = plan.own;
  return { ...plan, own: { ...own, loads: { [plan.load]: { shape, change: {}, fingerprint } } } };
}

/**
 * @param {string} path  of the experiment's folder
 * @param {Record<string, string | undefined>} env  REPEATS: more blocks than were planned
 * @returns {Promise<import('../plan.js').Plan>} of which runs are missing
 * @throws {NotReadyError} when it cannot be gone on with here, or has all its runs
 */
export async function planToResume(path, env) {
  const plan = await readPlan('RESUME', path);
  // Of a user's own system the Compose files may read a variable that is called as one which all arms of architectures may have.
  const isSettled = (/** @type {string} */ name) => !plan.own || !FOR_ALL_ARMS.includes(name) || RUN_OPTIONS.includes(name);
  const given = SETTLED.filter((name) => env[name] && isSettled(name));
  if (given.length > 0)
    throw new NotReadyError(
      `RESUME: expected no ${given.join(', ')}: the plan has settled that.`,
      'leave it out; REPEATS may be given, to add blocks.',
    );
  refuseAllBut('what is resumed', plan.own ? acceptedByOwn(plan.experiment === COMPARE ? COMPARE : 'experiment') : TAKEN, env);
  if (resolve(path) !== join(REPORTS, plan.id))
    throw new NotReadyError(
      `RESUME: expected the experiment where it was begun, ${join('reports', plan.id)}; found it in ${path}.`,
      'put it back there.',
    );
  await refuseAnotherMachine(plan);
  plan.busy = readOption('BUSY', env);
  plan.attempts_most = attemptsMost(plan.busy);
  addBlocks(plan, readOption('REPEATS', env));
  if (remainingOf(plan).length === 0)
    throw new NotReadyError(
      `Nothing to resume: ${path} is complete.`,
      `"${(plan.own ? spellOwn : spell)(['report', path])}" judges it again; REPEATS=${plan.repeats + 2} adds two blocks.`,
    );
  await noteWhatChanged(plan);
  return plan;
}

/** @param {import('../plan.js').Plan} plan */
async function refuseAnotherMachine({ machine: { cpu_model: model, cores } }) {
  const here = await describeMachine();
  if (here.cpu_model === model && here.cores === cores) return;
  throw new NotReadyError(
    `RESUME: expected the machine on which it was begun, ${cores} cores ${model}; this one has ${here.cores} cores ${here.cpu_model}.`,
    'go on there, or begin anew here.',
  );
}

/**
 * @param {import('../plan.js').Plan} plan
 * @param {number | null} repeats
 * @throws {NotReadyError} when that is fewer than were planned
 */
export function addBlocks(plan, repeats) {
  if (repeats === null || repeats === plan.repeats) return;
  if (repeats < plan.repeats)
    throw new NotReadyError(
      `REPEATS: expected ${plan.repeats} or more, as planned when it began; found "${repeats}".`,
      'leave it out: what was planned stays planned.',
    );
  const ids = plan.schedule[0];
  // An order of their own: the blocks that are there stay as they are.
  plan.schedule.push(...scheduleOf(ids, repeats - plan.repeats, plan.seed + plan.schedule.length));
  plan.notes.push(`planned for ${plan.repeats} blocks, and extended to ${repeats} afterwards`);
  plan.repeats = repeats;
}

/** @param {import('../plan.js').Plan} plan */
async function noteWhatChanged(plan) {
  const now = await readCommit();
  if (now?.commit !== plan.git?.commit) plan.notes.push(`resumed at commit ${now?.commit}, begun at ${plan.git?.commit}`);
  const split = plan.schedule.findIndex((arms, index) => {
    const made = new Set(plan.attempts.filter(({ block }) => block === index + 1).map(({ arm }) => arm));
    return made.size > 0 && made.size < arms.length;
  });
  if (split >= 0) plan.notes.push(`interrupted within block ${split + 1}, whose runs are not of one moment`);
}
