import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProjectLoad } from '../../catalog/project-schema.ts';
import { partsOfEntry, placeholderFor } from '../../catalog/project-schema.ts';
import { byFirstHosts, readUrlList } from '../../load/url-list.ts';
import { describeRequest } from '../../target/describe.ts';
import { waysOf } from './entry-way.ts';
import { whatOf } from './probe.ts';
import { settleLoad } from './settle-load.ts';

type Given = { status: number; location?: string; page?: string; error?: string; isEmpty?: true };

type Server = (asked: { scheme: string; host: string; port: number; path: string; headers: Record<string, string> }) => Given;

const led = (location: string): Given => ({ status: 302, location });

async function settled(
	server: Server,
	{
		entries = ['http://web:80/'],
		hosts,
		load = placeholderFor({ entry: entries, hosts }),
		health = '',
		names = [],
	}: { entries?: string[]; hosts?: Record<string, string>; load?: ProjectLoad; health?: string; names?: string[] } = {},
) {
	const ways = waysOf({
		ask: async ({ path, target = entries[0], headers = {} }) => {
			const { scheme, host, port } = partsOfEntry(target);
			return { location: '', error: '', ...server({ scheme, host, port, path, headers }) };
		},
		addressOf: async () => '172.20.0.3',
		names,
		hosts: Object.keys(hosts ?? {}),
	});
	const project = { entry: entries.length > 1 ? entries : entries[0], hosts, load };
	const sites = { targets: entries, hosts };
	const listed = byFirstHosts(readUrlList(load.urls, sites), sites);
	const { requests, notes, entryPoints } = await settleLoad({ project, requests: listed, ways, healthPath: () => health });
	return {
		entryPoints,
		requests,
		paths: requests.map(({ target = '', path }) => `${target.replace(/\/$/, '')}${path}`),
		text: notes.join('\n'),
		notes,
	};
}

test('an entry that answers well is asked as it is written, and nothing is said', async () => {
	const { requests, notes } = await settled(() => ({ status: 200, page: '<a href="/more">x</a>' }));
	assert.deepEqual([requests, notes], [[{ method: 'GET', path: '/' }], []]);
});

test('what only leads on to a log-in is replaced by that page and what it loads, and it is said what that measures', async () => {
	const page = '<link href="/s.css" rel=stylesheet><form><input type=password></form><a href="/help">h</a><a href="/gone">g</a>';
	const server: Server = ({ path }) => {
		if (path === '/') return led('/users/sign_in?next=%2F');
		if (path.startsWith('/users/sign_in')) return { status: 200, page };
		return { status: ['/s.css', '/help', '/healthz'].includes(path) ? 200 : 404 };
	};
	const { paths, text } = await settled(server, { health: '/healthz' });
	assert.deepEqual(paths, ['/users/sign_in?next=%2F', '/s.css', '/help', '/healthz']);
	assert.match(
		text,
		/^GET \/ of http:\/\/web:80\/ leads to \/users\/sign_in, a log-in: the load measures that page and not what lies behind it/,
	);
	assert.doesNotMatch(text, /next/);
});

test('the first steps of a new installation are reported as such', async () => {
	const { paths, text } = await settled(({ path }) =>
		path === '/' ? led('/install.php') : { status: 200, page: '<input type=password>' },
	);
	assert.deepEqual(paths, ['/install.php']);
	assert.match(text, /leads to \/install\.php, the first steps of a new installation/);
});

test('what somebody wrote down is asked as it is, wherever it leads', async () => {
	const server = () => led('/login');
	const written = await settled(server, { load: { urls: ['GET /orders'] } });
	assert.deepEqual([written.paths, written.notes], [['/orders'], []]);
	const expected = await settled(server, { load: { ...placeholderFor({ entry: 'http://web:80/' }), expect: [302] } });
	assert.deepEqual([expected.paths, expected.notes], [['/'], []]);
});

