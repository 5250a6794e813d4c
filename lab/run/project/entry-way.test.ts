import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Project, ProjectTier } from '../../catalog/project-schema.ts';
import { partsOfEntry } from '../../catalog/project-schema.ts';
import type { Answer } from '../../docker/http-answer.ts';
import { aboutEntryPoints, besideIt, followed, kindOf, leadsTo, refuseOtherScheme, throughRedirect, waysOf } from './entry-way.ts';

type Asked = { scheme: string; host: string; port: number; path: string; headers: Record<string, string>; address?: string };

const ROOT = { method: 'GET', path: '/' };
const WRONG = 'write EPROTO: wrong version number';
const ALERT = 'tlsv1 alert internal error';

const answer = (status: number, location: string = ''): Answer => ({ status, location, error: '' });
const failed = (error: string): Answer => ({ status: 0, location: '', error });

function waysTo(server: (asked: Asked) => Answer, names: string[] = []) {
	const asked: string[] = [];
	const ways = waysOf({
		ask: async ({ path, target = '', headers = {}, address }) => {
			const { scheme, host, port } = partsOfEntry(target);
			asked.push(`${target}${Object.entries(headers).map((pair) => ` ${pair.join(': ')}`)}`);
			return server({ scheme, host, port, path, headers, address });
		},
		addressOf: async () => '172.20.0.3',
		names,
	});
	return { ways, asked };
}

test('an entry that speaks TLS is asked by it, whether it refuses what comes without, or breaks off', async () => {
	for (const refusal of [answer(400), failed('Parse Error: Expected HTTP/'), failed('socket hang up')]) {
		const { ways, asked } = waysTo(({ scheme }) => (scheme === 'https' ? answer(200) : refusal));
		assert.equal((await ways.ask(ROOT, 'http://edge:8080/')).status, 200);
		assert.deepEqual(ways.of('http://edge:8080/'), { target: 'https://edge:8080/' });
		await ways.ask(ROOT, 'http://edge:8080/');
		assert.deepEqual(asked, ['http://edge:8080/', 'https://edge:8080/', 'https://edge:8080/'], 'it is found out once');
	}
});

test('a 400 of its own, a refused connection and a silent one are no TLS', async () => {
	const own = waysTo(({ scheme }) => (scheme === 'https' ? failed(WRONG) : answer(400)));
	assert.equal((await own.ways.ask(ROOT, 'http://web:80/')).status, 400);
	assert.deepEqual(own.ways.of('http://web:80/'), { target: 'http://web:80/' });
	for (const error of ['connect ECONNREFUSED 172.20.0.3:80', 'no answer in 5 s', 'its container does not run']) {
		const { ways, asked } = waysTo(() => failed(error));
		assert.equal((await ways.ask(ROOT, 'http://web:80/')).error, error);
		assert.deepEqual(asked, ['http://web:80/']);
	}
});

test('what is written as HTTPS and speaks HTTP is asked so', async () => {
	const { ways } = waysTo(({ scheme }) => (scheme === 'http' ? answer(200) : failed(WRONG)));
	assert.equal((await ways.ask(ROOT, 'https://edge:443/api')).status, 200);
	assert.deepEqual(ways.of('https://edge:443/api'), { target: 'http://edge:443/api/' });
});

test('a certificate for a name of its users is asked for by that name, at the container’s address', async () => {
	const server = ({ scheme, host }: Asked) => {
		if (scheme === 'http') return failed('socket hang up');
		return host === 'shop.example' ? answer(200) : failed(ALERT);
	};
	for (const entry of ['https://caddy:443/', 'http://caddy:443/']) {
		const { ways } = waysTo(server, ['localhost', 'shop.example']);
		assert.equal((await ways.ask(ROOT, entry)).status, 200);
		assert.deepEqual(ways.of(entry), { target: 'https://shop.example:443/', address: '172.20.0.3' });
		const unknown = waysTo(server, ['localhost']);
		assert.equal((await unknown.ways.ask(ROOT, entry)).status, 0);
	}
});

test('a redirect leads to a place, whatever form it has, and what is none leads nowhere', () => {
	const from = { scheme: 'http', host: 'web', port: 3000, path: '/a/b' };
	const to = (location: string) => leadsTo(answer(302, location), from);
	assert.deepEqual(to('/login?next=%2F'), { ...from, path: '/login?next=%2F' });
	assert.deepEqual(to('c'), { ...from, path: '/a/c' });
	assert.deepEqual(to('https://Example.com#top'), { scheme: 'https', host: 'example.com', port: 443, path: '/' });
	assert.deepEqual(to('//example.com:8080/x'), { scheme: 'http', host: 'example.com', port: 8080, path: '/x' });
	for (const location of ['', 'ftp://example.com/', 'javascript:alert(1)']) assert.equal(to(location), null, location);
	assert.equal(leadsTo(answer(200, '/x'), from), null);
});

