import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListedRequest } from '../../../k6/lib/request-list.js';
import { NotReadyError } from '../../base/errors.ts';
import type { Answer } from '../../docker/http-answer.ts';
import { readUrlList } from '../../load/url-list.ts';
import { answer, inTurn } from '../../target/fixtures/answers.ts';
import { aboutPinned, lastingNote } from './about-answers.ts';
import { refuseFailing, reportedByLogs, SilentEntryError } from './failing-load.ts';

const signal = new AbortController().signal;
const times = { triesMost: 3, betweenMs: 0, limitMs: 60_000 };
const entry = 'http://edge:8000/';

/** A system that answers a path with one status after the other, and the last of them again and again. */
function systemOf(statuses: Record<string, number[]>) {
	const asked: string[] = [];
	const said = [] as string[];
	const ask = async ({ method, path }: ListedRequest) => {
		asked.push(`${method} ${path}`);
		const reported = statuses[path] ?? [404];
		const at = asked.filter((one) => one.endsWith(` ${path}`)).length - 1;
		const status = reported[Math.min(at, reported.length - 1)];
		return { status, location: '', error: status === 0 ? 'connect ECONNREFUSED' : '', ...(status === 404 && { line: 'no such page' }) };
	};
	return { asked, said, ask, say: (text: string) => said.push(text) };
}

/** @returns what it is refused with */
async function refusedBy(
	urls: string[],
	{ ask, say }: Pick<ReturnType<typeof systemOf>, 'ask' | 'say'>,
	{
		load = {},
		beside = [],
		limitMs = times.limitMs,
	}: { load?: { expect?: number[]; openapi?: string }; beside?: string[]; limitMs?: number } = {},
): Promise<NotReadyError | null> {
	const { expect } = load;
	const requests = readUrlList(urls).map((request) => ({ ...request, ...(expect && { expect }) }));
	const project = { entry, load: { urls, ...load } };
	try {
		await refuseFailing({ project, requests, line: 24, beside: () => beside, ask, say, signal, times: { ...times, limitMs } });
		return null;
	} catch (error) {
		assert.ok(error instanceof NotReadyError, String(error));
		return error;
	}
}

const refusal: (
	urls: string[],
	statuses: Record<string, number[]>,
	load?: { expect?: number[]; openapi?: string },
	beside?: string[],
) => Promise<string | null> = async (urls, statuses, load = {}, beside = []) =>
	(await refusedBy(urls, systemOf(statuses), { load, beside }))?.message ?? null;

test('a load whose one request is a 404 is refused with the line to edit, what was answered and what to write instead', async () => {
	assert.equal(
		await refusal(['GET /nope'], { '/': [200] }),
		[
			'doubletake.yaml:24, load.urls: expected a request that http://edge:8000/ answers well; found that its one request fails, so the load was not begun:',
			'    GET /nope is answered with 404 Not Found: no such page',
			'  To do: edit line 24 of doubletake.yaml. List requests under load.urls that it serves. If it wants another Host than that of http://edge:8000/, name it under hosts. "GET /" is answered with 200: urls: ["GET /"] would do. To measure just these answers, add "expect: [404]" under load.',
		].join('\n'),
	);
});

test('where all of several fail each is reported, up to a few, with advice for each kind once', async () => {
	const urls = Array.from({ length: 12 }, (_, index) => `GET /${index}`);
	const reported = String(await refusal(urls, { '/': [500], '/3': [401], '/11': [0] }));
	assert.match(reported, /found that each of its 12 requests fails/);
	assert.match(reported, /GET \/3 is answered with 401 Unauthorized\n.*GET \/4 .*\n {4}and 7 more\n/);
	assert.equal(reported.match(/List requests under load\.urls/g)?.length, 1);
	assert.match(reported, /List requests that need no log-in.*See in its log.*expect: \[401, 404\]/);
	assert.doesNotMatch(reported, /would do/);
});

test('where one of many is answered well the load goes on, be it the last', async () => {
	const urls = Array.from({ length: 25 }, (_, index) => `GET /${index}`);
	assert.equal(await refusal(urls, { '/24': [200] }), null);
});

