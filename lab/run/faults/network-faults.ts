/**
 * Makes the way between two containers of one network a bad one, and no other way of theirs: packets that are lost, answers that take
 * longer.
 *
 * Packets are lost where they arrive, so that who sent them does not know. The way out of the first container has a delay of its own,
 * and all else that leaves it passes beside that: https://man7.org/linux/man-pages/man8/tc-netem.8.html
 */

import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { promisify } from 'node:util';
import { NotInjectedError, NotReadyError } from '../../base/errors.ts';
import { isOnThisKernel } from '../../docker/cgroup.ts';
import type { Service } from '../../docker/containers.ts';

/** The way between two containers of one network, and the commands that change it in their network namespaces, from this machine. */
export type End = Pick<Service, 'name' | 'id' | 'pid' | 'addresses'>;

/** to the other end's address, through that device */
type Way = { from: End; address: string; device: string };

const executed = promisify(execFile);

const LIMIT_MS = 5000;

/**
 * Worded before the load: in the middle of it, it would cost the run.
 * @param command a harmless one of the program that is to be used
 * @param needed for the message: what is expected of the machine
 * @throws {NotReadyError} when this machine cannot do it
 */
export async function checkReach(end: End, command: string[], needed: string) {
	const isReachable = await access(namespaceOf(end), constants.R_OK).then(
		() => isOnThisKernel(end),
		() => false,
	);
	if (!isReachable)
		throw new NotReadyError(
			`FAULT: expected to reach the network of ${end.name}, to change a way of it; found no process of it on this machine.`,
			'run Doubletake as root on the machine that runs the containers, or choose another fault.',
		);
	await inNetworkOf(end, command).catch((error) => {
		throw new NotReadyError(
			`FAULT: expected ${needed}, to change a way of ${end.name}; found ${error.message}.`,
			'install what is missing and run Doubletake as root, or choose another fault.',
		);
	});
}

/**
 * @returns from the one to the other; at least one
 * @throws {NotInjectedError} where they have no network in common
 */
async function waysBetween(one: End, other: End): Promise<Way[]> {
	const routes = await Promise.all(
		other.addresses.map(async (address) => ({ address, text: await inNetworkOf(one, ['ip', '-oneline', 'route', 'get', address]) })),
	);
	const ways = routes.flatMap(({ address, text }) => {
		const device = deviceOf(text);
		return device === null ? [] : [{ from: one, address, device }];
	});
	if (ways.length === 0) throw new NotInjectedError(`${one.name} and ${other.name} have no network in common`);
	return ways;
}

/**
 * In both directions.
 * @throws {NotInjectedError} as waysBetween
 */
export const waysOfBoth = async (one: End, other: End) => [...(await waysBetween(one, other)), ...(await waysBetween(other, one))];

/**
 * @param route as `ip route get` prints it
 * @returns null where a gateway is between
 */
const deviceOf = (route: string): string | null => (/ via /.test(route) ? null : (/ dev (\S+)/.exec(route)?.[1] ?? null));

const namespaceOf = ({ pid }: Pick<End, 'pid'>) => `/proc/${pid}/ns/net`;

/**
 * @returns what it prints
 * @throws {NotInjectedError}
 */
export async function inNetworkOf(end: End, command: string[]): Promise<string> {
	try {
		return (await executed('nsenter', [`--net=${namespaceOf(end)}`, ...command], { timeout: LIMIT_MS })).stdout;
	} catch (error) {
		const { stderr, message } = error as Error & { stderr?: string };
		throw new NotInjectedError(
			`"${command.join(' ')}" failed in the network of ${end.name}: ${(stderr?.trim() || message.split('\n')[0]).replace(/\.$/, '')}`,
		);
	}
}

/** For documentation (RFC 5737), so nobody's: what is tried with it changes nothing. */
const NOBODY = '192.0.2.1';
/** Packets that may be under way in a delay; netem's own 1,000 would lose what a busy way has in 100 ms. */
const UNDER_WAY_MOST = 100_000;
/** More than any container's way has. */
const NO_LIMIT = '100gbit';

const lossRule: (change: '-I' | '-D', from: string, share: number) => string[] = (change, from, share) => [
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
 * @param share of the packets in each direction, 0 to 1
 * @throws {import('../../base/errors.ts').NotInjectedError}
 */
export const losePackets = (one: End, other: End, share: number) => onArrival('-I', one, other, share);

/**
 * @param share that it was begun with
 * @throws {import('../../base/errors.ts').NotInjectedError}
 */
export const removePacketLoss = (one: End, other: End, share: number) => onArrival('-D', one, other, share);

async function onArrival(change: '-I' | '-D', one: End, other: End, share: number): Promise<void> {
	for (const { from, address } of await waysOfBoth(one, other)) await inNetworkOf(from, lossRule(change, address, share));
}

/**
 * @param delayMs added to each packet from the one to the other, so to each round trip
 * @throws {import('../../base/errors.ts').NotInjectedError}
 */
export async function delayPackets(one: End, other: End, delayMs: number) {
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

/** @throws {import('../../base/errors.ts').NotInjectedError} */
export async function removePacketDelay(one: End, other: End) {
	for (const { device } of byDevice(await waysBetween(one, other))) await inNetworkOf(one, ['tc', 'qdisc', 'del', 'dev', device, 'root']);
}

const byDevice = (ways: Way[]) =>
	[...new Set(ways.map(({ device }) => device))].map((device) => ({
		device,
		addresses: ways.filter((way) => way.device === device).map(({ address }) => address),
	}));

/** @throws {import('../../base/errors.ts').NotReadyError} when this machine cannot do it */
export async function checkLosing(ends: End[]) {
	for (const end of ends) {
		for (const change of ['-I', '-D'] as const)
			await checkReach(end, lossRule(change, NOBODY, 0.5), 'nsenter (util-linux) and iptables with its match "statistic"');
	}
}

/** @throws {import('../../base/errors.ts').NotReadyError} when this machine cannot do it */
export async function checkDelaying(ends: End[]) {
	for (const end of ends) {
		await checkReach(end, 'tc qdisc add dev lo root netem delay 0ms'.split(' '), 'nsenter, tc (iproute2) and a kernel with netem');
		await inNetworkOf(end, 'tc qdisc del dev lo root'.split(' '));
	}
}
