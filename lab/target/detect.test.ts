import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModels } from './compose-model.ts';
import type { Guess } from './detect.ts';
import { detectTiers, opaqueTier, proposalOf } from './detect.ts';
import { edgesOf } from './entry.ts';
import { adapters, configOf, SYSTEMS } from './fixtures/systems.ts';
import { withNamedFiles } from './machine-addresses.ts';

function guess(services: Record<string, any>, name: string = 'one'): Guess {
	const models = serviceModels({ name: 'run', services });
	const model = models.find(({ service }) => service === name);
	assert.ok(model);
	return opaqueTier(model, edgesOf(models));
}

test('of a service that stays the image comes first, without its digest', () => {
	assert.deepEqual(guess({ one: { image: 'mysql:8@sha256:00', expose: ['6379'] } }), { tier: 'database', reason: 'image mysql:8' });
	assert.deepEqual(guess({ one: { image: 'adminer' } }), { tier: null, reason: 'image adminer, a tool for operators' });
});

test('before all a name says that a service is a job that ends, unless the file starts it again', () => {
	const command = ['npm', 'run', 'migrate'];
	for (const name of [
		'migrate',
		'db-migrations',
		'minio_init',
		'mongo-init-replica',
		'createbuckets',
		'create-site',
		'seed-data',
		'configurator',
	])
		assert.deepEqual(guess({ [name]: { command } }, name), { tier: null, reason: 'its name, of a job that ends' }, name);
	assert.equal(guess({ setup: { command, restart: 'always' } }, 'setup').tier, 'app');
	assert.equal(guess({ initiative: { command } }, 'initiative').tier, 'app');
});

test('then the program that the command starts, behind a script too', () => {
	assert.deepEqual(guess({ one: { command: ['/usr/sbin/haproxy', '-f', 'x'] } }), { tier: 'load-balancer', reason: 'it runs haproxy' });
	assert.equal(guess({ one: { entrypoint: ['docker-entrypoint.sh'], command: ['redis-server'] } }).tier, 'cache');
});

test('then a port, then the name', () => {
	assert.deepEqual(guess({ one: { image: 'acme/x', expose: ['80', '4222'] } }), { tier: 'queue', reason: 'it listens on port 4222' });
	assert.deepEqual(guess({ postgres: {} }, 'postgres'), { tier: 'database', reason: 'its name' });
});

test('then the direction: what keeps a volume and asks nobody is a database', () => {
	const volumes = [{ type: 'volume', source: 'data', target: '/data' }];
	assert.equal(guess({ one: { volumes }, web: { depends_on: { one: {} } } }).tier, 'database');
	assert.equal(guess({ one: {}, web: { depends_on: { one: {} } } }).tier, 'app');
	assert.equal(guess({ one: { volumes } }).tier, 'app');
});

test('what is reached through the network of another is no database for the volume that it keeps', () => {
	const one = { network_mode: 'service:vpn', depends_on: { vpn: {} }, volumes: [{ type: 'volume', source: 'config', target: '/config' }] };
	assert.deepEqual(guess({ one, vpn: {} }), { tier: 'app', reason: 'it is reached through the network of vpn' });
});

test('what publishes a port and depends on others is an app, and the reason says both', () => {
	const services = { one: { ports: [{ target: 3000, protocol: 'tcp' }], depends_on: { store: {} } }, store: {} };
	assert.deepEqual(guess(services), { tier: 'app', reason: 'it publishes port 3000 and it depends on store' });
});

test('what nothing is known of is an app, and the reason says that nothing is known', () => {
	assert.deepEqual(guess({ one: { image: 'acme/x' } }), { tier: 'app', reason: 'nothing says what it is' });
});

test('a known folder of data says what a store is, unless the program does nothing or users come in', () => {
	const volumes = [{ type: 'volume', source: 'data', target: '/var/lib/mysql' }];
	assert.deepEqual(guess({ one: { image: 'acme/x', volumes } }), { tier: 'database', reason: 'where it keeps its data' });
	assert.equal(guess({ one: { image: 'busybox', command: ['true'], volumes } }).tier, 'app');
	assert.equal(guess({ one: { image: 'acme/all-in-one', volumes, ports: [{ target: 80, protocol: 'tcp' }] } }).tier, 'app');
});

