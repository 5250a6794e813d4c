import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tier } from '../base/tier.ts';
import { serviceModels } from './compose-model.ts';
import { askedInHttp, chooseEntry, edgesOf, entryText, reachableFrom } from './entry.ts';
import { configOf } from './fixtures/systems.ts';
import type { Mention } from './machine-addresses.ts';
import { stopOrder } from './stop-order.ts';

const edgesIn = (services: Record<string, any>) =>
	edgesOf(serviceModels({ name: 'run', services })).map(({ from, to, reason }) => `${from} ${to}: ${reason}`);

test('a host in a variable is an edge, and names the variable alone', () => {
	const services = { web: { environment: { DATABASE_URL: 'postgres://u:secret@db/x' } }, db: {} };
	assert.deepEqual(edgesIn(services), ['web db: named in DATABASE_URL']);
});

test('a proxy that finds its servers asks those that say so, once, and what it names besides', () => {
	const labels = { 'traefik.http.routers.web.rule': 'Host(`a.test`)' };
	const services = {
		edge: { image: 'traefik:v3', command: ['--x=tcp://relay:2375'], depends_on: { web: {} } },
		web: { labels },
		relay: {},
		db: {},
	};
	assert.deepEqual(edgesIn(services), ['edge web: found by its labels', 'edge relay: named in its command']);
});

test('depends_on is an edge, but not to a service that must have ended', () => {
	const depends_on = { db: { condition: 'service_healthy' }, migrate: { condition: 'service_completed_successfully' } };
	assert.deepEqual(edgesIn({ web: { depends_on }, db: {}, migrate: {} }), ['web db: depends_on']);
});

test('a service that waits for another and asks it through a third has no edge to it', () => {
	const found = edgesOf(serviceModels(configOf('shop'))).map(({ from, to }) => `${from} ${to}`);
	assert.deepEqual(found.toSorted(), ['haproxy web', 'pgbouncer postgres', 'web haproxy', 'web pgbouncer']);
});

test('a service is found by the name of its container and by an alias, in any case', () => {
	const services = {
		web: { environment: { A: 'http://Prod-DB:1/', B: 'http://store:1/' } },
		db: { container_name: 'prod-db' },
		other: { networks: { default: { aliases: ['store'] } } },
	};
	assert.deepEqual(edgesIn(services), ['web db: named in A', 'web other: named in B']);
});

test('a service that names itself, and a dependency that is not in the file, are no edges', () => {
	assert.deepEqual(edgesIn({ web: { environment: { SELF_URL: 'http://web/' }, depends_on: { gone: { required: false } } } }), []);
});

test('what lends its network is asked in place of the one that has it', () => {
	const depends_on = { vpn: { condition: 'service_started' } };
	assert.deepEqual(edgesIn({ vpn: {}, web: { network_mode: 'service:vpn', depends_on } }), ['vpn web: lends it its network']);
});

test('whose processes or memory it shares a service does not ask for that, though Compose starts it first', () => {
	const depends_on = { web: { condition: 'service_started' } };
	for (const shared of [{ pid: 'service:web' }, { ipc: 'service:web' }])
		assert.deepEqual(edgesIn({ web: {}, profiler: { ...shared, depends_on } }), []);
	const environment = { TARGET_URL: 'http://web:8080/' };
	assert.deepEqual(edgesIn({ web: {}, profiler: { pid: 'service:web', depends_on, environment } }), ['profiler web: named in TARGET_URL']);
});

test('what requests can get to ends where the edges end, in circles too', () => {
	const edge = (from: string, to: string) => ({ from, to, reason: '' });
	const edges = [edge('a', 'b'), edge('b', 'c'), edge('c', 'a'), edge('d', 'a')];
	assert.deepEqual([...reachableFrom('a', edges)], ['a', 'b', 'c']);
	assert.deepEqual([...reachableFrom('e', edges)], ['e']);
});

