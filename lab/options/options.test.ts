import assert from 'node:assert/strict';
import { test } from 'node:test';
import { architectures, scenarioOf } from '../catalog/architectures.ts';
import { scenarios, shapes } from '../catalog/scenarios.ts';
import { OPTIONS } from './options.ts';

test('each option says in a line what it is, and may have its standard value', () => {
	for (const [name, { help, kind, standard, scope }] of Object.entries(OPTIONS)) {
		assert.match(name, /^[A-Z][A-Z0-9_]*$/);
		assert.match(help, /^[^\n]*[^\n.]$/, name);
		assert.ok(scope.commands.length > 0, name);
		for (const it of [{}, ...Object.values(scope.at ?? {})]) {
			const { kind: read, standard: text } = { kind, standard, ...it };
			if (text !== undefined) assert.equal(read.format?.(read.parse(name, text)) ?? text, text, name);
		}
	}
});

test('a scope names scenarios, loads and options that there are', () => {
	for (const { scope } of Object.values(OPTIONS)) {
		for (const id of scope.scenarios ?? []) assert.ok(scenarios[id], id);
		for (const [id, { loads = [] }] of Object.entries(scope.at ?? {})) for (const load of loads) assert.ok(scenarios[id].loads[load], load);
		for (const load of scope.loads ?? []) for (const id of scope.scenarios ?? []) assert.ok(scenarios[id].loads[load], load);
		assert.equal(scope.loads === undefined, scope.unlike === undefined, 'why other loads do not take it');
		if (scope.besides) assert.ok(OPTIONS[scope.besides]);
	}
});

for (const [name, value] of Object.entries({ RATE: '7', USERS: '70' }))
	for (const [id, { loads, driver, isUserScript }] of Object.entries(scenarios)) {
		// Those of users' own systems are in no scope.
		if (isUserScript || id === 'requests') continue;
		test(`${name} changes those loads of ${id} that its scope names, and no other`, () => {
			const { scope } = OPTIONS[name];
			for (const [load, shape] of Object.entries(loads)) {
				const isChanged = JSON.stringify(shapes[shape]({ [name]: value })) !== JSON.stringify(shapes[shape]({}));
				assert.equal(isChanged, driver === 'k6' && scope.scenarios?.includes(id) && scope.loads?.includes(load), load);
			}
		});
	}

test('an option that several architectures have is the same for all of them', () => {
	for (const [id, { variables = {} }] of Object.entries(architectures))
		for (const [name, { standard, choices, range }] of Object.entries(variables)) {
			const { kind, standard: ofAll, scope } = OPTIONS[name];
			assert.ok(scope.systems?.includes(id), `${name} of ${id}`);
			assert.equal(standard, ofAll, `${name} of ${id}`);
			assert.ok((choices === undefined) !== (range === undefined), 'either choices or a range');
			for (const text of choices ?? (range ?? []).map(String)) assert.equal(kind.format?.(kind.parse(name, text)), text);
			if (range) assert.throws(() => kind.parse(name, String(range[1] + 1)), new RegExp(`from ${range[0]} to ${range[1]};`));
		}
});

test('only systems whose load k6 makes take a fault', () => {
	const taking = Object.keys(architectures).filter((id) => OPTIONS.FAULT.scope.scenarios?.includes(scenarioOf(id)));
	assert.deepEqual(
		taking,
		Object.keys(architectures).filter((id) => scenarios[scenarioOf(id)].driver === 'k6'),
	);
});
