/**
 * Changes to a Compose file as the lab writes them into a file of its own, and what they make of the resolved one. The tags `!reset` and
 * `!override` take an entry of an earlier file away, or take its place
 * (https://docs.docker.com/reference/compose-file/merge/#reset-value).
 *
 * @typedef {Record<string, any>} Changes  as in a Compose file, with tagged nodes in it
 */
import { Document, isNode, Scalar } from 'yaml';

const [RESET, OVERRIDE] = ['!reset', '!override'];

/** A node of its own each time, so that none becomes an alias of another. */
export function reset() {
  const node = new Scalar(null);
  node.tag = RESET;
  return node;
}

/** @param {object} value */
export function override(value) {
  const node = /** @type {import('yaml').YAMLMap} */ (/** @type {unknown} */ (new Document(value).contents));
  node.tag = OVERRIDE;
  return node;
}

/**
 * What Compose makes of it, as far as the lab itself changes something.
 * @template T
 * @param {T} config   as Compose has resolved it
 * @param {Changes} changes
 * @returns {T} a copy
 */
export function changed(config, changes) {
  const made = /** @type {Record<string, any>} */ ({ .../** @type {any} */ (config) });
  for (const [key, change] of Object.entries(changes)) {
    if (isNode(change)) {
      if (change.tag === RESET) delete made[key];
      else made[key] = change.toJSON();
    } else if (Array.isArray(change)) made[key] = key === 'volumes' ? byTarget(made[key] ?? [], change) : change;
    else made[key] = isMapping(change) ? changed((Object.hasOwn(made, key) && made[key]) || {}, change) : change;
  }
  return /** @type {T} */ (made);
}

/** Two mounts cannot have one place. @type {(mounts: any[], changes: any[]) => any[]} */
const byTarget = (mounts, changes) => {
  const targets = new Set(changes.map(({ target }) => target));
  return [...mounts.filter(({ target }) => !targets.has(target)), ...changes];
};

/**
 * Two sets of changes as one; where both say something of one thing the second counts.
 * @param {Changes} one
 * @param {Changes} other
 * @returns {Changes}
 */
export function together(one, other) {
  const made = { ...one };
  for (const [key, change] of Object.entries(other)) {
    const before = Object.hasOwn(made, key) ? made[key] : undefined;
    if (Array.isArray(before) && Array.isArray(change)) made[key] = [...before, ...change];
    else if (isNode(before) && before.tag === OVERRIDE && Array.isArray(change)) made[key] = override([...before.toJSON(), ...change]);
    else made[key] = isMapping(before) && isMapping(change) ? together(before, change) : change;
  }
  return made;
}

/** @param {unknown} value @returns {value is Record<string, any>} */
const isMapping = (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && !isNode(value);
