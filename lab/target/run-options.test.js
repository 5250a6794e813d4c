import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from '../options/settings.js';
import {
  absentServices,
  askedLoad,
  checkBudget,
  checkIntegrity,
  labelOfSide,
  notesOfNames,
  projectOfSide,
  readGivenArm,
  titleOfSide,
} from './run-options.js';

const listed = { urls: ['GET /'], shape: /** @type {const} */ ('brief'), users: 40, think_ms: 500 };
/** @param {Record<string, string>} env */
const settingsOf = (env) => readSettings('shop', env);
/** @type {(env: Record<string, string>) => import('./run-options.js').AskedLoad} */
const asked = (env) => askedLoad(listed, settingsOf(env));

test('where nothing is given the load is what doubletake.yaml says', () => {
  const { load, users, thinkTimeS, client, generators, shape } = asked({});
  assert.deepEqual([load, users, thinkTimeS, client, generators], ['brief', 40, 0.5, null, 1]);
  assert.equal(shape.stages.at(-1)?.target, 40);
});

test('users and think time that are given stand in the place of those, and other loads have its users', () => {
  const { load, users, thinkTimeS, shape } = asked({ LOAD: 'ramp', THINK: '0' });
  assert.deepEqual([load, users, thinkTimeS], ['ramp', 40, 0]);
  assert.deepEqual(
    shape.stages.map(({ target }) => target),
    [2, 10, 20, 40],
  );
  assert.equal(asked({ USERS: '8' }).shape.stages.at(-1)?.target, 8);
});

test('at a rate as many may wait as their patience and their retries want', () => {
  assert.deepEqual(
    [settingsOf({ LOAD: 'open', RATE: '40%' })].map(({ rate, rate_share: share }) => [rate, share]),
    [[null, 0.4]],
  );
  const { rate, shape } = asked({ LOAD: 'constant', RATE: '50' });
  assert.deepEqual([rate, shape.stages.at(-1)?.target, shape.usersMost], [50, 50, 2000]);
  assert.equal(asked({ LOAD: 'constant', RATE: '200', TIMEOUT: '5000', RETRIES: '1' }).shape.usersMost, 2500);
});

test('what a load does not take is refused with one that does', () => {
  const refused = (/** @type {Record<string, string>} */ env, /** @type {RegExp} */ message) =>
    assert.throws(() => settingsOf(env), message);
  refused({ RATE: '50' }, /RATE: expected none, because LOAD=steps has no rate to be set; found "50"[\s\S]*use LOAD=open/);
  refused({ LOAD: 'open' }, /LOAD=open: expected RATE with it; found none[\s\S]*RATE=50 LOAD=open/);
  refused({ LOAD: 'open', RATE: '50', USERS: '9' }, /USERS: expected none, because LOAD=open has users of its own/);
  refused({ LOAD: 'patient' }, /LOAD: expected one of steps, brief, hold, ramp, /);
  refused({ USERS: '6000' }, /use GENERATORS=2/);
  refused({ GENERATORS: '2', DASHBOARD: '1' }, /DASHBOARD: expected none with GENERATORS=2/);
  refused({ RETRY_AFTER: '1' }, /RETRY_AFTER: expected RETRIES with it/);
});

test('a k6 script of the user’s own is run as it is: what it cannot be told is refused with how it says so itself', () => {
  for (const [env, message] of /** @type {[Record<string, string>, RegExp][]} */ ([
    [
      { LOAD: 'constant', RATE: '50' },
      /LOAD: expected none, because the load is load\.js, a k6 script of yours, .*; found "LOAD=constant"/,
    ],
    [{ USERS: '50' }, /To do: write the users into its options \(vus, stages\), or put urls or openapi in its place/],
    [{ RETRIES: '2' }, /To do: let it ask again itself/],
    [{ GENERATORS: '2' }, /To do: one k6 runs it/],
    [{ INTEGRITY: '1' }, /INTEGRITY: expected none, .*; found "INTEGRITY=1"[\s\S]*nobody knows which of its requests store what/],
  ]))
    assert.throws(() => askedLoad({ script: 'load.js' }, settingsOf(env)), message);
  assert.equal(askedLoad({ script: 'load.js' }, settingsOf({ BUDGET: 'web=0.5' })).generators, 1);
});

