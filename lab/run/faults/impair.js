/**
 * Makes the way between two containers of one network a bad one, and no other way of theirs: packets that are lost, answers that take
 * longer.
 *
 * Packets are lost where they arrive, so that who sent them does not know. The way out of the first container has a delay of its own,
 * and all else that leaves it passes beside that: https://man7.org/linux/man-pages/man8/tc-netem.8.html
 *
 * @typedef {import('./network-way.js').End} End
 */
import { checkReach, inNetworkOf, waysBetween, waysOfBoth } from './network-way.js';

/** For documentation (RFC 5737), so nobody's: what is tried with it changes nothing. */
const NOBODY = '192.0.2.1';
/** Packets that may be under way in a delay; netem's own 1,000 would lose what a busy way has in 100 ms. */
const UNDER_WAY_MOST = 100_000;
/** More than any container's way has. */
const NO_LIMIT = '100gbit';

/** @type {(change: '-I' | '-D', from: string, share: number) => string[]} */
const lossRule = (change, from, share) => [
  'iptables',
  '-w',
  change,
  'INPUT',
  '-s',
  from,
  '-m',
  'statistic',
  '--mode',
  'random',
  '--probability',
  String(share),
  '-j',
  'DROP',
];

/**
 * @param {End} one @param {End} other
 * @param {number} share  of the packets in each direction, 0 to 1
 * @throws {import('../../base/errors.js').NotInjectedError}
 */
export const losePackets = (one, other, share) => onArrival('-I', one, other, share);

/** @param {End} one @param {End} other @param {number} share  that it was begun with @throws {import('../../base/errors.js').NotInjectedError} */
export const losePacketsNoMore = (one, other, share) => onArrival('-D', one, other, share);

/** @type {(change: '-I' | '-D', one: End, other: End, share: number) => Promise<void>} */
async function onArrival(change, one, other, share) {
  for (const { from, address } of await waysOfBoth(one, other)) await inNetworkOf(from, lossRule(change, address, share));
}

/**
 * @param {End} one @param {End} other
 * @param {number} delayMs  added to each packet from the one to the other, so to each round trip
 * @throws {import('../../base/errors.js').NotInjectedError}
 */
export async function delayPackets(one, other, delayMs) {
  for (const { device, addresses } of byDevice(await waysBetween(one, other))) {
    for (const command of [
      `qdisc add dev ${device} root handle 1: htb default 1`,
      `class add dev ${device} parent 1: classid 1:1 htb rate ${NO_LIMIT}`,
      `class add dev ${device} parent 1: classid 1:2 htb rate ${NO_LIMIT}`,
      `qdisc add dev ${device} parent 1:2 netem delay ${delayMs}ms limit ${UNDER_WAY_MOST}`,
      ...addresses.map((address) => `filter add dev ${device} parent 1: protocol ip u32 match ip dst ${address}/32 flowid 1:2`),
    ])
      await inNetworkOf(one, ['tc', ...command.split(' ')]);
  }
}

/** @param {End} one @param {End} other @throws {import('../../base/errors.js').NotInjectedError} */
export async function delayPacketsNoMore(one, other) {
  for (const { device } of byDevice(await waysBetween(one, other))) await inNetworkOf(one, ['tc', 'qdisc', 'del', 'dev', device, 'root']);
}

/** @param {import('./network-way.js').Way[]} ways */
const byDevice = (ways) =>
  [...new Set(ways.map(({ device }) => device))].map((device) => ({
    device,
    addresses: ways.filter((way) => way.device === device).map(({ address }) => address),
  }));

/**
 * @param {End[]} ends
 * @throws {import('../../base/errors.js').NotReadyError} when this machine cannot do it
 */
export async function checkLosing(ends) {
  for (const end of ends) {
    for (const change of /** @type {const} */ (['-I', '-D']))
      await checkReach(end, lossRule(change, NOBODY, 0.5), 'nsenter (util-linux) and iptables with its match "statistic"');
  }
}

/**
 * @param {End[]} ends
 * @throws {import('../../base/errors.js').NotReadyError} when this machine cannot do it
 */
export async function checkDelaying(ends) {
  for (const end of ends) {
    await checkReach(end, 'tc qdisc add dev lo root netem delay 0ms'.split(' '), 'nsenter, tc (iproute2) and a kernel with netem');
    await inNetworkOf(end, 'tc qdisc del dev lo root'.split(' '));
  }
}
