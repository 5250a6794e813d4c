import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttachedService } from '../target/compose-model.ts';
import { probesOf } from './probes.ts';

const model: (service: string, more?: Partial<AttachedService>) => any = (service, more) => ({
	service,
	replicas: 1,
	containerName: '',
	published: [],
	mounts: [],
	...more,
});

/** A shop: web asks api, which asks db; a reporter that no request passes. */
function probesIn({
	cause = 'pool-wait',
	title = 'every pooled connection was in use',
	service = 'api',
	line = '',
	config = {},
	load = { script: 'load.js' },
	scenarios = ['default'],
	models,
	faultsS = 0,
	knobs,
}: {
	cause?: string;
	title?: string;
	service?: string;
	line?: string;
	config?: Record<string, any>;
	load?: any;
	scenarios?: string[];
	models?: any[];
	faultsS?: number;
	knobs?: any;
}) {
	const services = { web: { tier: 'load-balancer' }, api: { tier: 'app' }, db: { tier: 'database' }, reporter: { tier: 'other' } };
	return probesOf({
		trouble: {
			places: [{ service, cause, title, count: 50 }],
			onset_s: 10,
			cut_s: 20,
			load_s: 60,
			users: null,
			failed: 50,
			requests: 100,
			share: 0.5,
		},
		result: {
			ledger: {
				failures: [{ service, cause, chain: null, evidence: line === '' ? [] : [{ kind: 'log', line, source: 'api', count: 50 }] }],
			},
		},
		project: {
			entry: 'http://web:80/',
			services: Object.fromEntries(Object.entries(services).map(([name, one]) => [name, { ...one, product: 'opaque', watch: 0 }])),
			edges: [
				['web', 'api'],
				['api', 'db'],
			],
			load,
			knobs,
		},
		config: { services: config },
		models: models ?? Object.keys(services).map((name) => model(name)),
		scenarios,
		...{ faults_s: faultsS, faulty: faultsS > 0 ? ['reporter'] : [] },
		images: {},
		read: () => null,
		list: () => [],
		variables: () => [],
	} as any);
}
const probes = (given: Parameters<typeof probesIn>[0]) => probesIn(given).map(({ id }) => id);

const POOL = { api: { environment: { WORKERS: '4', DB_POOL: '5' } } };

test('The setting that a cause is about goes first, then what tells a limit of its own from one behind it', () => {
	const order = probes({ config: POOL });
	assert.equal(order[0], 'knob:api:DB_POOL');
	assert.ok(order.indexOf('two-of-it:api') < order.indexOf('one-user'));
	assert.equal(order.at(-1), 'one-user');
});

test('A line of the log says what it is about where the title does not', () => {
	const given = {
		cause: 'app-error',
		title: 'it answered 500 by itself',
		config: { ...POOL, db: { command: ['redis-server', '--maxclients', '60'] } },
	};
	assert.equal(probes({ ...given, line: 'max number of clients reached' })[0], 'knob:db:--maxclients');
	assert.equal(probes({ ...given, line: 'could not obtain a connection from the pool' })[0], 'knob:api:DB_POOL');
});

test('Services that are alike have their setting changed together', () => {
	const models = ['web', 'api', 'api-2', 'db'].map((name) => model(name));
	const config = { api: { command: ['gunicorn', '-w', '2'] }, 'api-2': { command: ['gunicorn', '-w', '2'] } };
	assert.equal(probes({ service: 'api, api-2', title: 'all of its workers were taken', config, models })[0], 'knob:api+api-2:-w');
});

test('Two of it are made only of what can be there twice', () => {
	const has = (more: any) => probes({ models: [model('web'), model('api', more), model('db')] }).includes('two-of-it:api');
	assert.ok(has({}));
	for (const more of [{ replicas: 2 }, { containerName: 'api' }, { published: [80] }, { mounts: [{ type: 'volume', readOnly: false }] }])
		assert.ok(!has(more));
	assert.ok(!probes({ service: 'db' }).includes('two-of-it:db'));
	assert.ok(!probes({ service: 'web' }).includes('two-of-it:web'));
});

test('A kind of request is left out where the load has several, and a service where no request passes it', () => {
	assert.deepEqual(
		probes({ scenarios: ['look', 'edit'] }).filter((id) => id.startsWith('without-kind')),
		['without-kind:look', 'without-kind:edit'],
	);
	assert.deepEqual(
		probes({ scenarios: [], load: { urls: ['GET /', 'POST /orders'] } }).filter((id) => id.startsWith('without-kind')),
		['without-kind:GET /', 'without-kind:POST /orders'],
	);
	assert.ok(probes({}).includes('without-bystander:reporter'));
	assert.ok(!probes({}).includes('without-bystander:db'));
});

test('A switch that the user set at the accused comes before the load less a kind, one of another service after it', () => {
	const config = { api: { environment: { READ_AND_CLOSE: '0' } }, db: { environment: { STRICT: 'on' } } };
	const order = probes({ config, scenarios: ['shop', 'bot'] });
	const [own, kind, others] = ['switch:api:READ_AND_CLOSE', 'without-kind:shop', 'switch:db:STRICT'].map((id) => order.indexOf(id));
	assert.ok(own >= 0 && own < kind && kind < others, order.join(' '));
});

test('A cause that a restart confirms has it first, whatever settings there are, and after all faults of the run', () => {
	const given = {
		cause: 'stale-address',
		title: 'it asked an address that was another container’s by then: connection refused',
		config: POOL,
	};
	assert.equal(probes(given)[0], 'fresh:api');
	assert.ok(!probes({ faultsS: 20 }).includes('without-bystander:reporter'));
});

test('A setting that has nothing to do with the cause comes after what may tell something, and what changes nothing by the cause is last', () => {
	const config = { db: { image: 'postgres:17' }, api: { environment: { PAGE_SIZE: '20' } } };
	const order = probes({ cause: 'app-crashed', title: 'it ended of an error', config, scenarios: ['shop', 'bot'] });
	assert.deepEqual(order.slice(0, 2), ['without-kind:shop', 'without-kind:bot']);
	assert.ok(order.indexOf('knob:db:max_connections') > order.indexOf('without-bystander:reporter'));
	const ofCertificate = probes({ cause: 'certificate-expired', title: 'its certificate had expired' });
	assert.ok(ofCertificate.indexOf('fresh:api') > ofCertificate.indexOf('without-bystander:reporter'));
});

test('a value that doubletake.yaml names is tried as it stands, and no variable of the shell is filled in', () => {
	const [probe] = probesIn({ config: POOL, knobs: { api: { MODE: ['a$TOKEN'] } } });
	assert.deepEqual(probe.services, { api: { environment: { MODE: 'a$$TOKEN' } } });
});

test('What doubletake.yaml names goes first, and the value that is there is not tried', () => {
	const order = probes({ config: POOL, knobs: { api: { DB_POOL: [5, 20], MODE: ['x'] } } });
	assert.deepEqual(order.slice(0, 3), ['knob:api:DB_POOL=20', 'knob:api:MODE=x', 'knob:api:DB_POOL']);
});
