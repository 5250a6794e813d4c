/**
 * What was read beside the wire once a second: each container's CPU, throttling and accept queue, the machine, and the engine's events; by
 * moments, so that what failed is compared with calm seconds and not with the whole run.
 *
 * @typedef {object} Sampled
 * @property {(name: string, moments: number[]) => Use | null} use   null where it was not read
 * @property {(moments: number[]) => number | null} busy             share of the machine's CPU, 0 to 1
 * @property {(name: string, moments: number[]) => { middle: number, most: number } | null} queued  connections that wait to be accepted
 * @property {(name: string, moments: number[]) => { used: number, range: number } | null} ports  local ports towards one destination, the most
 * @property {Away[]} away           times in which a container was not there, or paused
 * @property {string[]} names        of containers that were read
 * @property {number} cores          of the machine
 * @property {Record<string, number | null>} quotas  of each container, in cores; null where it has none
 *
 * @typedef {Sampled & import('./strains.js').Strains} Readings
 *
 * @typedef {{ cores: number, throttled: number }} Use  throttled: share of quota periods, 0 to 1
 * @typedef {{ name: string, from: number, to: number, how: 'ended' | 'paused' | 'killed', exitCode: number | null, outOfMemory: boolean }} Away  to:
 *   infinite where it did not come back; killed: one of its processes, for want of memory, and the container went on
 */
import { READING_MOST_S, Rows } from './rows.js';
import { average, grouped, middle, some, spread, upTo } from './spread.js';
import { strainsOf } from './strains.js';

/** More moments tell no more. */
const MOMENTS_MOST = 200;
/** The kernel's word that it killed for want of memory may come just after the end that it explains. */
const OUT_OF_MEMORY_S = 2;

/**
 * @param {Pick<import('../read-raw.js').Raw, 'containers' | 'kernel' | 'host' | 'events' | 'finalStates' | 'manifest' | 'adapted'>} raw
 * @returns {Readings}
 */
export function readingsOf(raw) {
  const { containers, kernel, host, events, finalStates, manifest } = raw;
  const use = new Map([...grouped(containers, ({ name }) => name)].map(([name, rows]) => [name, stepsOf(rows)]));
  const sockets = grouped(kernel, ({ name }) => name);
  const queues = new Map([...sockets].map(([name, rows]) => [name, new Rows(rows)]));
  const machine = host.map(({ t }) => t);
  return {
    use(name, moments) {
      const own = use.get(name);
      const found = own ? some(moments, MOMENTS_MOST).flatMap((at) => stepAt(own, at)) : [];
      if (found.length === 0) return null;
      return { cores: average(found.map(({ cores }) => cores)), throttled: average(found.map(({ throttled }) => throttled)) };
    },
    busy(moments) {
      const found = some(moments, MOMENTS_MOST).flatMap((at) => {
        const next = upTo(machine, at);
        const [before, after] = [host[next - 1], host[next]];
        if (!before || !after || after.t - before.t > READING_MOST_S || after.cpu_total_s <= before.cpu_total_s) return [];
        return [(after.cpu_busy_s - before.cpu_busy_s) / (after.cpu_total_s - before.cpu_total_s)];
      });
      return found.length === 0 ? null : average(found);
    },
    queued(name, moments) {
      const found =
        queues.get(name)?.levels(moments, ({ accept }) => accept && Math.max(...accept.map((/** @type {any} */ one) => one.queued))) ?? [];
      return found.length === 0 ? null : { middle: middle(found), most: spread(found, 1) };
    },
    ports(name, moments) {
      const [first, last] = [moments[0], moments.at(-1) ?? moments[0]];
      const found = (sockets.get(name) ?? []).flatMap(({ t, ports }) => {
        if (!ports || t < first - READING_MOST_S || t > last + READING_MOST_S) return [];
        const used = Math.max(0, .../** @type {number[]} */ (Object.values(ports.by_destination)));
        return [{ used, range: ports.range[1] - ports.range[0] + 1 }];
      });
      return found.reduce((most, one) => (most === null || one.used > most.used ? one : most), /** @type {any} */ (null));
    },
    ...strainsOf(raw),
    away: awayOf(events, finalStates),
    names: [...use.keys()],
    cores: manifest.machine?.cores ?? 1,
    quotas: Object.fromEntries((manifest.services ?? []).map((/** @type {any} */ one) => [one.name, one.cpu_quota_cores ?? null])),
  };
}

/** @typedef {{ steps: ({ to: number } & Use)[], times: number[] }} Steps  times: when each begins */

/** @param {any[]} rows of a container, counters @returns {Steps} */
function stepsOf(rows) {
  const steps = rows.slice(1).flatMap((row, index) => {
    const before = rows[index];
    const [seconds, periods] = [row.t - before.t, row.periods - before.periods];
    // One that was started again counts from zero again.
    if (seconds <= 0 || seconds > READING_MOST_S || row.cpu_s < before.cpu_s) return [];
    const throttled = periods > 0 ? (row.throttled_periods - before.throttled_periods) / periods : 0;
    return [{ from: before.t, to: row.t, cores: (row.cpu_s - before.cpu_s) / seconds, throttled }];
  });
  return { steps, times: steps.map(({ from }) => from) };
}

/** @param {Steps} own @param {number} at @returns {Use[]} none or one */
function stepAt({ steps, times }, at) {
  const step = steps[upTo(times, at) - 1];
  return step && at <= step.to ? [step] : [];
}

/** @param {any[]} events @param {any[]} finalStates @returns {Away[]} */
function awayOf(events, finalStates) {
  return [...grouped(events, ({ name }) => name)].flatMap(([name, own]) => {
    const isOut = finalStates.find((state) => state.name === name)?.out_of_memory === true;
    const ended = own.filter(({ action }) => action === 'die');
    const isNearOom = (/** @type {number} */ at) => own.some(({ action, t }) => action === 'oom' && Math.abs(t - at) < OUT_OF_MEMORY_S);
    const backAt = (/** @type {number} */ at, /** @type {string} */ by) =>
      own.find(({ action, t }) => action === by && t > at)?.t ?? Number.POSITIVE_INFINITY;
    return [
      ...ended.map(({ t: from, exit_code: exitCode }) => {
        const to = backAt(from, 'start');
        return {
          name,
          from,
          to,
          exitCode,
          how: /** @type {const} */ ('ended'),
          outOfMemory: isNearOom(from) || (isOut && !Number.isFinite(to)),
        };
      }),
      ...own
        .filter(({ action }) => action === 'pause')
        .map(({ t: from }) => ({
          name,
          from,
          to: backAt(from, 'unpause'),
          exitCode: null,
          how: /** @type {const} */ ('paused'),
          outOfMemory: false,
        })),
      ...own
        .filter(({ action, t }) => action === 'oom' && !ended.some((end) => Math.abs(end.t - t) < OUT_OF_MEMORY_S))
        .map(({ t: from }) => ({
          name,
          from,
          to: from + OUT_OF_MEMORY_S,
          exitCode: null,
          how: /** @type {const} */ ('killed'),
          outOfMemory: true,
        })),
    ];
  });
}
