/**
 * Docker Compose takes every system: each alone, as the lab runs it, and all of them from the repository's root, where a user would call it.
 * What it depends on is its own: it starts by hand too, without what a run adds.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { architectures, profileOf } from '../../lab/catalog/architectures.ts';
import { composeFileOf } from '../../lab/catalog/shipped-services.ts';
import { succeed } from './command.ts';
import { modelOf, OF_A_RUN, withProfiles } from './shipped-models.ts';

async function takes(files: string[], profiles: string[]) {
	const given = [...files.flatMap((file) => ['--file', file]), ...profiles.flatMap((profile) => ['--profile', profile])];
	await succeed('docker', ['compose', ...given, 'config', '--quiet']);
}

for (const id of Object.keys(architectures))
	test(`Compose takes ${profileOf(id)}, as the lab runs it`, async () => {
		const { services } = withProfiles(await modelOf(id), [profileOf(id)]);
		assert.ok(Object.keys(services).length > 0);
		for (const [name, { depends_on: needed = {} }] of Object.entries<any>(services))
			for (const other of Object.keys(needed)) assert.ok(other in services, `${name} needs ${other}`);
	});

test('Compose takes what the lab’s own cost is measured against', () => takes([composeFileOf('plain')], ['plain', 'plain-load']));

// One call: it reads all systems, whatever profile it is given.
test('Compose takes all of them from the root', () => takes([], [...Object.keys(architectures).map(profileOf), ...OF_A_RUN]));
