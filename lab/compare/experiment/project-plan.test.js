import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { serviceModels } from '../../target/compose-model.js';
import { readGivenArm } from '../../target/run-options.js';
import { armsOf, commandOf, notesOfArms, notesOfCurve, planProjectComparison, planProjectExperiment } from './project-plan.js';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
  await writeFile(
    join(folder, 'doubletake.yaml'),
    'compose: [compose.yaml]\nentry: http://web:80/\nservices:\n  web: { tier: app, product: opaque, watch: 0 }\nload:\n  urls: ["GET /"]\n',
  );
});
after(() => rm(folder, { recursive: true }));

/** Each of these is refused before Compose is asked. @type {(given: { a?: string[], b?: string[] }, env: Record<string, string>, text: RegExp, at?: string) => Promise<void>} */
const refused = ({ a = [], b = [] }, env, text, at = folder) =>
  assert.rejects(
    planProjectComparison({ folder: at, a, b, allowData: false, env, say: () => {}, signal: new AbortController().signal }),
    text,
  );

test('what is of shipped architectures, of a single run or of a plan that goes on is refused by name', async () => {
  for (const name of ['ARMS', 'BASELINE', 'EXPECT'])
    await refused(
      {},
      { [name]: 'x' },
      new RegExp(`^NotReadyError: ${name}: expected none, because it changes nothing about your own system`),
    );
  await refused({ a: ['POOL=8'] }, { RESUME: 'reports/compare/x' }, /RESUME: expected none [\s\S]*leave out --a and --b to go on with it/);
  await refused({}, { DELAY: '5' }, /DELAY: expected none, because it changes nothing about your own system/);
});

test('blocks, seed and arms are read before anything is asked', async () => {
  await refused({}, { REPEATS: '0' }, /REPEATS: expected a whole number from 1/);
  await refused({}, { SEED: 'x' }, /SEED: expected a whole number/);
  await refused({ b: ['rev:'] }, {}, /--b: expected a git revision/);
});

test('options of both arms, and of each, are read before anything is asked', async () => {
  await refused({}, { LOAD: 'open' }, /LOAD=open: expected RATE with it/);
  await refused({ b: ['.:RETRIES=x'] }, {}, /RETRIES: expected a whole number/);
  await refused({ b: ['.:BACKOFF=50'] }, {}, /BACKOFF: expected RETRIES with it/);
  await refused({ b: ['.:BACKOFF=50', 'tuned.yaml'] }, { RETRIES: '1' }, /expected a Compose file/);
});

test('options of both arms, and of each, are read before anything is asked', async () => {
  await refused({}, { LOAD: 'open' }, /LOAD=open: expected RATE with it/);
  await refused({ b: ['.:RETRIES=x'] }, {}, /RETRIES: expected a whole number/);
  await refused({ b: ['.:BACKOFF=50'] }, {}, /BACKOFF: expected RETRIES with it/);
  await refused({ b: ['.:BACKOFF=50', 'tuned.yaml'] }, { RETRIES: '1' }, /expected a Compose file/);
});

test('a folder without doubletake.yaml, and a Compose file that is not there, are told', async () => {
  await refused({}, {}, /compare: expected doubletake\.yaml in \/nowhere, or two architectures; found neither/, '/nowhere');
  await refused({ a: ['tuned.yaml'] }, {}, /--a: expected a Compose file "tuned\.yaml" in /);
});

test('the command repeats it with its order, and with the arms that were wanted', () => {
  /** @type {(words: string[], asked: { repeats: number, seed: number }, given?: { allowData?: boolean, env?: Record<string, string> }) => string} */
  const said = (words, asked, { allowData = false, env = {} } = {}) => commandOf('compare', words, { name: 'shop', allowData, env })(asked);
  assert.equal(
    said(["--a 'rev:HEAD~1'", '--b POOL=8'], { repeats: 8, seed: 7 }, { allowData: true }),
    "SEED=7 REPEATS=8 doubletake compare --a 'rev:HEAD~1' --b POOL=8 --allow",
  );
  assert.equal(said(['--b .'], { repeats: 2, seed: 1 }), 'SEED=1 REPEATS=2 doubletake compare --b .');
  assert.equal(
    commandOf('experiment', ['pool.yaml'], { name: 'shop', allowData: false, env: { ARMS: 'one,two workers' } })({ repeats: 2, seed: 1 }),
    "ARMS='one,two workers' SEED=1 REPEATS=2 doubletake experiment pool.yaml",
  );
});

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
/** @type {import('../../catalog/project-schema.js').Project} */
const project = {
  compose: ['compose.yaml'],
  entry: 'http://web:80/',
  services: { web: { tier: 'app', product: 'opaque', watch: 0 }, cache: { tier: 'cache', product: 'redis', watch: 0 } },
  edges: [['web', 'cache']],
  load: { urls: ['GET /'] },
};

/** @type {(given: string[], services: string[], fingerprint: string, commit?: string | null) => Parameters<typeof armsOf>[0][number]} */
const resolved = (given, services, fingerprint, commit = null) => {
  const arm = readGivenArm('--a', given);
  const models = serviceModels({ services: Object.fromEntries(services.map((service) => [service, { image: 'x' }])) });
  return { arm, commit, compose: arm.files ?? ['compose.yaml'], models, fingerprint };
};