/** What is needed to be answered well. */
async function needed(server: (asked: Asked) => Answer, entry: string = 'http://web:80/'): Promise<any> {
	const { ways, asked } = waysTo(server);
	const found = await throughRedirect({ ways, entry, request: ROOT, answer: await ways.ask(ROOT, entry) });
	return { found, asked: asked.slice(1), way: ways.of(entry) };
}

test('a canonical host is asked as the Host that it wants, and nobody else is asked', async () => {
	const { found, asked } = await needed(({ headers }) =>
		headers.Host === 'www.example.com' ? answer(200) : answer(301, 'http://www.example.com/'),
	);
	assert.deepEqual([found.headers, found.what], [{ Host: 'www.example.com' }, 'Host: www.example.com']);
	assert.deepEqual(asked, ['http://web:80/ Host: www.example.com']);
});

test('a redirect to HTTPS of the same host is stopped by the word of a proxy, before TLS is tried', async () => {
	const { found } = await needed(({ headers }) => (headers['X-Forwarded-Proto'] ? answer(200) : answer(301, 'https://web/')));
	assert.deepEqual(found.headers, { 'X-Forwarded-Proto': 'https' });
});

test('what wants both gets both, and may lead on within the place that it takes itself for', async () => {
	const { found, asked } = await needed(({ headers }) =>
		headers.Host === 'a.example' && headers['X-Forwarded-Proto']
			? answer(302, 'https://a.example/login')
			: answer(301, 'https://a.example/'),
	);
	assert.deepEqual(found.headers, { Host: 'a.example', 'X-Forwarded-Proto': 'https' });
	assert.deepEqual(found.seen, { scheme: 'https', host: 'a.example', port: 443 });
	assert.equal(asked.length, 3);
});

test('where only TLS at the same container helps it is taken, with the Host or the name that it wants', async () => {
	const redirecting = ({ scheme, headers }: Asked, isWell: boolean) =>
		scheme === 'http' ? answer(301, `https://${headers.Host ?? 'edge'}/`) : isWell ? answer(200) : failed(ALERT);
	const own = await needed((asked) => redirecting(asked, true), 'http://edge:80/');
	assert.deepEqual([own.way, own.found.headers], [{ target: 'https://edge:443/' }, {}]);
	const elsewhere = (asked: Asked) =>
		asked.scheme === 'http' ? answer(301, 'https://a.example/') : redirecting(asked, asked.host === 'a.example');
	const named = await needed(elsewhere, 'http://edge:80/');
	assert.deepEqual(named.way, { target: 'https://a.example:443/', address: '172.20.0.3' });
});

test('what sends away whatever it is asked is left as it is', async () => {
	const { found } = await needed(({ scheme }) =>
		scheme === 'https' ? failed('connect ECONNREFUSED') : answer(301, 'https://elsewhere.example/'),
	);
	assert.equal(found, null);
	assert.equal((await needed(() => answer(302, '/login'))).found, null, 'it leads to a page of its own');
});

const FROM = { scheme: 'http', host: 'web', port: 80, path: '/' };
const led = (location: string) => ({ status: 302, location, error: '' });
const page = (text: string = '') => ({ status: 200, location: '', error: '', page: text });

/** @param site by path */
const asker = (site: Record<string, any>) => async (path: string) => site[path] ?? { status: 404, location: '', error: '' };

test('redirects within the place are followed to the page at their end', async () => {
	const ask = asker({ '/a': led('http://web/b?x=1'), '/b?x=1': page() });
	assert.deepEqual((await followed({ ask, answer: led('/a'), from: FROM }))?.paths, ['/', '/a', '/b?x=1']);
	assert.deepEqual((await followed({ ask, answer: page(), from: FROM }))?.paths, ['/']);
});

test('a way that leaves the place, goes in a circle or ends badly has no page', async () => {
	const ask = asker({ '/a': led('/b'), '/b': led('/a') });
	for (const location of ['/a', 'https://web/', 'http://elsewhere/', '/none'])
		assert.equal(await followed({ ask, answer: led(location), from: FROM }), null, location);
	assert.equal(await followed({ ask: asker({ '/a': page() }), answer: led('/a'), from: { ...FROM, path: '/x/' }, base: '/x' }), null);
});

