import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { NotInjectedError, NotReadyError } from '../../base/errors.ts';
import { withProgram } from '../../docker/fixtures/docker-program.ts';
import { checkCutting, cutOff } from './cut-off.ts';
import { losePackets, removePacketLoss } from './network-faults.ts';

const [ONE, OTHER] = ['app-1', 'mongo'].map((name, index) => ({
	...{ name, id: name, pid: 70 + index },
	addresses: [`172.18.0.${2 + index}`, `10.0.0.${2 + index}`],
}));

/**
 * What is done in the networks of containers, of which each reaches the other's first address alone as a neighbour.
 * @param route to a neighbour, as `ip route get` prints it
 * @returns each command, behind the process whose network it is done in
 */
async function doneInNetworks(route: string, use: () => Promise<void>): Promise<string[]> {
	const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-network-'));
	try {
		const does = `case "$*" in
*" route get 172.18."*) echo '${route}' ;;
*" route get "*) echo '10.0.0.3 via 172.18.0.1 dev eth0 src 172.18.0.2 uid 0' ;;
*) echo "$*" >>'${folder}/done' ;;
esac`;
		await withProgram('nsenter', does, use);
		return readFileSync(join(folder, 'done'), 'utf8').trim().split('\n');
	} finally {
		rmSync(folder, { recursive: true });
	}
}

const NEIGHBOUR = '172.18.0.3 dev eth1 src 172.18.0.2 uid 0';

test('a way is cut at both its ends, by the device that leads to the neighbour and not behind a gateway', async () => {
	assert.deepEqual(await doneInNetworks(NEIGHBOUR, () => cutOff(ONE, OTHER)), [
		'--net=/proc/70/ns/net ip neigh replace 172.18.0.3 lladdr 02:00:00:00:00:01 nud permanent dev eth1',
		'--net=/proc/71/ns/net ip neigh replace 172.18.0.2 lladdr 02:00:00:00:00:01 nud permanent dev eth1',
	]);
	await assert.rejects(
		doneInNetworks('', () => cutOff(ONE, OTHER)),
		(error) => error instanceof NotInjectedError && /app-1 and mongo have no network in common/.test(error.message),
	);
});

test('packets are lost where they arrive, and no more by the same rule', async () => {
	const done = await doneInNetworks(NEIGHBOUR, async () => {
		await losePackets(ONE, OTHER, 0.05);
		await removePacketLoss(ONE, OTHER, 0.05);
	});
	const rule = (change: string, pid: number, from: string) =>
		`--net=/proc/${pid}/ns/net iptables -w ${change} INPUT -s ${from} -m statistic --mode random --probability 0.05 -j DROP`;
	const both = (change: string) => [rule(change, 70, '172.18.0.3'), rule(change, 71, '172.18.0.2')];
	assert.deepEqual(done, [...both('-I'), ...both('-D')]);
});

test('a container whose network is not on this machine is reported before the load', async () => {
	await assert.rejects(
		checkCutting([{ name: 'app-1', id: 'c0ffee', pid: 2 ** 30, addresses: [] }]),
		(error) => error instanceof NotReadyError && /reach the network of app-1/.test(error.message),
	);
});

test('a process of this machine that has the number of a container elsewhere is not that container', async () => {
	await assert.rejects(
		checkCutting([{ name: 'app-1', id: 'c0ffee', pid: process.pid, addresses: [] }]),
		(error) => error instanceof NotReadyError && /no process of it on this machine/.test(error.message),
	);
});
