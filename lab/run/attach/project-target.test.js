import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotInjectedError, NotReadyError } from '../../base/errors.js';
import { serviceModels } from '../../target/compose-model.js';
import { partOf } from '../../target/project-schema.js';
import { NO_INJECTION } from '../run-target.js';
import { aboutUnheard, becauseOf, withImageEnvironment } from './project-target.js';

const PROJECT = /** @type {import('../../catalog/project-schema.js').Project} */ (
  /** @type {unknown} */ ({
    services: { web: { tier: 'app', product: 'node', watch: 3 }, job: { tier: 'app', product: 'node', watch: 1 } },
  })
);

/** @param {Record<string, string>} environment of the Compose file @param {Record<string, string>} ofImage */
async function optionsOf(environment, ofImage) {
  const models = serviceModels({ services: { web: { image: 'node:24', environment }, job: { image: 'node:24' } } });
  const parts = Object.fromEntries(models.map((model) => [model.service, { ...partOf(model, PROJECT), command: ['a', 'fault'] }]));
  const asked = /** @type {string[]} */ ([]);
  const found = await withImageEnvironment({ models, project: PROJECT, parts }, async ({ service }) => {
    asked.push(service);
    return ofImage;
  });
  assert.deepEqual(asked, ['web']);
  assert.deepEqual([found.job, found.web.command, found.web.mounts?.length], [{ command: ['a', 'fault'] }, ['a', 'fault'], 2]);
  return found.web.environment?.NODE_OPTIONS.replace(/--import=\S+$/, 'ours');
}

test('what an image has of a variable that the overlay gives is kept in it', async () => {
  assert.equal(await optionsOf({}, { NODE_OPTIONS: '--max-old-space-size=512', PATH: '/bin' }), '--max-old-space-size=512 ours');
  assert.equal(await optionsOf({}, {}), 'ours');
});

test('the Compose file’s own comes before the image’s', async () => {
  assert.equal(
    await optionsOf({ NODE_OPTIONS: '--enable-source-maps' }, { NODE_OPTIONS: '--max-old-space-size=512' }),
    '--enable-source-maps ours',
  );
});

const unready = () => Promise.reject(new NotReadyError('The stack did not start.', 'look at it'));
const fault = { id: 'db.small', title: 'small' };

test('a system that does not come up with a fault cannot take it', async () => {
  const expected = { name: 'NotInjectedError', message: 'the system does not come up with it: The stack did not start.' };
  await assert.rejects(becauseOf({ fault }, unready()), expected);
});

test('without a fault it is the system that is not ready, and any other error stays what it is', async () => {
  await assert.rejects(becauseOf(NO_INJECTION, unready()), NotReadyError);
  await assert.rejects(becauseOf({ fault }, Promise.reject(new TypeError('x'))), TypeError);
  await assert.rejects(
    becauseOf({ fault }, Promise.reject(new NotInjectedError('it names no server'))),
    /^NotInjectedError: it names no server$/,
  );
  assert.equal(await becauseOf({ fault }, Promise.resolve(7)), 7);
});

test('a run says which services on the way of requests keep no log, where there are any', () => {
  const services = { lb: watched('load-balancer', 0), web: watched('app', 1), job: watched('other', 0), db: watched('database', 0) };
  const [said, ...others] = aboutUnheard({ services });
  assert.match(said, /^No log is kept of lb, db \(watch: 0\): what was said there is not known/);
  assert.deepEqual(others, []);
  assert.deepEqual(aboutUnheard({ services: { web: services.web, job: services.job } }), []);
});

/** @type {(tier: import('../../catalog/project-schema.js').Project['services'][string]['tier'], watch: 0 | 1) => import('../../catalog/project-schema.js').Project['services'][string]} */
const watched = (tier, watch) => ({ tier, product: 'opaque', watch });
