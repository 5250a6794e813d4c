import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Decided } from '../../adapters/observed-system.ts';
import { parseProject, writeProject } from '../../catalog/project-file.ts';
import type { Project } from '../../catalog/project-schema.ts';
import { placeholderFor } from '../../catalog/project-schema.ts';
import { serviceModels } from '../../target/compose-model.ts';
import { asSeen, withObserved } from './observed-file.ts';

const FILE = 'doubletake.yaml';
const PROJECT: Project = {
	compose: ['compose.yaml'],
	entry: 'http://web:80/',
	services: {
		web: { tier: 'app', product: 'opaque', watch: 0, reason: 'it publishes port 80' },
		kv: { tier: 'other', product: 'opaque', watch: 0 },
		cron: { tier: 'app', product: 'opaque', watch: 0 },
	},
	edges: [['web', 'cron']],
	load: placeholderFor({ entry: 'http://web:80/' }),
};
const SEEN = {
	edges: [['web', 'kv']] as [string, string][],
	services: {
		web: { tier: 'app', product: 'opaque', watch: 0, protocol: '' },
		kv: { tier: 'cache', product: 'redis', watch: 1, protocol: 'redis' },
		cron: { tier: 'other', product: 'opaque', watch: 0, protocol: '' },
	},
};

test('tiers, products and edges are written where they stood, with a comment, and nothing else is touched', () => {
	const before = writeProject(PROJECT);
	const after = withObserved(before, parseProject(before, FILE), SEEN);
	const read = parseProject(after, FILE);
	assert.deepEqual(read.edges, [['web', 'kv']]);
	assert.deepEqual([read.services.kv, read.services.cron.tier], [{ tier: 'cache', product: 'redis', watch: 1 }, 'other']);
	const changed = after.split('\n').filter((line) => !before.split('\n').includes(line));
	assert.deepEqual(changed, [
		'  kv: { tier: cache, product: redis, watch: 1 } # seen on the wire: asked in redis',
		'  cron: { tier: other, product: opaque, watch: 0 } # seen on the wire',
		'# seen on the wire: web asks kv',
		'# not seen on the wire: web asks cron',
		'edges: [[web, kv]]',
	]);
	assert.equal(withObserved(after, read, SEEN), after, 'a second time nothing changes');
});

test('a list in lines keeps its comments: what was not seen is commented out', () => {
	const text = `compose: [compose.yaml]
entry: http://web:80/
services:
  web: # mine
    tier: app # by hand
    product: opaque
    watch: 0
  kv: { tier: other, product: opaque, watch: 0 }
  cron: { tier: other, product: opaque, watch: 0 }
edges:
  # the nightly one
  - [web, cron] # really?
  - [kv, cron]
load: { urls: ["GET /"] }
`;
	const after = withObserved(text, parseProject(text, FILE), {
		...SEEN,
		edges: [
			['kv', 'cron'],
			['web', 'kv'],
		],
	});
	assert.deepEqual(parseProject(after, FILE).edges, [
		['kv', 'cron'],
		['web', 'kv'],
	]);
	for (const kept of [
		'  web: # mine',
		'    tier: app # by hand',
		'  # the nightly one',
		'  # - [web, cron] # really?',
		'  - [web, kv]\nload:',
	])
		assert.ok(after.includes(kept), `${kept} in ${after}`);
});

test('a file without edges gets them', () => {
	const text = writeProject({ ...PROJECT, edges: [] }).replace(/\n.*\nedges: .*\n/, '\n');
	const after = withObserved(text, parseProject(text, FILE), SEEN);
	assert.deepEqual(parseProject(after, FILE).edges, [['web', 'kv']]);
});

test('another entry is written where it stood, and why', () => {
	const before = writeProject(PROJECT);
	const after = withObserved(before, parseProject(before, FILE), { edges: [], services: {}, entries: ['http://cron:8080/'] });
	assert.equal(parseProject(after, FILE).entry, 'http://cron:8080/');
	assert.match(
		after,
		/^# seen on the wire: from here requests come to more services than from http:\/\/web:80\/\nentry: http:\/\/cron:8080\/$/m,
	);
});

