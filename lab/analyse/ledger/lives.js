/**
 * Times in which a tier was not there, or stood still though it ran.
 *
 * @typedef {{ name: string, tier: string, from: number, to: number, exitCode: number | null, outOfMemory: boolean }} Death
 *   a time in which a service was not there, seconds since 1970
 *
 * @typedef {{ name: string, tier: string, from: number, to: number }} Stall  a time in which a service did nothing, though it ran
 */

/** Records are written once a second. On a busy machine the longest gap of 30 healthy runs was 2.0 s; a pause of 5 s shows as 6. */
const STALL_S = 3;
/** Nodes write their record once a second. */
const READING_S = 1;
/** Of a gap, how long requests that a node had when it began may take to be answered to nobody. */
const DRAINED_S = 1.5;
/** The kernel's word that it killed for want of memory may come just after the end that it explains. */
const OUT_OF_MEMORY_S = 2;

/**
 * Services that ended by themselves before the load had ended, each time that they did.
 * @param {import('../read-raw.js').Raw} raw
 * @param {import('../window.js').Window} window
 * @returns {Death[]}
 */
export function deathsOf({ finalStates, events }, window) {
  return finalStates
    .filter(({ tier }) => tier !== 'generator' && tier !== 'observer')
    .flatMap((state) => {
      const own = events.filter(({ name }) => name === state.name);
      const told = own.filter(({ action }) => action === 'die').map((death) => toldDeath(death, own, state));
      return told.length > 0 ? told : lastDeath(state);
    })
    .filter(({ from, to }) => from > window.warmupFrom && from < window.to && to > window.from);
}

/** @typedef {import('../read-raw.js').Raw['events'][number]} Event */

/** @param {Event} death @param {Event[]} own of the same service @param {any} state @returns {Death} */
function toldDeath({ t, exit_code: exitCode }, own, { name, tier, out_of_memory: outOfMemory }) {
  const back = own.find((event) => event.action === 'start' && event.t > t);
  const killed = own.some((event) => event.action === 'oom' && Math.abs(event.t - t) < OUT_OF_MEMORY_S);
  return {
    name,
    tier,
    from: t,
    to: back?.t ?? Number.POSITIVE_INFINITY,
    exitCode,
    outOfMemory: killed || (back === undefined && outOfMemory),
  };
}

/** What the last state tells of a container whose events were not heard. @param {any} state @returns {Death[]} */
function lastDeath({ name, tier, running, started, finished, exit_code: exitCode, out_of_memory: outOfMemory }) {
  const from = Date.parse(finished) / 1000;
  // A container that never ended says that it did so in the year 1.
  if (!(from > 0)) return [];
  const to = running ? Date.parse(started) / 1000 : Number.POSITIVE_INFINITY;
  return [{ name, tier, from, to, exitCode: running ? null : exitCode, outOfMemory }];
}

/**
 * Times in which a tier's own record pauses: the database answered not even its observer, a node not even its own clock, the
 * proxy finished no request although no tier behind it paused, and no node had a request to work on.
 * @param {import('../read-raw.js').Raw} raw
 * @param {import('../window.js').Window} window
 * @param {object} about
 * @param {{ name: string, tier: string }[]} about.services
 * @param {import('./front.js').Front | null} about.front
 * @param {Death[]} about.deaths  what is gone does not stand still
 * @returns {Stall[]} those furthest from the client first
 */
export function stallsOf(raw, window, { services, front, deaths }) {
  const named = (/** @type {string} */ tier) => services.filter((service) => service.tier === tier);
  const gapsIn = (/** @type {{ name: string, tier: string }} */ { name, tier }, /** @type {{ t: number }[]} */ rows) =>
    rows
      .map((row, index) => ({ name, tier, from: row.t, to: rows[index + 1]?.t ?? window.to }))
      .filter(({ from, to }) => to - from > STALL_S && to > window.from && from < window.to)
      .filter(({ from, to }) => !deaths.some((death) => death.name === name && death.from < to && death.to > from));
  const behind = [
    ...named('database').flatMap((service) =>
      gapsIn(
        service,
        raw.database.filter((row) => row.connections),
      ),
    ),
    ...named('app').flatMap((service) => gapsIn(service, raw.nodes[service.name] ?? [])),
  ];
  // Where a node keeps no record, nobody can say that it had nothing to work on.
  const isTold = front?.coverage.requests === 'full' && named('app').every(({ name }) => raw.nodes[name]);
  const finished = (isTold ? front.sightings : []).flatMap(({ ended }) => (ended === null ? [] : [{ t: ended }]));
  const before = (isTold ? [{ name: front.service, tier: front.tier }] : [])
    .flatMap((service) => gapsIn(service, finished))
    .filter(({ from, to }) => !behind.some((other) => other.from < to && other.to > from))
    // With the gap's end comes what had waited.
    .filter(({ from, to }) => !isWorkedOn(raw.nodes, from + DRAINED_S, to - READING_S));
  return [...behind, ...before];
}

/** Whether a node had requests in a time: what waits there has passed the balancer. @type {(nodes: import('../read-raw.js').Raw['nodes'], from: number, to: number) => boolean} */
const isWorkedOn = (nodes, from, to) =>
  Object.values(nodes).some((rows) => rows.some(({ t, in_flight: open }) => t > from && t < to && open > 0));
