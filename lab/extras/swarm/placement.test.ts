import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutAway, hostsOf, imagesByHost as imagesOf, labelConstraint, spreadOver } from './placement.ts';

const service = (tier: string, image: string, more: Record<string, string> = {}) => ({
	image,
	labels: { 'doubletake.tier': tier, ...more },
});
const SERVICES = {
	nginx: service('load-balancer', 'nginx:1'),
	'app-1': service('app', 'app:1'),
	'app-2': service('app', 'app:1'),
	mongo: service('database', 'mongo:1'),
	observer: service('observer', 'app:1', { 'doubletake.beside': 'database' }),
};
const node = (name: string, tiers: string[], isReady = true) => ({
	name,
	attributes: { 'node.hostname': name, ...Object.fromEntries(tiers.map((tier) => [`node.labels.doubletake.${tier}`, 'yes'])) },
	isReady,
});
const imagesByHost = (services: Record<string, any>, nodes: ReturnType<typeof node>[], reached: string[]) =>
	imagesOf(services, nodes, reached, (service) => [labelConstraint(service)]);

test('a host needs the images of the tiers that it may run, each once', () => {
	const nodes = [node('one', ['load-balancer', 'app']), node('two', ['app']), node('three', ['database'])];
	assert.deepEqual(imagesByHost(SERVICES, nodes, ['one', 'two', 'three']), {
		one: ['nginx:1', 'app:1'],
		two: ['app:1'],
		three: ['mongo:1', 'app:1'],
	});
});

test('a tier that no host may run is reported, with what to do about it', () => {
	const nodes = [node('one', ['load-balancer', 'app']), node('two', ['database'], false)];
	assert.throws(
		() => imagesByHost(SERVICES, nodes, ['one', 'two']),
		(error: Error & { remedy: string }) => {
			assert.match(
				error.message,
				/found none that is ready and has the label doubletake\.database; two has it, and takes no new containers: it is drained, paused or down/,
			);
			assert.match(
				error.remedy,
				/docker node update --label-add doubletake\.database=yes one; or docker node update --availability active two$/,
			);
			return true;
		},
	);
});

test('a host that may run something and whose engine is not reached is told', () => {
	const nodes = [node('one', ['load-balancer', 'app', 'database']), node('two', ['app'])];
	assert.throws(() => imagesByHost(SERVICES, nodes, ['one']), /found two \(node.labels.doubletake.app == yes\), which HOSTS does not name/);
	assert.deepEqual(imagesByHost(SERVICES, [nodes[0], node('two', [])], ['one']), { one: ['nginx:1', 'app:1', 'mongo:1'] });
});

/** Of a user's own. */
const spread = ({
	bound = [],
	nodes = [node('one', []), node('two', ['app']), node('three', [])],
}: {
	bound?: string[];
	nodes?: ReturnType<typeof node>[];
}) => spreadOver({ nodes, reached: ['one', 'two'], isBound: ({ image }) => bound.includes(image) });

test('a service of a user’s file runs where that says, else where its tier does, else on any host that is reached', () => {
	const placed = { ...service('app', 'app:1'), deploy: { placement: { constraints: ['node.role == manager'] } } };
	assert.deepEqual(spread({})(placed), ['node.role == manager']);
	assert.deepEqual(spread({})(service('app', 'app:1')), ['node.labels.doubletake.app == yes']);
	assert.deepEqual(spread({})(service('database', 'db:1')), ['node.hostname != three']);
	assert.deepEqual(spread({})(service('generator', 'k6:1')), ['node.hostname == one']);
});

test('a tier whose host takes no containers now runs nowhere else, and is refused', () => {
	const nodes = [node('one', []), node('two', ['app'], false)];
	const constraintsOf = spread({ nodes });
	assert.deepEqual(constraintsOf(service('app', 'app:1')), ['node.labels.doubletake.app == yes']);
	assert.throws(() => imagesOf({ web: service('app', 'app:1') }, nodes, ['one', 'two'], constraintsOf), /; two has it, and takes no new/);
});

test('of the hosts that a run was given it is said which take nothing of it', () => {
	// The first has joined twice.
	const nodes = [node('one', [], false), node('one', []), node('two', [], false), node('three', [], false)];
	assert.deepEqual(aboutAway(nodes, ['one', 'two']), [
		'Nothing of the run is placed on two, which takes no new containers: it is drained, paused or down ("docker node ls" says which).',
	]);
});

test('what this machine alone has keeps a service there, and against what its file says it runs nowhere', () => {
	const constraintsOf = spread({ bound: ['db:1'] });
	assert.deepEqual(constraintsOf(service('database', 'db:1')), ['node.hostname == one']);
	const db = { ...service('database', 'db:1'), deploy: { placement: { constraints: ['node.hostname == two'] } } };
	assert.throws(
		() => imagesOf({ db }, [node('one', []), node('two', [])], ['one', 'two'], constraintsOf),
		/^NotReadyError: services\.db\.deploy\.placement: expected a host .* node\.hostname == two, node\.hostname == one; found none/,
	);
});

const hosts = (services: Record<string, any>, nodes: ReturnType<typeof node>[], reached: string[] = nodes.map(({ name }) => name)) =>
	hostsOf(services, nodes, reached, (one) => [labelConstraint(one)]);
const ALL = ['load-balancer', 'app', 'database'];

test('nodes of one tier are put on different hosts, and the balancer’s own host gets the second', () => {
	const nodes = [node('one', ['load-balancer', 'app']), node('two', ['app']), node('three', ['database'])];
	assert.deepEqual(hosts(SERVICES, nodes), { 'app-1': 'node.hostname == two', 'app-2': 'node.hostname == one' });
});

test('as many of a tier, and then as many in all, are on each host; the first one named has what is left', () => {
	const nodes = Object.fromEntries(['app-1', 'app-2', 'app-3'].map((name) => [name, service('app', 'app:1')]));
	assert.deepEqual(hosts({ nginx: SERVICES.nginx, ...nodes, mongo: SERVICES.mongo }, [node('one', ALL), node('two', ALL)]), {
		nginx: 'node.hostname == one',
		'app-1': 'node.hostname == two',
		'app-2': 'node.hostname == one',
		'app-3': 'node.hostname == two',
		mongo: 'node.hostname == one',
	});
});

test('a host that is not ready or not reached is not chosen, and where one is left nothing is said', () => {
	const { 'app-1': first, 'app-2': second } = SERVICES;
	const services = { 'app-1': first, 'app-2': second };
	assert.deepEqual(hosts(services, [node('one', ALL), node('two', ALL, false)]), {});
	assert.deepEqual(hosts(services, [node('one', ALL), node('two', ALL)], ['one']), {});
});

test('containers of one service are spread by the Swarm, and count on every host that may run them', () => {
	const web = { ...service('app', 'app:1'), deploy: { replicas: 4 } };
	const given = hosts({ web, api: service('app', 'app:1'), mongo: SERVICES.mongo }, [
		node('one', ['app', 'database']),
		node('two', ['app']),
	]);
	assert.deepEqual(given, { api: 'node.hostname == two' });
});