test('what is asked in HTTP, or published where HTTP is usual, is no database for its volume', () => {
	const volumes = [{ type: 'volume', source: 'models', target: '/cache' }];
	const asks = { environment: { MODEL_URL: 'http://one:3003' } };
	const services = { one: { image: 'acme/learning', volumes }, web: asks };
	const models = serviceModels({ name: 'run', services });
	assert.equal(opaqueTier(models[0], edgesOf(models), new Set(['one'])).tier, 'app');
	assert.equal(opaqueTier(models[0], edgesOf(models)).tier, 'database');
	assert.equal(guess({ one: { volumes, ports: [{ target: 8000, protocol: 'tcp' }] }, agent: { depends_on: { one: {} } } }).tier, 'app');
});

test('an image of a store that runs a client, a shell or a job by its name is none, and no request passes it', () => {
	const { rows, pairs } = detect({
		name: 'run',
		services: {
			web: { image: 'acme/web', ports: [{ target: 80, protocol: 'tcp' }], depends_on: { db: {}, cache: {} } },
			db: { image: 'mariadb:11' },
			saver: {
				image: 'mariadb:11',
				command: ['sh', '-c', 'while true; do mariadb-dump -h db shop > /b/shop.sql; sleep 3600; done'],
				depends_on: { db: {} },
			},
			cache: { image: 'redis:7', command: ['redis-server', '--save', ''] },
			warmer: { image: 'redis:7', command: ['sh', '-c', 'redis-cli -h cache flushall'] },
			rows: { image: 'postgres:16', entrypoint: ['/scripts/seed-rows.sh'] },
			keeper: { image: 'mongo:7', command: ['sleep', 'infinity'] },
			tables: { image: 'alpine', command: ['sh', '-c', 'mysql -h db < /tables.sql'] },
			backup: { image: 'postgres:16', command: ['-c', 'fsync=off'] },
		},
	});
	assert.deepEqual(rows, [
		['web', 'app', 'opaque'],
		['db', 'database', 'opaque'],
		['saver', null, 'opaque'],
		['cache', 'cache', 'opaque'],
		['warmer', null, 'opaque'],
		['rows', null, 'opaque'],
		['keeper', null, 'opaque'],
		['tables', null, 'opaque'],
		['backup', null, 'opaque'],
	]);
	assert.deepEqual(pairs, [
		['web', 'db'],
		['web', 'cache'],
	]);
});

test('a web server that runs PHP, or serves files, is an app; it is a balancer where its configuration passes requests on', () => {
	const proxying = { configs: [{ source: 'sites' }], image: 'httpd:2.4', ports: [{ target: 80, published: '8080' }] };
	const config = {
		name: 'run',
		configs: {
			sites: { content: '<VirtualHost *:80>\nProxyPass / http://crm:80/\n</VirtualHost>' },
			php: { content: '<VirtualHost *:80>\nDocumentRoot /var/www/html\nSetEnv DB mysql://rows:3306\n</VirtualHost>' },
		},
		services: {
			front: proxying,
			crm: { image: 'example/crm:1', command: ['apachectl', '-D', 'FOREGROUND'], configs: [{ source: 'php' }], depends_on: { rows: {} } },
			files: { image: 'httpd:2.4', volumes: [{ type: 'bind', source: '/p/site', target: '/usr/local/apache2/htdocs' }] },
			rows: { image: 'mariadb:11' },
		},
	};
	const models = withNamedFiles(serviceModels(config), config, { read: () => null, list: () => [] });
	const { services } = detectTiers(models, adapters());
	assert.deepEqual(
		services.map(({ service, tier, likely = tier, reason }) => [service, likely, reason.slice(0, 50)]),
		[
			['front', 'load-balancer', 'image httpd:2.4'],
			['crm', 'app', 'it runs apachectl, a web server that no configurat'],
			['files', 'app', 'nothing on the way of a request depends on it'],
			['rows', 'database', 'image mariadb:11'],
		],
	);
});

