import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { MEASURED_REMEDIES_FILE, measuredRemedies } from '../catalog/measured-remedies.ts';
import { VERSIONS } from '../record/versions.ts';
import { generatedPages } from './write-docs.ts';

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
