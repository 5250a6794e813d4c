/**
 * The plan of what was asked for: of architectures, or of the system of a folder. Which of them is decided here, by what was asked; who has
 * runs made of it asks the plan.
 *
 * @typedef {Record<string, string | undefined>} Env
 *
 * @typedef {object} AskedPlan
 * @property {boolean} isNew  it is not one that is gone on with
 * @property {() => Promise<import('../plan.js').Plan>} make
 *
 * @typedef {Pick<import('./project-plan.js').Given, 'folder' | 'allowData' | 'say' | 'signal'>} Given
 */

import { ROOT } from '../../base/paths.js';
import { architectures } from '../../catalog/architectures.js';
import { hasProject } from '../../catalog/project-file.js';
import { EXPERIMENT_FILE } from './experiment-file.js';
import { planProjectComparison, planProjectExperiment } from './project-plan.js';
import { planToResume } from './read-plan.js';
import { planComparison, planExperiment } from './shipped-plan.js';

/** @typedef {{ a: string[], b: string[] }} GivenArms */

/** By flags, which may be given several times, or as variables. @type {(flags: Partial<GivenArms>, env: Env) => GivenArms} */
export const givenArms = ({ a, b }, { A, B }) => ({ a: a ?? (A ? [A] : []), b: b ?? (B ? [B] : []) });

/** What stands before the options of an arm, or before a revision. @param {string} text */
const headOf = (text) => text.split(':')[0];
/** An assignment, a file or a revision. @param {string} head */
const isSide = (head) => /[=/.]/.test(head) || head === 'rev';

/** Whether what names nothing is about the folder in which it was given; that of the lab is about the architectures. @param {string} folder */
const isOfFolder = (folder) => hasProject(folder) || folder !== ROOT;

/**
 * Whether `compare` is about the system of a folder, and not about shipped architectures. A plan that is resumed says so itself.
 * @param {string} folder
 * @param {GivenArms} pair
 * @param {Env} env
 */
export function isProjectComparison(folder, { a, b }, { RESUME }) {
  const heads = [...a, ...b].map(headOf);
  const isDescribed = hasProject(folder);
  if (heads.length === 0) return !RESUME && isOfFolder(folder);
  return heads.some((head) => !Object.hasOwn(architectures, head)) && (isDescribed || heads.some(isSide));
}

/**
 * Two architectures, or two arms of the system of a folder.
 * @param {Partial<GivenArms>} flags
 * @param {Env} env  A and B in their place
 * @param {Given} given
 * @returns {AskedPlan}
 */
export function askedComparison(flags, env, given) {
  const pair = givenArms(flags, env);
  if (isProjectComparison(given.folder, pair, env)) return { isNew: true, make: () => planProjectComparison({ ...pair, ...given, env }) };
  return newOrNot(env, () => planComparison({ ...env, A: pair.a.join(' '), B: pair.b.join(' ') }));
}

/** A file of the user's has an ending, which no id has. @param {string} id */
const isFile = (id) => /\.ya?ml$/i.test(id);

/**
 * An experiment of the lab, by its id, or one of a user's own system, by its file.
 * @param {string | undefined} id  none: of the system of this folder, where it has one
 * @param {Env} env
 * @param {Given} given
 * @returns {AskedPlan}
 */
export function askedExperiment(id, env, given) {
  const isOwn = id === undefined ? isOfFolder(given.folder) : isFile(id);
  if (isOwn) return newOrNot(env, () => planProjectExperiment({ file: id ?? EXPERIMENT_FILE, ...given, env }));
  return newOrNot(env, () => planExperiment(id ?? '', env));
}

/** @type {(env: Env, make: AskedPlan['make']) => AskedPlan} */
const newOrNot = (env, make) => (env.RESUME ? { isNew: false, make: () => planToResume(String(env.RESUME), env) } : { isNew: true, make });