test('a redirect is an answer, and so is a status that the load expects', async () => {
	assert.equal(await refusal(['GET /'], { '/': [302] }), null);
	assert.equal(await refusal(['GET /down'], { '/down': [503] }, { expect: [503] }), null);
	assert.match(String(await refusal(['GET /'], { '/': [200] }, { expect: [404] })), /Load\.expect names 404 alone; add 200 to it/);
});

test('a service that is cold at first is asked three times, and a load that it then answers is not refused', async () => {
	const cold = systemOf({ '/': [503, 500, 200] });
	assert.equal(await refusedBy(['GET /'], cold), null);
	assert.equal(cold.asked.length, 3);
	assert.deepEqual(cold.said, [
		'every request of the load fails (GET / is answered with 503 Service Unavailable); asking again, 3 times in all',
	]);
	const never = systemOf({ '/': [503] });
	assert.ok(await refusedBy(['GET /'], never));
	assert.equal(never.asked.length, 3);
});

test('what may change something is not asked before the load, and a load that has such requests is not refused', async () => {
	const system = systemOf({});
	assert.equal(await refusedBy(['GET /orders/1', 'POST /orders {}'], system), null);
	assert.deepEqual(system.asked, []);
	assert.match(String(await refusal(['HEAD /a', 'OPTIONS /b'], {})), /found that each of its 2 requests fails/);
});

test('where not all can be asked in time nothing is claimed of the rest', async () => {
	const { ask, say } = systemOf({});
	const slow = async (request: any) => {
		await new Promise((resolve) => setTimeout(resolve, 2));
		return ask(request);
	};
	const urls = Array.from({ length: 11 }, (_, index) => `GET /${index}`);
	assert.equal(await refusedBy(urls, { ask: slow, say }, { limitMs: 0 }), null);
});

test('an OpenAPI load is told that its paths may begin below another', async () => {
	const reported = String(await refusal(['GET /items'], {}, { openapi: 'api/openapi.yaml' }));
	assert.match(reported, /^doubletake\.yaml:24, load\.openapi: /);
	assert.match(
		reported,
		/If the paths of api\/openapi\.yaml begin below another one.*http:\/\/edge:8000\/api\/\. Volumes are new in a run: are the ids that it asks for in them\?/,
	);
});

test('what lies beside the Compose file and could be the load is named', async () => {
	const reported = String(await refusal(['GET /items'], {}, { openapi: 'api.yaml' }, ['script: k6/load.js', 'openapi: api.yaml']));
	assert.match(reported, /In place of it the load could be script: k6\/load\.js, which lies there\./);
});

test('of several entries each failing request is reported with its own', async () => {
	const entries = ['http://edge:8000/', 'http://result:80/'];
	const requests = readUrlList(['GET /nope', 'GET http://result:80/none'], { targets: entries });
	const ask = async () => ({ status: 404, location: '', error: '' });
	await assert.rejects(
		refuseFailing({ project: { entry: entries, load: { urls: [] } }, requests, line: 24, ask, say: () => {}, signal, times }),
		/a request that http:\/\/edge:8000\/ or http:\/\/result:80\/ answers well; .*\n {4}GET \/nope is .*\n {4}GET http:\/\/result:80\/none is .*/,
	);
});

const ENTRY = 'http://web:8080/';

/** Of what is answered so again and again. */
const noteOn: (given: Answer, expect?: number[]) => Promise<string> = async (given, expect) => {
	const request = { method: 'GET', path: '/', ...(expect && { expect }) };
	return (await lastingNote({ request, answer: given, ask: async () => given, entry: ENTRY })).join();
};

