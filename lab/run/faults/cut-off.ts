/**
 * Cuts the way between two containers of one network, and no other way of theirs: in both network namespaces the neighbour's link
 * address is set to one that nobody has, so that packets are sent and arrive nowhere, as with a cable that is pulled.
 * https://man7.org/linux/man-pages/man8/ip-neighbour.8.html
 */

import { checkReach, type End, inNetworkOf, waysOfBoth } from './network-faults.ts';

/** Administered locally (its second bit), and no container's: the engine gives random ones. */
const CUT_OFF_NOBODY = '02:00:00:00:00:01';

/** @throws {import('../../base/errors.ts').NotInjectedError} */
export async function cutOff(one: End, other: End) {
	for (const { from, address, device } of await waysOfBoth(one, other))
		await inNetworkOf(from, ['ip', 'neigh', 'replace', address, 'lladdr', CUT_OFF_NOBODY, 'nud', 'permanent', 'dev', device]);
}

/** @throws {import('../../base/errors.ts').NotInjectedError} */
export async function joinAgain(one: End, other: End) {
	for (const { from, address, device } of await waysOfBoth(one, other))
		await inNetworkOf(from, ['ip', 'neigh', 'del', address, 'dev', device]);
}

/** @throws {import('../../base/errors.ts').NotReadyError} when this machine cannot do it */
export async function checkCutting(ends: End[]) {
	for (const end of ends) await checkReach(end, ['ip', '-brief', 'link'], 'nsenter (util-linux) and ip (iproute2)');
}
