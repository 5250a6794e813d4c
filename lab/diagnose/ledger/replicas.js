/**
 * Services of several containers behind one name. A proxy that was given the name logs the name, and not which container it asked: the
 * container that has the request on record says so.
 *
 * @typedef {import('../../adapters/contract.js').HopRecord} HopRecord
 * @typedef {import('../../adapters/contract.js').Sighting} Sighting
 * @typedef {import('../../adapters/contract.js').Asked} Asked
 */

/**
 * @param {{ name: string, service?: string }[]} services  name: of the container; service: Compose's, common to several
 * @returns {Map<string, string[]>} containers by the name that they have in common; only where there are several
 */
export function replicasOf(services) {
  /** @type {Map<string, string[]>} */
  const all = new Map();
  for (const { name, service = name } of services) all.set(service, [...(all.get(service) ?? []), name]);
  return new Map([...all].filter(([, names]) => names.length > 1));
}

/**
 * @param {HopRecord[]} hops
 * @param {Map<string, string[]>} replicas
 * @returns {HopRecord[]} that name the container where it is on record; what none has seen keeps the common name
 */
export function withReplicas(hops, replicas) {
  if (replicas.size === 0) return hops;
  const seen = new Map([...replicas].map(([common, names]) => [common, sightedIn(hops, names)]));
  return hops.map((record) => {
    const common = [...replicas.keys()].filter((name) => record.sightings.some(({ asked }) => asked.some(({ to }) => to === name)));
    if (common.length === 0) return record;
    const sightings = record.sightings.map((sighting) =>
      common.reduce((known, name) => named(known, name, seen.get(name)?.get(sighting.id) ?? []), sighting),
    );
    return { ...record, sightings, asked_by_name: common };
  });
}

/** Which of these had a request, in the order of time. @param {HopRecord[]} hops @param {string[]} names @returns {Map<string, string[]>} */
function sightedIn(hops, names) {
  const all = hops.filter(({ service }) => names.includes(service)).flatMap(({ sightings }) => sightings);
  /** @type {Map<string, string[]>} */
  const byId = new Map();
  for (const { id, service } of all.toSorted((one, other) => one.received - other.received))
    if (id !== '') byId.set(id, [...(byId.get(id) ?? []), service]);
  return byId;
}

/**
 * As many attempts as containers saw are theirs, in their order: all of them, or else those that were answered. Where neither is so many,
 * nobody knows which.
 * @param {Sighting} sighting @param {string} common @param {string[]} saw
 */
function named(sighting, common, saw) {
  const open = sighting.asked.filter(({ to }) => to === common);
  const theirs = [open, open.filter(({ status }) => status !== null)].find(({ length }) => length === saw.length);
  if (open.length === 0 || saw.length === 0 || theirs === undefined) return sighting;
  const names = new Map(theirs.map((attempt, index) => [attempt, saw[index]]));
  return { ...sighting, asked: sighting.asked.map((attempt) => renamed(attempt, names.get(attempt))) };
}

/** @param {Asked} attempt @param {string | undefined} to @returns {Asked} */
const renamed = (attempt, to) =>
  to === undefined ? attempt : { ...attempt, to, message: attempt.message === null ? null : { ...attempt.message, to } };
