import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Project } from '../../catalog/project-schema.ts';
import { placeholderFor } from '../../catalog/project-schema.ts';
import { Seen } from '../../wire/fixtures/seen.ts';
import { observedOf } from '../../wire/tenancy.ts';
import type { FoundEntryPoints } from './observed-entries.ts';
import { askedEntries, enteredOf, foundEntryPoints, reachedFrom, urlsSeen } from './observed-entries.ts';
import type { EntryPoint } from './settle-load.ts';

const EDGE = 'http://edge:80/';
const SECURED = 'https://edge:443/';
const ADMIN = 'http://admin:8080/';

const entryPoint = (given: Partial<EntryPoint> = {}) => ({ entry: EDGE, host: '', target: EDGE, headers: {}, isAway: false, ...given });
const project = (entry: string | string[], hosts?: Record<string, string>): any => ({
	entry,
	hosts,
	services: {},
	load: placeholderFor({ entry, hosts }),
});

/** What is written to be asked. */
const writtenUrls: (project: any, found?: FoundEntryPoints, pages?: any[]) => string[] = (
	project,
	entryPoints = { entries: {}, hosts: {}, headers: {} },
	pages = [],
) => urlsSeen({ project, entryPoints, pages, entered: [project.entry].flat().map((url) => ({ entry: { url } }) as any) });

test('an entry that speaks TLS elsewhere is written so, with what its hosts lead to', () => {
	const before = project([EDGE, ADMIN], { 'a.test': EDGE, 'b.test': EDGE });
	const entryPoints = ['a.test', 'b.test'].map((host) => entryPoint({ host, target: SECURED }));
	const found = foundEntryPoints(before, [...entryPoints, entryPoint({ entry: ADMIN, target: ADMIN })]);
	assert.deepEqual(found, { entries: { [EDGE]: SECURED }, hosts: {}, headers: {} });
	assert.deepEqual(writtenUrls(before, found), ['GET /', 'GET https://b.test/', `GET ${ADMIN}`]);
	assert.deepEqual(writtenUrls(before), []);
});

test('hosts of one entry that speak differently leave it as it is', () => {
	const found = foundEntryPoints(project(EDGE, { 'a.test': EDGE, 'b.test': EDGE }), [
		entryPoint({ host: 'a.test', target: SECURED }),
		entryPoint({ host: 'b.test' }),
	]);
	assert.deepEqual(found.entries, {});
});

test('a host that a redirect gave is written, and so is the word of a proxy that all of it needs', () => {
	const headers = { Host: 'a.test', 'X-Forwarded-Proto': 'https' };
	const found = foundEntryPoints(project(EDGE), [entryPoint({ headers })]);
	assert.deepEqual(found, { entries: {}, hosts: { 'a.test': EDGE }, headers: { 'X-Forwarded-Proto': 'https' } });
	assert.deepEqual(writtenUrls(project(EDGE), found), []);
	assert.deepEqual(
		foundEntryPoints(project([EDGE, ADMIN]), [entryPoint({ headers }), entryPoint({ entry: ADMIN, target: ADMIN })]).headers,
		{},
	);
});

test('URLs that somebody wrote keep the entries that they begin with', () => {
	const written = { ...project([EDGE, ADMIN]), load: { urls: ['GET /', `GET ${ADMIN}users`] } };
	assert.deepEqual(foundEntryPoints(written, [entryPoint({ target: SECURED })]).entries, {});
	const paths = { ...project(EDGE), load: { urls: ['GET /a'] } };
	assert.deepEqual(foundEntryPoints(paths, [entryPoint({ target: SECURED })]).entries, { [EDGE]: SECURED });
});

test('a page is named by its path at the first entry and its first host, else by its URL', () => {
	const page = (target: string, Host: string) => ({ method: 'GET', path: '/x', target, headers: { Host } });
	const pages = [page(EDGE, 'a.test'), page(EDGE, 'b.test'), { method: 'GET', path: '/x', target: ADMIN }];
	const known = project([EDGE, ADMIN], { 'a.test': EDGE, 'b.test': EDGE });
	assert.deepEqual(writtenUrls(known, undefined, pages), ['GET /x', 'GET http://b.test/x', 'GET http://admin:8080/x']);
});

const ENTRIES = [
	{ service: 'result', url: 'http://result:80/' },
	{ service: 'vote', url: 'http://vote:80/' },
];
const proposal = { services: {}, edges: [], entries: ENTRIES };
const urls = ENTRIES.map(({ url }) => url);
const PROJECT: Project = {
	compose: ['compose.yaml'],
	entry: urls[0],
	services: {},
	edges: [],
	load: placeholderFor({ entry: urls.slice(0, 1) }),
};

