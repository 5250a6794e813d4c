/**
 * Whose fault it is that a request found no place in a proxy's queue: that of the queue itself, or of what held every node behind it.
 */
import { blameSpell } from './behind.js';
import { heldDuring } from './held.js';
import { crashDuring, overlapping, placed, whileWaiting } from './place.js';

/**
 * @param {import('./place.js').Trace} trace
 * @param {import('./place.js').Facts} facts
 * @param {import('./place.js').Counters} counters
 * @returns {import('./place.js').Placement}
 */
export function blameQueue(trace, facts, counters) {
  const queue = { tier: /** @type {const} */ ('load-balancer'), service: facts.entry.name, cause: 'queue-full' };
  const trigger = triggerOf(facts, counters, whileWaiting(trace));
  return trigger ? { ...trigger, amplifier: queue } : placed(queue, 'proved', 'proved');
}

/** @type {(facts: import('./place.js').Facts, counters: import('./place.js').Counters, span: { from: number, to: number }) => import('./place.js').Placement | null} */
function triggerOf(facts, counters, span) {
  const triggers = heldNodes(facts, span).map((held) => blameSpell(facts, counters, { ...held, ...span }));
  // A node that was held and nobody knows by what may be what the queue waited for.
  return triggers.includes(null) ? null : (triggers[0] ?? null);
}

/**
 * Nodes that gave no good answer for most of a time; none where another was there and gave one.
 * @type {(facts: import('./place.js').Facts, span: { from: number, to: number }) => { service: string, spell: import('./held.js').Spell }[]}
 */
function heldNodes(facts, span) {
  const nodes = [...facts.spells.keys()].map((service) => ({ service, spell: heldDuring(facts, service, span) }));
  const held = nodes.flatMap(({ service, spell }) => (spell ? [{ service, spell }] : []));
  return nodes.every(({ service, spell }) => spell || isGone(facts, service, span)) ? held : [];
}

/** Whether it was down, or left out. @type {(facts: import('./place.js').Facts, node: string, span: { from: number, to: number }) => boolean} */
function isGone(facts, node, span) {
  const leftOut = (facts.front?.benches ?? []).map(({ node: name, from, to }) => ({ name, from, to }));
  return crashDuring(facts, node, span) !== null || overlapping(leftOut, node, span) !== undefined;
}
