import assert from 'node:assert/strict';
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { graveOf } from './grave-places.ts';
import { socketsIn } from './sockets.ts';

let place = '';
before(() => {
	place = realpathSync(mkdtempSync(join(os.tmpdir(), 'doubletake-grave-')));
	for (const folder of ['shop', 'home/.ssh', 'home/.config/gcloud', 'home/plain', 'home/desk'])
		mkdirSync(join(place, folder), { recursive: true });
});
after(() => rmSync(place, { recursive: true, force: true }));

const isGrave: (path: string, writes?: boolean) => boolean = (path, writes = false) =>
	graveOf(path, {
		writes,
		from: join(place, 'shop'),
		around: { folder: join(place, 'shop'), home: join(place, 'home'), volumesRoot: '/srv/engine/volumes' },
	}) !== null;

test('what may not even be read is grave under each of its names', () => {
	const graves = [
		'/',
		'//',
		'/.',
		'/usr/..',
		'/proc',
		'/proc/',
		'/proc/1/root',
		'/proc/self/root',
		'/dev',
		'/dev/pts/0',
		'/run',
		'/run/',
		'/var/run',
		'/var',
	];
	graves.push(
		'/var/lib',
		'/var/lib/docker',
		'/var/lib/docker/volumes/x/_data',
		'/var/lib/containerd',
		'/run/containerd',
		'/run/docker',
		'/run/user/1000',
	);
	graves.push(
		'/etc',
		'/etc/shadow',
		'/etc/ssh/ssh_host_rsa_key',
		'/root',
		'/home',
		'/srv/engine',
		'/srv/engine/volumes/other/_data',
		'/srv',
	);
	for (const path of graves) assert.ok(isGrave(path), path);
});

test('what stacks mount for reading is not grave', () => {
	const plain = [
		'/etc/localtime',
		'/etc/timezone',
		'/etc/passwd',
		'/etc/hostname',
		'/etc/letsencrypt',
		'/etc/ssl/certs',
		'/sys',
		'/sys/fs/cgroup',
	];
	plain.push(
		'/lib/modules',
		'/usr/share/zoneinfo',
		'/var/log',
		'/boot',
		'/proc/cpuinfo',
		'/dev/null',
		'/dev/dri',
		'/mnt/media',
		'/opt/app',
		'/run/udev',
	);
	for (const path of plain) assert.ok(!isGrave(path), path);
});

test('what may be read, and not be written to', () => {
	for (const path of ['/etc/localtime', '/usr/local/bin', '/boot', '/lib/modules', '/proc/sys', '/sys', '/dev/shm', '/run/lock', '/bin'])
		assert.deepEqual([isGrave(path), isGrave(path, true)], [false, true], path);
	for (const path of ['/mnt/media', '/srv-data', '/tmp/x', './data', '../other']) assert.ok(!isGrave(path, true), path);
});

test('the home of a user is, with what contains it, and keys in it are', () => {
	for (const path of [
		'~',
		'~/',
		'../home',
		place,
		'~/.ssh',
		'~/.ssh/id_rsa',
		'~/.config',
		'~/.kube/config',
		'/home/somebody',
		'/root/.aws/credentials',
	])
		assert.ok(isGrave(path), path);
	for (const path of ['~/plain', '~/plain/.ssh', '~/.composer', '~/.cache', '/home/somebody/shop']) assert.ok(!isGrave(path), path);
});

test('a folder of the user’s own is like any other, wherever it lies, unless it is the home', () => {
	const around = { folder: '/home/deploy', home: '/root' };
	const of = (path: string, writes = false, given = around) => graveOf(path, { writes, from: given.folder, around: given }) !== null;
	assert.deepEqual([of('.'), of('./src'), of('.', true), of('..')], [false, false, false, true]);
	assert.deepEqual([of('./.ssh'), of('/home/other')], [true, true]);
	assert.ok(
		!of('./data', true, { folder: '/usr/local/shop', home: '/root' }) && of('../lib', true, { folder: '/usr/local/shop', home: '/root' }),
	);
	assert.ok(of('.', false, { folder: '/home/ada', home: '/home/ada' }) && of('./.ssh', false, { folder: '/home/ada', home: '/home/ada' }));
});

test('links lead there, as far as they are there', () => {
	const links = {
		run: '/run',
		all: '/',
		engine: '/var/lib/docker',
		later: '/run/docker/not-yet',
		up: '../home',
		circle: 'circle',
		fine: '/mnt',
	};
	for (const [name, to] of Object.entries(links)) symlinkSync(to, join(place, 'shop', name));
	for (const name of ['run', 'all', 'engine', 'later', 'up', 'circle']) assert.ok(isGrave(`./${name}`), name);
	assert.ok(isGrave('./up/.ssh') && isGrave('./all/etc/shadow') && isGrave('./fine/../root'));
	assert.ok(!isGrave('./fine') && !isGrave('./up/plain'));
});

test('an engine’s socket is one by its inode, its name, its folder, or who listens there', async () => {
	for (const path of [
		'/srv/x/docker.sock',
		'/srv/podman/api.sock',
		'/tmp/buildkitd.sock',
		'/run/k3s/containerd/containerd.sock',
		'/x/crio.sock',
		'/run/host-services/ssh-auth.sock',
	])
		assert.ok(isGrave(path), path);
	assert.ok(!isGrave('/run/mysqld/mysqld.sock') && !isGrave('/srv/docker/app.conf'));
	const [at, second, plain] = ['home/desk/engine', 'shop/second', 'shop/plain'].map((name) => join(place, name));
	const servers = [at, plain].map((path) => createServer().listen(path));
	await Promise.all(servers.map((server) => new Promise((done) => server.once('listening', done))));
	linkSync(at, second);
	const around = { folder: join(place, 'shop'), home: join(place, 'home'), socket: at };
	assert.equal(graveOf(second, { writes: false, around })?.isSocket, true);
	assert.equal(graveOf(plain, { writes: false, around }), null);
	assert.deepEqual(socketsIn(join(place, 'shop')).sockets.toSorted(), [plain, second].toSorted());
	for (const server of servers) server.close();
});

test('a device is no file that a read-only mount keeps, but for those that lead nowhere', () => {
	const graveAt = (path: string) => graveOf(path, { writes: false }) !== null;
	assert.deepEqual(['/dev/tty', '/dev/null', '/dev/urandom'].map(graveAt), [true, false, false]);
});