test('each service at which users could enter is asked, unless its user chose one or says what to ask for', () => {
	assert.deepEqual(askedEntries(PROJECT, { proposal }), ENTRIES);
	assert.deepEqual(askedEntries({ ...PROJECT, entry: urls, load: placeholderFor({ entry: urls }) }, { proposal }), ENTRIES);
	assert.deepEqual(askedEntries({ ...PROJECT, entry: 'http://vote:80/' }, { proposal }), [ENTRIES[1]]);
	assert.deepEqual(askedEntries({ ...PROJECT, load: { urls: ['GET /sums'] } }, { proposal }), [ENTRIES[0]]);
	assert.deepEqual(askedEntries({ ...PROJECT, load: { script: 'load.js' } }, { proposal }), [ENTRIES[0]]);
});

test('what is written to be asked is of each entry, and nothing where that is the placeholder', () => {
	const at = (path: string, target: string) => ({ method: 'GET', path, target });
	const both = { ...PROJECT, entry: urls, load: placeholderFor({ entry: urls }) };
	assert.deepEqual(writtenUrls(both, undefined, [at('/', urls[0]), at('/', urls[1])]), []);
	assert.deepEqual(writtenUrls(both, undefined, [{ method: 'GET', path: '/' }, at('/', urls[1]), at('/cats', urls[1])]), [
		'GET /',
		'GET http://vote:80/',
		'GET http://vote:80/cats',
	]);
	const many = Array.from({ length: 30 }, (_, index) => at(`/${index}`, urls[0]));
	assert.equal(writtenUrls(both, undefined, [...many, at('/', urls[1])]).length, 11);
	const named = { ...both, hosts: { 'a.test': urls[0], 'b.test': urls[0] } };
	const by = (path: string, Host: string) => ({ ...at(path, urls[0]), headers: { Host } });
	assert.deepEqual(writtenUrls(named, undefined, [by('/', 'a.test'), by('/', 'b.test'), by('/b', 'b.test'), at('/', urls[1])]), [
		'GET /',
		'GET http://b.test/',
		'GET http://b.test/b',
		'GET http://vote:80/',
	]);
});

test('users come in where a request needs the most services, and where that is the same, where it was proposed', () => {
	const at = [1050, 1052, 1054];
	const later = (s: number) => at.map((moment) => moment + s);
	const { record } = new Seen({ result: ['result'], vote: ['vote'], votes: ['votes'], rows: ['rows'] })
		.asks('host', 'result', { at: later(20), lastS: 0.1 })
		.asks('host', 'vote', { at, lastS: 0.1 })
		.asks('vote', 'votes', { protocol: 'redis', at: later(0.02) })
		.asks('result', 'rows', { protocol: 'postgres', at: Array.from({ length: 100 }, (_, index) => 1000.5 + index) });
	const seen = ENTRIES.map((entry) => ({ entry, observed: observedOf(record, { entries: [entry.service], generator: 'load' }) }));
	assert.deepEqual(enteredOf(seen, urls.slice(0, 1)).entered.map(reachedFrom), [['vote', 'votes'], ['result']]);
});

test('what stands behind another entry is none, and the order of the file stays', () => {
	const seenAt = (service: string, way: string[]) => ({
		entry: { service, url: `http://${service}:80/` },
		observed: { services: way.map((name) => ({ service: name, place: 'way' })) } as any,
	});
	const namesOf = (all: ReturnType<typeof seenAt>[], written: string[]) =>
		enteredOf(
			all,
			written.map((name) => `http://${name}:80/`),
		).entered.map(({ entry }) => entry.service);
	const [result, vote] = [seenAt('result', ['result']), seenAt('vote', ['vote', 'votes'])];
	assert.deepEqual(namesOf([result, vote], ['result', 'vote']), ['result', 'vote']);
	assert.deepEqual(namesOf([seenAt('api', ['api', 'db']), seenAt('front', ['front', 'api', 'db'])], ['api', 'front']), ['front']);
	assert.deepEqual(namesOf([result, vote], ['result']), ['vote', 'result'], 'what was not written comes in where it reaches most');
	assert.deepEqual(namesOf([vote, result], ['vote']), ['vote']);
	assert.deepEqual(namesOf([seenAt('one', ['one']), seenAt('other', ['other'])], []), ['one']);
});