const edgesWith: (mentions: Record<string, Mention[]>, tiers: Record<string, Tier>, services?: any) => string[] = (
	mentions,
	tiers,
	services = { lb: {}, web: {}, job: {}, db: {}, cache: {} },
) =>
	edgesOf(
		serviceModels({ name: 'run', services }).map((model) => ({
			...model,
			mentions: mentions[model.service] ?? [],
			hasConfiguration: true,
		})),
		(service) => tiers[service],
	).map(({ from, to, reason }) => `${from} ${to}: ${reason}`);

const mention: (host: string, changes?: object) => Mention = (host, changes = {}) => ({
	host,
	reason: `named in a file`,
	isCode: false,
	...changes,
});
const code = { isCode: true };

test('a configuration says whom a service asks, and of a balancer nothing else does', () => {
	const services = { lb: { depends_on: { web: {}, db: {} } }, web: { depends_on: { db: {} } }, db: {} };
	assert.deepEqual(edgesWith({ lb: [mention('web')] }, { lb: 'load-balancer', db: 'database' }, services), [
		'lb web: named in a file',
		'web db: depends_on',
	]);
});

test('code says whom a service asks where nothing else does, and who asks a store that nobody seems to ask', () => {
	const tiers = { db: 'database', cache: 'cache' } as const;
	assert.deepEqual(edgesWith({ web: [mention('db', code)] }, tiers), ['web db: named in its code']);
	assert.deepEqual(edgesWith({ web: [mention('db'), mention('cache', code), mention('job', code)] }, tiers), [
		'web db: named in a file',
		'web cache: named in its code',
	]);
	const later = { web: { depends_on: { db: {} } }, job: {}, db: {} };
	assert.deepEqual(edgesWith({ web: [mention('db', code), mention('job', code)] }, tiers, later), [
		'web db: depends_on',
		'web job: named in its code',
	]);
	const asked = { job: [mention('cache')], web: [mention('db'), mention('cache', code)] };
	assert.deepEqual(edgesWith(asked, tiers).toSorted(), ['job cache: named in a file', 'web db: named in a file']);
	assert.deepEqual(edgesWith({ web: [mention('job', { ...code, isAmbiguous: true })], db: [mention('web', code)] }, tiers), []);
});

test('a variable that chooses a store by its name names it, and one that names a user, a database or a password does not', () => {
	const tiers = { db: 'database', cache: 'cache' } as const;
	const of = (environment: Record<string, string>) => edgesWith({}, tiers, { web: { environment }, db: {}, cache: {}, job: {} });
	assert.deepEqual(of({ SESSION_STORE: 'cache', DB: 'x', ROLE: 'job' }), ['web cache: named in SESSION_STORE']);
	assert.deepEqual(of({ DB_USER: 'db', DB_NAME: 'db', POSTGRES_PASSWORD: 'db', POSTGRES_DB: 'db' }), []);
});

test('a store asks others of its kind alone, whatever variables it is given', () => {
	const tiers = { db: 'database', spare: 'database', cache: 'cache' } as const;
	const environment = { BACKEND: 'web', PRIMARY_HOST: 'spare', CACHE_HOST: 'cache' };
	const services = { web: {}, db: { environment }, spare: {}, cache: {} };
	assert.deepEqual(edgesWith({}, tiers, services), ['db spare: named in PRIMARY_HOST']);
});

test('of a proxy its variables name no store that it does not wait for', () => {
	const tiers = { lb: 'load-balancer', db: 'database' } as const;
	const lb = { environment: { DB_HOST: 'db', APP_HOST: 'web' } };
	assert.deepEqual(edgesWith({}, tiers, { lb, web: {}, db: {} }), ['lb web: named in APP_HOST']);
	assert.deepEqual(edgesWith({}, tiers, { lb: { ...lb, depends_on: { db: {} } }, web: {}, db: {} }), [
		'lb db: named in DB_HOST',
		'lb web: named in APP_HOST',
	]);
});

