/**
 * Multiplies the arms of an experiment that has several loads: each arm once under each of them, and compared under the same one.
 *
 * @typedef {import('../../catalog/experiments.js').Experiment} Experiment
 */

/**
 * @param {Experiment} experiment
 * @param {Record<string, string | undefined>} env  LOAD: the one that is asked for; all of the experiment's when not given. What else is
 *   given stands in place of what the experiment sets
 * @returns {Experiment} whose arms have loads of their own where there are several
 */
export function underLoads(experiment, env) {
  const { load, further_loads: further = [], arms, pairs } = experiment;
  const wanted = [{ load, variables: {} }, ...further]
    .filter((one) => !env.LOAD || one.load === env.LOAD)
    .map((one) => ({ ...one, variables: Object.fromEntries(Object.entries(one.variables).filter(([name]) => !env[name])) }));
  if (wanted.length <= 1) return { ...experiment, arms: arms.map((arm) => withVariables(arm, wanted[0]?.variables)) };
  return {
    ...experiment,
    arms: wanted.flatMap((one) =>
      arms.map((arm) => ({ ...withVariables(arm, one.variables), id: namedUnder(arm.id, one.load), load: one.load })),
    ),
    pairs: wanted.flatMap((one) =>
      pairs.map(([base, other]) => /** @type {[string, string]} */ ([namedUnder(base, one.load), namedUnder(other, one.load)])),
    ),
  };
}

/** What an arm is called where there are several loads. @param {string} arm @param {string} load */
export const namedUnder = (arm, load) => `${arm} (${load})`;

/** Whether a name is an arm's, alone or under a load. @param {string} name @param {string} arm */
export const isNamedAfter = (name, arm) => name === arm || name.startsWith(namedUnder(arm, '').slice(0, -1));

/** What an arm has of its own stands. @type {(arm: import('../../options/arms.js').Arm, variables?: Record<string, string>) => import('../../options/arms.js').Arm} */
const withVariables = (arm, variables = {}) =>
  Object.keys(variables).length === 0 ? arm : { ...arm, variables: { ...variables, ...arm.variables } };