test('what will fail as it stands is reported before the load', async () => {
	const noteFor = (status: number) => noteOn(answer(status));
	assert.equal(await noteFor(200), '');
	assert.equal(await noteFor(304), '');
	assert.match(await noteFor(429), /a rate limiter\. All users of the load have one address/);
	assert.match(await noteFor(401), /counts as a failure: list requests that need no log-in/);
	assert.match(await noteFor(404), /list requests under load\.urls that it serves.* that of http:\/\/web:8080\//);
	assert.match(await noteFor(400), /if that port speaks HTTPS, write https:\/\/ in the entry; else list requests/);
	assert.match(await noteFor(500), /Volumes are new in a run: is what it needs in them\?$/);
	assert.match(await noteFor(503), /Volumes are new in a run.* another Host than that of http:\/\/web:8080\/, name it under hosts/);
	assert.match(await noteFor(0), /is not answered \(connect ECONNREFUSED\)/);
	assert.equal(await noteOn(answer(404), [404]), '');
	assert.match(await noteOn(answer(200), [404]), /GET \/ answers 200, which counts as a failure: load\.expect/);
});

test('a redirect is reported with what to ask for instead, and never with a place outside of the run', async () => {
	const noteFor = (location: string) => noteOn(answer(302, { location }));
	const reported = 'GET / is answered by a redirect, which the load does not follow:';
	assert.equal(await noteFor('/login?next=%2F'), `${reported} ask for /login instead.`);
	assert.equal(await noteFor('http://WEB:8080/login/'), `${reported} ask for /login/ instead.`);
	assert.equal(
		await noteFor('https://web/'),
		`${reported} it leads to https://web/. If the service listens there, write "https://web:443/" as the entry in doubletake.yaml.`,
	);
	for (const location of [
		'https://shop.example.com/cart?token=x',
		'//shop.example.com/cart',
		'http://localhost/cart',
		'HTTPS://[::1]/cart',
	])
		assert.match(
			await noteFor(location),
			/it leads away from the entry, to \S+\/cart\. Ask for \/cart if http:\/\/web:8080\/ serves it too; .*hosts\.$/,
		);
	assert.doesNotMatch(await noteFor('https://shop.example.com/cart?token=x'), /token|instead/);
});

test('a request that fails now and then is not told as one that fails', async () => {
	const request = { method: 'GET', path: '/' };
	const noteAfter = (statuses: number[]) =>
		lastingNote({ request, answer: answer(500), ask: inTurn(statuses.map((status) => answer(status))), entry: ENTRY });
	assert.deepEqual(await noteAfter([500, 200]), []);
	assert.match((await noteAfter([404])).join(), /answers 404/);
});

test('where a name leads to one of several containers, it is said which way leads to all of them', async () => {
	const list = async () => [
		{ service: 'edge', addresses: ['10.0.0.2'] },
		{ service: 'edge', addresses: ['10.0.0.3'] },
		{ service: 'web', addresses: ['10.0.0.4'] },
	];
	const reported = (...addresses: string[]) =>
		aboutPinned(
			addresses.map((address) => ({ method: 'GET', path: '/', address })),
			list,
		);
	assert.match(
		(await reported('10.0.0.3')).join(),
		/^edge has 2 containers .* all of the load goes to one of them\. Written under "hosts"/,
	);
	assert.deepEqual([await reported('10.0.0.4'), await reported()], [[], []]);
});

const STACK = {
	entry: 'http://web:80/',
	services: { web: {}, api: {}, db: {}, cache: {}, cron: {} },
	edges: [
		['web', 'api'],
		['api', 'db'],
		['api', 'cache'],
		['cron', 'db'],
	],
} as any;
/** With what a load is refused whose one request is answered so. */
const failing = (status: number) => refusedBy(['GET /'], systemOf({ '/': [status] }));

test('where servers fail, logs of the entry and of what it asks are quoted, the nearest first and at most three', async () => {
	for (const status of [0, 500]) assert.deepEqual(reportedByLogs(await failing(status), STACK), ['web', 'api', 'db']);
});

test('of an entry that is silent its own log is quoted', () => {
	assert.deepEqual(reportedByLogs(new SilentEntryError('expected', 'see'), STACK), ['web']);
});

test('where the wrong thing was asked for, or something else is wrong, no log says why', async () => {
	assert.deepEqual(reportedByLogs(await failing(404), STACK), []);
	assert.deepEqual(reportedByLogs(new NotReadyError('expected', 'see'), STACK), []);
});