test('what is asked at a port of the machine is the service that is published there, unless that is for browsers', () => {
	const ports = (published: string) => [{ target: 80, published, protocol: 'tcp' }];
	const services = {
		lb: { image: 'x', ports: ports('5200') },
		users: { ports: ports('5105') },
		web: {
			environment: {
				IDENTITY_URL: 'http://host.docker.internal:5105',
				PUBLIC_API_URL: 'http://host.docker.internal:5105',
				PICTURES_URL: 'http://host.docker.internal:5200/pic',
				OTHER_URL: 'http://host.docker.internal:9',
			},
		},
	};
	assert.deepEqual(edgesWith({}, { lb: 'load-balancer' }, services), ['web users: named in IDENTITY_URL']);
});

test('a health check that a service makes of others is no request of a user', () => {
	assert.deepEqual(edgesIn({ status: { environment: { HealthChecks__0__Uri: 'http://web/hc' } }, web: {} }), []);
});

test('through a socket only a proxy asks', () => {
	const named = [mention('web', { isSocket: true })];
	const found = edgesWith({ lb: named, job: [mention('lb', { isSocket: true })] }, { lb: 'load-balancer' });
	assert.deepEqual(found, ['lb web: named in a file']);
});

test('who is asked in HTTP is read from URLs', () => {
	const services = { web: { environment: { A: 'http://search:1/', B: 'redis://cache' } }, search: {}, cache: {} };
	assert.deepEqual([...askedInHttp(serviceModels({ name: 'run', services }))], ['search']);
});

test('what all are given, stores among them, says of nobody whom it asks, but of those that have nothing else to say it', () => {
	const tiers = { db: 'database', cache: 'cache', queue: 'queue' } as const;
	const environment = { DB_URL: 'postgres://db', API_URL: 'http://api' };
	const stores = { db: { environment }, cache: { environment }, queue: { environment } };
	const services = { api: { environment, depends_on: { db: {} } }, web: { environment, depends_on: { api: {} } }, ...stores };
	assert.deepEqual(edgesWith({}, tiers, services), ['api db: named in DB_URL', 'web api: named in API_URL']);
	assert.deepEqual(edgesWith({}, tiers, { api: { environment }, ...stores }), ['api db: named in DB_URL']);
	assert.deepEqual(
		edgesWith({}, tiers, { web: services.web, api: { environment, depends_on: { cache: {} } }, db: { environment }, cache: {} })[0],
		'web db: named in DB_URL',
	);
});

type Given = {
	tier: Tier | null;
	published?: number[];
	at?: string;
	ip?: string;
	image?: string;
	expose?: string[];
	network_mode?: string;
};

function entryOf(
	services: Record<string, Given>,
	edges: [string, string][] = [],
	assumed: [string, string][] = [],
): ReturnType<typeof chooseEntry> {
	const config = Object.entries(services).map(([name, { published = [], at, ip, image, expose, network_mode }]) => [
		name,
		{ expose, network_mode, image, ports: published.map((target) => ({ target, protocol: 'tcp', published: at, host_ip: ip })) },
	]);
	return chooseEntry(
		serviceModels({ name: 'run', services: Object.fromEntries(config) }),
		new Map(Object.entries(services).map(([name, { tier }]) => [name, tier])),
		edges.map(([from, to]) => ({ from, to, reason: '' })),
		assumed.map(([from, to]) => ({ from, to, reason: 'assumed' })),
	);
}

test('a load balancer that publishes a port comes before an app that does', () => {
	const services: Record<string, Given> = { api: { tier: 'app', published: [3000] }, lb: { tier: 'load-balancer', published: [8080] } };
	const { entry, more, others, doubts } = entryOf(services, [], [['lb', 'api']]);
	assert.deepEqual([more, others], [[], [{ service: 'api', url: 'http://api:3000/' }]]);
	assert.deepEqual(entry, { service: 'lb', url: 'http://lb:8080/', reason: 'the load balancer that publishes port 8080' });
	assert.match(doubts[0], /enter at api/);
});

