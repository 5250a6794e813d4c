import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareRecord } from '../../adapters/bare-record.js';
import { answered, edgeLine } from '../fixtures/own-cases.js';
import { preloaded, SAID_NO } from '../fixtures/preload-cases.js';
import { factsOf, recordOf } from '../fixtures/record.js';
import { buildLedger } from './ledger.js';
import { replicasOf, withReplicas } from './replicas.js';

const WINDOW = { from: 0, to: 100 };

/** @type {(service: string, tier: import('../../adapters/contract.js').Tier, sightings: any[]) => import('../../adapters/contract.js').HopRecord} */
const record = (service, tier, sightings) => ({
  ...bareRecord({ service, tier, level: 3, names: new Map(), window: WINDOW }, 'opaque'),
  sightings,
});

/** @type {(id: string, service: string, received?: number) => any} */
const sighting = (id, service, received = 1) => ({ id, service, received, asked: [] });

/** @type {(status: number | null, text?: string) => any} an attempt to ask by the common name */
const asked = (status, text) => ({
  to: 'api',
  status,
  connected: true,
  message: text === undefined ? null : { signal: 'connection_terminated', t: 1, text, to: 'api' },
});

const REPLICAS = new Map([['api', ['api-1', 'api-2']]]);

/** Whom the proxy asked, after the records of the containers were read. @type {(attempts: any[], seen: any[]) => any} */
function askedOf(attempts, seen) {
  const of = (/** @type {string} */ name) =>
    record(
      name,
      'app',
      seen.filter(({ service }) => service === name),
    );
  const [edge] = withReplicas(
    [record('edge', 'load-balancer', [{ ...sighting('r', 'edge'), asked: attempts }]), of('api-1'), of('api-2')],
    REPLICAS,
  );
  return edge;
}
const namesIn = (/** @type {any} */ edge) => edge.sightings[0].asked.map((/** @type {any} */ { to }) => to);

test('services of several containers have a name in common, and others none', () => {
  const services = [
    { name: 'api-1', service: 'api' },
    { name: 'api-2', service: 'api' },
    { name: 'db', service: 'db' },
    { name: 'of-an-old-record' },
  ];
  assert.deepEqual([...replicasOf(services)], [['api', ['api-1', 'api-2']]]);
});

test('the container that has a request on record is the one that was asked', () => {
  const edge = askedOf([asked(200)], [sighting('r', 'api-2'), sighting('other', 'api-1')]);
  assert.deepEqual([namesIn(edge), edge.asked_by_name], [['api-2'], ['api']]);
});

test('attempts at several are told apart by the order in which they came', () => {
  const edge = askedOf([asked(null, 'broke'), asked(200)], [sighting('r', 'api-1', 5), sighting('r', 'api-2', 4)]);
  assert.deepEqual(namesIn(edge), ['api-2', 'api-1']);
  assert.equal(edge.sightings[0].asked[0].message.to, 'api-2');
});

test('where one attempt has no record it is the one that was not answered', () => {
  assert.deepEqual(namesIn(askedOf([asked(null, 'broke'), asked(200)], [sighting('r', 'api-1')])), ['api', 'api-1']);
});

test('where nobody can tell, the common name stays', () => {
  assert.deepEqual(namesIn(askedOf([asked(null, 'broke')], [])), ['api']);
  assert.deepEqual(namesIn(askedOf([asked(null, 'a'), asked(null, 'b')], [sighting('r', 'api-1')])), ['api', 'api']);
});

test('requests to all containers of a name are conserved together, and a failure is that of one of them', () => {
  const raw = recordOf(answered(500));
  const byName = (/** @type {string} */ id, /** @type {number} */ status) => edgeLine(id, 4.5, { to: 'web:8000', status, state: '----' });
  preloaded({ edge: byName('a0-0', 500) + byName('9-9', 200) + byName('8-8', 200) }, { lines: SAID_NO })(raw);
  const [one] = raw.adapted.filter(({ service }) => service === 'web');
  one.service = 'web-1';
  const others = (/** @type {string} */ name) =>
    one.files
      .file(name)
      .replaceAll('9-9', '8-8')
      .replaceAll(/^.a0-0.*\n/gm, '');
  raw.adapted = [...raw.adapted, { ...one, service: 'web-2', files: { ...one.files, file: others } }];
  const described = raw.manifest.services.find((/** @type {any} */ { name }) => name === 'web');
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
