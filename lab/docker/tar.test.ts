import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, afterEach, mock, test } from 'node:test';
import { readImageFile } from './container-file.ts';
import { docker } from './docker.ts';
import { fillVolume, makeEmpty } from './fill-volume.ts';

const LONG_NAME = `${'long-'.repeat(30)}name`;
/** Of a link: longer than a header has room for. */
const LONG = `conf.d/${'long-'.repeat(30)}real.cfg`;
const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-test-'));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'haproxy.cfg'), 'global\n'.repeat(200));
writeFileSync(join(folder, 'empty'), '');
symlinkSync('conf.d/real.cfg', join(folder, 'link'));
symlinkSync(LONG, join(folder, 'long'));
mkdirSync(join(folder, 'conf.d'));
afterEach(() => mock.restoreAll());

const SYSTEM = { project: 'run', cwd: '/', flags: [] };

const archiveOf: (name: string, format?: string) => Buffer = (name, format = 'ustar') =>
	execFileSync('tar', [`--format=${format}`, '-C', folder, '-cf', '-', name]);

/**
 * What is read of a file of an image, of which the engine sends these archives, one after the other.
 * @returns asked: the places that were looked at
 */
async function readOf(...archives: Buffer[]): Promise<{ text: string; asked: string[] }> {
	const asked = [] as string[];
	mock.method(docker, 'createContainer', async () => ({ id: 'c1', remove: async () => {} }));
	mock.method(docker, 'getContainer', () => ({
		getArchive: async ({ path }: { path: string }) => {
			const archive = archives[asked.length];
			asked.push(path);
			if (archive === undefined) throw Object.assign(new Error('no such file'), { statusCode: 404 });
			return Readable.from([archive]);
		},
	}));
	return { text: await readImageFile(SYSTEM, 'shop', '/etc/file'), asked };
}

test('a file’s content is read to its end, whatever records stand before it', async () => {
	for (const format of ['ustar', 'gnu', 'pax']) {
		const { text, asked } = await readOf(archiveOf('haproxy.cfg', format));
		assert.equal(text, 'global\n'.repeat(200), format);
		assert.deepEqual(asked, ['/etc/file']);
	}
	assert.deepEqual(await readOf(archiveOf('empty')), { text: '', asked: ['/etc/file'] });
});

test('a symbolic link is followed, and a folder is no file', async () => {
	const link = await readOf(archiveOf('link'), archiveOf('haproxy.cfg'));
	assert.deepEqual([link.text.length, link.asked], [1400, ['/etc/file', '/etc/conf.d/real.cfg']]);
	for (const format of ['gnu', 'pax'])
		assert.deepEqual(await readOf(archiveOf('long', format)), { text: '', asked: ['/etc/file', `/etc/${LONG}`] }, format);
	assert.deepEqual(await readOf(archiveOf('conf.d')), { text: '', asked: ['/etc/file'] });
});

test('a file of an image that would fill the memory is refused', async () => {
	await assert.rejects(readOf(Buffer.alloc(60e6)), /\/etc\/file in an image: expected a file of at most 50 MB; found a larger one/);
});

test('an archive of nothing has no entry, and one that is cut off is none', async () => {
	assert.equal((await readOf(Buffer.alloc(0))).text, '');
	assert.equal((await readOf(Buffer.alloc(1024))).text, '');
	await assert.rejects(readOf(Buffer.alloc(100)), /end of data/);
	await assert.rejects(readOf(archiveOf('haproxy.cfg').subarray(0, 1000)), /end of data/);
	await assert.rejects(readOf(Buffer.alloc(2048, 'no archive')), /Invalid tar header/);
});

/** An engine that gives a folder in pieces, and keeps what it is given for each volume that is made. */
function engineThatCopies(pieces: Buffer[] = []) {
	const engine = { writes: [] as Promise<Buffer>[], removed: [] as string[] };
	mock.method(docker, 'createVolume', async () => {});
	mock.method(docker, 'getVolume', (name: string) => ({ remove: async () => engine.removed.push(name) }));
	mock.method(docker, 'createContainer', async () => ({
		remove: async () => {},
		getArchive: async () => Readable.from(pieces),
		putArchive: async (archive: Readable) => {
			const write = buffer(archive);
			engine.writes.push(write);
			await write;
		},
	}));
	return engine;
}

test('an archive of one empty folder is what other programs read', async () => {
	const { mode, uid, gid } = { mode: 0o2750, uid: 999, gid: 70 };
	const own = join(folder, 'own');
	mkdirSync(own);
	if (process.getuid?.() === 0) chownSync(own, uid, gid);
	chmodSync(own, mode);
	const engine = engineThatCopies();
	await makeEmpty({ system: SYSTEM, volume: 'data', image: 'shop', folder: own });
	const [archive] = await Promise.all(engine.writes);
	const found = execFileSync('tar', ['--numeric-owner', '-tvf', '-'], { input: archive }).toString();
	const owner = process.getuid?.() === 0 ? '999/70' : `${process.getuid?.()}/${process.getgid?.()}`;
	assert.match(found, new RegExp(`^drwxr-s--- ${owner} +0 .* data/\\n$`));
});

function archiveOfData(format: string) {
	const place = mkdtempSync(join(os.tmpdir(), 'tar-filter-'));
	try {
		mkdirSync(join(place, 'data/reports/shop'), { recursive: true });
		mkdirSync(join(place, 'data/src'));
		writeFileSync(join(place, 'data/src/a b.js'), 'x'.repeat(700));
		writeFileSync(join(place, `data/src/${LONG_NAME}`), 'long');
		writeFileSync(join(place, `data/reports/shop/${LONG_NAME}`), 'report');
		return execFileSync('tar', ['--format', format, '--sort=name', '-C', place, '-cf', '-', 'data']);
	} finally {
		rmSync(place, { recursive: true });
	}
}

const inPieces: (archive: Buffer, chunkBytes: number) => Buffer[] = (archive, chunkBytes) =>
	Array.from({ length: Math.ceil(archive.length / chunkBytes) }, (_, index) =>
		archive.subarray(index * chunkBytes, (index + 1) * chunkBytes),
	);

const listed = (archive: Buffer) => execFileSync('tar', ['-tf', '-'], { input: archive }).toString().trim().split('\n');
const FILLING = { system: SYSTEM, volume: 'data', image: 'shop', folder, mostBytes: 1e6, signal: new AbortController().signal };

for (const format of ['gnu', 'pax'])
	for (const chunkBytes of [100, 512, 65_536])
		test(`what is not wanted is left out, with what belongs to it, and the rest is as it was: ${format}, ${chunkBytes}`, async () => {
			const engine = engineThatCopies(inPieces(archiveOfData(format), chunkBytes));
			assert.equal(await fillVolume({ ...FILLING, without: ['reports'] }), true);
			const [passed] = await Promise.all(engine.writes);
			assert.deepEqual(listed(passed).toSorted(), ['data/', 'data/src/', 'data/src/a b.js', `data/src/${LONG_NAME}`].toSorted());
			const text = execFileSync('tar', ['-xOf', '-', `data/src/${LONG_NAME}`], { input: passed }).toString();
			assert.equal(text, 'long');
		});

test('what holds more than it may is left empty', async () => {
	const engine = engineThatCopies(inPieces(archiveOfData('gnu'), 512));
	assert.equal(await fillVolume({ ...FILLING, mostBytes: 2000 }), false);
	assert.deepEqual(engine.removed, ['run_data']);
	const [, empty] = await Promise.allSettled(engine.writes);
	assert.ok(empty.status === 'fulfilled');
	assert.deepEqual(listed(empty.value), ['data/']);
});
