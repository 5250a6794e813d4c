import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import { NotReadyError } from '../../base/errors.ts';
import { docker } from '../../docker/docker.ts';
import { cleanSwarm } from './deployment.ts';
import { partsOf, refuseForeign, removeStack } from './services.ts';

afterEach(() => mock.restoreAll());

const STACK = { 'com.docker.stack.namespace': 'doubletake' };
const OURS = { ...STACK, 'doubletake.lab': 'yes' };

/** What of an engine is listed, by kind: each with a name, and labels. */
type Given = Record<string, { name: string; labels: Record<string, string>; ofContainer?: boolean }[]>;

/** An engine that manages a Swarm. A network is in use as long as a container is there, and that is until the second look. */
function engineWith(given: Given, { isManager = true, stays = false }: { isManager?: boolean; stays?: boolean } = {}) {
	const removed = [] as string[];
	let looks = 0;
	const listed = (kind: string) => (given[kind] ?? []).filter(({ name }) => !removed.includes(name));
	const labelled = (kind: string) =>
		listed(kind).map(({ name, labels, ofContainer = false }) => ({
			...{ ID: name, Id: name, Name: name, Labels: labels },
			Spec: { Name: name, Labels: ofContainer ? STACK : labels, TaskTemplate: { ContainerSpec: { Labels: labels } } },
		}));
	const handle = (mayBeInUse: boolean) => (name: string) => ({
		remove: async () => {
			if (mayBeInUse && (looks < 2 || stays)) throw Object.assign(new Error(`${name} is in use`), { statusCode: 400 });
			removed.push(name);
		},
	});
	const fakes = {
		info: async () => ({ Swarm: { ControlAvailable: isManager } }),
		listServices: async () => labelled('services'),
		listNetworks: async () => labelled('networks'),
		listConfigs: async () => labelled('configs'),
		listSecrets: async () => labelled('secrets'),
		listVolumes: async () => ({ Volumes: labelled('volumes') }),
		listContainers: async () => [],
		getService: handle(false),
		getNetwork: handle(true),
		getConfig: handle(false),
		getSecret: handle(false),
		getVolume: handle(false),
	} as Record<string, (...given: any[]) => any>;
	for (const [name, fake] of Object.entries(fakes)) mock.method(docker, name as any, fake);
	return {
		removed,
		listContainers: async () => {
			looks += 1;
			return looks < 2 || stays ? ['task'] : [];
		},
	};
}

/** A stack of somebody else's under the same name, beside what a run left. */
const BOTH: Given = {
	services: [
		{ name: 'doubletake_web', labels: STACK },
		{ name: 'doubletake_nginx', labels: OURS },
		{ name: 'doubletake_older', labels: { ...STACK, 'doubletake.tier': 'app' }, ofContainer: true },
	],
	networks: [
		{ name: 'doubletake_default', labels: STACK },
		{ name: 'doubletake_lab', labels: OURS },
	],
	configs: [
		{ name: 'theirs', labels: STACK },
		{ name: 'nginx-conf-1', labels: OURS },
	],
	secrets: [{ name: 'doubletake_password', labels: STACK }],
	volumes: [
		{ name: 'doubletake_data', labels: STACK },
		{ name: 'doubletake_raw', labels: OURS },
	],
};

test('of a stack only what bears a label of the lab is removed, as soon as its containers let go of it', async () => {
	const { removed, listContainers } = engineWith(BOTH);
	assert.deepEqual(await removeStack('doubletake', listContainers, { lookMs: 1 }), []);
	assert.deepEqual(removed.toSorted(), ['doubletake_lab', 'doubletake_nginx', 'doubletake_older', 'nginx-conf-1']);
});

test('what does not go in time is reported with why', async () => {
	const { listContainers } = engineWith({ networks: [{ name: 'doubletake_lab', labels: OURS }] }, { stays: true });
	assert.deepEqual(await removeStack('doubletake', listContainers, { lookMs: 1, limitMs: 5 }), [
		'network doubletake_lab',
		'1 containers of the stack doubletake',
		'because of network doubletake_lab: doubletake_lab is in use',
	]);
});

test('clean leaves a stack alone that has but the name, with its volumes, and names it', async () => {
	const { removed } = engineWith({ ...BOTH, services: [BOTH.services[0]], networks: [], configs: [] });
	assert.deepEqual(await cleanSwarm(), {
		left: [],
		foreign: ['service doubletake_web', 'secret doubletake_password', 'volume doubletake_data on this machine'],
	});
	assert.deepEqual(removed, ['doubletake_raw']);
});

test('on an engine that is in no Swarm volumes are told apart in the same way', async () => {
	const { removed } = engineWith(BOTH, { isManager: false });
	assert.deepEqual(await cleanSwarm(), { left: [], foreign: ['volume doubletake_data on this machine'] });
	assert.deepEqual(removed, ['doubletake_raw']);
	assert.deepEqual(await partsOf('doubletake'), { made: [], foreign: [] });
});

test('a run on a Swarm is refused beside a stack of somebody else’s that has its name', async () => {
	engineWith({ services: [BOTH.services[0]] });
	await assert.rejects(refuseForeign('doubletake', []), (error) => {
		assert.ok(error instanceof NotReadyError);
		assert.match(error.message, /Expected no stack "doubletake" beside Doubletake's own; found service doubletake_web\./);
		return true;
	});
	engineWith({ services: [BOTH.services[1]] });
	await refuseForeign('doubletake', []);
});
