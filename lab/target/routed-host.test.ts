import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Route } from '../adapters/found-servers.ts';
import type { ProjectLoad } from '../catalog/project-schema.ts';
import { LOAD_DEFAULTS, placeholderFor } from '../catalog/project-schema.ts';
import { serviceModels } from './compose-model.ts';
import { configOf } from './fixtures/systems.ts';
import { withImagePorts } from './image-ports.ts';
import { newVolumes } from './new-volumes.ts';
import { notesOfPlace } from './reports-place.ts';
import { routedHosts, withDeclaredPorts, withRoutes } from './routed-host.ts';

const EDGE = 'http://edge:80/';
const PLACEHOLDER = placeholderFor({ entry: EDGE });

const route = (to: string, hosts: string[], paths: string[] = ['/']) => ({ from: 'edge', to, hosts, paths, reason: '' });
const DETECTIONS: any = {
	entry: { service: 'edge', url: EDGE },
	more: [],
	services: ['edge', 'web', 'api', 'db'].map((service) => ({ service, tier: 'app' })).concat({ service: 'page', tier: null as any }),
	edges: [
		{ from: 'edge', to: 'web' },
		{ from: 'edge', to: 'api' },
		{ from: 'api', to: 'db' },
	],
};
function routed(load: ProjectLoad, routes: Route[], sites?: Record<string, string[]>) {
	const found = routedHosts({ detections: DETECTIONS, routes, sites });
	return { ...withRoutes({ load, said: [] }, found, EDGE), hosts: found.hosts };
}

test('each routed host is asked, first that behind which most is needed; what no request is meant for is named', () => {
	const { load, said, hosts } = routed(PLACEHOLDER, [
		route('page', ['page.test']),
		route('web', ['www.test', 'test']),
		route('api', ['api.test']),
	]);
	assert.deepEqual(Object.entries(hosts), [
		['api.test', EDGE],
		['www.test', EDGE],
	]);
	assert.deepEqual(load, { urls: ['GET /', 'GET http://www.test/'], ...LOAD_DEFAULTS });
	assert.deepEqual(said, [
		'edge sends requests on by their Host: the load asks it by api.test (api) and www.test (web); others are test (web), page.test (page).',
	]);
});

test('a path that a host is served below is what is asked of it', () => {
	assert.deepEqual(routed(PLACEHOLDER, [route('api', [], ['/v1'])]).load, { urls: ['GET /v1'], ...LOAD_DEFAULTS });
	const { load } = routed(PLACEHOLDER, [route('api', ['api.test'], ['/v1']), route('web', ['www.test'], ['/shop'])]);
	assert.deepEqual(load.urls, ['GET /v1', 'GET http://www.test/shop']);
});

test('what somebody wrote is asked as it is, by the first host', () => {
	const load = { openapi: 'openapi.yaml', ...LOAD_DEFAULTS };
	const found = routed(load, [route('api', ['a.test'], ['/v1'])]);
	assert.deepEqual([found.load, found.hosts], [load, { 'a.test': EDGE }]);
});

test('a script sends what it sends, and is told of the host', () => {
	const { load, said } = routed({ script: 'load.js' }, [route('api', ['a.test'])]);
	assert.deepEqual(
		[load, said],
		[{ script: 'load.js' }, ['? edge sends requests on by their Host: let load.js send one, such as a.test (api).']],
	);
});

test('several sites of a configuration are asked by their names; one alone needs no telling apart', () => {
	const two = routed(PLACEHOLDER, [], { edge: ['shop.test', 'blog.test'], web: ['in.test', 'side.test'] });
	assert.deepEqual(two.load.urls, ['GET /', 'GET http://blog.test/']);
	assert.deepEqual(two.hosts, { 'shop.test': EDGE, 'blog.test': EDGE });
	assert.deepEqual(routed(PLACEHOLDER, [], { edge: ['shop.test'] }).hosts, {});
});

test('each of several entries has its own hosts', () => {
	const ADMIN = 'https://admin:443/';
	const detections = { ...DETECTIONS, more: [{ service: 'admin', url: ADMIN }] };
	const found = routedHosts({
		detections,
		routes: [route('web', ['www.test']), { ...route('api', ['api.test']), from: 'admin' }, { ...route('db', ['db.test']), from: 'admin' }],
	});
	assert.deepEqual(found.hosts, { 'www.test': EDGE, 'api.test': ADMIN, 'db.test': ADMIN });
	const entry = [EDGE, ADMIN];
	const { load } = withRoutes({ load: placeholderFor({ entry }), said: [] }, found, entry);
	assert.deepEqual(load.urls, ['GET /', `GET ${ADMIN}`, 'GET https://db.test/']);
});

test('what another service routes changes nothing', () => {
	const { load, said, hosts } = routed(PLACEHOLDER, [{ ...route('api', ['a.test']), from: 'other' }]);
	assert.deepEqual({ load, said, hosts }, { load: PLACEHOLDER, said: [], hosts: {} });
});

const REPORTS = '/home/ada/shop/reports';

const notesFor: (service: any, ignored?: string | null) => string[] = (service, ignored = null) =>
	notesOfPlace(serviceModels({ name: 'run', services: { web: service } }), REPORTS, (file) =>
		file.endsWith('/.dockerignore') ? ignored : null,
	);

