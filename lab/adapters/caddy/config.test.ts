import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { NotReadyError } from '../../base/errors.ts';
import type { ServiceModel } from '../contract.ts';
import { serviceModel } from '../fixtures/service-model.ts';
import { readCaddyfile } from './caddyfile.ts';
import { configuration, METRICS_PORT } from './config.ts';

const { overlaid, pathOf } = configuration;

const text = readFileSync(new URL('./fixtures/Caddyfile', import.meta.url), 'utf8');

const reported = (caddyfile: string) => readCaddyfile(caddyfile).blocks.map(({ kind, name, directives }) => [kind, name, directives]);

test('options, snippets and sites are told apart, each with the directives of its own', () => {
	assert.deepEqual(reported(text), [
		['options', '', ['auto_https', 'admin']],
		['snippet', '(proxied)', ['encode', 'header']],
		['site', 'http://www.shop.example', ['import', 'reverse_proxy']],
		['site', 'http://admin.example', ['log', 'respond']],
	]);
	assert.equal(readCaddyfile(text).bare, null);
});

test('a block’s lines are where its braces are', () => {
	const { lines, blocks } = readCaddyfile(text);
	for (const { first, last } of blocks) assert.deepEqual([lines[first].at(-1), lines[last].trim()], ['{', '}']);
});

test('a file that is one site without braces has its addresses, and directives with blocks of their own', () => {
	const file = readCaddyfile('{\n\tdebug\n}\n\n:8080 # main\n\nreverse_proxy app:3000 {\n\tlb_policy first\n}\nlog\n');
	assert.deepEqual([file.bare, file.directives, file.blocks.length], [4, ['reverse_proxy', 'log'], 1]);
	assert.deepEqual(readCaddyfile(':80,\n:81\nrespond hi').bare, 1);
});

test('braces in quotes, in placeholders, in comments and in heredocs open nothing', () => {
	for (const inner of [
		'respond "{"',
		'respond `a {\n} b`',
		'header X {host}',
		'# comment {',
		'respond <<END\n}\n{\nEND',
		'respond "a \\" {"',
	])
		assert.deepEqual(
			reported(`:80 {\n\t${inner}\n\tencode gzip\n}\n`).map(([kind, name]) => [kind, name]),
			[['site', ':80']],
			inner,
		);
});

test('an import at the top is no site', () => {
	assert.deepEqual(readCaddyfile('import sites/*\n').bare, null);
});

test('an empty file, and one whose braces do not close, have no blocks', () => {
	assert.deepEqual(reported(''), []);
	assert.deepEqual(reported(':80 {\n\tlog\n'), []);
});

const service = (more?: Partial<ServiceModel>) => serviceModel({ service: 'edge', image: 'caddy:2.6', ...more });

const sitesOf = (caddyfile: string) => readCaddyfile(caddyfile).blocks.filter(({ kind }) => kind === 'site');

test('each site logs its requests, one that does already is left alone', () => {
	const [shop, admin] = sitesOf(overlaid(text).text);
	assert.deepEqual(shop.directives, ['log', 'import', 'reverse_proxy']);
	assert.deepEqual(admin.directives, ['log', 'respond']);
});

test('a logger of the lab’s own stands among the options, those there are kept', () => {
	const { text: changed } = overlaid(text);
	const [options] = readCaddyfile(changed).blocks;
	assert.deepEqual([options.kind, options.directives], ['options', ['log', 'auto_https', 'admin']]);
	for (const line of ['output stdout', 'name_key doubletake', 'level DEBUG', 'include http.log http.handlers.reverse_proxy'])
		assert.ok(changed.includes(`\t${line}\n`), line);
});

test('the metrics have a site of their own', () => {
	const site = sitesOf(overlaid(text).text).at(-1);
	assert.deepEqual([site?.name, site?.directives], [`http://:${METRICS_PORT}`, ['metrics']]);
});

test('every line of the file stays, in its order', () => {
	const changed = overlaid(text).text.split('\n');
	let from = 0;
	for (const line of text.split('\n')) {
		from = changed.indexOf(line, from) + 1;
		assert.ok(from > 0, line);
	}
});

test('each change is told', () => {
	const { changes } = overlaid(text);
	assert.equal(changes.length, 3);
	assert.match(changes[0], /^options: a logger/);
	assert.match(changes[1], /^site http:\/\/www\.shop\.example: its requests are logged/);
	assert.match(changes[2], new RegExp(`:${METRICS_PORT}: the metrics`));
});

test('without options, and without braces, a file gets both', () => {
	const { text: changed, changes } = overlaid(':8080 # main\n\nreverse_proxy app-1:3000 {\n\tlb_policy first\n}\n');
	const { blocks, bare } = readCaddyfile(changed);
	assert.deepEqual(
		[bare, blocks.map(({ kind, name, directives }) => [kind, name, directives])],
		[
			null,
			[
				['options', '', ['log']],
				['site', ':8080', ['log', 'reverse_proxy']],
				['site', `http://:${METRICS_PORT}`, ['metrics']],
			],
		],
	);
	assert.match(changes[1], /^site :8080: /);
});

test('Caddy’s own JSON gets the same', () => {
	const json = { apps: { http: { servers: { shop: { listen: [':80'] }, admin: { listen: [':81'], logs: { skip_hosts: ['x'] } } } } } };
	const { text: changed, changes } = overlaid(JSON.stringify(json));
	const { apps, logging } = JSON.parse(changed);
	assert.deepEqual([apps.http.servers.shop.logs, apps.http.servers.admin.logs], [{}, { skip_hosts: ['x'] }]);
	assert.deepEqual(logging.logs.doubletake.encoder, { format: 'json', name_key: 'doubletake' });
	assert.deepEqual(apps.http.servers.doubletake.listen, [`:${METRICS_PORT}`]);
	assert.equal(changes.length, 3);
});

test('a text without any site is refused', () => {
	for (const none of ['', '{\n\tdebug\n}\n', 'import sites/*\n', '{"apps":{}}', '[]'])
		assert.throws(() => overlaid(none), NotReadyError, none);
});

test('the configuration lies where the command, a mount or the image says, and a proxy without one has none', () => {
	assert.equal(pathOf(service()), '/etc/caddy/Caddyfile');
	assert.equal(pathOf(service({ command: ['caddy', 'run', '--config', '/edge.json'] })), '/edge.json');
	assert.equal(pathOf(service({ command: ['sh', '-c', 'exec caddy run'] })), '/etc/caddy/Caddyfile');
	const mounts = [{ source: './Caddyfile', target: '/srv/Caddyfile', type: 'bind', readOnly: true }];
	assert.equal(pathOf(service({ mounts })), '/srv/Caddyfile');
	assert.equal(pathOf(service({ command: ['caddy', 'reverse-proxy', '--from', ':80', '--to', 'app:3000'] })), null);
});