test('a tool that runs on the image of a language is known by its name', () => {
	assert.equal(guess({ flower: { image: 'python:3.12' } }, 'flower').tier, null);
	assert.equal(guess({ seq: { image: 'redis:7' } }, 'seq').tier, 'cache');
});

function detect(config: any) {
	const detections = detectTiers(serviceModels(config), adapters());
	const rows = detections.services.map(({ service, tier, product }) => [service, tier, product]);
	return { ...detections, rows, pairs: detections.edges.map(({ from, to }) => [from, to]) };
}

test('a shop is taken for what it is, from the balancer to the database', () => {
	const { rows, entry, pairs, doubts } = detect(configOf('shop'));
	assert.deepEqual(rows, [
		['haproxy', 'load-balancer', 'haproxy'],
		['pgbouncer', 'pool', 'opaque'],
		['postgres', 'database', 'opaque'],
		['web', 'app', 'opaque'],
	]);
	assert.equal(entry?.url, 'http://haproxy:8080/');
	assert.deepEqual(pairs, [
		['haproxy', 'web'],
		['web', 'pgbouncer'],
		['pgbouncer', 'postgres'],
	]);
	assert.deepEqual(doubts, []);
});

test('a job that ends first, a tool and a worker of its own are not on the way of a request', () => {
	const { rows, entry, pairs, services } = detect(configOf('notes'));
	assert.deepEqual(rows, [
		['api', 'app', 'opaque'],
		['mailpit', null, 'opaque'],
		['migrate', null, 'opaque'],
		['mongo', 'database', 'mongo'],
		['worker', null, 'opaque'],
	]);
	assert.equal(entry?.url, 'http://api:3000/');
	assert.deepEqual(pairs, [['api', 'mongo']]);
	const reasonOf = Object.fromEntries(services.map(({ service, reason }) => [service, reason]));
	assert.equal(reasonOf.worker, 'its name, of a worker');
	assert.equal(reasonOf.migrate, 'it ends before others start');
	assert.match(reasonOf.mailpit, /tool/);
	assert.equal(reasonOf.mongo, 'image mongo:7.0');
});

test('odd names and names of containers do not confuse it', () => {
	const { rows, entry, pairs } = detect(configOf('hostile'));
	assert.deepEqual(rows, [
		['1.0', 'load-balancer', 'opaque'],
		['0x1f', 'cache', 'opaque'],
		['constructor', null, 'opaque'],
		['null', 'app', 'opaque'],
		['y', 'database', 'opaque'],
	]);
	assert.equal(entry?.url, 'http://1.0:80/');
	assert.deepEqual(pairs, [
		['1.0', 'null'],
		['null', 'y'],
		['null', '0x1f'],
	]);
});

test('the first adapter that takes a service has it, and the opaque one watches the rest wherever it stands', () => {
	const { services } = detect(configOf('shop'));
	const levelsOf = Object.fromEntries(services.map(({ service, watches }) => [service, watches.map(({ level }) => level)]));
	assert.deepEqual(levelsOf, { haproxy: [0, 1, 2], pgbouncer: [0], postgres: [0], web: [0] });
});

test('without any adapter each service is opaque, and nothing of it is watched', () => {
	const { services, products } = detectTiers(serviceModels(configOf('shop')), []);
	assert.ok(services.every(({ product, watches }) => product === 'opaque' && watches.length === 0));
	assert.deepEqual(products, []);
});

test('a balancer whose servers stand in its own configuration is taken to ask what nothing else asks, and it is said', () => {
	const config = configOf('shop');
	config.services.haproxy.depends_on = {};
	const { pairs, doubts, edges } = detect(config);
	assert.deepEqual(pairs[0], ['haproxy', 'web']);
	assert.equal(edges[0].reason, 'assumed');
	assert.deepEqual(doubts, ['The file does not say whom haproxy asks; web is assumed.']);
});