test('but for the Host and the word of a proxy that all of it needs', async () => {
	const server: Server = ({ headers }) =>
		headers.Host === 'a.example' && headers['X-Forwarded-Proto'] ? { status: 200 } : led('https://a.example/');
	const { requests, text } = await settled(server, { load: { urls: ['GET /orders', 'POST /orders {}'] } });
	assert.deepEqual(
		requests.map(({ headers }) => headers?.Host),
		['a.example', 'a.example'],
	);
	assert.match(text, /sends users to https:\/\/a\.example\/: .* with Host: a\.example and X-Forwarded-Proto: https, which it takes/);
	const { requests: some } = await settled((asked) => (asked.path === '/ok' ? { status: 200 } : server(asked)), {
		load: { urls: ['GET /ok', 'GET /x'] },
	});
	assert.deepEqual(
		some.map(({ headers }) => headers),
		[undefined, undefined],
		'where some are answered well, the rest is what was meant',
	);
});

test('an entry that speaks TLS is asked by it, and it is said what the wire cannot tell', async () => {
	const { requests, text } = await settled(({ scheme }) => ({ status: scheme === 'https' ? 200 : 400 }));
	assert.deepEqual(requests, [{ method: 'GET', path: '/', target: 'https://web:80/' }]);
	assert.match(
		text,
		/web speaks TLS, .*The wire cannot be read inside of it: what fails there is placed by its connections, and by what stands behind/,
	);
	const written = await settled(() => ({ status: 200 }), { entries: ['https://web:443/'] });
	assert.deepEqual([written.requests, written.notes.length], [[{ method: 'GET', path: '/' }], 1]);
});

test('a Host that the file names helps where its own name is refused, and is not shown', async () => {
	const { requests, text } = await settled(({ headers }) => ({ status: headers.Host === 'a.example' ? 200 : 404 }), {
		names: ['localhost', 'a.example'],
	});
	assert.deepEqual(requests, [{ method: 'GET', path: '/', headers: { Host: 'a.example' } }]);
	assert.doesNotMatch(text, /a\.example/);
});

test('an answer of nothing but headers is of no site, where another Host is given a page', async () => {
	const server: Server = ({ headers }) => ({ status: 200, ...(headers.Host !== 'a.example' && { isEmpty: true }) });
	const { requests, text } = await settled(server, { names: ['localhost', 'a.example'] });
	assert.deepEqual(requests[0].headers, { Host: 'a.example' });
	assert.match(text, /answers nothing but headers to its own name/);
	const own = await settled(() => ({ status: 200, isEmpty: true }), { names: ['a.example'] });
	assert.deepEqual([own.requests, own.notes], [[{ method: 'GET', path: '/' }], []]);
});

test('where its page fails, what its health check asks is asked', async () => {
	const { paths, text } = await settled(({ path }) => ({ status: path === '/healthz' ? 200 : 404 }), { health: '/healthz' });
	assert.deepEqual(paths, ['/healthz']);
	assert.match(text, /GET \/ of http:\/\/web:80\/ answers 404: the load asks for \/healthz, which its health check asks/);
});

test('of several entries each is asked in its way, and one that answers nothing well is left out and told, unless none does', async () => {
	const entries = ['http://vote:80/', 'http://api:80/', 'http://result:80/'];
	const server: Server = ({ host, scheme }) => ({ status: host === 'api' ? 404 : host === 'result' && scheme === 'http' ? 400 : 200 });
	const { paths, text } = await settled(server, { entries });
	assert.deepEqual(paths, ['/', 'https://result:80/']);
	assert.match(text, /http:\/\/api:80\/ answers GET \/ with 404, and is left out of the load/);
	const none = await settled(() => ({ status: 404 }), { entries });
	assert.deepEqual(none.paths, ['/', 'http://api:80/', 'http://result:80/']);
});

test('a name that only the files have is asked by, and not shown', async () => {
	const server: Server = ({ scheme, host }) =>
		scheme === 'https' && host === 'a.example'
			? { status: 200 }
			: { status: 0, error: scheme === 'https' ? 'alert internal error' : 'socket hang up' };
	const { requests, text } = await settled(server, { entries: ['http://edge:443/'], names: ['a.example'] });
	assert.deepEqual(requests, [
		{ method: 'GET', path: '/', target: 'https://a.example:443/', address: '172.20.0.3', shown: 'https://edge:443/' },
	]);
	assert.deepEqual([describeRequest(requests[0]).target, whatOf(requests[0])], ['https://edge:443/', 'GET https://edge:443/']);
	assert.doesNotMatch(text, /a\.example/);
});

