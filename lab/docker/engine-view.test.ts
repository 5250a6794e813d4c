import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import type { EngineView } from './http-answer.ts';
import { serveEngineView } from './http-answer.ts';

const PROJECT = 'doubletake-run-1a2b';
const OURS = { 'com.docker.compose.project': PROJECT, 'traefik.docker.network': `${PROJECT}_web` };
const names = { project: PROJECT, own: 'shop', known: { [`${PROJECT}_proxy`]: 'edge-net', [`${PROJECT}-web-1`]: 'web' } };
const networksOf = (address: string) => ({
	Networks: { [`${PROJECT}_proxy`]: { IPAddress: address }, [`${PROJECT}_web`]: { IPAddress: address } },
});
const container = {
	Id: 'aaa',
	Name: `/${PROJECT}-web-1`,
	Path: 'node',
	Args: ['--token=hunter2'],
	State: { Status: 'running', Health: { Status: 'healthy', Log: [{ Output: 'hunter2' }] } },
	Config: {
		Labels: OURS,
		Env: ['VIRTUAL_HOST=a.test', 'PASSWORD=hunter2', 'EMPTY'],
		Cmd: ['--token=hunter2'],
		Healthcheck: { Test: ['hunter2'] },
	},
	NetworkSettings: networksOf('10.0.0.2'),
};
/** What the engine knows, whatever it is asked for: it may not know the filter. */
const KNOWN: Record<string, unknown> = {
	'/version': { Version: '24.0' },
	'/info': { Name: 'here', Swarm: { LocalNodeState: 'active', ControlAvailable: true }, RegistryConfig: { Mirrors: ['hunter2'] } },
	'/containers/json': [
		{ Id: 'aaa', Labels: OURS, Names: [`/${PROJECT}-web-1`], Command: 'node --token=hunter2' },
		{ Id: 'bbb', Labels: { 'com.docker.compose.project': 'bank' } },
		{ Id: 'ccc', Labels: null },
		{ Id: 'ddd', Labels: { ...OURS, 'doubletake.tier': 'generator' } },
	],
	'/containers/aaa/json': container,
	[`/containers/${PROJECT}-web-1/json`]: container,
	'/containers/bbb/json': { Id: 'bbb', Config: { Labels: { 'com.docker.compose.project': 'bank' }, Env: ['PASSWORD=hunter2'] } },
	'/networks': [
		{ Name: `${PROJECT}_proxy`, Labels: OURS },
		{ Name: 'bridge', Labels: {} },
	],
	[`/networks/${PROJECT}_proxy`]: { Name: `${PROJECT}_proxy`, Labels: OURS },
	'/networks/bridge': { Name: 'bridge', Labels: {} },
	'/services': [{ ID: 's', Spec: { Labels: {} } }],
	'/tasks': [
		{ ID: 't', Labels: OURS },
		{ ID: 'u', Spec: { ContainerSpec: { Labels: {} } } },
	],
};

let folder = '';
let asked: string[] = [];
let events: http.ServerResponse | null = null;
let engine: http.Server;
let view: EngineView;

before(async () => {
	folder = await mkdtemp(join(os.tmpdir(), 'engine-view-'));
	engine = http.createServer((request, response) => {
		const url = String(request.url);
		asked.push(`${request.method} ${url}`);
		const path = url.replace(/^\/v[\d.]+/, '').replace(/\?.*/, '');
		if (path === '/_ping') return response.writeHead(200, { 'Api-Version': '1.41', 'X-Secret': 'hunter2' }).end('OK');
		if (path === '/events') {
			events = response;
			response.writeHead(200, { 'Content-Type': 'application/json' }).flushHeaders();
			return undefined;
		}
		if (request.method === 'POST') return response.writeHead(204).end();
		if (path in KNOWN) return response.writeHead(200).end(JSON.stringify(KNOWN[path]));
		return response.writeHead(404).end(JSON.stringify({ message: 'No such thing' }));
	});
	engine.listen(join(folder, 'engine'));
	await once(engine, 'listening');
	view = await serveEngineView({ path: join(folder, 'view'), engine: join(folder, 'engine'), names });
});
after(async () => {
	await view.close();
	engine.closeAllConnections();
	engine.close();
	await rm(folder, { recursive: true });
});
beforeEach(() => {
	asked = [];
});

async function ask(
	path: string,
	method: string = 'GET',
	socket: string = 'view',
): Promise<{ status: number; headers: http.IncomingHttpHeaders; text: string; json: any }> {
	const request = http.request({ socketPath: join(folder, socket), path, method, agent: false });
	request.end();
	const [response] = await once(request, 'response');
	let text = '';
	for await (const piece of response) text += piece;
	return {
		status: response.statusCode,
		headers: response.headers,
		text,
		json: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : null,
	};
}

