/**
 * Cuts the way between two containers of one network, and no other way of theirs: in both network namespaces the neighbour's link
 * address is set to one that nobody has, so that packets are sent and arrive nowhere, as with a cable that is pulled.
 * https://man7.org/linux/man-pages/man8/ip-neighbour.8.html
 *
 * @typedef {import('./network-way.js').End} End
 */
import { checkReach, inNetworkOf, waysOfBoth } from './network-way.js';

/** Administered locally (its second bit), and no container's: the engine gives random ones. */
const NOBODY = '02:00:00:00:00:01';

/** @param {End} one @param {End} other @throws {import('../../base/errors.js').NotInjectedError} */
export async function cutOff(one, other) {
  for (const { from, address, device } of await waysOfBoth(one, other))
    await inNetworkOf(from, ['ip', 'neigh', 'replace', address, 'lladdr', NOBODY, 'nud', 'permanent', 'dev', device]);
}

/** @param {End} one @param {End} other @throws {import('../../base/errors.js').NotInjectedError} */
export async function joinAgain(one, other) {
  for (const { from, address, device } of await waysOfBoth(one, other))
    await inNetworkOf(from, ['ip', 'neigh', 'del', address, 'dev', device]);
}

/**
 * @param {End[]} ends
 * @throws {import('../../base/errors.js').NotReadyError} when this machine cannot do it
 */
export async function checkCutting(ends) {
  for (const end of ends) await checkReach(end, ['ip', '-brief', 'link'], 'nsenter (util-linux) and ip (iproute2)');
}
