import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { execa } from 'execa';
import { secretValues } from './secret-values.ts';

const CONFIG = {
	name: 'doubletake-run-1',
	services: {
		api: {
			image: 'shop/api:1',
			container_name: 'the-api',
			environment: { DB_PASSWORD: 'env-pass-1', DATABASE_URL: 'postgres://shop:url-pass-2@db/shop', MODE: 'production' },
			labels: { 'traefik.http.middlewares.in.basicauth.users': 'shop:label-pass-3', 'app.token': 'label-token-4' },
			build: { context: '.', args: { NPM_TOKEN: 'build-token-5' } },
			command: ['serve', '--api-key', 'command-key-6'],
			healthcheck: { test: ['CMD-SHELL', 'mysqladmin ping -phealth-pass-7'] },
		},
		list: { environment: ['REDIS_PASSWORD=list-pass-8', 'EMPTY'] },
	},
	secrets: { one: { file: '/secret/one' }, two: { environment: 'TWO' }, three: { content: 'content-secret-9' } },
};

test('what is secret of a system is found wherever its files have it', () => {
	const { values, names } = secretValues(CONFIG, {
		shell: { TWO: 'shell-secret-10', CI_TOKEN: 'shell-token-11', EDITOR: 'vi' },
		env: 'STRIPE_API_KEY=dotenv-key-12\nPORT=80\n',
		read: (file) => (file === '/secret/one' ? 'file-secret-13\n' : null),
	});
	for (const value of [
		...['env-pass-1', 'url-pass-2', 'label-pass-3', 'label-token-4', 'build-token-5', 'command-key-6', 'health-pass-7', 'list-pass-8'],
		...['content-secret-9', 'shell-secret-10', 'shell-token-11', 'dotenv-key-12'],
	])
		assert.ok(
			values.some((found) => found.includes(value)),
			value,
		);
	assert.ok(values.includes('file-secret-13\n'));
	assert.ok(!values.includes('production') && !values.includes('vi'));
	assert.deepEqual(
		['api', 'list', 'the-api', 'shop/api:1', 'one', 'doubletake-run-1'].filter((name) => !names.includes(name)),
		[],
	);
});

test('a name into which Compose may have filled a secret is exempt from nothing, and gives none by itself', () => {
	const api = { image: 'nginx:1.22-alpine@sha256:12', container_name: 'web-hunter2', networks: { default: { aliases: ['hunter2.test'] } } };
	const config = { name: 'run', services: { api }, networks: { default: { name: 'net-hunter2' } } };
	const { values, names, keys } = secretValues(config, { shell: {}, env: '' });
	assert.deepEqual([values, keys], [[], ['run', 'api', 'default']]);
	assert.deepEqual(names, [...keys, 'net-hunter2', 'web-hunter2', api.image, 'hunter2.test']);
});

test('a file of a secret is read, and a pipe that nobody writes to is not waited for', async () => {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-secret-'));
	try {
		const [file, pipe] = [join(folder, 'file'), join(folder, 'pipe')];
		await writeFile(file, 'of-the-file');
		await execa('mkfifo', [pipe]);
		const found = secretValues(
			{ secrets: { file: { file }, pipe: { file: pipe }, gone: { file: join(folder, 'gone') } } },
			{ shell: {}, env: '' },
		);
		assert.deepEqual(
			found.values.filter((value) => value !== ''),
			['of-the-file'],
		);
	} finally {
		await rm(folder, { recursive: true });
	}
});

test('secrets of the shell come before those of the folder, which may have more than there is room for', () => {
	const { values } = secretValues({}, { shell: { A_TOKEN: 'of-the-shell' }, env: 'B_TOKEN=of-the-folder\n' });
	assert.deepEqual(values, ['of-the-shell', 'of-the-folder']);
});
