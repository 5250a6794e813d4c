import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { follow, inodeKind, isWithin, waysOf } from './real-path.ts';

let place = '';
before(() => {
	place = realpathSync(mkdtempSync(join(os.tmpdir(), 'doubletake-real-path-')));
	mkdirSync(join(place, 'shop/sub'), { recursive: true });
	mkdirSync(join(place, 'out/deep'), { recursive: true });
	writeFileSync(join(place, 'out/file'), '');
	const links = {
		'shop/out': '../out',
		'shop/deep': `${place}/out/deep`,
		'shop/twice': 'out',
		'shop/gone': '/not/there',
		'shop/a': 'b',
		'shop/b': 'a',
	};
	for (const [at, to] of Object.entries(links)) symlinkSync(to, join(place, at));
});
after(() => rmSync(place, { recursive: true, force: true }));

const real = (path: string) => follow(path, { from: join(place, 'shop') }).real.replace(place, '');

test('links are followed wherever they stand in a path, and one to another', () => {
	assert.equal(real('./out'), '/out');
	assert.equal(real('out/file/'), '/out/file');
	assert.equal(real('twice/deep'), '/out/deep');
	assert.equal(real(join(place, 'shop//./sub/')), '/shop/sub');
});

test('what is not there is taken by its name, behind a link too', () => {
	const { real, state, through } = follow('gone/x/../y', { from: join(place, 'shop') });
	assert.deepEqual([real, state, through], ['/not/there/y', 'missing', [join(place, 'shop/gone')]]);
});

test('a circle of links has an end', () => assert.equal(follow('a/x', { from: join(place, 'shop') }).state, 'endless'));

test('".." goes up from where a link leads, and a program that takes it away first gets elsewhere', () => {
	const ways = waysOf('deep/../file', { from: join(place, 'shop') }).map((one) => one.real.replace(place, ''));
	assert.deepEqual(ways, ['/out/file', '/shop/file']);
	assert.equal(waysOf('out/file', { from: join(place, 'shop') }).length, 1);
});

test('a tilde is the home', () => {
	assert.equal(follow('~/x', { home: '/not/here' }).real, '/not/here/x');
	assert.equal(follow('~', { home: '/not/here' }).real, '/not/here');
});

test('a folder holds itself and what lies below it, and nothing beside it', () => {
	assert.deepEqual([isWithin('/a', '/a'), isWithin('/a/b', '/a'), isWithin('/ab', '/a'), isWithin('/a', '/')], [true, true, false, true]);
});

test('what something is its inode says, and not its name', async () => {
	const at = join(place, 'plain');
	const server = createServer().listen(at);
	await new Promise((done) => server.once('listening', done));
	symlinkSync(at, join(place, 'link'));
	assert.equal(inodeKind(join(place, 'link')), 'socket');
	server.close();
	assert.deepEqual(
		[inodeKind('/dev/null'), inodeKind(place), inodeKind(join(place, 'out/file')), inodeKind('/not/there')],
		['character', 'folder', 'file', null],
	);
});

test('no path is longer than the kernel takes it, and one that is leads nowhere that is known', () => {
	const { real, state } = follow(`/tmp/${'x/../'.repeat(300_000)}y`);
	assert.deepEqual([real, state], ['/', 'endless']);
});