test('pages take the place of the placeholder, and of nothing that somebody wrote otherwise', () => {
	const before = writeProject(PROJECT);
	const urls = ['GET /', 'GET /it"s?a=1, b'];
	const after = withObserved(before, parseProject(before, FILE), { ...SEEN, urls });
	assert.deepEqual(parseProject(after, FILE).load.urls, urls);
	assert.equal(after.split('\n').length, before.split('\n').length + 2, 'two comments of the edges');
	assert.match(after, /users: 200 # at the top/);
	const inLines = before.replace(/^ {2}urls: .*$/m, '  urls:\n    - GET /');
	assert.deepEqual(parseProject(withObserved(inLines, parseProject(inLines, FILE), { ...SEEN, urls }), FILE).load.urls, ['GET /']);
});

test('several entries are a list, of which what stands behind another is taken out', () => {
	const before = writeProject(PROJECT);
	const both = withObserved(before, parseProject(before, FILE), {
		edges: [],
		services: {},
		entries: ['http://web:80/', 'http://cron:8080/'],
	});
	assert.deepEqual(parseProject(both, FILE).entry, ['http://web:80/', 'http://cron:8080/']);
	const lines = both.replace(/^entry: .*$/m, 'entry:\n  - http://web:80/\n  - http://cron:8080/ # mine');
	for (const text of [both, lines]) {
		const after = withObserved(text, parseProject(text, FILE), { edges: [], services: {}, entries: ['http://cron:8080/'] });
		assert.deepEqual(parseProject(after, FILE).entry, 'http://cron:8080/');
		assert.match(after, /# seen on the wire: another entry asks http:\/\/web:80\/, or nobody was answered there/);
	}
});

test('how an entry wants to be asked is written: scheme, port, the host that it leads to, and what it has to be told', () => {
	const before = writeProject(PROJECT);
	const entryPoints = {
		entries: { 'http://web:80/': 'https://web:443/' },
		hosts: { 'shop.test': 'https://web:443/' },
		headers: { 'X-Forwarded-Proto': 'https' },
	};
	const after = withObserved(before, parseProject(before, FILE), { ...SEEN, entryPoints });
	const { entry, hosts, load } = parseProject(after, FILE);
	assert.deepEqual([entry, hosts, load.headers], ['https://web:443/', { 'shop.test': 'https://web:443/' }, entryPoints.headers]);
	assert.match(after, /^# seen on the wire: http:\/\/web:80\/ is to be asked at https:\/\/web:443\/$/m);
	assert.match(after, /^# seen on the wire: redirects lead to shop\.test$/m);
	const named = writeProject({ ...PROJECT, hosts: { 'shop.test': 'http://web:80/', 'api.test': 'http://web:80/' } });
	for (const text of [named, named.replace(/hosts:\n {2}(.*)\n {2}(.*)\n/, 'hosts: { $1, $2 }\n')]) {
		const moved = parseProject(
			withObserved(text, parseProject(text, FILE), { ...SEEN, entryPoints: { ...entryPoints, hosts: { 'new.test': 'https://web:443/' } } }),
			FILE,
		);
		assert.deepEqual(moved.hosts, { 'new.test': 'https://web:443/', 'shop.test': 'https://web:443/', 'api.test': 'https://web:443/' });
	}
});

test('a product is known by what its image starts, whatever that is called, where the tier is that which was seen', () => {
	const models = serviceModels({ name: 'run', services: { web: { image: 'mirror/edge:1', expose: ['80'] } } });
	const decided = (tier: string) =>
		({
			edges: [],
			notes: [],
			outside: '',
			tiers: { web: tier },
			protocols: {},
		}) as Decided;
	const seen = (tier: string, command: string[]) =>
		asSeen('web', PROJECT.services.web, { decided: decided(tier), models, commands: { web: command } });
	const command = ['/entrypoint.sh', 'caddy', 'run', '--config', '/x'];
	assert.deepEqual(seen('load-balancer', command), {
		...{ tier: 'load-balancer', product: 'caddy', watch: 1, protocol: '' },
		reason: 'its image starts Caddy',
	});
	assert.equal(seen('app', command).product, 'caddy');
	for (const other of [seen('database', command), seen('load-balancer', ['/entrypoint.sh']), seen('load-balancer', [])])
		assert.equal(other.product, 'opaque');
	const changed = { ...SEEN, services: { ...SEEN.services, web: seen('load-balancer', command) } };
	const before = writeProject(PROJECT);
	assert.match(
		withObserved(before, parseProject(before, FILE), changed),
		/^ {2}web: \{ tier: load-balancer, product: caddy, watch: 1 \} # it publishes port 80; its image starts Caddy$/m,
	);
});
