import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../../base/errors.js';
import { partsOfEntry } from '../../catalog/project-schema.js';
import { answer, inTurn } from '../../target/fixtures/answers.js';
import { waysOf } from './entry-way.js';
import { aboutEntryPoints, entryPointsBeside, refuseOtherScheme, waitFor } from './first-answer.js';

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
  assert.deepEqual(entryPointsBeside(PROJECT, MODELS, PROPOSAL), ['http://web:9000/', 'http://admin:9021/', 'http://jobs:4000/']);
  assert.deepEqual(entryPointsBeside({ ...PROJECT, entry: 'http://admin:9021/' }, MODELS, PROPOSAL), [], 'who chose an entry knows');
});

test('those that answer are reported in one sentence, as they are asked', async () => {
  const said = (/** @type {Record<string, number>} */ statuses) => {
    const ask = async (/** @type {{ target?: string }} */ { target = '' }) => ({
      status: statuses[target] ?? 0,
      location: '',
      error: 'ECONNRESET',
    });
    return aboutEntryPoints(['http://a:1/', 'http://b:2/', 'http://c:3/'], waysOf({ ask, addressOf: async () => undefined }));
  };
  assert.match(
    (await said({ 'http://a:1/': 200, 'https://b:2/': 200, 'http://c:3/': 404 })).join(),
    /^http:\/\/a:1\/, https:\/\/b:2\/ answer HTTP too, /,
  );
  assert.deepEqual(await said({}), []);
});

const ENTRY = 'http://web:8080/';
const signal = new AbortController().signal;
const times = { limitMs: 60_000, behindMs: 60_000, brokenMs: 60_000, lookMs: 0, againMs: 0 };

/** @type {(given: { answers: number[][] | null, looks?: boolean[], times?: object }) => Promise<{ found: number[] | undefined, said: string[] }>} */
async function waited({ answers, looks = [true], times: own = {} }) {
  const said = /** @type {string[]} */ ([]);
  const ask = answers === null ? null : inTurn(answers.map((statuses) => statuses.map((status) => answer(status))));
  const say = (/** @type {string} */ text) => said.push(text);
  const found = await waitFor({ ask, entry: ENTRY, look: inTurn(looks), steadyMs: 0, say, signal, times: { ...times, ...own } });
  return { found: found?.map(({ status }) => status), said };
}

test('a service that is slow is waited for, and so is one behind a proxy that is there already', async () => {
  const { found, said } = await waited({ answers: [[0], [0], [502], [503], [200]] });
  assert.deepEqual(found, [200]);
  assert.deepEqual(said, ['waiting until http://web:8080/ answers well (connect ECONNREFUSED)']);
});

test('what breaks after its first good answer is waited for until it answers well three times in a row', async () => {
  const asked = inTurn([200, 200, 0, 500, 200, 200, 200, 404].map((status) => [answer(status)]));
  let count = 0;
  const ask = async () => {
    count += 1;
    return asked();
  };
  await waitFor({ ask, entry: ENTRY, look: inTurn([true]), steadyMs: 0, say: () => {}, signal, times });
  assert.equal(count, 7);
});

test('an error of the server is waited out, but not as long as a service that is not there', async () => {
  assert.deepEqual((await waited({ answers: [[500], [200]] })).found, [200]);
  assert.deepEqual((await waited({ answers: [[500]], times: { brokenMs: 0 } })).found, [500]);
  assert.deepEqual((await waited({ answers: [[500, 200]], times: { brokenMs: 0 } })).found, [500, 200]);
});

test('what answers at once is not waited for, whatever it answers but errors', async () => {
  for (const status of [200, 302, 404, 429]) assert.deepEqual((await waited({ answers: [[status]] })).said, []);
});

test('where one path is there and another is not yet, both are waited for', async () => {
  assert.deepEqual(
    (
      await waited({
        answers: [
          [200, 502],
          [200, 200],
        ],
      })
    ).found,
    [200, 200],
  );
});

test('an entry that never answers is refused, with what was found and what to look at', async () => {
  await assert.rejects(waited({ answers: [[0]], times: { limitMs: 0 } }), (error) => {
    assert.ok(error instanceof NotReadyError);
    assert.match(error.message, /expected an HTTP answer of http:\/\/web:8080\/ within 0 s; found none: connect ECONNREFUSED/);
    assert.match(error.message, /0\.0\.0\.0/);
    return true;
  });
});

test('a proxy that goes on saying that nothing is behind it is taken at its word', async () => {
  assert.deepEqual((await waited({ answers: [[503]], times: { behindMs: 0 } })).found, [503]);
});

test('a status that the load expects is not waited out, whatever proxies say by it', async () => {
  const ask = async () => [{ ...answer(503), expect: [503] }];
  const found = await waitFor({ ask, entry: ENTRY, look: inTurn([true]), steadyMs: 0, say: () => assert.fail('it waits'), signal, times });
  assert.deepEqual(
    found?.map(({ status }) => status),
    [503],
  );
});

test('where it cannot be asked from here, only the containers are looked at', async () => {
  assert.deepEqual(await waited({ answers: null, looks: [false, true] }), { found: undefined, said: [] });
});

test('an entry has a port and a beginning of all paths, whether it names them or not', () => {
  assert.deepEqual(partsOfEntry('http://my_app:8000/api/'), { scheme: 'http', host: 'my_app', port: 8000, base: '/api' });
  assert.deepEqual(partsOfEntry('https://1.0'), { scheme: 'https', host: '1.0', port: 443, base: '' });
});

test('a script is refused where its entry speaks another scheme than the file says, with what to write', async () => {
  const ask = async (/** @type {{ target?: string }} */ { target = '' }) => answer(target.startsWith('https') ? 200 : 400);
  const ways = waysOf({ ask, addressOf: async () => undefined });
  refuseOtherScheme([ENTRY], ways);
  await ways.ask({ method: 'GET', path: '/' }, ENTRY);
  assert.throws(
    () => refuseOtherScheme([ENTRY], ways),
    /entry: expected http at http:\/\/web:8080\/.*found that https is spoken[\s\S]*write https:\/\/web:8080\/ as the entry/,
  );
});
