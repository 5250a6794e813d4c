/**
 * What has to be done before an INVALID run is made again: by the rules that made it so.
 */
import { doubtsOf } from './validity.js';

const GENERATOR = 'give the generator room: fewer users (USERS), or more generators (GENERATORS)';
const USERS_MORE = 'give the script more users for its arrivals (maxVUs), or fewer arrivals';
const RECORD = 'see the reasons, for the record contradicts itself: look for what restarted or was full meanwhile';

/** By the first word of a rule's name. @type {Record<string, string>} */
const STEPS = {
  incomplete: 'let the load run to its end',
  exhausted: GENERATOR,
  overhead: GENERATOR,
  throttled: GENERATOR,
  'at-quota': GENERATOR,
  dropped: GENERATOR,
  'lost-generator': 'see why a generator made no load',
  neighbours: 'stop the other programs on the machine',
  stolen: 'take a machine whose cores others do not use, or another hour',
  fault: 'see why the fault could not be put in or undone',
};

/**
 * @param {import('./validity.js').ValidityInput} input  of a run that is INVALID
 * @returns {string[]} clauses, each once
 */
export function stepsToValid(input) {
  const { ofRun, ofStages } = doubtsOf(input);
  const invalid = [...ofRun, ...ofStages.flat()].filter(({ grade, rule }) => grade === 'INVALID' && rule !== 'stages');
  const steps = input.facts.raw.manifest.shape.arriving ? { ...STEPS, dropped: USERS_MORE } : STEPS;
  return [...new Set(invalid.map(({ rule }) => steps[/^[\w-]+/.exec(rule)?.[0] ?? ''] ?? RECORD))];
}
