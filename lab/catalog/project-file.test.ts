import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { NotReadyError } from '../base/errors.ts';
import { secrets } from '../base/secrets.ts';
import { faultOfYaml, hasProject, lineOfSource, parseProject, projectIn, writeProject } from './project-file.ts';
import type { Project } from './project-schema.ts';
import { partsOfEntry, placeholderFor } from './project-schema.ts';

const TEXT = `compose: [compose.yaml]
entry: http://haproxy:8080/
services:
  haproxy: { tier: load-balancer, product: haproxy, watch: 1 }   # image haproxy:2.6
  web: { tier: app, product: opaque, watch: 0 }
edges: [[haproxy, web]]
load:
  urls: ["GET /"]
  shape: steps
  users: 200
  think_ms: 1000
`;

const project = (): Project => ({
	compose: ['compose.yaml'],
	entry: 'http://haproxy:8080/',
	services: { haproxy: { tier: 'load-balancer', product: 'haproxy', watch: 1 }, web: { tier: 'app', product: 'opaque', watch: 0 } },
	edges: [['haproxy', 'web']],
	load: { urls: ['GET /'], shape: 'steps', users: 200, think_ms: 1000 },
});

/** What is said of a file. */
function messageOf(text: string): string {
	try {
		parseProject(text, 'doubletake.yaml');
	} catch (error) {
		assert.ok(error instanceof NotReadyError, String(error));
		return error.message;
	}
	return assert.fail('it was taken');
}

function changed(old: string, replacement: string): string {
	assert.ok(TEXT.includes(old));
	return TEXT.replace(old, () => replacement);
}

test('a file is read', () => {
	assert.deepEqual(parseProject(TEXT, 'doubletake.yaml'), project());
});

test('what is no file in its place is there, and is told by what it is', async () => {
	const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-project-'));
	const path = join(folder, 'doubletake.yaml');
	try {
		assert.deepEqual([hasProject(folder), await projectIn(folder)], [false, null]);
		for (const [put, words] of [
			[() => execFileSync('mkfifo', [path]), /doubletake\.yaml: expected a regular file .* found a pipe/],
			[() => symlinkSync('/dev/zero', path), /found a link that leads to \/dev\/zero/],
			[() => symlinkSync('doubletake.yaml', path), /found links that lead in a circle/],
			[() => symlinkSync('nowhere', path), /found a link that leads nowhere/],
		] as [() => void, RegExp][]) {
			put();
			assert.ok(hasProject(folder));
			await assert.rejects(projectIn(folder), words);
			rmSync(path);
		}
		writeFileSync(path, TEXT);
		assert.deepEqual(await projectIn(folder), project());
	} finally {
		rmSync(folder, { recursive: true });
	}
});

test('what the file leaves out has its default, and a script has none', () => {
	const brief = TEXT.replace(/edges:.*\n/, '').replace(/ {2}shape:[\s\S]*/, '');
	assert.deepEqual(parseProject(brief, 'doubletake.yaml'), { ...project(), edges: [] });
	const scripted = brief.replace('urls: ["GET /"]', 'script: load.js');
	assert.deepEqual(parseProject(scripted, 'doubletake.yaml').load, { script: 'load.js' });
});

test('how stored ids are read is a command in a service of the file', () => {
	const wrong = (integrity: string) => messageOf(`${TEXT}integrity: ${integrity}\n`);
	const how = { service: 'web', command: ['cat', '/ids'] };
	assert.deepEqual(parseProject(`${TEXT}integrity: { service: web, command: [cat, /ids] }\n`, 'doubletake.yaml').integrity, how);
	assert.match(
		wrong('{ service: wbe, command: [cat] }'),
		/line 12, integrity\.service: expected one of haproxy, web; found "wbe"\.\n.*write "web"/,
	);
	assert.match(wrong('{ service: web, command: cat /ids }'), /integrity\.command: expected a list of words/);
	assert.match(wrong('{ service: web, command: [] }'), /integrity\.command: expected a list of words.*; found an empty list/);
	assert.match(wrong('{ service: web, command: [sleep, 5] }'), /integrity\.command\.1: expected a word of the command; in quotes/);
	assert.match(wrong('{ service: web }'), /integrity: expected an entry "command"; found none/);
});

test('what is written is read as the same', () => {
	assert.deepEqual(parseProject(writeProject(project()), 'doubletake.yaml'), project());
	const scripted = { ...project(), load: { script: 'load.js' } };
	assert.deepEqual(parseProject(writeProject(scripted), 'doubletake.yaml'), scripted);
	const described = { ...project(), load: { ...project().load, urls: undefined, openapi: 'my api.yaml' } };
	assert.equal(parseProject(writeProject(described), 'doubletake.yaml').load.openapi, 'my api.yaml');
});

