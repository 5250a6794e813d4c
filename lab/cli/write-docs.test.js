import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { MEASURED_REMEDIES_FILE, measuredRemedies } from '../catalog/measured-remedies.js';
import { VERSIONS } from '../record/versions.js';
import { generatedPages } from './write-docs.js';

const types = (await generatedPages())['lab/record/types.d.ts'];

test('the types are those that the schemas give', () => {
	assert.equal(readFileSync(new URL('../record/types.d.ts', import.meta.url), 'utf8'), types, 'types.d.ts is stale: lab/doubletake docs');
});

test('a definition is one type, wherever it is named', () => {
	const names = [...types.matchAll(/^export (?:type|interface) (\w+)/gm)].map(([, name]) => name);
	assert.equal(new Set(names).size, names.length);
	assert.deepEqual(
		names.filter((name) => /\d$/.test(name)),
		[],
	);
});

test('each schema is of the version that is written', () => {
	for (const [document, version] of Object.entries(VERSIONS)) {
		const { properties } = JSON.parse(readFileSync(new URL(`../record/${document}.schema.json`, import.meta.url), 'utf8'));
		assert.equal(properties.schema.const, version, document);
	}
});

test('the table of measured remedies is what the stored experiments say', async () => {
	assert.deepEqual(measuredRemedies, JSON.parse((await generatedPages())[MEASURED_REMEDIES_FILE]));
});

test('it has what a stored experiment judged worse as well as what it judged better', () => {
	const words = measuredRemedies.map(({ base, remedy, load, verdict }) => `${base} ${remedy} ${load}: ${verdict}`);
	for (const said of ['2a 2a-slots ramp: better', '2a 2a-keepalive ramp: worse', '2a 2a-slots surge: worse'])
		assert.ok(words.includes(said), said);
});
