/**
 * The chain from a trigger to the failures that an amplifier made of it, in a sentence.
 */
import { causes } from '../../record/causes.js';
import { many } from '../../stats/figure-words.js';

/**
 * @param {{ placement: import('./place.js').Placement, traces: import('./place.js').Trace[] }} group
 * @param {import('./facts.js').Facts} facts
 * @returns {string | null} null where nothing amplified it
 */
export function chainOf({ placement, traces }, facts) {
  const { service, cause, amplifier } = placement;
  if (!amplifier) return null;
  const trigger = `${service.replaceAll(', ', ' and ')}: ${causes[cause].title}`;
  if (amplifier.cause === 'no-live-upstream') {
    const { benches = [], benched_s: seconds = null } = facts.front ?? {};
    const forS = seconds === null ? '' : ` for ${seconds} s at a time`;
    return `${trigger}. ${amplifier.service} then left nodes out${forS} (${many(benches.length, 'time')}), and turned ${many(traces.length, 'request')} away while none was left.`;
  }
  return `${trigger}. In ${amplifier.service} ${many(traces.length, 'request')} failed of it: ${causes[amplifier.cause].title}.`;
}
