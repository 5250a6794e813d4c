import assert from 'node:assert/strict';
import { test } from 'node:test';
import { givenPaths, placesOfVolume } from './given-paths.ts';

test('a volume is what its options make of it, whatever its type says', () => {
	const of = (driver_opts: object) => placesOfVolume({ driver_opts }).map(({ path, writes, isBound }) => `${path} ${writes} ${isBound}`);
	assert.deepEqual(of({ type: 'none', o: 'bind', device: '/a' }), ['/a true true']);
	assert.deepEqual(of({ type: 'tmpfs', o: 'size=1m, rbind ,ro', device: '/a' }), ['/a false true']);
	for (const o of ['bind,ro,rw', 'bind, ro', 'bind,RO']) assert.deepEqual(of({ o, device: '/a' }), ['/a true true'], o);
	assert.deepEqual(of({ o: 'bind', device: 'etc' }), ['/etc true true']);
	assert.deepEqual(of({ type: 'tmpfs', o: 'size=1m', device: 'tmpfs' }), []);
	assert.deepEqual(of({ type: 'overlay', device: 'overlay', o: 'lowerdir=/a:/b,upperdir=/c,workdir=/d' }), [
		'/a true false',
		'/b true false',
		'/c true false',
		'/d true false',
	]);
	assert.deepEqual(of({ type: 'ext4', device: '/dev/sda1' }), ['/dev/sda1 true false']);
	assert.deepEqual(of({ type: 'nfs', o: 'addr=10.0.0.1,rw', device: ':/x' }), []);
	assert.deepEqual([placesOfVolume(null), placesOfVolume({})], [[], []]);
});

test('all that a service is given is known, with what may write to it', () => {
	const config = {
		volumes: { v: { driver_opts: { type: 'none', o: 'bind', device: '/v' } } },
		configs: { c: { file: '/c$$x' }, text: { content: 'x' } },
		secrets: { s: { file: '/s' }, unused: { file: '/unused' } },
	};
	const service = {
		volumes: [
			{ type: 'bind', source: '/b', target: '/x' },
			{ type: 'bind', source: '/r', target: '/y', read_only: true },
			{ type: 'volume', source: 'v', target: '/z', read_only: true },
			{ type: 'volume', source: 'constructor', target: '/q' },
			{ type: 'tmpfs', target: '/t' },
		],
		configs: [{ source: 'c' }, { source: 'text' }],
		secrets: [{ source: 's' }],
		env_file: [{ path: '/e' }, '/f'],
	};
	assert.deepEqual(
		givenPaths(service, config).map(({ path, writes, by }) => `${by} ${path} ${writes}`),
		[
			'mount /b true',
			'mount /r false',
			'volume /v false',
			'config /c$x false',
			'secret /s false',
			'variables /e false',
			'variables /f false',
		],
	);
});

test('of a build each folder and file is known, and what is elsewhere is none', () => {
	const of = (build: object) => givenPaths({ build }, { secrets: { s: { file: '/s' } } }).map(({ path }) => path);
	assert.deepEqual(of({ context: '/a', dockerfile: '../x/Dockerfile' }), ['/a', '/a/../x/Dockerfile', '/a/../x/Dockerfile/..']);
	assert.deepEqual(of({ context: '/a', dockerfile: '/etc/x' }), ['/a', '/etc/x', '/etc/x/..']);
	assert.deepEqual(of({ context: 'https://github.com/acme/web.git', dockerfile: '/etc/x' }), ['/etc/x', '/etc/x/..']);
	assert.deepEqual(of({ context: 'https://github.com/acme/web.git#main' }), []);
	assert.deepEqual(
		of({ context: 'git@github.com:acme/web.git', additional_contexts: ['r=/r', 'i=docker-image://x', 'o=oci-layout:///o', 't=target:y'] }),
		['/r', '/o'],
	);
	assert.deepEqual(
		of({
			context: '/a',
			dockerfile_inline: 'FROM x',
			secrets: [{ source: 's' }],
			cache_from: ['type=local,src=/k', 'acme/x', ' "SRC=/q,x" ,Type=local'],
		}),
		['/a', '/k', '/q,x', '/s'],
	);
});