test('users enter at each that publishes a usual port, unless one of them asks it', () => {
	const services: Record<string, Given> = {
		result: { tier: 'app', published: [80] },
		vote: { tier: 'app', published: [80] },
		odd: { tier: 'app', published: [9021] },
	};
	const { entry, more, others } = entryOf(services);
	assert.deepEqual([entry?.url, more.map(({ url }) => url)], ['http://result:80/', ['http://vote:80/']]);
	assert.deepEqual(others, [{ service: 'odd', url: 'http://odd:9021/' }]);
	assert.deepEqual(entryOf(services, [['vote', 'result']]).more, []);
});

test('of two apps it is the one that asks the other', () => {
	const services: Record<string, Given> = { api: { tier: 'app', published: [8000] }, front: { tier: 'app', published: [3000] } };
	assert.equal(entryOf(services, [['front', 'api']]).entry?.url, 'http://front:3000/');
});

test('of two apps alike it is the one on a port on which HTTP is usual, whatever their names', () => {
	const services: Record<string, Given> = { 'admin-tool': { tier: 'app', published: [9021] }, orders: { tier: 'app', published: [8080] } };
	assert.equal(entryOf(services).entry?.url, 'http://orders:8080/');
	assert.match(entryOf(services).doubts[0], /enter at admin-tool/);
});

test('a database that publishes its port is no entry', () => {
	const { entry, doubts } = entryOf({ db: { tier: 'database', published: [5432] }, api: { tier: 'app', published: [3000] } });
	assert.equal(entry?.service, 'api');
	assert.deepEqual(doubts, []);
});

test('of several ports it is one on which HTTP is usual, and no operators’ page', () => {
	const urlOf = (published: number[]) => entryOf({ lb: { tier: 'load-balancer', published } }).entry?.url;
	assert.equal(urlOf([8404, 443, 80]), 'http://lb:80/');
	assert.equal(urlOf([8404, 1234]), 'http://lb:1234/');
	assert.equal(urlOf([8404, 443]), 'https://lb:443/');
});

test('where its configuration speaks TLS it is asked by that, and it is said how certificates are taken', () => {
	const entryWith = (tlsPorts: number[], published: number[]) => {
		const ports = published.map((target) => ({ target, protocol: 'tcp' }));
		const models = serviceModels({ name: 'run', services: { lb: { ports } } }).map((model) => ({ ...model, tlsPorts }));
		const { entry } = chooseEntry(models, new Map([['lb', 'load-balancer']]), []);
		assert.ok(entry);
		return entry;
	};
	const reason = 'the load balancer that publishes port 8080';
	assert.equal(entryText(entryWith([8080], [8080]), []), `https://lb:8080/ (${reason}); by TLS, whatever the certificate`);
	assert.equal(entryText(entryWith([8443], [8443, 8080]), []), `http://lb:8080/ (${reason})`);
	const more = [{ service: 'api', url: 'https://api:443/' }];
	assert.match(
		entryText(entryWith([], [8080]), more),
		/and at https:\/\/api:443\/ \(which is published too\); by TLS, whatever the certificate$/,
	);
});

test('where nothing is published, what listens is taken, and the reason says so', () => {
	assert.match(entryOf({ api: { tier: 'app', expose: ['3000'] } }).entry?.reason ?? '', /nothing publishes/);
});

test('what is on no network of the file is no entry', () => {
	const services: Record<string, Given> = {
		api: { tier: 'app', expose: ['3000'], network_mode: 'host' },
		front: { tier: 'app', expose: ['80'] },
	};
	assert.equal(entryOf(services).entry?.service, 'front');
});

test('where nothing listens there is no entry', () => {
	assert.deepEqual(entryOf({ api: { tier: 'app' }, tool: { tier: null, published: [80] } }), {
		entry: null,
		more: [],
		others: [],
		doubts: [],
	});
});

test('a balancer that an app asks, and that does not ask it back, stands behind that app', () => {
	const services: Record<string, Given> = { gateway: { tier: 'load-balancer', published: [80] }, web: { tier: 'app', published: [3000] } };
	assert.equal(entryOf(services, [['web', 'gateway']]).entry?.service, 'web');
	assert.equal(
		entryOf(services, [
			['web', 'gateway'],
			['gateway', 'web'],
		]).entry?.service,
		'gateway',
	);
});

