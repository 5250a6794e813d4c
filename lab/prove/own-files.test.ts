import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ownFiles } from './own-files.ts';

test('What lies outside of the folder is not read, by whatever way it is mounted', async (t) => {
	const root = await mkdtemp(join(os.tmpdir(), 'doubletake-own-'));
	t.after(() => rm(root, { recursive: true }));
	const folder = join(root, 'shop');
	await mkdir(join(folder, 'conf'), { recursive: true });
	await writeFile(join(folder, 'conf', 'app.ini'), 'pool = 5');
	await writeFile(join(folder, 'main.py'), 'os.environ["POOL"]');
	await writeFile(join(root, 'other.py'), 'os.environ["OTHER"]');
	await symlink(root, join(folder, 'up'));
	const { read, list, variables } = ownFiles(folder);
	assert.deepEqual(list(join(folder, 'conf')), ['app.ini']);
	assert.equal(read(join(folder, 'conf', 'app.ini')), 'pool = 5');
	assert.deepEqual(
		variables([folder]).map(({ name }) => name),
		['POOL'],
	);
	for (const place of ['/', root, join(folder, 'up'), join(folder, '..')]) {
		assert.deepEqual([list(place), variables([place])], [[], []], place);
		assert.equal(read(join(place, 'other.py')), null);
	}
});
