import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readList } from '../../k6/lib/request-list.js';
import { placesIn } from '../docker/run-folder.ts';
import type { RunFolder } from '../docker/scratch.ts';
import { makeProjectRecord } from './generators.ts';
import { writeRequests } from './own-record.ts';

const requests = [{ method: 'GET', path: '/', weight: 2 }];
const modeOf = async (path: string) => ((await stat(path)).mode & 0o7777).toString(8);

let reports = '';
let run: RunFolder;
before(async () => {
	reports = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
	const folder = join(reports, 'shop', '1');
	run = { id: 'shop/1', folder, ...placesIn(folder), user: '1:1' };
	const umask = process.umask(0);
	try {
		await makeProjectRecord(run, { services: ['web', 'db'], generators: 2, folders: [join(run.servicesFolder, 'web')] });
	} finally {
		process.umask(umask);
	}
});
after(() => rm(reports, { recursive: true }));

test('a record is its owner’s alone, with each folder that the lab writes into, whatever the umask', async () => {
	for (const own of [run.folder, run.rawFolder, run.servicesFolder, ...['web', 'db'].map((name) => join(run.rawFolder, name))])
		assert.equal(await modeOf(own), '700', own);
	assert.equal(await modeOf(run.writtenFolder), '700');
});

test('generators that make the load together have a folder each', async () => {
	assert.deepEqual((await readdir(run.writtenFolder)).toSorted(), ['k6-1', 'k6-2']);
});

test('a service that writes has a folder apart from what the lab writes, whatever user it runs as, and others have none', async () => {
	assert.deepEqual(await readdir(run.servicesFolder), ['web']);
	assert.equal(await modeOf(join(run.servicesFolder, 'web')), '733');
	assert.ok(!run.servicesFolder.startsWith(run.rawFolder) && !run.writtenFolder.startsWith(run.rawFolder));
});

test('the generator can read the requests, whatever user it runs as, and they are not in the record', async () => {
	await writeRequests(join(reports, 'apart'), requests);
	const listed = join(reports, 'apart', 'requests.json');
	assert.equal(await modeOf(listed), '644');
	assert.deepEqual(readList(await readFile(listed, 'utf8')), requests);
	assert.deepEqual((await readdir(run.rawFolder)).sort(), ['db', 'web']);
});
