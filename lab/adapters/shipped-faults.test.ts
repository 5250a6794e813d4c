import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../base/paths.ts';
import { architectures, scenarioOf } from '../catalog/architectures.ts';
import { scenarios } from '../catalog/scenarios.ts';
import { composeFileOf, LAB_FILE, servicesIn } from '../catalog/shipped-services.ts';
import { causes } from '../record/causes.ts';
import { waitedCauses } from '../record/waited-causes.ts';
import { faults, NOT_INJECTED, NOT_TRIED } from './shipped-faults.ts';

/** What the figures of an architecture's services are called. */
const namesIn = (architecture: string) =>
	[composeFileOf(architecture), LAB_FILE].flatMap((file) => Object.values(servicesIn(file)).map(({ labels }) => labels['doubletake.name']));

for (const [id, { title, architecture, load, expected = [], services = {}, change, actions = [], ...fault }] of Object.entries(faults)) {
	test(`${id} names an architecture, a load and causes that there are`, () => {
		assert.ok(title);
		assert.ok(architectures[architecture], architecture);
		assert.ok(scenarios[scenarioOf(architecture)].loads[load], load);
		for (const { cause, amplifiers = [] } of expected) for (const named of [cause, ...amplifiers]) assert.ok(causes[named], named);
	});

	test(`${id} touches only services that its architecture has, in the order of time`, () => {
		const names = namesIn(architecture);
		const reported = [
			...Object.keys(services),
			...actions.flatMap(({ service, other = service }) => [String(service), String(other)]),
			...expected.flatMap(({ services: named }) => named ?? []),
			...(fault.near_misses ?? []).flatMap((miss) => miss.services ?? []),
		];
		for (const name of reported) assert.ok(names.includes(name), name);
		const times = actions.map(({ at }) => at);
		assert.deepEqual(
			times,
			times.toSorted((one, other) => Number(one) - Number(other)),
		);
	});

	test(`${id} finds what it changes in the balancer's conf, if it changes any`, () => {
		if (!change) return;
		const text = readFileSync(join(ROOT, 'nginx', `${architecture}.conf`), 'utf8');
		assert.notEqual(change.changed(text), null);
	});

	test(`${id} asks something of the diagnosis`, () => {
		const asked = [fault.saturated, fault.validity, fault.near_misses].filter((one) => one !== undefined);
		assert.ok(expected.length > 0 || asked.length > 0 || faults[id].expected?.length === 0);
	});
}

test('every cause is put in by a fault, as trigger or as amplifier, or it is said why not', () => {
	const injected = Object.values(faults).flatMap(({ expected = [] }) =>
		expected.flatMap(({ cause, amplifiers = [] }) => [cause, ...amplifiers]),
	);
	// What following the waiting finds is put into users' own systems.
	const ofRules = Object.keys(causes).filter((cause) => !(cause in waitedCauses));
	const missing = ofRules.filter((cause) => !injected.includes(cause) && !(cause in NOT_INJECTED));
	assert.deepEqual(missing, []);
});

test('no cause is both put in and said not to be', () => {
	const injected = new Set(Object.values(faults).flatMap(({ expected = [] }) => expected.map(({ cause }) => cause)));
	for (const [cause, reason] of Object.entries(NOT_INJECTED)) {
		assert.ok(causes[cause] && reason, cause);
		assert.ok(!injected.has(cause), cause);
	}
	for (const [what, reason] of Object.entries(NOT_TRIED)) assert.ok(what && reason);
});

test('no diagnosis is right for all faults, so that there can be a wrong one', () => {
	const diagnoses = new Set(Object.values(faults).map(({ expected }) => JSON.stringify(expected?.[0] ?? null)));
	assert.ok(diagnoses.size > Object.keys(faults).length / 2);
});

test('the short form is short: a run takes about half a minute', () => {
	const short = Object.values(faults).filter((fault) => fault.short);
	assert.equal(short.length, 3);
});

test('every cause has a title and says by which rule failures are placed on it', () => {
	for (const [id, { title, rule }] of Object.entries(causes)) assert.ok(title && rule, id);
});
