import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waysOf } from './entry-way.js';
import { aboutDoors, doorsBeside } from './other-doors.js';

const service = (/** @type {import('../../catalog/project-schema.js').ProjectTier} */ tier) => ({
  tier,
  product: 'opaque',
  watch: /** @type {const} */ (0),
});
/** @type {import('../../catalog/project-schema.js').Project} */
const PROJECT = {
  compose: ['compose.yaml'],
  entry: 'http://web:80/',
  services: { web: service('app'), admin: service('app'), jobs: service('other'), grafana: service('other'), db: service('database') },
  edges: [],
  load: { urls: ['GET /'] },
};
const MODELS = [
  { service: 'web', published: [80, 443, 9000], networkMode: '' },
  { service: 'admin', published: [9021, 8404], networkMode: '' },
  { service: 'jobs', published: [4000], networkMode: '' },
  { service: 'grafana', published: [3000], networkMode: '' },
  { service: 'db', published: [5432], networkMode: '' },
  { service: 'metal', published: [7000], networkMode: 'host' },
];
const likely = { tier: null, likely: /** @type {const} */ ('app') };
const PROPOSAL = {
  entries: [{ service: 'web', url: 'http://web:80/' }],
  edges: [],
  services: {
    web: likely,
    admin: likely,
    jobs: likely,
    grafana: { tier: null, likely: null },
    db: { tier: null, likely: /** @type {const} */ ('database') },
  },
};

test('published ports are asked but for stores, tools, operators’ pages and the entry’s own', () => {
  assert.deepEqual(doorsBeside(PROJECT, MODELS, PROPOSAL), ['http://web:9000/', 'http://admin:9021/', 'http://jobs:4000/']);
  assert.deepEqual(doorsBeside({ ...PROJECT, entry: 'http://admin:9021/' }, MODELS, PROPOSAL), [], 'who chose an entry knows');
});

test('those that answer are told in one sentence, as they are asked', async () => {
  const said = (/** @type {Record<string, number>} */ statuses) => {
    const ask = async (/** @type {{ target?: string }} */ { target = '' }) => ({
      status: statuses[target] ?? 0,
      location: '',
      error: 'ECONNRESET',
    });
    return aboutDoors(['http://a:1/', 'http://b:2/', 'http://c:3/'], waysOf({ ask, addressOf: async () => undefined }));
  };
  assert.match(
    (await said({ 'http://a:1/': 200, 'https://b:2/': 200, 'http://c:3/': 404 })).join(),
    /^http:\/\/a:1\/, https:\/\/b:2\/ answer HTTP too, /,
  );
  assert.deepEqual(await said({}), []);
});
