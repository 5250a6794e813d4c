import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { READ_MOST_BYTES } from '../base/private-file.ts';
import { placesIn } from './run-folder.ts';
import { removeWritten, takeWritten } from './take-written.ts';

let scratch = '';
let victim = '';
let folder = '';
let places = placesIn('');
beforeEach(async () => {
	scratch = await mkdtemp(join(os.tmpdir(), 'doubletake-take-'));
	victim = join(scratch, 'victim');
	await writeFile(victim, 'theirs');
	folder = join(scratch, 'run');
	places = placesIn(folder);
	for (const own of [join(places.rawFolder, 'web'), places.writtenFolder, join(places.servicesFolder, 'web')])
		await mkdir(own, { recursive: true });
});
afterEach(() => rm(scratch, { recursive: true }));

test('what the lab’s containers wrote is in the record, with the folder of each generator, and k6’s page beside it', async () => {
	await mkdir(join(places.writtenFolder, 'k6-1'));
	for (const name of ['nginx-error.log', 'k6-1/k6.log', 'k6.html']) await writeFile(join(places.writtenFolder, name), name);
	assert.deepEqual(await takeWritten(folder), []);
	await removeWritten(folder);
	for (const name of ['nginx-error.log', 'k6-1/k6.log']) assert.equal(await readFile(join(places.rawFolder, name), 'utf8'), name);
	assert.deepEqual((await readdir(folder)).sort(), ['k6.html', 'raw']);
});

test('what a service wrote is in its folder of the record', async () => {
	await writeFile(join(places.servicesFolder, 'web', 'requests-1.log'), 'lines');
	assert.deepEqual(await takeWritten(folder), []);
	assert.equal(await readFile(join(places.rawFolder, 'web', 'requests-1.log'), 'utf8'), 'lines');
});

test('a link, a pipe and a file that is too long are left out and told, and what a link points to stays as it was', async () => {
	const written = join(places.servicesFolder, 'web');
	await symlink(victim, join(written, 'requests-1.log'));
	await symlink(scratch, join(written, 'all'));
	execFileSync('mkfifo', [join(written, 'pipe')]);
	await writeFile(join(written, 'long'), '');
	await truncate(join(written, 'long'), READ_MOST_BYTES + 1);
	assert.deepEqual(await takeWritten(folder), [
		'web: it wrote "all", which is a link; it is not on record',
		'web: it wrote "long", which is longer than 500 MB; it is not on record',
		'web: it wrote "pipe", which is no file; it is not on record',
		'web: it wrote "requests-1.log", which is a link; it is not on record',
	]);
	assert.deepEqual(await readdir(join(places.rawFolder, 'web')), []);
	assert.equal(await readFile(victim, 'utf8'), 'theirs');
});

test('a folder of a service is left out, with the links in it, and is removed however deep it is', async () => {
	const written = join(places.servicesFolder, 'web');
	for (const [name, depth] of [
		['deep', 2500],
		['sub', 0],
	] as const) {
		const steps = `const { chdir } = process; const { mkdirSync } = require('fs'); chdir(${JSON.stringify(written)}); mkdirSync('${name}'); chdir('${name}'); for (let at = 0; at < ${depth}; at++) { mkdirSync('d'); chdir('d'); }`;
		execFileSync(process.execPath, ['--eval', steps]);
	}
	await symlink(victim, join(written, 'sub', 'requests-1.log'));
	await cp(join(written, 'sub'), join(places.writtenFolder, 'k6-1', 'sub'), { recursive: true });
	assert.deepEqual(await takeWritten(folder), [
		'the record: it wrote "sub", which is a folder; it is not on record',
		'web: it wrote "deep", which is a folder; it is not on record',
		'web: it wrote "sub", which is a folder; it is not on record',
	]);
	assert.deepEqual(await readdir(join(places.rawFolder, 'web')), []);
	execFileSync(
		'sh',
		[
			'-c',
			'mkdir x && cd x && mkdir -p $(printf d/%.0s $(seq 2000)) && cd $(printf d/%.0s $(seq 1000)) && mkdir -p $(printf e/%.0s $(seq 2000))',
		],
		{ cwd: written },
	);
	assert.deepEqual(await removeWritten(folder), []);
	assert.deepEqual((await readdir(folder)).sort(), ['raw']);
	assert.equal(await readFile(victim, 'utf8'), 'theirs');
});

test('no container’s file takes the place of one of the lab’s, there already or still to come', async () => {
	await writeFile(join(places.rawFolder, 'k6-of-the-lab.ndjson'), 'ours');
	await writeFile(join(places.writtenFolder, 'k6-of-the-lab.ndjson'), 'theirs');
	for (const name of ['log.txt', 'samples.ndjson.gz']) await writeFile(join(places.servicesFolder, 'web', name), 'theirs');
	assert.deepEqual(await takeWritten(folder), [
		'the record: it wrote "k6-of-the-lab.ndjson", which is the name of a file of Doubletake\'s; it is not on record',
		'web: it wrote "log.txt", which is the name of a file of Doubletake\'s; it is not on record',
		'web: it wrote "samples.ndjson.gz", which is the name of a file of Doubletake\'s; it is not on record',
	]);
	assert.equal(await readFile(join(places.rawFolder, 'k6-of-the-lab.ndjson'), 'utf8'), 'ours');
	assert.deepEqual(await readdir(join(places.rawFolder, 'web')), []);
});

test('a service cannot fill the record with files', async () => {
	const written = join(places.servicesFolder, 'web');
	await Promise.all(Array.from({ length: 1100 }, (_, index) => writeFile(join(written, `${index}`), '')));
	assert.deepEqual(await takeWritten(folder), ['web: expected at most 1000 files that it wrote; found more, which are not on record']);
	assert.equal((await readdir(join(places.rawFolder, 'web'))).length, 1000);
});

test('nor with bytes that cost it nothing', async () => {
	const written = join(places.servicesFolder, 'web');
	for (const name of ['1', '2', '3', '4', '5', '6']) {
		await writeFile(join(written, name), '');
		await truncate(join(written, name), READ_MOST_BYTES);
	}
	assert.deepEqual(await takeWritten(folder), ['web: it wrote more than 2 GB, of which nothing from "5" on is taken; it is not on record']);
	assert.deepEqual(await readdir(join(places.rawFolder, 'web')), ['1', '2', '3', '4']);
});