test('a balancer whose configuration was read asks nobody else, and a worker is nobody’s server', () => {
	const services: any = {
		lb: { image: 'haproxy:2', ports: [{ target: 80 }] },
		web: { image: 'shop' },
		cron: { image: 'shop', command: ['/cron.sh'] },
	};
	const models = serviceModels({ name: 'run', services });
	assert.deepEqual(
		detectTiers(models, adapters()).edges.map(({ to }) => to),
		['web'],
	);
	const read = models.map((model) => ({ ...model, mentions: [], hasConfiguration: model.service === 'lb' }));
	assert.deepEqual(detectTiers(read, adapters()).edges, []);
});

test('what mounts the engine’s socket and is asked by nobody is a tool, unless it passes requests on', () => {
	const volumes = [{ type: 'bind', source: '/var/run/docker.sock', target: '/s.sock' }];
	const services = {
		board: { image: 'board', volumes, ports: [{ target: 80 }] },
		edge: { image: 'traefik:3', volumes },
		web: { image: 'shop' },
	};
	const { rows } = detect({ name: 'run', services });
	assert.deepEqual(rows.slice(0, 2), [
		['board', null, 'opaque'],
		['edge', 'load-balancer', 'opaque'],
	]);
});

test('what makes requests in the place of users is no entry', () => {
	const environment = { HOST: 'web' };
	const { entry } = detect({
		name: 'run',
		services: { 'load-generator': { image: 'a', environment, ports: [{ target: 8089 }] }, web: { image: 'b', ports: [{ target: 80 }] } },
	});
	assert.equal(entry?.service, 'web');
});

test('a store that nobody names is that of the one app that says nothing, or of the one that it is called after', () => {
	const mongo = { image: 'mongo:7' };
	const published = [{ target: 80 }];
	const pairsIn = (services: any) => {
		const joined = Object.fromEntries(Object.entries<any>(services).map(([name, one]) => [name, { networks: { default: null }, ...one }]));
		return detect({ name: 'run', services: joined }).pairs.map((pair) => pair.join(' '));
	};
	assert.deepEqual(pairsIn({ web: { image: 'a', ports: published }, db: mongo }), ['web db']);
	assert.deepEqual(pairsIn({ web: { image: 'a', ports: published }, db: { ...mongo, networks: { other: null } } }), []);
	const two = { web: { image: 'a', ports: published, environment: { HOST: 'orders' } }, orders: { image: 'b' }, users: { image: 'c' } };
	assert.deepEqual(pairsIn({ ...two, db: mongo }), ['web orders']);
	assert.deepEqual(pairsIn({ ...two, 'orders-db': mongo }), ['web orders', 'orders orders-db']);
});

test('a store that nobody names is that of the one app that asks the others, and where there are two that is only said', () => {
	const config = configOf('notes');
	config.services.late = { image: 'redis:7', networks: { default: null } };
	assert.deepEqual(detect(config).pairs.at(-1), ['api', 'late']);
	config.services.other = { image: 'b', ports: [{ target: 80 }], environment: { A: 'mongo:27017' }, networks: { default: null } };
	config.services.store = { image: 'mysql:8', networks: { default: null } };
	const { services, doubts } = detect(config);
	assert.equal(services.find(({ service }) => service === 'store')?.tier, null);
	assert.match(doubts.join(), /store looks like a database/);
});

test('a service that is scaled to nothing is not on the way', () => {
	const config = configOf('shop');
	config.services.web.deploy.replicas = 0;
	const { services } = detect(config);
	assert.deepEqual(services.find(({ service }) => service === 'web')?.reason, 'it is scaled to 0');
});

test('without an entry every service keeps its tier', () => {
	const { entry, rows } = detect({ name: 'run', services: { db: { image: 'postgres:15' }, web: { depends_on: { db: {} } } } });
	assert.equal(entry, null);
	assert.deepEqual(
		rows.map(([, tier]) => tier),
		['database', 'app'],
	);
});