test('a service that is built from the folder of the reports is reported, unless they are left out', () => {
	const service = { build: { context: '/home/ada/shop' } };
	assert.match(notesFor(service).join(), /^web: built from a folder in which the reports lie; write reports into its \.dockerignore/);
	for (const ignored of ['reports', 'node_modules\n/reports/\n', '*', '**/reports'])
		assert.deepEqual(notesFor(service, ignored), [], ignored);
	assert.deepEqual(notesFor({ build: { context: '/home/ada/shop/web' } }), []);
	assert.match(notesFor({ build: { context: '/home/ada' } }, 'node_modules').join(), /write shop\/reports into/);
	assert.deepEqual(notesFor({ build: { context: '/home/ada' } }, 'shop'), []);
	assert.equal(notesFor(service, 'report.').length, 1);
});

test('a service that mounts the folder of the reports is told', () => {
	const volumes = [{ type: 'bind', source: '/home/ada/shop', target: '/app', read_only: true }];
	assert.match(notesFor({ volumes }).join(), /^web: mounts a folder in which the reports lie;.*DOUBLETAKE_REPORTS/);
	assert.deepEqual(notesFor({ volumes: [{ ...volumes[0], source: '/home/ada/shop/src' }] }), []);
});

test('a volume that the run makes is reported with its service, and none of anybody else', () => {
	assert.deepEqual(newVolumes(configOf('notes')), ['mongo-data of mongo']);
	assert.deepEqual(newVolumes(configOf('hostile')), []);
});

test('a volume that several services share is reported once, with all of them', () => {
	const volumes = ['cache', 'cache'].map((source, index) => ({ type: 'volume', source, target: `/${index}` }));
	const config = {
		name: 'run',
		services: { web: { volumes }, worker: { volumes: volumes.slice(1) } },
		volumes: { cache: { name: 'run_cache' } },
	};
	assert.deepEqual(newVolumes(config), ['cache of web and worker']);
});

test('a volume of a driver that may keep it elsewhere is not told as new', () => {
	const services = { web: { volumes: [{ type: 'volume', source: 'media', target: '/media' }] } };
	const ofDriver = (driver: string) => newVolumes({ name: 'run', services, volumes: { media: { name: 'run_media', driver } } });
	assert.deepEqual([ofDriver('local'), ofDriver('vieux/sshfs')], [['media of web'], []]);
});

function portsOf(service: any) {
	const config = { name: 'run', services: { web: service } };
	return withDeclaredPorts(serviceModels(config), config)[0].ports;
}

test('a port is told by labels for a proxy, by variables, and by a health check', () => {
	assert.deepEqual(portsOf({ image: 'a', labels: { 'traefik.http.services.web.loadbalancer.server.port': '2368' } }), [2368]);
	assert.deepEqual(portsOf({ image: 'a', labels: { 'caddy.reverse_proxy': '{{upstreams 3000}}' } }), [3000]);
	assert.deepEqual(portsOf({ image: 'a', environment: { VIRTUAL_PORT: '8090' } }), [8090]);
	assert.deepEqual(portsOf({ image: 'a', environment: { PORT: '4000', DB_PORT: '5432' } }), [4000]);
	assert.deepEqual(portsOf({ image: 'a', healthcheck: { test: ['CMD', 'curl', '-f', 'http://localhost:9000/health'] } }), [9000]);
	assert.deepEqual(portsOf({ image: 'ghost:5-alpine' }), [2368]);
});

test('what the file says stays, and what is no port is none', () => {
	assert.deepEqual(portsOf({ image: 'a', expose: ['80'], environment: { PORT: '4000' } }), [80]);
	assert.deepEqual(portsOf({ image: 'a', environment: { PORT: 'tcp://10.0.0.1:80', HTTP_PORT: '0', WEB_PORT: '70000' } }), []);
});

test('what an image exposes is taken where the file names no port', async () => {
	const services = { web: { image: 'acme/web' }, api: { image: 'acme/api', expose: ['3000'] }, jobs: { build: { context: '.' } } };
	const models = await withImagePorts(serviceModels({ name: 'run', services }), async (image) => (image === 'acme/web' ? [8080] : [1]));
	assert.deepEqual(
		models.map(({ service, ports }) => [service, ports]),
		[
			['web', [8080]],
			['api', [3000]],
			['jobs', []],
		],
	);
});

test('what a health check, a command or PORT says counts before an image', async () => {
	const services = {
		checked: { image: 'acme/web', healthcheck: { test: ['CMD', 'curl', '-f', 'http://localhost:9000/health'] } },
		reported: { build: { context: '.' }, command: ['gunicorn', '--bind', '0.0.0.0:8000', 'app'] },
		option: { image: 'acme/web', command: ['vite', '--port', '5173'] },
		named: { image: 'acme/web', environment: { PORT: '3000' } },
		asks: { image: 'acme/web', command: ['wait-for', 'db:5432'] },
	};
	const models = await withImagePorts(serviceModels({ name: 'run', services }), async () => [80]);
	assert.deepEqual(
		models.flatMap(({ ports }) => ports),
		[9000, 8000, 5173, 3000, 80],
	);
});