test('a budget is cores by service, which are there and fewer than all', () => {
  const { budget, cores } = settingsOf({ BUDGET: 'web=0.5, db=1' });
  assert.deepEqual([budget, cores], ['web=0.5,db=1', { web: 0.5, db: 1 }]);
  assert.deepEqual([settingsOf({}).budget, settingsOf({}).cores], ['none', null]);
  checkBudget(cores, [{ service: 'web' }, { service: 'db' }], 2);
  assert.throws(() => checkBudget(cores, [{ service: 'web' }, { service: 'store' }], 2), /services of the run, web, store; found "db"/);
  assert.throws(() => checkBudget({ web: 4 }, [{ service: 'web' }], 2), /at most the 2 cores of this machine; found web=4/);
  for (const text of ['fair', 'web', 'web=', 'web=0', 'web=0.001', 'web=x', 'web=1,web=2'])
    assert.throws(() => settingsOf({ BUDGET: text }), /^NotReadyError: BUDGET: expected/, text);
});

test('stored ids are compared where doubletake.yaml says how they are read, and a request of the load has one', () => {
  const how = { integrity: { service: 'db', command: ['psql'] } };
  const check = (
    /** @type {string} */ body,
    /** @type {Record<string, string>} */ headers = {},
    project = /** @type {{ integrity?: typeof how.integrity }} */ (how),
  ) => checkIntegrity({ integrity: true }, project, { requests: [{ method: 'POST', path: '/', body }], headers });
  check('{{request_id}}');
  check('', { 'Idempotency-Key': '{{request_id}}' });
  assert.throws(
    () => check('{{request_id}}', {}, {}),
    /INTEGRITY=1: expected in doubletake\.yaml how the ids are read .*; found no "integrity" there/,
  );
  assert.throws(() => check('{request_id}'), /INTEGRITY=1: expected a request of the load with \{\{request_id\}\}/);
  checkIntegrity({ integrity: false }, {}, { requests: [], headers: {} });
});

test('an option whose name a Compose file reads is reported, because it changes the system too', () => {
  const read = (/** @type {string} */ file) => (file === 'b.yaml' ? 'x: $RETRIES, $TIMEOUTS' : null);
  const [note, ...others] = notesOfNames({ RETRIES: '2', TIMEOUT: '5', POOL: '8' }, ['a.yaml', 'b.yaml'], read);
  assert.match(note, /^RETRIES is a variable of b\.yaml too, /);
  assert.deepEqual(others, []);
});

const COMMIT = '0123456789abcdef0123456789abcdef01234567';

/** @type {(...given: string[]) => Pick<import('./run-options.js').GivenArm, 'files' | 'variables' | 'revision'>} */
function read(...given) {
  const { files, variables, revision } = readGivenArm('--a', given);
  return { files, variables, revision };
}

test('an arm is Compose files, values of variables, or a revision, by how it is written', () => {
  assert.deepEqual(read('compose.yaml, compose.tuned.yaml'), {
    files: ['compose.yaml', 'compose.tuned.yaml'],
    variables: {},
    revision: null,
  });
  assert.deepEqual(read('POOL=8'), { files: null, variables: { POOL: '8' }, revision: null });
  assert.deepEqual(read('rev:v1.2'), { files: null, variables: {}, revision: 'v1.2' });
  assert.deepEqual(read(), { files: null, variables: {}, revision: null });
});

test('several variables stand with commas between or in an option each, and a value may hold a comma, a sign of equality or nothing', () => {
  assert.deepEqual(read('POOL=8,WORKERS=2', 'MODE=').variables, { POOL: '8', WORKERS: '2', MODE: '' });
  assert.deepEqual(read('HOSTS=a,b,QUERY=x=1,2').variables, { HOSTS: 'a,b', QUERY: 'x=1,2' });
});

test('a file whose name looks like a variable is one when its folder is written', () => {
  assert.deepEqual(read('./a=b.yaml').files, ['./a=b.yaml']);
});

test('kinds may be combined, each in an option of its own', () => {
  assert.deepEqual(read('rev:HEAD', 'POOL=8', 'a.yaml', 'b.yaml'), {
    files: ['a.yaml', 'b.yaml'],
    variables: { POOL: '8' },
    revision: 'HEAD',
  });
});

