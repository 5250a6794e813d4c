/**
 * Spells: times in which a service behind a proxy had requests and gave no good answer, by the proxy's record. Something held it, or it was
 * slow by itself; a spell does not say which.
 *
 * @typedef {{ from: number, to: number }} Spell  seconds since 1970
 */

/** Shorter times without a good answer are no news where requests come by the second; the lab's own choice. */
export const SPELL_S = 1;
/** Of the requests, that the proxy has to have on record: of those that it leaves out nobody knows whether they were answered well. */
const COVERED_SHARE = 0.9;
/** Of a request's wait, that has to lie in a spell; the lab's own choice. */
const INSIDE_SHARE = 0.5;
/** Who refuses what a user asks for is not held. */
const FIRST_SERVER_ERROR = 500;

/**
 * @param {Pick<import('./front.js').Front, 'sightings'> | null} front
 * @param {number} finished  requests of the load
 * @param {import('../time/window.js').Window} window
 * @returns {Map<string, Spell[]>} of each service that the proxy asked, also of one that has none; empty where too little is on record
 */
export function spellsOf(front, finished, window) {
  if (!front || front.sightings.length < finished * COVERED_SHARE) return new Map();
  /** @type {Map<string, Visit[]>} */
  const visits = new Map();
  for (const { received, ended, asked } of front.sightings) {
    const last = asked.at(-1);
    if (!last) continue;
    const own = visits.get(last.to) ?? [];
    visits.set(last.to, own);
    // An answer that broke off has a status too.
    const isGood = last.message === null && last.status !== null && last.status < FIRST_SERVER_ERROR;
    own.push({ from: received, to: ended ?? window.to, isGood });
  }
  return new Map([...visits].map(([name, own]) => [name, spellsAt(own, window)]));
}

/**
 * Whether a service was held for most of a time.
 * @type {(facts: { spells: Map<string, Spell[]> }, name: string, span: { from: number, to: number }) => Spell | undefined}
 */
export const heldDuring = ({ spells }, name, { from, to }) =>
  spells.get(name)?.find((spell) => Math.min(spell.to, to) - Math.max(spell.from, from) >= (to - from) * INSIDE_SHARE);

/** @typedef {{ from: number, to: number, isGood: boolean }} Visit  a request that the service had, or that waited for it */

/** @param {Visit[]} visits @param {import('../time/window.js').Window} window @returns {Spell[]} */
function spellsAt(visits, window) {
  const answered = visits.filter(({ isGood }) => isGood).map(({ to }) => to);
  const moments = [window.from, ...answered, window.to].sort((one, other) => one - other);
  const gaps = moments.slice(1).map((to, index) => ({ from: moments[index], to }));
  const busy = joined(visits);
  return gaps.filter(isSpell).flatMap((gap) => busy.map((time) => shared(time, gap)).filter(isSpell));
}

/** What two times have in common; where that is nothing, it ends before it begins. @type {(one: Spell, other: Spell) => Spell} */
const shared = (one, other) => ({ from: Math.max(one.from, other.from), to: Math.min(one.to, other.to) });

/** @param {Spell} time */
const isSpell = ({ from, to }) => to - from >= SPELL_S;

/** Times in which it had any. @param {Visit[]} visits @returns {Spell[]} */
function joined(visits) {
  /** @type {Spell[]} */
  const times = [];
  for (const { from, to } of visits.toSorted((one, other) => one.from - other.from)) {
    const last = times.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else times.push({ from, to });
  }
  return times;
}