/** The filter by which the engine was asked. */
const filterAsked = () => JSON.parse(new URL(asked[0].replace(/^\w+ /, ''), 'http://engine').searchParams.get('filters') ?? '{}');

test('whatever is not reading is refused as the engine would say it, and does not reach the engine', async () => {
	for (const [method, path] of [
		['POST', '/containers/aaa/stop'],
		['POST', '/v1.41/containers/aaa/exec'],
		['POST', '/v1.41/containers/create'],
		['DELETE', '/v1.41/containers/aaa'],
		['GET', '/v1.41/containers/aaa/logs?stdout=1'],
		['GET', '/containers/aaa/archive?path=/etc/passwd'],
		['GET', '/containers/aaa/attach/ws'],
		['GET', '/containers/aaa/top'],
		['GET', '/images/json'],
		['GET', '/secrets'],
		['GET', '/configs'],
		['GET', '/volumes'],
		['POST', '/containers/json'],
		['GET', '/containers/..%2fimages/json'],
		['GET', '/containers/../images/json'],
		['GET', '/containers/aaa/../../images/json'],
		['GET', '//containers/json'],
		['GET', 'http://engine/containers/json'],
	]) {
		const { status, json } = await ask(path, method);
		assert.equal(status, 403, `${method} ${path}`);
		assert.deepEqual(Object.keys(json), ['message']);
	}
	assert.deepEqual(asked, []);
	assert.ok(view.refused().includes('POST /containers/{id}/stop'), view.refused().join('\n'));
	assert.ok(!view.refused().join().includes('passwd'));
});

test('a list has what is of the project alone, whatever the engine gives', async () => {
	const { json } = await ask('/v1.41/containers/json?all=1&size=1');
	assert.deepEqual(
		json.map(({ Id }: any) => Id),
		['aaa'],
	);
	assert.deepEqual([json[0].Names, json[0].Command], [['/web'], '']);
	assert.deepEqual(filterAsked(), { label: [`com.docker.compose.project=${PROJECT}`] });
	assert.match(asked[0], /^GET \/v1\.41\/containers\/json\?all=1&filters=/);
	assert.deepEqual((await ask('/networks')).json.length, 1);
	assert.deepEqual((await ask('/services')).json, []);
	assert.deepEqual((await ask('/tasks')).json.length, 1);
});

test('a client’s own filters hold beside the project’s, and cannot take its place', async () => {
	const of = (filters: unknown) => ask(`/containers/json?filters=${encodeURIComponent(JSON.stringify(filters))}`);
	await of({ label: ['a=b', 'com.docker.compose.project=bank'], status: ['running'] });
	assert.deepEqual(filterAsked(), {
		label: ['a=b', 'com.docker.compose.project=bank', `com.docker.compose.project=${PROJECT}`],
		status: ['running'],
	});
	asked = [];
	await of({ label: { 'a=b': true }, network: ['edge-net'], name: ['shop-web-1'] });
	assert.deepEqual(filterAsked(), {
		label: ['a=b', `com.docker.compose.project=${PROJECT}`],
		network: [`${PROJECT}_proxy`],
		name: [`${PROJECT}-web-1`],
	});
	asked = [];
	await of({ label: ['com.docker.compose.project=shop'] });
	assert.deepEqual(filterAsked().label[0], `com.docker.compose.project=${PROJECT}`);
	asked = [];
	for (const wrong of [[], 'x', { label: 7 }, { label: [7] }, { 'a"': ['x'] }, null])
		assert.equal((await of(wrong)).status, 400, JSON.stringify(wrong));
	assert.equal((await ask('/containers/json?filters={')).status, 400);
	assert.equal((await ask('/containers/json?limit=1%26all=1')).status, 400);
	assert.deepEqual(asked, []);
	// Of two the first counts, here as there.
	await ask('/containers/json?filters={}&filters={%22label%22:[%22x%22]}');
	assert.deepEqual(filterAsked(), { label: [`com.docker.compose.project=${PROJECT}`] });
});

test('a container is shown without what may be a secret, under the names that its owner knows', async () => {
	const { json, text } = await ask('/containers/aaa/json');
	assert.ok(!text.includes('hunter2'), text);
	assert.deepEqual(json.Config.Env, ['VIRTUAL_HOST=a.test', 'PASSWORD=', 'EMPTY=']);
	assert.deepEqual(json.NetworkSettings.Networks, { 'edge-net': { IPAddress: '10.0.0.2' }, shop_web: { IPAddress: '10.0.0.2' } });
	assert.deepEqual(json.Config.Labels, { 'com.docker.compose.project': 'shop', 'traefik.docker.network': 'shop_web' });
	assert.deepEqual([json.Name, json.State.Health.Status], ['/web', 'healthy']);
	assert.equal((await ask('/containers/web/json')).json.Id, 'aaa');
	assert.equal((await ask('/networks/edge-net')).json.Name, 'edge-net');
});

