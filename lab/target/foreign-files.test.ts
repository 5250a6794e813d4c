import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReadFile } from './foreign-files.ts';
import { foreignValues, placeOfUnset, refuseForeign, withoutParts } from './foreign-files.ts';

const file: (path: string, text: string, isOwn?: boolean) => ReadFile = (path, text, isOwn = true) => ({ path, text, isOwn });
const unset = (name: string) => `Compose: The "${name}" variable is not set. Defaulting to a blank string.`;

test('what stands behind a "$" is shown by its name only where it is plainly a variable of the user’s own file', () => {
	const own = file('/shop/compose.yaml', `image: x\nurl: pg://u:$DB_PASSWORD@db\npw: pa$tail9\nkey: Pa$TAIL9\nmode: \${mode:-}\n`);
	const env = file('/else/.env', `PW=ab$part\nURL=\${INNER}\n`, false);
	const placesOf = (...names: string[]) => names.map((name) => placeOfUnset(name, [own, env]));
	assert.deepEqual(placesOf('DB_PASSWORD', 'mode', 'NEVER_NAMED', 'tail'), [null, null, null, null]);
	assert.deepEqual(placesOf('tail9', 'TAIL9', 'part', 'INNER'), [
		'/shop/compose.yaml, line 3',
		'/shop/compose.yaml, line 4',
		'/else/.env, line 1',
		'/else/.env, line 2',
	]);
	assert.deepEqual([withoutParts(unset('mode'), [own]), withoutParts('Compose: other', [own])], [unset('mode'), 'Compose: other']);
	assert.match(withoutParts(unset('part'), [own, env]), /^Compose: \/else\/\.env, line 1: (?!.*part)/);
});

test('nothing is called by a secret of a file that lies elsewhere', () => {
	const values = foreignValues([
		file('/nowhere/.env', 'DB_PASSWORD=hunter2-quux\nTAG=plain-quux\n', false),
		file('/shop/.env', 'A_TOKEN=own-quux'),
	]);
	assert.deepEqual(
		values.map(({ name }) => name),
		['DB_PASSWORD', 'TAG'],
	);
	assert.throws(
		() => refuseForeign('A name', ['web', 'x-hunter2-quux'], values),
		/A name: expected .* found the value of DB_PASSWORD, a variable of \/nowhere\/\.env\.\n[\s\S]*--allow=/,
	);
	refuseForeign('A name', ['plain-quux', 'own-quux'], values);
	// A path with two slashes is written anew with one.
	const [, ...parts] = foreignValues([file('/nowhere/.env', 'A=left//right:end\n', false)]).map(({ value }) => value);
	assert.deepEqual(parts, ['left', 'right', 'end']);
	assert.throws(() => refuseForeign('A file', ['plain-quux'], values, () => true), /the value of TAG/);
});