test('the request that stands for those to be written is reported as such in the file, and one that was meant is not', () => {
	assert.match(
		writeProject({ ...project(), load: placeholderFor(project()) }),
		/urls: \["GET \/"\] # a placeholder: write what your users ask\n/,
	);
	const several = { ...project(), entry: ['http://haproxy:8080/', 'http://web:80/'] };
	const text = writeProject({ ...several, load: placeholderFor(several) });
	assert.match(
		text,
		/\nentry: \[http:\/\/haproxy:8080\/, http:\/\/web:80\/\]\n[\s\S]*urls: \["GET \/", "GET http:\/\/web:80\/"\] # a placeholder/,
	);
	assert.deepEqual(parseProject(text, 'doubletake.yaml').entry, several.entry);
	assert.doesNotMatch(writeProject({ ...project(), load: { urls: ['GET /orders'] } }), /placeholder/);
});

test('names that look like something else are written so that they stay names', () => {
	const names = ['1.0', '0x1f', 'null', 'y', 'on', 'a.b', '2024-01-01', '1_000', '-', '.5'];
	const odd = {
		...project(),
		compose: ['my: file #1.yaml'],
		data: { './a\u202e\u{e0001}\nb': 'copy' as const },
		entry: 'http://1.0:80/',
		services: Object.fromEntries(names.map((name) => [name, project().services.web])),
		edges: names.slice(1).map((name) => [names[0], name] as [string, string]),
	};
	const text = writeProject(odd);
	assert.deepEqual(parseProject(text, 'doubletake.yaml'), odd);
	// Who looks at the file sees what is in it.
	assert.doesNotMatch(text, /\p{Cf}/u);
});

test('a reason has no value that is known as secret', () => {
	const reasoned = project();
	secrets.learn(['CANARYpw7788']);
	reasoned.services.web.reason = 'image a:CANARYpw7788';
	assert.doesNotMatch(writeProject(reasoned), /CANARY/);
});

