/**
 * In which order services are stopped so that the counts add up: who asks before who is asked, so that each finishes what it was
 * asked, and nothing asks what is gone.
 */
import { reachableFrom } from './edges.js';

/**
 * @param {string[]} entries  services
 * @param {[string, string][]} edges  who asks whom
 * @param {string[]} services
 * @returns {string[][]} groups that stop together, one after the other; that of the entries is the first, the last is of those that no request
 *   passes
 */
export function stopOrder(entries, edges, services) {
  const pairs = edges.map(([from, to]) => ({ from, to, reason: '' }));
  const onWay = [...new Set(entries.flatMap((entry) => [...reachableFrom(entry, pairs)]))];
  /** @type {string[][]} */
  const groups = [];
  let waiting = onWay;
  while (waiting.length > 0) {
    const isAsked = (/** @type {string} */ service) => edges.some(([from, to]) => to === service && from !== to && waiting.includes(from));
    const free = waiting.filter((service) => !isAsked(service));
    // Those that ask each other in a circle: the one that requests come to first.
    const group = free.length > 0 ? free : waiting.slice(0, 1);
    groups.push(group);
    waiting = waiting.filter((service) => !group.includes(service));
  }
  const others = services.filter((service) => !onWay.includes(service));
  return others.length > 0 ? [...groups, others] : groups;
}
