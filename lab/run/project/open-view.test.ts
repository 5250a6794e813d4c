import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Project, ProjectLoad } from '../../catalog/project-schema.ts';
import { configFingerprint, loadFingerprint } from './fingerprint.ts';
import { askedFingerprint, fillFolders } from './open-view.ts';

const ofConfig: (project: string, root: string, pool: string) => string = (runProject, root, pool) =>
	configFingerprint(
		{ name: runProject, services: { web: { build: { context: `${root}/web` }, environment: { POOL: pool } } } },
		{ runProject, root },
	);

const project: Project = { compose: ['compose.yaml'], entry: 'http://web:80/', services: {}, edges: [], load: { urls: ['GET /'] } };
const none = () => null;

test('what Compose makes of the files is the same in each run and each checkout, and another with another value', () => {
	const one = ofConfig('doubletake-run-1a2b', '/home/ada/shop', '8');
	assert.equal(one, ofConfig('doubletake-run-9f8e', '/tmp/doubletake-rev-x/shop', '8'));
	assert.notEqual(one, ofConfig('doubletake-run-1a2b', '/home/ada/shop', '9'));
	assert.match(one, /^[0-9a-f]{64}$/);
});

test('the load is known by all that doubletake.yaml says of it, and not by its Compose files', () => {
	const one = loadFingerprint(project, none, '/shop');
	assert.equal(one, loadFingerprint({ ...project, compose: ['other.yaml'] }, none, '/shop'));
	for (const change of [{ entry: 'http://edge:80/' }, { edges: [['a', 'b']] }, { load: { urls: ['GET /'], users: 30 } }])
		assert.notEqual(one, loadFingerprint({ ...project, ...change } as typeof project, none, '/shop'), JSON.stringify(change));
});

test('what is asked is the same however many ask', () => {
	const of = (change: object) => askedFingerprint({ ...project, load: { ...project.load, ...change } }, none, '/shop');
	assert.equal(of({}), of({ users: 30, shape: 'hold', think_ms: 5 }));
	assert.notEqual(of({}), of({ urls: ['GET /items'] }));
});

test('a file that says what is sent counts with its text, and a script with the files that it imports', () => {
	const of: (files: Record<string, string>, load: ProjectLoad) => string = (files, load) =>
		loadFingerprint({ ...project, load }, (path) => files[path] ?? null, '/shop');
	const openapi = { openapi: 'api.yaml' };
	assert.equal(of({ '/shop/api.yaml': 'one' }, openapi), of({ '/shop/api.yaml': 'one', '/shop/other': 'x' }, openapi));
	assert.notEqual(of({ '/shop/api.yaml': 'one' }, openapi), of({ '/shop/api.yaml': 'two' }, openapi));
	const script = { script: 'load/load.js' };
	const entry = "import { ask } from './ask.js';\nexport default ask;\n";
	const asking = (path: string) => ({
		'/shop/load/load.js': entry,
		'/shop/load/ask.js': `export const ask = () => '${path}';\n`,
	});
	assert.notEqual(of(asking('/'), script), of(asking('/items'), script));
	assert.throws(() => of({}, script), /The k6 script: expected a file at "\/shop\/load\/load\.js"/);
});

test('a file that is larger than a run copies is empty in it', async (t) => {
	const scratch = mkdtempSync(join(os.tmpdir(), 'doubletake-copy-'));
	t.after(() => rmSync(scratch, { recursive: true }));
	const source = join(scratch, 'big');
	writeFileSync(source, 'x');
	truncateSync(source, 2e9 + 1);
	const folder = { source, name: './big', services: [], data: 'copy', why: '', isFile: true, volume: 'copy-1', without: [], device: '' };
	const given = { secrets: [], image: '', scratch, say: () => {}, signal: new AbortController().signal };
	const said = await fillFolders({ ...given, folders: [folder] } as any);
	assert.match(said[0], /^\.\/big: empty in the run; .* more than the 2 GB/);
	assert.equal(statSync(join(scratch, 'files/copy-1')).size, 0);
});