test('each host of an entry is asked by its name, and settled by itself', async () => {
	const entry = 'http://edge:8080/';
	const hosts = { 'shop.test': entry, 'api.test': entry, 'old.test': entry };
	const server: Server = ({ path, headers }) => {
		if (headers.Host === 'api.test') return path === '/' ? led('http://api.test/docs') : { status: 200 };
		if (headers.Host === 'shop.test') return headers['X-Forwarded-Proto'] ? { status: 200 } : led('https://shop.test/');
		return { status: 404 };
	};
	const { requests, entryPoints, text } = await settled(server, { entries: [entry], hosts });
	assert.deepEqual(
		requests.map(({ path, headers, shown }) => [path, headers, shown]),
		[
			['/', { Host: 'shop.test', 'X-Forwarded-Proto': 'https' }, 'http://shop.test/'],
			['/docs', { Host: 'api.test' }, 'http://api.test/'],
		],
	);
	assert.deepEqual(
		entryPoints.map(({ host, headers }) => [host, headers]),
		[
			['shop.test', { 'X-Forwarded-Proto': 'https' }],
			['api.test', {}],
		],
	);
	assert.match(text, /http:\/\/shop\.test\/ sends users to https:\/\/shop\.test\/: .* with X-Forwarded-Proto: https/);
	assert.match(text, /http:\/\/old\.test\/ answers GET \/ with 404, and is left out of the load/);
});

test('behind TLS a host is asked by its name, which the network of the run knows', async () => {
	const entry = 'https://edge:443/';
	const server: Server = ({ host, headers }) => (host === headers.Host ? { status: 200 } : { status: 0, error: 'alert internal error' });
	const { requests, notes } = await settled(server, { entries: [entry], hosts: { 'shop.test': entry, 'api.test': entry } });
	assert.deepEqual([notes.length, /^edge speaks TLS at port 443; its/.test(notes[0])], [1, true]);
	assert.deepEqual(
		requests.map(({ target, address, headers }) => [target, address, headers]),
		[
			['https://shop.test:443/', undefined, { Host: 'shop.test' }],
			['https://api.test:443/', undefined, { Host: 'api.test' }],
		],
	);
});

test('redirects to where nothing of the run answers are no answers that anybody wanted, and it is said what to change', async () => {
	const server: Server = ({ scheme, path }) =>
		scheme === 'https' ? { status: 0, error: 'connect ECONNREFUSED' } : led(`https://shop.example${path}#x=1`);
	const { requests, text, entryPoints } = await settled(server);
	assert.deepEqual([requests.length, entryPoints[0].isAway], [1, true]);
	assert.match(
		text,
		/^http:\/\/web:80\/ answers by redirects alone, to https:\/\/shop\.example\/, for which web does not answer in the run/,
	);
	assert.match(text, /Write the service that answers there as the entry in doubletake\.yaml, or switch the redirect off/);
	assert.doesNotMatch(text, /x=1/);
	const written = await settled(server, { load: { urls: ['GET /a', 'GET /b'] } });
	assert.match(written.text, /answers by redirects alone/);
	const some = await settled((asked) => (asked.path === '/a' ? { status: 200 } : server(asked)), { load: { urls: ['GET /a', 'GET /b'] } });
	assert.doesNotMatch(some.text, /redirects alone/);
	const two = await settled((asked) => (asked.host === 'web' ? { status: 200 } : server(asked)), {
		entries: ['http://web:80/', 'http://plain:80/'],
	});
	assert.deepEqual([two.paths, two.entryPoints.length], [['/'], 1]);
	assert.match(two.text, /http:\/\/plain:80\/ answers GET \/ with a redirect to https:\/\/shop\.example\/, and is left out/);
});
