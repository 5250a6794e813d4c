import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { resolvedSystem } from './resolved-system.ts';

test('what Compose has made of the files is started, and no file of variables is read', async (t) => {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-resolved-'));
	t.after(() => rm(folder, { recursive: true }));
	await writeFile(join(folder, '.env'), 'TOKEN_OF_SHOP=a\nGIT_SSH_COMMAND=touch /tmp/x\nBASH_ENV=./x.sh\nTAG=1\n');
	const resolved = {
		name: 'run-1',
		services: {
			api: { image: 'api:1', profiles: ['web'], depends_on: { db: { condition: 'service_started' }, seed: { required: false } } },
			db: { provider: { type: 'cloud' } },
		},
		secrets: { token: { environment: 'TOKEN_OF_SHOP' }, led: { environment: 'GIT_SSH_COMMAND' }, made: { environment: 'MADE_UP' } },
	};
	const supplies = { flags: [], env: { MADE_UP: 'x' } };
	const system = await resolvedSystem({
		...{
			resolved,
			supplies,
			project: 'run-1',
			folder,
			files: ['compose.yaml'],
			overlay: '/s/overlay.yaml',
			scratch: folder,
			env: { POOL: '5' },
		},
	});
	const file = join(folder, 'resolved.json');
	assert.deepEqual(system.flags, [
		...['--env-file', '/dev/null', '--project-directory', folder, '--project-name', 'run-1'],
		...['--file', file, '--file', '/s/overlay.yaml'],
	]);
	assert.deepEqual(system.env, { PWD: folder });
	const { secrets: kept } = JSON.parse(await readFile(file, 'utf8'));
	assert.deepEqual(kept, {
		token: { file: join(folder, 'secrets-0') },
		led: { file: join(folder, 'secrets-1') },
		made: { file: join(folder, 'secrets-2') },
	});
	assert.equal(await readFile(kept.token.file, 'utf8'), 'a');
	assert.deepEqual(JSON.parse(await readFile(file, 'utf8')).services, {
		api: { image: 'api:1', depends_on: { db: { condition: 'service_started' } } },
		db: { image: 'none' },
	});
	assert.equal((await stat(file)).mode & 0o077, 0);
});
