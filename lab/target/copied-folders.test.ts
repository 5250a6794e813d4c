import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingFiles } from './copied-folders.ts';
import { lookWith } from './dockerfile.ts';
import { isOfPlace, isTag, likelyValue, madeUp } from './made-up.ts';

const bind = (source: string, target: string, readOnly: boolean = true) => ({
	type: 'bind',
	source: `/shop/${source}`,
	target,
	read_only: readOnly,
});

/** @param given files, and folders that the run has a copy of, in /shop */
const missingIn = (config: any, { there = [], copied = [] }: { there?: string[]; copied?: string[] } = {}) =>
	missingFiles(config, {
		look: { ...lookWith(), kindOf: (path) => (there.includes(path.replace('/shop/', '')) ? 'file' : null) },
		folder: '/shop',
		isCopied: (source) => copied.includes(source.replace('/shop/', '')),
	});

test('a mount of what is not there is left out, and the others of its service stay', () => {
	const data = { type: 'volume', source: 'data', target: '/data' };
	const web = { volumes: [bind('n$$x.conf', '/etc/nginx/nginx.conf'), bind('site.conf', '/etc/site.conf'), data] };
	const { mounts, said } = missingIn({ services: { web, api: { volumes: [data] } } }, { there: ['site.conf'] });
	assert.deepEqual([...mounts.keys()], ['web']);
	assert.deepEqual(mounts.get('web'), [bind('site.conf', '/etc/site.conf'), data]);
	assert.deepEqual(said, ['./n$x.conf is not there: web runs without it, with what its image has there.']);
});

test('an example of it is mounted in its place', () => {
	const { mounts, said } = missingIn(
		{ services: { web: { volumes: [bind('nginx.conf', '/etc/nginx.conf')] } } },
		{ there: ['nginx.conf.example'] },
	);
	assert.deepEqual(mounts.get('web'), [bind('nginx.conf.example', '/etc/nginx.conf')]);
	assert.deepEqual(said, ['./nginx.conf is not there: nginx.conf.example is read in its place.']);
});

test('what a service may write to is a file by its name alone, and what the run has a copy of is there', () => {
	const volumes = [bind('acme.json', '/acme.json', false), bind('conf.d', '/etc/conf.d', false), bind('example.com', '/srv', false)];
	assert.equal(missingIn({ services: { web: { volumes } } }).mounts.get('web')?.length, 2);
	assert.equal(missingIn({ services: { web: { volumes: [bind('static', '/static')] } } }, { copied: ['static'] }).mounts.size, 0);
	const socket = { type: 'bind', source: '/var/run/docker.sock', target: '/var/run/docker.sock', read_only: true };
	assert.equal(missingIn({ services: { web: { volumes: [socket] } } }).mounts.size, 0);
});

test('a config that is not there, or kept elsewhere, is left out', () => {
	const configs = { a: { file: '/shop/a.conf' }, b: { external: true }, c: { content: 'x' }, d: { file: '/shop/d.conf' } };
	const given = ['a', 'b', 'c', 'd'].map((source) => ({ source, target: `/${source}` }));
	const missing = missingIn({ services: { web: { configs: given } }, configs }, { there: ['d.conf'] });
	assert.deepEqual(
		missing.configs.get('web')?.map(({ source }) => source),
		['c', 'd'],
	);
	assert.deepEqual(missing.said, [
		'The config a is not there: web runs without it.',
		'The config b is kept elsewhere: web runs without it.',
	]);
});

test('an empty folder with the name of a file is what an engine made of one that was not there', () => {
	const look = {
		...lookWith(),
		kindOf: () => 'folder' as const,
		isEmptyFolder: (path: string) => !path.includes('full'),
	};
	const volumes = [bind('nginx.conf', '/etc/nginx.conf'), bind('full.conf', '/etc/full.conf'), bind('html', '/html')];
	const { mounts } = missingFiles({ services: { web: { volumes } } }, { look, folder: '/shop', isCopied: () => false });
	assert.deepEqual(mounts.get('web'), volumes.slice(1));
});

test('a value is made up by what its name says, and is the same each time', () => {
	assert.equal(likelyValue('DB_PASSWORD'), madeUp('DB_PASSWORD'));
	assert.notEqual(madeUp('A_TOKEN'), madeUp('B_TOKEN'));
	const values = Object.fromEntries(
		['UPLOAD_LOCATION', 'WEB_PORT', 'APP_VERSION', 'DOMAIN_NAME', 'BASE_URL', 'ADMIN_EMAIL', 'PUID', 'TZ', 'DB_USER'].map((name) => [
			name,
			likelyValue(name),
		]),
	);
	assert.deepEqual(values, {
		UPLOAD_LOCATION: './upload_location',
		WEB_PORT: '8080',
		APP_VERSION: 'latest',
		DOMAIN_NAME: 'localhost',
		BASE_URL: 'http://localhost',
		ADMIN_EMAIL: 'doubletake@localhost',
		PUID: '1000',
		TZ: 'UTC',
		DB_USER: 'doubletake',
	});
});

test('a folder, a port and a tag have a place that cannot be empty', () => {
	assert.deepEqual(['DATA_DIR', 'HTTP_PORT', 'TAG', 'MODE'].map(isOfPlace), [true, true, true, false]);
	assert.deepEqual(['WEB_TAG', 'HTTP_PORT'].map(isTag), [true, false]);
});