test('each arm says what is run for it, and which services of doubletake.yaml only the other has', () => {
  const [base, other] = armsOf([resolved(['rev:v1'], ['web', 'cache'], 'f1', COMMIT), resolved(['lean.yaml', 'POOL=8'], ['web'], 'f2')], {
    project,
    name: 'shop',
  });
  assert.deepEqual([base.id, other.id], ['rev:v1', 'lean.yaml, POOL=8']);
  assert.deepEqual([base.architecture, base.resolved?.commit, base.resolved?.title], ['shop', COMMIT, 'shop at v1 (0123456)']);
  assert.deepEqual([base.resolved?.absent, other.resolved?.absent], [[], ['cache']]);
  assert.deepEqual(
    [other.variables, other.resolved?.compose, other.resolved?.given],
    [{ POOL: '8' }, ['lean.yaml'], ['lean.yaml', 'POOL=8']],
  );
});

test('an arm has the options of its arm alone, and one without has none', () => {
  const [base, other] = armsOf([resolved([], ['web'], 'f1'), resolved(['.:RETRIES=2'], ['web'], 'f1')], { project, name: 'shop' });
  assert.deepEqual([base.resolved && 'options' in base.resolved, other.resolved?.options, other.variables], [false, { RETRIES: '2' }, {}]);
  assert.deepEqual([base.id, other.id], ['shop', 'RETRIES=2']);
});

test('the folder as it is on both arms is an A/A control, and that is said', async () => {
  const givenArms = [readGivenArm('--a', []), readGivenArm('--b', [])];
  const arms = armsOf([resolved([], ['web'], 'f1'), resolved([], ['web'], 'f1')], { project, name: 'shop' });
  assert.deepEqual(
    arms.map(({ id }) => id),
    ['shop', 'shop again'],
  );
  assert.deepEqual(await notesOfArms({ arms, givenArms, folder: '/nowhere', project }), [
    'to Compose shop and shop again are one system: this is an A/A control.',
  ]);
});

test('a dot is the folder as it is', () => {
  assert.deepEqual(readGivenArm('--b', ['.']), { ...readGivenArm('--b', []), given: ['.'] });
});

test('of two arms that differ nothing is said, and git is not asked where no revision is', async () => {
  const givenArms = [readGivenArm('--a', ['POOL=8']), readGivenArm('--b', [])];
  const arms = armsOf([resolved(['POOL=8'], ['web'], 'f1'), resolved([], ['web'], 'f2')], { project, name: 'shop' });
  assert.deepEqual(await notesOfArms({ arms, givenArms, folder: '/nowhere', project }), []);
});

test('arms of an experiment have the names that were given, and of three each lacks what any other has', () => {
  const arms = armsOf([resolved([], ['web', 'cache'], 'f1'), resolved(['POOL=8'], ['web'], 'f2'), resolved(['POOL=9'], ['web'], 'f2')], {
    project,
    name: 'shop',
    names: ['today', 'eight', 'nine'],
  });
  assert.deepEqual(
    arms.map(({ id, resolved }) => [id, resolved?.absent]),
    [
      ['today', []],
      ['eight', ['cache']],
      ['nine', ['cache']],
    ],
  );
});

test('an experiment without its file, or with options of another command, is refused', async () => {
  const asked = { folder, allowData: false, say: () => {}, signal: new AbortController().signal };
  await assert.rejects(
    planProjectExperiment({ ...asked, file: 'experiment.yaml', env: {} }),
    /experiment: expected experiment\.yaml in .*; found none/,
  );
  for (const name of ['BASELINE', 'EXPECT', 'A'])
    await assert.rejects(
      planProjectExperiment({ ...asked, file: 'experiment.yaml', env: { [name]: 'x' } }),
      new RegExp(`^NotReadyError: ${name}: expected none, because it changes nothing about your own system`),
    );
  await assert.rejects(
    planProjectExperiment({ ...asked, file: 'pool.yaml', env: { RESUME: 'x' } }),
    /RESUME: expected none in a new experiment [\s\S]*leave out the file to go on with it/,
  );
});

test('a service on the way without a CPU quota is told before a curve is measured', () => {
  const services = { web: {}, db: { cpus: 0.5 }, cache: { deploy: { resources: { limits: { cpus: '0.2' } } } }, cron: {} };
  const tiers = { web: 'app', db: 'database', cache: 'cache', cron: 'other', gone: 'app' };
  const of = (/** @type {Record<string, string>} */ options) =>
    notesOfCurve({
      configs: [{ own: { options }, config: { services } }],
      options: {},
      project: /** @type {any} */ ({ services: Object.fromEntries(Object.entries(tiers).map(([name, tier]) => [name, { tier }])) }),
    });
  assert.deepEqual(of({}), ["no CPU quota for web: no capacity plan can be made of this experiment; give one, as in BUDGET='web=0.2'."]);
  assert.deepEqual(of({ BUDGET: 'web=0.2' }), []);
});
