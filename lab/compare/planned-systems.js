/**
 * What the systems of a plan are, to whoever has runs made of it, judges or reports it: architectures, or a user's own system and what is run
 * in its place. Which of them is decided here, by the plan.
 *
 * @typedef {import('./plan.js').Plan} Plan
 * @typedef {import('../options/accepted-options.js').Arm} Arm
 * @typedef {Pick<Plan, 'arms' | 'load'> & Partial<Plan>} Planned  of one load, where its shape is asked for
 *
 * @typedef {object} PlannedSystems
 * @property {() => import('../../k6/lib/shapes.js').Shape} shape  of its load; what is an arm's own, such as the number of its users, is left open
 * @property {() => string} loadTitle     its load in words
 * @property {(load: string) => string | undefined} fingerprint  what a load was, where its name does not say it
 * @property {() => number | null} thinkTime  seconds that the users of its load think; null where nobody knows
 * @property {() => string} noun          what many requests are called
 * @property {(arm: Arm) => string} titleOf  what an arm is, in words
 * @property {(given: string[], words?: string[]) => string} command  goes on with the plan; words: of another command about it
 * @property {() => string} again         the command that measures the experiment anew, with all its arms
 * @property {() => string} control       the command of an A/A control of its first arm
 * @property {() => string[]} takenAgain  options that it takes when it is gone on with
 * @property {(name: string) => boolean} isSettled  whether a variable of the shell says an option that the plan has settled
 * @property {() => Plan} today           the plan as those of today have it
 * @property {(around: Around) => Promise<Runner>} runner  makes its runs
 *
 * @typedef {object} Around
 * @property {import('../cli/reporter.js').Progress} progress
 * @property {AbortSignal} signal
 *
 * @typedef {object} Runner  whatever the runs have in common is settled before the first, and looked at before each
 * @property {() => Promise<void>} prepare  before the first run: gets what all of them need, and settles in the plan what they share
 * @property {(arm: Arm) => Promise<import('./systems.js').Measurable>} systemOf  of one run
 * @property {() => Promise<void>} close    after the last, however it ended
 */
import { loadsOf, partUnder } from './plan.js';
import { projectArms } from './project-arms.js';
import { shippedArms } from './shipped-arms.js';

/** @param {Planned} plan @returns {PlannedSystems} */
export const systemsOf = (plan) => (plan.own ? projectArms(plan, plan.own) : shippedArms(plan));

/** The loads of its arms in words. @param {Planned} plan @returns {string} */
export function loadTitlesOf(plan) {
  const loads = loadsOf(plan);
  const title = (/** @type {string} */ load) => systemsOf(partUnder(plan, load)).loadTitle();
  return loads.length === 1 ? title(loads[0]) : loads.map((load) => `${load}: ${title(load)}`).join('; ');
}
