import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareRecord } from '../../adapters/bare-record.ts';
import type { HopRecord } from '../../adapters/contract.ts';
import { OWN_MARK } from '../../adapters/nginx/config.ts';
import type { Tier } from '../../base/tier.ts';
import { preloaded, SAID_NO } from '../fixtures/preload-cases.ts';
import { answered, edgeLine, system } from '../fixtures/project-cases.ts';
import { factsOf, recordOf } from '../fixtures/record.ts';
import { FROM } from '../fixtures/story.ts';
import { withReplicas } from './hop-records.ts';
import { hopCounts, hopsOf } from './hops.ts';
import { buildLedger } from './ledger.ts';

const WINDOW = { from: 0, to: 100 };

const record: (service: string, tier: Tier, requestRecords: any[]) => HopRecord = (service, tier, requestRecords) => ({
	...bareRecord({ service, tier, level: 3, names: new Map(), window: WINDOW }, 'opaque'),
	requestRecords,
});

const requestRecord: (id: string, service: string, received?: number) => any = (id, service, received = 1) => ({
	id,
	service,
	received,
	asked: [],
});

/** an attempt to ask by the common name */
const asked: (status: number | null, text?: string) => any = (status, text) => ({
	to: 'api',
	status,
	connected: true,
	message: text === undefined ? null : { signal: 'connection_terminated', t: 1, text, to: 'api' },
});

const REPLICAS = new Map([['api', ['api-1', 'api-2']]]);

/** Whom the proxy asked, after the records of the containers were read. */
function askedOf(attempts: any[], seen: any[]): any {
	const of = (name: string) =>
		record(
			name,
			'app',
			seen.filter(({ service }) => service === name),
		);
	const [edge] = withReplicas(
		[record('edge', 'load-balancer', [{ ...requestRecord('r', 'edge'), asked: attempts }]), of('api-1'), of('api-2')],
		REPLICAS,
	);
	return edge;
}
const namesIn = (edge: any) => edge.requestRecords[0].asked.map(({ to }: any) => to);

test('the container that has a request on record is the one that was asked', () => {
	const edge = askedOf([asked(200)], [requestRecord('r', 'api-2'), requestRecord('other', 'api-1')]);
	assert.deepEqual([namesIn(edge), edge.asked_by_name], [['api-2'], ['api']]);
});

test('attempts at several are told apart by the order in which they came', () => {
	const edge = askedOf([asked(null, 'broke'), asked(200)], [requestRecord('r', 'api-1', 5), requestRecord('r', 'api-2', 4)]);
	assert.deepEqual(namesIn(edge), ['api-2', 'api-1']);
	assert.equal(edge.requestRecords[0].asked[0].message.to, 'api-2');
});

test('where one attempt has no record it is the one that was not answered', () => {
	assert.deepEqual(namesIn(askedOf([asked(null, 'broke'), asked(200)], [requestRecord('r', 'api-1')])), ['api', 'api-1']);
});

test('where nobody can tell, the common name stays', () => {
	assert.deepEqual(namesIn(askedOf([asked(null, 'broke')], [])), ['api']);
	assert.deepEqual(namesIn(askedOf([asked(null, 'a'), asked(null, 'b')], [requestRecord('r', 'api-1')])), ['api', 'api']);
});

test('requests to all containers of a name are conserved together, and a failure is that of one of them', () => {
	const raw = recordOf(answered(500));
	const byName = (id: string, status: number) => edgeLine(id, 4.5, { to: 'web:8000', status, state: '----' });
	preloaded({ edge: byName('a0-0', 500) + byName('9-9', 200) + byName('8-8', 200) }, { lines: SAID_NO })(raw);
	const [one] = raw.adapted.filter(({ service }) => service === 'web');
	one.service = 'web-1';
	const others = (name: string) =>
		one.files
			.file(name)
			.replaceAll('9-9', '8-8')
			.replaceAll(/^.a0-0.*\n/gm, '');
	raw.adapted = [...raw.adapted, { ...one, service: 'web-2', files: { ...one.files, file: others } }];
	const described = raw.manifest.services.find(({ name }: any) => name === 'web');
	raw.manifest.services.push({ ...described, name: 'web-2', address: '10.0.1.7' });
	described.name = 'web-1';
	raw.manifest.edges = ['web-1', 'web-2']
		.flatMap((name) => [
			{ from: 'edge', to: name },
			{ from: name, to: 'pool' },
		])
		.concat({ from: 'k6', to: 'edge' });
	const { edges, checks, failures } = buildLedger(factsOf(raw));
	assert.deepEqual(
		edges.filter(({ from }) => from === 'edge').map(({ to, sent, unseen }) => [to, sent, unseen]),
		[
			['web-1', null, null],
			['web-2', null, null],
		],
	);
	assert.deepEqual(
		checks.filter(({ statement }) => statement.includes('to web')),
		[{ statement: 'what edge sent to web, web-1, web-2 received or have no record of', left: 3, right: 3, may_differ: 0, holds: true }],
	);
	assert.deepEqual(
		failures.map(({ service, cause, count }) => [service, cause, count]),
		[['web-1', 'app-error', 1]],
	);
});

/**
 * An Nginx between the edge and its pool, in the lab's format.
 * @param ids of its requests, one each tenth of a second
 */
function withInner(ids: string[]) {
	const lines = ids.map((id, index) => {
		const t = FROM + 1 + index / 10;
		const reported = {
			t,
			id,
			connection: 1,
			status: 200,
			request_s: 0.01,
			upstream: '',
			upstream_status: '',
			connect_s: '',
			upstream_s: '',
			error: '',
			completion: 'OK',
		};
		return `${new Date(t * 1000).toISOString()} ${OWN_MARK} ${JSON.stringify(reported)}\n`;
	});
	const raw = recordOf({ balanced: true, kinds: { eof: { 2: 1 } } });
	system({ web: lines.join('') })(raw);
	for (const service of raw.manifest.services) if (service.name === 'web') Object.assign(service, { product: 'nginx', watch: 2 });
	for (const one of raw.adapted) if (one.service === 'web') Object.assign(one, { product: 'nginx', level: 2 });
	const facts = factsOf(raw);
	return { facts, web: hopCounts(facts, hopsOf(facts)).find(({ service }) => service === 'web') };
}

const LOAD = Array.from({ length: 20 }, (_, index) => `1-${index}`);

test('requests that a service has by the ids of the load are counted, and health checks without one are not', () => {
	const { facts, web } = withInner([...LOAD, '', '']);
	assert.deepEqual([web?.received, web?.answered_ok, facts.watched.has('web')], [20, 20, true]);
});

test('a service that has no ids, or those of a proxy before it, received what it counted, and proves nothing by a request that it lacks', () => {
	for (const id of ['', 'fd1a0c9ae9c5b8d1f0aa4d2c8e0b7a13', '4f2f1c0e-0f5c-4c56-8a4e-2b1f5f0f7c11']) {
		const { facts, web } = withInner(LOAD.map(() => id));
		assert.deepEqual([web?.received, web?.answered_ok, facts.watched.has('web')], [20, 20, false]);
		assert.match(facts.hops.find(({ service }) => service === 'web')?.uncovered[0] ?? '', /^20 of 20 requests reached web without the id/);
	}
});