test('options of the lab stand behind a dot, so that none is taken for a variable of a Compose file', () => {
  const { variables, options } = readGivenArm('--b', ['.:RETRIES=2,BACKOFF=50', 'RETRIES=9', '.:BUDGET=web=0.5,db=1,TIMEOUT=900']);
  assert.deepEqual(options, { RETRIES: '2', BACKOFF: '50', BUDGET: 'web=0.5,db=1', TIMEOUT: '900' });
  assert.deepEqual(variables, { RETRIES: '9' });
  assert.equal(labelOfSide(readGivenArm('--b', ['.:RETRIES=2']), 'shop'), 'RETRIES=2');
  assert.equal(titleOfSide(readGivenArm('--b', ['.:RETRIES=2', 'POOL=8']), 'shop', null), 'shop with POOL=8, RETRIES=2');
});

test('what is no option in which arms may differ is refused after the dot', () => {
  const refused = (/** @type {string} */ text, /** @type {RegExp} */ message) => assert.throws(() => readGivenArm('--b', [text]), message);
  refused('.:POOL=8', /--b: expected BUDGET=, INTEGRITY=, TIMEOUT=, .* after "\.:"; found "POOL=8"[\s\S]*without the dot/);
  refused('.:RATE=50', /found "RATE=50"[\s\S]*RATE=50 before the command is for both arms/);
  refused('.:RETRIES', /found "RETRIES"/);
  assert.throws(() => readGivenArm('--b', ['.:RETRIES=1', '.:RETRIES=2']), /expected one value of RETRIES/);
});

test('what says nothing, or the same thing twice, is refused by its option', () => {
  for (const [given, message] of /** @type {[string[], RegExp][]} */ ([
    [[''], /^NotReadyError: --b: expected Compose files .*; found ""/],
    [['a.yaml,'], /found "a\.yaml,"/],
    [['rev:'], /--b: expected a git revision after "rev:"; found ""/],
    [['rev:--all'], /expected a git revision/],
    [['rev:a', 'rev:b'], /expected one revision; found "a" and "b"/],
    [['POOL=8', 'POOL=9'], /expected one value of POOL/],
  ]))
    assert.throws(() => readGivenArm('--b', given), message, given.join(' '));
});

test('an arm is called by what was given for it, and the folder as it is by the name of the system', () => {
  const label = (/** @type {string[]} */ ...given) => labelOfSide(readGivenArm('--a', given), 'shop');
  assert.deepEqual([label(), label('POOL=8'), label('rev:v1.2')], ['shop', 'POOL=8', 'rev:v1.2']);
  assert.equal(label('POOL=8', 'a.yaml,b.yaml', 'rev:HEAD'), 'rev:HEAD, a.yaml,b.yaml, POOL=8');
});

test('the title says in words what is run, with the commit of a revision', () => {
  const title = (/** @type {string[]} */ ...given) => titleOfSide(readGivenArm('--a', given), 'shop', COMMIT);
  assert.equal(title(), 'shop as it is');
  assert.equal(title('POOL=8,X=1'), 'shop with POOL=8, X=1');
  assert.equal(title('rev:v1.2', 'a.yaml'), 'shop at v1.2 (0123456), by a.yaml');
});

/** @type {import('../catalog/project-schema.js').Project} */
const project = {
  compose: ['compose.yaml'],
  entry: 'http://edge:80/',
  services: {
    edge: { tier: 'load-balancer', product: 'nginx', watch: 1 },
    web: { tier: 'app', product: 'opaque', watch: 0 },
    cache: { tier: 'cache', product: 'redis', watch: 1 },
  },
  edges: [
    ['edge', 'web'],
    ['web', 'cache'],
  ],
  load: { urls: ['GET /'] },
};

test('a service that only the other arm has is left out, with the edges that lead to it', () => {
  const absent = absentServices(project, ['edge', 'web'], ['edge', 'web', 'cache']);
  assert.deepEqual(absent, ['cache']);
  const { compose, services, edges } = projectOfSide(project, { compose: ['lean.yaml'], absent });
  assert.deepEqual([compose, Object.keys(services), edges], [['lean.yaml'], ['edge', 'web'], [['edge', 'web']]]);
});

test('a service that neither arm has, and the entry, stay for the check to tell', () => {
  assert.deepEqual(absentServices(project, ['edge'], ['edge']), []);
  assert.deepEqual(absentServices(project, ['web', 'cache'], ['edge', 'web', 'cache']), []);
});

test('an arm that has everything is the project with its own files', () => {
  assert.deepEqual(projectOfSide(project, { compose: ['compose.yaml'], absent: [] }), project);
});
