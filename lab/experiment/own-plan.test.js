import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { NO_OPTIONS } from '../attach/run-options.js';
import { commandOf, planOwnComparison } from './own-plan.js';

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
    planOwnComparison({ folder: at, given: { a, b, allowData: false }, env, say: () => {}, signal: new AbortController().signal }),
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

test('blocks, seed and sides are read before anything is asked', async () => {
  await refused({}, { REPEATS: '0' }, /REPEATS: expected a whole number from 1/);
  await refused({}, { SEED: 'x' }, /SEED: expected a whole number/);
  await refused({ b: ['rev:'] }, {}, /--b: expected a git revision/);
});

test('options of both sides, and of each, are read before anything is asked', async () => {
  await refused({}, { LOAD: 'open' }, /LOAD=open: expected RATE with it/);
  await refused({ b: ['.:RETRIES=x'] }, {}, /RETRIES: expected a whole number/);
  await refused({ b: ['.:BACKOFF=50'] }, {}, /BACKOFF: expected RETRIES with it/);
  await refused({ b: ['.:BACKOFF=50', 'tuned.yaml'] }, { RETRIES: '1' }, /expected a Compose file/);
});

test('a folder without doubletake.yaml, and a Compose file that is not there, are told', async () => {
  await refused({}, {}, /compare: expected doubletake\.yaml in \/nowhere, or two architectures; found neither/, '/nowhere');
  await refused({ a: ['tuned.yaml'] }, {}, /--a: expected a Compose file "tuned\.yaml" in /);
});

test('the command repeats the comparison with its order', () => {
  /** @type {(...given: string[]) => import('../define/arms.js').Arm} */
  const arm = (...given) => ({
    id: 'x',
    architecture: 'shop',
    own: { title: '', given, compose: [], commit: null, absent: [], fingerprint: '' },
  });
  assert.equal(
    commandOf({
      arms: [arm('rev:HEAD~1'), arm('POOL=8', 'X=a b')],
      repeats: 8,
      seed: 7,
      options: { ...NO_OPTIONS, load: 'open', rate: 50 },
      allowData: true,
    }),
    "LOAD=open SEED=7 RATE=50 REPEATS=8 doubletake compare --a 'rev:HEAD~1' --b POOL=8 --b 'X=a b' --allow",
  );
  assert.equal(
    commandOf({ arms: [arm(), arm()], repeats: 2, seed: 1, options: NO_OPTIONS, allowData: false }),
    'SEED=1 REPEATS=2 doubletake compare',
  );
});