test('what is another project’s is not there, nor is what is nobody’s', async () => {
	for (const path of ['/containers/bbb/json', '/networks/bridge', '/containers/zzz/json']) {
		const { status, text } = await ask(path);
		assert.equal(status, 404);
		assert.ok(!text.includes('hunter2'));
	}
});

test('of the engine itself it tells its version, and of the machine little', async () => {
	const { json, text } = await ask('/info');
	assert.deepEqual([json.Name, json.Swarm.LocalNodeState, text.includes('hunter2')], ['here', 'inactive', false]);
	assert.equal((await ask('/version')).json.Version, '24.0');
	const { text: said, headers } = await ask('/_ping');
	assert.deepEqual([said, headers['api-version'], headers['x-secret']], ['OK', '1.41', undefined]);
	assert.deepEqual([(await ask('/_ping', 'HEAD')).status, (await ask('/containers/aaa/json', 'HEAD')).text], [200, '']);
});

test('events come as they happen, of the project alone, and end with the view', async () => {
	const request = http.request({ socketPath: join(folder, 'view'), path: '/v1.41/events?filters={%22type%22:[%22container%22]}' });
	request.end();
	const [response] = await once(request, 'response');
	assert.deepEqual(filterAsked(), { type: ['container'], label: [`com.docker.compose.project=${PROJECT}`] });
	const reported = (action: string, attributes: object) =>
		`${JSON.stringify({ Type: 'container', Action: action, Actor: { Attributes: attributes } })}\n`;
	const text = [
		reported('start', { 'com.docker.compose.project': 'bank' }),
		reported('exec_create: hunter2', OURS),
		'no JSON\n',
		reported('die', OURS),
	].join('');
	events?.write(text.slice(0, -9));
	events?.write(text.slice(-9));
	const [line] = await once(response, 'data');
	assert.deepEqual(
		String(line)
			.trim()
			.split('\n')
			.map((one) => JSON.parse(one).Action),
		['die'],
	);
	assert.equal(JSON.parse(String(line)).Actor.Attributes['com.docker.compose.project'], 'shop');
	const gone = once(events as http.ServerResponse, 'close');
	response.on('error', () => {});
	await view.close();
	await gone;
	view = await serveEngineView({ path: join(folder, 'view'), engine: join(folder, 'engine'), names });
});

test('an engine that does not answer is told', async () => {
	const other = await serveEngineView({ path: join(folder, 'other'), engine: join(folder, 'none'), names });
	const request = http.request({ socketPath: join(folder, 'other'), path: '/info' });
	request.end();
	const [response] = await once(request, 'response');
	assert.equal(response.statusCode, 502);
	response.resume();
	await other.close();
});

test('whoever a service runs as may ask', async () => {
	assert.equal((await stat(join(folder, 'view'))).mode & 0o666, 0o666);
});

test('where a program writes the configuration of another of the run, that one can be told to read it again, and nothing else', async () => {
	const kill = '/v1.41/containers/web/kill';
	assert.equal((await ask(`${kill}?signal=HUP`, 'POST')).status, 403);
	const own = await serveEngineView({ path: join(folder, 'gen'), engine: join(folder, 'engine'), names: { ...names, reloads: true } });
	asked = [];
	for (const signal of ['HUP', 'SIGHUP', '1']) assert.equal((await ask(`${kill}?signal=${signal}`, 'POST', 'gen')).status, 204);
	const of = `/v1.41/containers/${PROJECT}-web-1`;
	assert.deepEqual(asked.slice(0, 2), [`GET ${of}/json`, `POST ${of}/kill?signal=HUP`]);
	asked = [];
	for (const query of ['', '?signal=KILL', '?signal=15', '?signal=', '?signal=9&signal=HUP'])
		assert.equal((await ask(`${kill}${query}`, 'POST', 'gen')).status, 403, query);
	assert.deepEqual(asked, []);
	for (const id of ['bbb', 'zzz']) assert.equal((await ask(`/containers/${id}/kill?signal=HUP`, 'POST', 'gen')).status, 404);
	assert.ok(
		asked.every((one: string) => one.startsWith('GET ')),
		asked.join(),
	);
	await own.close();
});