test('what has port 80 or 443 of the machine is no tool’s server, though that waits for it', () => {
	const services: Record<string, Given> = {
		app: { tier: 'app', published: [8080], at: '80' },
		importer: { tier: 'app', published: [8080], at: '81' },
	};
	assert.equal(entryOf(services, [['importer', 'app']]).entry?.service, 'app');
});

test('what only the machine itself can ask comes after what all can', () => {
	const services: Record<string, Given> = {
		admin: { tier: 'app', published: [8000], ip: '127.0.0.1' },
		shop: { tier: 'app', published: [9021] },
	};
	assert.equal(entryOf(services).entry?.service, 'shop');
});

test('an image’s own port is one on which HTTP is spoken', () => {
	const services: Record<string, Given> = {
		one: { tier: 'app', published: [8096], image: 'jellyfin/jellyfin' },
		two: { tier: 'app', published: [8989], image: 'x/sonarr' },
	};
	assert.deepEqual(entryOf(services).more, [{ service: 'two', url: 'http://two:8989/' }]);
});

test('of a file that has stores alone users ask the one that speaks HTTP', () => {
	const { entry } = entryOf({ cache: { tier: 'cache', published: [6379] }, search: { tier: 'database', published: [9200] } });
	assert.equal(entry?.reason, 'the store that publishes port 9200');
});

test('of several ports it is the one that the service says it listens on', () => {
	const services = {
		one: { image: 'x', ports: [5044, 9000].map((target) => ({ target, protocol: 'tcp' })), environment: { BIND: '0.0.0.0:9000' } },
	};
	const { entry } = chooseEntry(serviceModels({ name: 'run', services }), new Map([['one', 'app']]), []);
	assert.equal(entry?.url, 'http://one:9000/');
});

/** the groups, in their order */
const stopped: (entries: string[], edges: string[], tiers: Record<string, string>) => string[] = (entries, edges, tiers) =>
	stopOrder(
		{ entries, edges: edges.map((edge) => edge.split(' ') as [string, string]) },
		Object.entries(tiers).map(([service, tier]) => ({ service, tier })),
	).map((group) => group.join(' '));

test('who asks stops before who is asked, and who asks nobody when all others have stopped', () => {
	const tiers = { db: 'database', pool: 'pool', web: 'app', cache: 'cache', proxy: 'load-balancer', mail: 'observer' };
	const edges = ['proxy web', 'web cache', 'web pool', 'pool db', 'web db'];
	assert.deepEqual(stopped(['proxy'], edges, tiers), ['proxy', 'web', 'pool', 'mail', 'cache db']);
});

test('a database stops after what looks into it beside the way of requests', () => {
	assert.deepEqual(stopped(['web'], ['web db', 'cron db'], { cron: 'observer', db: 'database', web: 'app' }), ['web', 'cron', 'db']);
	assert.deepEqual(stopped(['web'], ['web db'], { observer: 'observer', db: 'database', web: 'app' }), ['web', 'observer', 'db']);
});

test('a queue stops after the worker that fetches from it, and that after those who put something in', () => {
	const tiers = { proxy: 'load-balancer', web: 'app', redis: 'queue', worker: 'app', db: 'database', observer: 'observer' };
	const edges = ['proxy web', 'web redis', 'redis worker', 'worker db'];
	assert.deepEqual(stopped(['proxy'], edges, tiers), ['proxy', 'web', 'worker', 'observer', 'redis db']);
});

test('services that ask each other in a circle are all stopped, from the entry on', () => {
	const edges = ['web auth', 'auth users', 'users auth', 'users web'];
	assert.deepEqual(stopped(['web'], edges, { auth: 'app', users: 'app', web: 'app' }), ['web', 'auth', 'users']);
});

test('an entry that asks nobody is stopped alone', () => {
	assert.deepEqual(stopped(['web'], [], { web: 'app' }), ['web']);
	assert.deepEqual(stopped(['web'], ['web web'], { web: 'app' }), ['web']);
});
