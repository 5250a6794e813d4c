import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyAdapter } from '../../adapters/registry.ts';
import { placeholderFor } from '../../catalog/project-schema.ts';
import { readSettings } from '../../options/settings.ts';
import { serviceModels } from '../../target/compose-model.ts';
import { detectTiers } from '../../target/detect.ts';
import { lookWith } from '../../target/dockerfile.ts';
import { configOf } from '../../target/fixtures/systems.ts';
import { chooseProject } from '../../target/init.ts';
import { checkConfig } from './checked-system.ts';

const settings = readSettings('shop', {});
/** As `doubletake init` proposes it. */
function proposed(config: any) {
	const models = serviceModels(config);
	return chooseProject(detectTiers(models, everyAdapter), models);
}

const read = () => null;
/** The shop has nothing that a run could harm. */
const shop = () => ({ config: configOf('shop'), project: proposed(configOf('shop')) });

test('what is proposed for a system can be run, and all that the run needs is known', () => {
	const { config, project } = shop();
	const checked = checkConfig(config, { project, settings, read });
	assert.deepEqual(
		checked.models.map(({ service }) => service),
		Object.keys(config.services),
	);
	assert.deepEqual(Object.keys(checked.parts), Object.keys(config.services));
	assert.deepEqual([checked.load, checked.users, checked.thinkTimeS], ['steps', 200, 1]);
	assert.equal(checked.shape.stages.at(-1)?.target, 200);
	assert.deepEqual(checked.requests, [{ method: 'GET', path: '/', weight: 1 }]);
	assert.deepEqual(checked.originals, []);
});

test('a service that is watched with a changed configuration has its part and its original', () => {
	const { config, project } = shop();
	project.services.haproxy.watch = 2;
	const { parts, originals } = checkConfig(config, { project, settings, read });
	const target = '/usr/local/etc/haproxy/haproxy.cfg';
	assert.deepEqual(parts.haproxy.mounts, [{ source: 'raw:haproxy.cfg', target, readOnly: true }]);
	assert.deepEqual(
		originals.map(({ service, path, file }) => [service, path, file]),
		[['haproxy', target, '/home/ada/shop/haproxy.cfg']],
	);
});

test('any container can be watched by its own log', () => {
	const { config, project } = shop();
	project.services.web = { ...project.services.web, product: 'opaque', watch: 1 };
	assert.deepEqual(checkConfig(config, { project, settings, read }).parts.web, {});
});

test('what a run could harm keeps it from being run, unless the user allows it; then it is told', () => {
	const config = configOf('notes');
	config.services.api.privileged = true;
	const project = proposed(config);
	assert.throws(() => checkConfig(config, { project, settings, read }), /--allow/);
	const { notes } = checkConfig(config, { project, settings: { ...settings, allowData: true }, read });
	assert.ok(notes.includes('api is privileged: it can change the machine itself.'), notes.join('\n'));
});

test('a folder that a service may write to is reported, and keeps nothing from being run', () => {
	const config = configOf('notes');
	const { notes, copy, models } = checkConfig(config, { project: proposed(config), settings, read, folder: '/home/ada/notes' });
	assert.ok(notes.includes('./uploads (is not there): empty in the run; yours stays as it is.'), notes.join('\n'));
	assert.deepEqual(
		copy.folders.map(({ source, services }) => [source, services]),
		[['/home/ada/notes/uploads', ['api']]],
	);
	// What it is and where its configuration lies its file says.
	assert.ok(
		models.find(({ service }) => service === 'api')?.mounts.some(({ type, source }) => type === 'bind' && source.endsWith('/uploads')),
	);
});

test('what wants the engine’s socket is left out where no request needs it', () => {
	const config = configOf('shop');
	config.services.agent = { image: 'agent', volumes: [{ type: 'bind', source: '/var/run/docker.sock', target: '/var/run/docker.sock' }] };
	const project = proposed(config);
	const { models, notes, copy } = checkConfig(config, { project, settings, read });
	assert.ok(!models.some(({ service }) => service === 'agent'));
	assert.ok(notes.some((note) => /^agent: left out of the run, because it mounts \/var\/run\/docker\.sock/.test(note)));
	assert.equal(copy.changes('/files').services.agent.profiles.tag, '!override');
	assert.ok(
		checkConfig(config, { project, settings: { ...settings, allowData: true }, read }).models.some(({ service }) => service === 'agent'),
	);
});

test('a proxy that finds its servers by the engine’s socket has one of the run’s, under the names of the user’s stack', () => {
	const config = configOf('shop');
	const socket = { type: 'bind', source: '/run/user/1000/docker.sock', target: '/tmp/docker.sock', read_only: true };
	config.services.edge = { image: 'traefik:v3', ports: [{ target: 80 }], volumes: [socket], networks: { proxy: null } };
	config.services.edge.command = [`--providers.docker.network=${config.name}_proxy`];
	config.services.web.container_name = 'shopweb';
	config.services.web.labels = { 'traefik.http.routers.web.rule': 'Host(`shop.test`)' };
	config.networks.proxy = { name: 'edge-net', external: true };
	const project = { ...proposed(config), entry: 'http://edge/', load: placeholderFor({ entry: 'http://edge/' }) };
	const { copy, notes } = checkConfig(config, { project, settings, read, own: 'shop' });
	assert.deepEqual(copy.view, {
		services: ['edge'],
		names: { project: config.name, own: 'shop', known: { [`${config.name}_proxy`]: 'edge-net', [`${config.name}-web-1`]: 'shopweb' } },
	});
	const { edge } = copy.changes('/files').services;
	assert.deepEqual(edge.volumes, [
		{ type: 'bind', source: '/files/engine-view', target: '/tmp/docker.sock', read_only: true, bind: { create_host_path: false } },
	]);
	assert.deepEqual(edge.command, ['--providers.docker.network=shop_proxy']);
	assert.ok(
		notes.some((note) => /^edge: in place of the engine’s socket one of the run’s/.test(note)),
		notes.join('\n'),
	);
	assert.equal(checkConfig(config, { project, settings: { ...settings, allowData: true }, read }).copy.view, null);
	const look = { ...lookWith(), sharesSockets: false };
	assert.throws(
		() => checkConfig(config, { project, settings, read, look }),
		/if the engine listened at a socket of this machine[\s\S]*its servers in a file/,
	);
});

test('what passes the engine’s socket on stays, with one of the run’s', () => {
	const config = configOf('shop');
	config.services.relay = {
		image: 'tecnativa/docker-socket-proxy',
		volumes: [{ type: 'bind', source: '/var/run/docker.sock', target: '/var/run/docker.sock' }],
	};
	const { copy } = checkConfig(config, { project: proposed(config), settings, read });
	assert.deepEqual(copy.view?.services, ['relay']);
});
