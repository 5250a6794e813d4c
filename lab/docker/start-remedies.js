/**
 * What to do when a stack did not start: by what Compose and the engine say, which speak of their own parts and seldom of a way out,
 * else by how a container stands. Pure.
 *
 * @typedef {Pick<import('./unwell.js').Unwell, 'state' | 'service' | 'isOutOfMemory'>} Standing
 */

/** First match wins. @type {[RegExp, string][]} */
const BY_WORDS = [
  [
    /Pool overlaps|invalid pool request/i,
    'the file gives a network a subnet that another network of this machine has: stop your own copy (docker compose down), or leave out "ipam".',
  ],
  [/address pools have been fully subnetted/i, 'this machine has no subnet left: remove networks that nobody uses (docker network prune).'],
  [/port is already allocated|address already in use/i, 'stop the program that listens on that port.'],
  [
    /could not select device driver|unknown or invalid runtime name|error gathering device information/i,
    'the file wants a device or a runtime that this machine has not: leave it out in a second Compose file.',
  ],
  [
    /bind source path does not exist|not a directory|Are you trying to mount a directory onto a file/i,
    'create the file that is mounted, or correct its path in the Compose file.',
  ],
  [/exec format error|no matching manifest/i, 'take an image that is made for the processor of this machine.'],
  [/No such image|pull access denied/i, 'build or pull the image first, or correct its name.'],
];

const LEAVE_OUT = 'or leave it out (give it "profiles" in a second Compose file, and name that under "compose" in doubletake.yaml)';

/**
 * @param {string} words  of Compose
 * @param {Standing[]} unwell
 * @param {Pick<import('./unwell.js').Rules, 'isJob'>} [rules]
 * @returns {string} the end of "To do: ..."
 */
export function remedyOf(words, unwell, { isJob = () => false } = {}) {
  const known = BY_WORDS.find(([pattern]) => pattern.test(words));
  if (known) return known[1];
  if (unwell.some(({ isOutOfMemory }) => isOutOfMemory)) return 'give it more memory in the Compose file, or close other programs.';
  if (unwell.some(({ state }) => state === 'unhealthy'))
    return `try its health check in the container (docker compose exec), and correct the check or the service; ${LEAVE_OUT}.`;
  if (unwell.some(({ state }) => state === 'starting'))
    return `see in its log what it waits for, and start that before it (depends_on); ${LEAVE_OUT}.`;
  if (unwell.some(({ state, service }) => state === 'ended' && isJob(service)))
    return 'correct what the lines above name: others start when this job has ended with 0. Volumes are new in a run: is what it needs in them?';
  if (unwell.some(({ state }) => state === 'ended'))
    return `correct what the lines above name; if it is a job that is to end, write "tier: other" for it in doubletake.yaml; ${LEAVE_OUT}.`;
  return 'correct what the lines above name, then run this again.';
}