test('every reason and every doubt is one line', () => {
	for (const system of SYSTEMS) {
		const { services, doubts, edges } = detect(configOf(system));
		const texts = [...doubts, ...services.map(({ reason }) => reason), ...edges.map(({ reason }) => reason)];
		for (const text of texts) assert.match(text, /^[^\n]+$/);
	}
});

test('a proposal has each service’s tier, and what it would be on the way of a request', () => {
	const { services, edges } = proposalOf(detectTiers(serviceModels(configOf('notes')), adapters()));
	assert.deepEqual(
		[services.api, services.worker, services.migrate],
		[
			{ tier: 'app', likely: 'app' },
			{ tier: null, likely: 'app' },
			{ tier: null, likely: null },
		],
	);
	assert.deepEqual(
		edges.map(({ from, to }) => [from, to]),
		[['api', 'mongo']],
	);
});

test('what has no network is asked by nobody', () => {
	const services = {
		lb: { image: 'haproxy:3', ports: [{ target: 80, published: '80' }], networks: { default: null } },
		job: { network_mode: 'none' },
	};
	const { rows, pairs } = detect({ name: 'run', services });
	assert.deepEqual([rows.find(([service]) => service === 'job')?.[1], pairs], [null, []]);
});

test('what passes the engine’s socket on is nobody’s server: whom its proxy asks is as open as before', () => {
	const services = {
		edge: { image: 'traefik:v3', ports: [{ target: 80 }], environment: { DOCKER_HOST: 'tcp://relay:2375' } },
		relay: { image: 'tecnativa/docker-socket-proxy' },
		web: { image: 'acme/web', expose: ['3000'] },
	};
	const { rows, pairs } = detect({ name: 'run', services });
	assert.deepEqual([rows.find(([service]) => service === 'relay')?.[1], pairs], [null, [['edge', 'web']]]);
});

test('a tool is the system where there is nothing else: where nobody but tools lets users in, and behind a balancer that names tools alone', () => {
	const ports = [{ target: 5601, protocol: 'tcp' }];
	const only = detect({
		name: 'run',
		services: { es: { image: 'elasticsearch:8' }, page: { image: 'kibana:8', ports, environment: { HOSTS: 'http://es:9200' } } },
	});
	assert.deepEqual([only.entry?.url, only.pairs], ['http://page:5601/', [['page', 'es']]]);
	const services = { lb: { image: 'nginx:1', ports }, reader: { image: 'grafana/loki:3' } };
	const mentions = [{ host: 'reader', reason: 'named in a file', isCode: false }];
	const read = serviceModels({ name: 'run', services }).map((model) => ({
		...model,
		mentions: model.service === 'lb' ? mentions : [],
		hasConfiguration: model.service === 'lb',
	}));
	assert.equal(detectTiers(read, adapters()).services[1].tier, 'app');
});

test('a part of a product that no file speaks of is asked by the one that users ask', () => {
	const ports = [{ target: 2283, protocol: 'tcp' }];
	const server = { image: 'ghcr.io/acme/pictures-server:1', ports };
	const services = { server, learning: { image: 'ghcr.io/acme/pictures-learning:1' }, other: { image: 'ghcr.io/acme/mirror-all:1' } };
	const { pairs, doubts } = detect({ name: 'run', services });
	assert.deepEqual(pairs, [['server', 'learning']]);
	assert.match(doubts.join(), /learning is assumed/);
});

test('a worker stays one behind a debugger’s port, and what others are built from runs nothing', () => {
	const services = {
		web: { image: 'a', ports: [{ target: 80 }] },
		worker: { image: 'a', ports: [{ target: 9229 }] },
		base: { image: 'b' },
	};
	const read = serviceModels({ name: 'run', services }).map((model) => ({ ...model, isBase: model.service === 'base' }));
	assert.deepEqual(
		detectTiers(read, adapters()).services.map(({ service, tier }) => [service, tier]),
		[
			['web', 'app'],
			['worker', null],
			['base', null],
		],
	);
});
