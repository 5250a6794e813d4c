/**
 * The experiments: a question, the arms that answer it, a load, the pairs that are held against each other. The claims
 * that an experiment judges are in claims.js and name it.
 */

/**
 * @typedef {object} Experiment
 * @property {string} title
 * @property {string} question
 * @property {string} load        key of the loads, unless LOAD is given
 * @property {string} [budget]    key of the budgets, unless BUDGET is given; `fair` when left out
 * @property {import('./arms.js').Arm[]} arms
 * @property {[string, string][]} pairs  base and other, by the arms' ids
 * @property {Curve} [curve]      a metric against a number
 *
 * @typedef {object} Curve
 * @property {string} x_label     what is counted, in the plural
 * @property {string} metric      id
 * @property {Record<string, number>} x  arm to number
 */

/** @type {Record<string, Experiment>} */
export const experiments = {
  doubling: {
    title: 'Two servers instead of one',
    question: 'Does a second node double the service, and if requests fail, whose fault is it?',
    load: 'ramp',
    arms: ['a', 'a-lb', '2a', '2a-tuned', '2a-pool500'].map((id) => ({ id, architecture: id })),
    pairs: [
      ['a', '2a'],
      ['a', 'a-lb'],
      ['a-lb', '2a'],
      ['2a', '2a-pool500'],
      ['2a', '2a-tuned'],
      ['a', '2a-tuned'],
    ],
  },
  scale: {
    title: 'One to four nodes',
    question: 'What does each further node add, and where does it end?',
    load: 'hold',
    budget: 'scale',
    arms: ['1a-tuned', '2a-tuned', '3a-tuned', '4a-tuned'].map((id) => ({ id, architecture: id })),
    pairs: [
      ['1a-tuned', '2a-tuned'],
      ['2a-tuned', '3a-tuned'],
      ['3a-tuned', '4a-tuned'],
    ],
    curve: { x_label: 'nodes', metric: 'goodput_rps', x: { '1a-tuned': 1, '2a-tuned': 2, '3a-tuned': 3, '4a-tuned': 4 } },
  },
  sensitivity: {
    title: 'What the lab can tell apart',
    question: 'Is an architecture the same as itself, and is a slow-down of 10 % found and one of 1 % not called?',
    // Each node answers after 100 ms, so that 110 and 101 are slow-downs of which the size is known.
    load: 'steady',
    arms: [
      { id: 'a', architecture: 'a', variables: { DELAY: '100' } },
      { id: 'a again', architecture: 'a', variables: { DELAY: '100' } },
      { id: 'a 10 % slower', architecture: 'a', variables: { DELAY: '110' } },
      { id: 'a 1 % slower', architecture: 'a', variables: { DELAY: '101' } },
    ],
    pairs: [
      ['a', 'a again'],
      ['a', 'a 10 % slower'],
      ['a', 'a 1 % slower'],
    ],
  },
};