test('first steps and log-ins are known by where the way leads, and by a field for a password', () => {
	const password = '<form><input name=p type="password"></form>';
	const kindAt = (path: string, text = '') => kindOf({ paths: ['/', path], page: text });
	for (const path of ['/install', '/setup', '/wp-admin/install.php', '/admin/first-run', '/onboarding?x', '/api/v1/initialize'])
		assert.equal(kindAt(path, password), 'set-up', path);
	for (const path of ['/login', '/users/sign_in', '/accounts/login/', '/auth/realms/x']) assert.equal(kindAt(path), 'log-in', path);
	for (const path of ['/dashboard', '/installations', '/blog/authors', '/sessions']) assert.equal(kindAt(path), 'page', path);
	assert.equal(kindAt('/Anmelden', password), 'log-in');
	assert.equal(kindOf({ paths: ['/'], page: password }), 'log-in');
	const shop = `${password}${['a', 'b', 'c', 'd'].map((path) => `<a href="/${path}">x</a>`).join('')}`;
	assert.equal(kindOf({ paths: ['/'], page: shop }), 'page', 'a page with more than a log-in on it');
});

test('what a page loads and links to is taken as far as it answers well', async () => {
	const text =
		'<link rel=stylesheet href="/x/s.css?v=1"><script src="/x/a.js"></script><a href="/x/b">b</a><a href="/x/gone">g</a><a href="/y">y</a>';
	const ask = asker({ '/x/s.css?v=1': page(), '/x/a.js': page(), '/x/b': page(), '/y': page() });
	assert.deepEqual(await besideIt({ ask, page: text, path: '/x/', base: '/x', most: 9 }), ['/x/s.css?v=1', '/x/a.js', '/x/b']);
});

const service = (tier: ProjectTier) => ({
	tier,
	product: 'opaque',
	watch: 0 as const,
});
const PROJECT: Project = {
	compose: ['compose.yaml'],
	entry: 'http://web:80/',
	services: { web: service('app'), admin: service('app'), jobs: service('other'), grafana: service('other'), db: service('database') },
	edges: [],
	load: { urls: ['GET /'] },
};
const MODELS = [
	{ service: 'web', published: [80, 443, 9000], networkMode: '' },
	{ service: 'admin', published: [9021, 8404], networkMode: '' },
	{ service: 'jobs', published: [4000], networkMode: '' },
	{ service: 'grafana', published: [3000], networkMode: '' },
	{ service: 'db', published: [5432], networkMode: '' },
	{ service: 'metal', published: [7000], networkMode: 'host' },
];
const likely = { tier: null, likely: 'app' as const };
const PROPOSAL = {
	entries: [{ service: 'web', url: 'http://web:80/' }],
	edges: [],
	services: {
		web: likely,
		admin: likely,
		jobs: likely,
		grafana: { tier: null, likely: null },
		db: { tier: null, likely: 'database' as const },
	},
};

function waysWhere(answers: (url: string) => boolean) {
	return waysTo(({ scheme, host, port }) => (answers(`${scheme}://${host}:${port}/`) ? answer(200) : failed('read ECONNRESET'))).ways;
}

test('published ports are asked but for stores, tools, operators’ pages and the entry’s own, and those that answer are named', async () => {
	const about = (entry: string) =>
		aboutEntryPoints({ project: { ...PROJECT, entry }, models: MODELS, proposal: PROPOSAL, ways: waysWhere(() => true) });
	assert.match(
		(await about('http://web:80/')).join(),
		/^http:\/\/web:9000\/, http:\/\/admin:9021\/, http:\/\/jobs:4000\/ answer HTTP too, /,
	);
	assert.deepEqual(await about('http://admin:9021/'), [], 'who chose an entry knows');
});

test('those that answer are reported in one sentence, as they are asked', async () => {
	const given = { project: PROJECT, models: MODELS, proposal: PROPOSAL };
	const open = ['http://web:9000/', 'https://admin:9021/'];
	assert.match(
		(await aboutEntryPoints({ ...given, ways: waysWhere((url) => open.includes(url)) })).join(),
		/^http:\/\/web:9000\/, https:\/\/admin:9021\/ answer HTTP too, /,
	);
	assert.deepEqual(await aboutEntryPoints({ ...given, ways: waysWhere(() => false) }), []);
});

test('a script is refused where its entry speaks another scheme than the file says, with what to write', async () => {
	const entry = 'http://web:8080/';
	const { ways } = waysTo(({ scheme }) => answer(scheme === 'https' ? 200 : 400));
	refuseOtherScheme([entry], ways);
	await ways.ask(ROOT, entry);
	assert.throws(
		() => refuseOtherScheme([entry], ways),
		/entry: expected http at http:\/\/web:8080\/.*found that https is spoken[\s\S]*write https:\/\/web:8080\/ as the entry/,
	);
});
