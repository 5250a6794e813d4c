import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineName, systemOf } from './measured-system.ts';

const HOSTS = [
	{ name: 'one', boot_id: 'x', cores: 4 },
	{ name: 'two', boot_id: 'x', cores: 4 },
	{ name: 'three', boot_id: 'y', cores: 16 },
];
const SERVICES = [
	{ name: 'nginx', host: 'one' },
	{ name: 'app-1', host: 'two' },
	{ name: 'mongo', host: 'three' },
];
const manifest = { hosts: HOSTS, services: SERVICES, machine: { cores: 4 } };

const systemIn = (manifest: object, host: any[] = []) =>
	systemOf({ manifest: { architecture: 'x', system: { title: 'X', is_followed: true }, ...manifest }, host }, 'k6');

const row = (host: string, t: number, labCpuS: number) => ({ host, t, lab_cpu_s: labCpuS });

test('a run on one engine was on one machine, which holds everything', () => {
	const host = [row('', 1, 0)];
	const [machine, ...others] = systemIn({ machine: { cores: 2 }, services: [{ name: 'a' }] }, host).machines;
	assert.deepEqual([others.length, machine.hosts, machine.cores, machine.rows, machine.holds('a')], [0, [], 2, host, true]);
});

test('hosts with one kernel are one machine', () => {
	const machines = systemIn(manifest).machines;
	assert.deepEqual(
		machines.map(({ hosts, cores }) => [hosts, cores]),
		[
			[['one', 'two'], 4],
			[['three'], 16],
		],
	);
	const held = machines.map(({ holds }) => SERVICES.map(({ name }) => name).filter(holds));
	assert.deepEqual(held, [['nginx', 'app-1'], ['mongo']]);
	assert.deepEqual(
		machines.map((machine) => machineName(machine, machines)),
		['one and two', 'three'],
	);
	assert.equal(machineName(machines[0], [machines[0]]), 'the machine');
});

test('its record is that of one of them, with what the lab used on all', () => {
	const host = [
		row('one', 10, 1),
		row('two', 10.5, 50),
		row('one', 11, 1.2),
		row('two', 11.5, 50.3),
		row('three', 11, 7),
		row('one', 12, 1.4),
	];
	const [first, third] = systemIn(manifest, host).machines;
	assert.deepEqual(
		first.rows.map(({ t, lab_cpu_s: used }) => [t, Number(used.toFixed(3))]),
		[
			[10, 1],
			[11, 1.2],
			[12, 1.7],
		],
	);
	assert.deepEqual(third.rows, [row('three', 11, 7)]);
});

test('a container has the cores of the machine that it is on', () => {
	const { coresUnder } = systemIn(manifest);
	assert.deepEqual([coresUnder('mongo'), coresUnder('nginx'), systemIn({ machine: { cores: 2 } }).coresUnder('a')], [16, 4, 2]);
});