test('a reason becomes a comment that ends with its line', () => {
	const reasoned = project();
	reasoned.services.web.reason = 'image a\u202e\n  tier: database';
	const text = writeProject(reasoned);
	assert.match(text, /^ {2}web: \{ tier: app, product: opaque, watch: 0 \} # image a\\u202e tier: database$/m);
	assert.deepEqual(parseProject(text, 'doubletake.yaml'), project());
});

test('every entry is explained by a comment above it', () => {
	const text = writeProject(project());
	for (const name of ['compose', 'entry', 'services', 'edges', 'load']) assert.match(text, new RegExp(`^#.*\n${name}:`, 'm'));
});

test('an unknown name is told by its line, with the known one that is nearest', () => {
	const message = messageOf(changed('watch: 0', 'wacth: 0'));
	assert.match(message, /doubletake\.yaml, line 5, services\.web: expected one of tier, product, watch; found "wacth"/);
	assert.match(message, /To do: .*write "watch" instead of "wacth"/);
	assert.match(messageOf(`${TEXT}replicas: 2\n`), /line 12: expected one of compose, .*; found "replicas"[\s\S]*leave it out/);
});

test('a wrong value is told by its line, with what was expected', () => {
	assert.match(messageOf(changed('tier: app', 'tier: application')), /line 5, services\.web\.tier: expected one of load-balancer, app/);
	assert.match(messageOf(changed('load-balancer', 'loadbalancer')), /line 4.*[\s\S]*write "load-balancer" instead of "loadbalancer"/);
	assert.match(messageOf(changed('watch: 1', 'watch: 4')), /line 4, services\.haproxy\.watch: expected a level from 0 to 3; found 4/);
	assert.match(messageOf(changed('users: 200', 'users: many')), /line 10, load\.users: expected a whole number .*; found "many"/);
	assert.match(messageOf(changed('"GET /"', '"/"')), /line 8, load\.urls\.0: expected a method and a path/);
	assert.match(messageOf(changed('[haproxy, web]]', '[haproxy, 1.0]]')), /line 6, edges\.0\.1: expected the name of a service; in quotes/);
	assert.match(messageOf(changed('http://haproxy:8080/', 'haproxy')), /line 2, entry: expected the URL of a service/);
	assert.match(messageOf(changed('http://haproxy:8080/', '[http://web:80/, web]')), /line 2, entry\.1: expected the URL of a service/);
	assert.match(
		messageOf(changed('http://haproxy:8080/', '[http://web:80/, http://web:80/]')),
		/line 2, entry\.1: expected each entry once/,
	);
});

test('what is missing is told', () => {
	assert.match(messageOf(changed('entry: http://haproxy:8080/\n', '')), /expected an entry "entry"; found none/);
	assert.match(messageOf(changed('product: opaque, ', '')), /line 5, services\.web: expected an entry "product"/);
	assert.match(messageOf(''), /line 1: expected names and values .*; found nothing/);
	assert.match(messageOf('- a\n'), /line 1: expected names and values .*; found a list/);
});

test('several faults are reported at once, in the order of their lines', () => {
	const message = messageOf(changed('watch: 1', 'watch: 4').replace('users: 200', 'users: 0'));
	assert.ok(message.indexOf('line 4') < message.indexOf('line 10') && message.includes('line 4: '));
});

test('a fault in the YAML is told by its line', () => {
	assert.match(messageOf(changed('[[haproxy, web]]', '[[haproxy, web]')), /line \d+: expected YAML/);
	assert.match(messageOf(`${TEXT}load: {}\n`), /line 12: expected YAML; .*unique/);
});

test('an entry that is no service of the file, or one that no request passes, is refused', () => {
	const message = messageOf(changed('http://haproxy:', 'http://haprox:'));
	assert.match(message, /line 2, entry: .*one of haproxy, web[\s\S]*write "haproxy" instead of "haprox"/);
	assert.match(messageOf(changed('tier: load-balancer', 'tier: other')), /line 4, services\.haproxy\.tier/);
});

test('an edge to what is no service, and one to itself, are refused', () => {
	assert.match(messageOf(changed('[haproxy, web]]', '[haproxy, wbe]]')), /line 6, edges\.0: expected two of haproxy, web; found "wbe"/);
	assert.match(messageOf(changed('[haproxy, web]]', '[web, web]]')), /two different services/);
});

test('a load has one source of requests, and nothing that a script would not heed', () => {
	assert.match(messageOf(changed('  urls: ["GET /"]\n', '')), /load: expected one of urls, openapi, script; found none/);
	assert.match(messageOf(changed('urls: ["GET /"]', 'urls: ["GET /"]\n  script: load.js')), /line 9, load: .*found urls and script/);
	assert.match(messageOf(changed('urls: ["GET /"]', 'script: load.js')), /line 10, load: expected no "users" beside a script/);
});

test('a load may give headers to its requests, and name operations of its document', () => {
	const named = changed('urls: ["GET /"]', 'openapi: api.yaml\n  include: [POST /orders]\n  exclude: ["GET /reports"]');
	const { load } = parseProject(`${named}  headers: { Authorization: "Bearer \${TOKEN}", 1.0: x }\n`, 'doubletake.yaml');
	assert.deepEqual([load.include, load.exclude], [['POST /orders'], ['GET /reports']]);
	assert.deepEqual(load.headers, { Authorization: `Bearer \${TOKEN}`, '1.0': 'x' });
});

test('headers that are chosen are written', () => {
	const load = { ...project().load, headers: { Host: 'shop.test' } };
	assert.deepEqual(parseProject(writeProject({ ...project(), load }), 'doubletake.yaml').load.headers, { Host: 'shop.test' });
});

test('headers and operations that are wrong, or that the source would not heed, are told by their line, and no value of a header', () => {
	const secret = 'Tr0ub4dor';
	const refused: (added: string, reported: RegExp, source?: string) => void = (added, reported, source = 'openapi: api.yaml') => {
		const message = messageOf(changed('urls: ["GET /"]', `${source}\n  ${added}`));
		assert.match(message, reported);
		assert.ok(!message.includes(secret), message);
	};
	refused(`headers: { X-Tenant: 7, Authorization: ${secret} }`, /line 9, load\.headers\.X-Tenant: expected a text; found a number/);
	refused(`headers: ["${secret}"]`, /line 9, load\.headers: expected headers by their names/);
	refused('include: POST /orders', /line 9, load\.include: expected a list of operations/);
	refused('exclude: ["/orders"]', /line 9, load\.exclude\.0: expected a method and a path of the OpenAPI document/);
	refused('exclude: ["GET /"]', /line 9, load: expected no "exclude" beside urls/, 'urls: ["GET /"]');
	const script = TEXT.replace(/ {2}urls:[\s\S]*/, `  script: load.js\n  headers: { Authorization: ${secret} }\n`);
	assert.match(messageOf(script), /line 9, load: expected no "headers" beside a script, which says itself what it sends; found some/);
});

test('statuses that are good answers are read, are statuses, and are no business of a script', () => {
	const expecting = (value: string) => changed('urls: ["GET /"]', `urls: ["GET /"]\n  expect: ${value}`);
	assert.deepEqual(parseProject(expecting('[200, 404]'), 'doubletake.yaml').load.expect, [200, 404]);
	assert.match(messageOf(expecting('[4040]')), /line 9, load\.expect\.0: expected an HTTP status from 100 to 599; found 4040/);
	assert.match(messageOf(expecting('404')), /line 9, load\.expect: expected a list of HTTP statuses/);
	const script = TEXT.replace(/ {2}urls:[\s\S]*/, '  script: load.js\n  expect: [404]\n');
	assert.match(messageOf(script), /line 9, load: expected no "expect" beside a script.*\n.*http\.setResponseCallback/);
});

test('the line is known in which the load says where its requests come from', () => {
	assert.equal(lineOfSource(TEXT), 8);
	assert.equal(lineOfSource(TEXT.replace('urls: ["GET /"]', '# a list\n  openapi: api.yaml')), 9);
	assert.equal(
		lineOfSource(writeProject(project()).replace('urls:', 'script:')),
		writeProject(project())
			.split('\n')
			.findIndex((line) => line.startsWith('  urls:')) + 1,
	);
});

const SAID = `${TEXT}title: the shop
question: Is the pool large enough?
variables:
  POOL: { about: connections in the pool, standard: "8", range: [1, 500] }
remedies:
  - { change: a pool of 32, causes: [pool-wait], variables: { POOL: "32" } }
`;

test('a user may say what the system is, what is asked of it, what can be given and what may help', () => {
	const { title, question, variables, remedies } = parseProject(SAID, 'doubletake.yaml');
	assert.deepEqual([title, question, variables?.POOL.range], ['the shop', 'Is the pool large enough?', [1, 500]]);
	assert.deepEqual(remedies, [{ change: 'a pool of 32', causes: ['pool-wait'], variables: { POOL: '32' } }]);
});

test('what only the lab’s own systems say, and a cause that nobody knows, are refused', () => {
	for (const [from, to, problem] of [
		['title: the shop', 'published: doubling.2a', /expected one of compose, .*; found "published"/],
		['causes: [pool-wait]', 'causes: [pool-wiat]', /remedies\.0\.causes\.0: expected one of .*; found "pool-wiat".*\n.*write "pool-wait"/],
		['variables: { POOL: "32" } }', 'system: 2a }', /remedies\.0: expected one of change, causes, variables; found "system"/],
		['variables: { POOL: "32" } }', 'variables: { POOL: 32 } }', /remedies\.0\.variables\.POOL: expected a text, in quotes; found 32/],
		['large enough?', 'large enough', /question: expected what is asked/],
		['range: [1, 500]', 'rang: [1, 500]', /variables\.POOL/],
	] as [string, string, RegExp][])
		assert.throws(
			() => parseProject(SAID.replace(from, to), 'doubletake.yaml'),
			(error) => error instanceof NotReadyError && problem.test(error.message),
			to,
		);
});

test('of a Compose file that is no YAML the line of the fault is named, and what YAML knows no more of is none', () => {
	const text = 'services:\n  web:\n    image: nginx\n    ports: ["80:80"]\n   environment:\n     A: b\n';
	assert.deepEqual(faultOfYaml(text, 'compose.yaml'), {
		problem: 'compose.yaml, line 5: expected YAML; found a fault in it: All mapping items must start at the same column.',
		remedy: 'correct line 5, or the one before it.',
	});
	assert.match(faultOfYaml('services:\n\tweb: {}\n', 'a.yml')?.problem ?? '', /^a\.yml, line 2: .*Tabs are not allowed/);
	for (const well of ['', 'services: { web: { ports: !reset [], 1: a } }', 'x: &a { b: 1 }\ny: { <<: *a }'])
		assert.equal(faultOfYaml(well, 'a'), null);
});

test('an entry has a port and a beginning of all paths, whether it names them or not', () => {
	assert.deepEqual(partsOfEntry('http://my_app:8000/api/'), { scheme: 'http', host: 'my_app', port: 8000, base: '/api' });
	assert.deepEqual(partsOfEntry('https://1.0'), { scheme: 'https', host: '1.0', port: 443, base: '' });
});
