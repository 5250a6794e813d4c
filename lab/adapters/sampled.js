/**
 * What a service told of its state once a second: counters that only grow, what was used of a limit, and how much of the load
 * the samples cover.
 *
 * @typedef {import('./contract.js').About['window']} Window
 * @typedef {{ t: number, value: number }[]} Points
 */
import { isDuring } from './whole-lines.js';

/** Samples are taken once a second; on a busy machine the longest gap of 30 healthy runs was 2.0 s (../analyse/ledger/lives.js). */
const GAP_MOST_S = 3;

/**
 * A counter over the load and the last sample before it, from which it is counted. A counter that fell began anew with its
 * service: what it had reached before stays counted.
 * @param {any[]} samples
 * @param {Window} window
 * @param {(sample: any) => unknown} read  what is no number is left out
 * @returns {Points}
 */
export function growing(samples, window, read) {
  /** @type {Points} */
  const points = [];
  let reached = 0;
  let last = 0;
  for (const sample of samples) {
    const value = read(sample);
    if (typeof value !== 'number' || !Number.isFinite(value)) continue;
    if (value < last) reached += last;
    last = value;
    points.push({ t: sample.t, value: reached + value });
  }
  const start = points.findLastIndex(({ t }) => t <= window.from);
  return points.slice(Math.max(start, 0)).filter(({ t }) => t <= window.to);
}

/**
 * Counters by name; one of which no sample tells is left out.
 * @param {any[]} samples
 * @param {Window} window
 * @param {Record<string, (sample: any) => unknown>} values
 */
export function countersOf(samples, window, values) {
  /** @type {Record<string, Points>} */
  const counters = {};
  for (const [name, read] of Object.entries(values)) {
    const points = growing(samples, window, read);
    if (points.length > 0) counters[name] = points;
  }
  return counters;
}

/**
 * @param {string} resource
 * @param {any[]} samples
 * @param {Window} window
 * @param {(sample: any) => unknown} sizeOf  the last one told counts; nothing above zero is no limit
 * @param {(sample: any, size: number) => unknown} usedOf
 * @returns {import('./contract.js').Limit[]} one, or none
 */
export function limitOf(resource, samples, window, sizeOf, usedOf) {
  const size = samples.map(sizeOf).findLast((value) => typeof value === 'number' && Number.isFinite(value));
  if (typeof size !== 'number' || size <= 0) return [];
  const used = samples.flatMap((sample) => {
    const value = usedOf(sample, size);
    return isDuring(sample.t, window) && typeof value === 'number' && Number.isFinite(value) ? [{ t: sample.t, used: value }] : [];
  });
  return used.length > 0 ? [{ resource, size, used }] : [];
}

/** Seconds of the load, at the longest, without a sample. @param {{ t: number }[]} samples @param {Window} window */
export function longestGap(samples, window) {
  const times = [window.from, ...samples.map(({ t }) => t).filter((t) => isDuring(t, window)), window.to];
  return Math.max(...times.slice(1).map((t, index) => t - times[index]));
}

/** How much of the load the samples cover. @param {{ t: number }[]} samples @param {Window} window @returns {import('./contract.js').Extent} */
export function sampledExtent(samples, window) {
  if (!samples.some(({ t }) => isDuring(t, window))) return 'none';
  return longestGap(samples, window) > GAP_MOST_S ? 'partial' : 'full';
}

/**
 * The sentence for what the samples leave open; none where they cover the load.
 * @param {string} service
 * @param {{ t: number }[]} samples
 * @param {Window} window
 * @param {string} why  what it would have taken, where there is none
 * @returns {string[]}
 */
export function unsampled(service, samples, window, why) {
  const extent = sampledExtent(samples, window);
  if (extent === 'full') return [];
  if (extent === 'none') return [`${service} told nothing of its state (${why}): what ran full in it is not known`];
  const gapS = longestGap(samples, window).toFixed(0);
  return [`${service} told nothing of its state for up to ${gapS} s of the load: what ran full then is not known`];
}
