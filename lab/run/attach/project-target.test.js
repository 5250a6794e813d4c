import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutUnheard } from './project-target.js';

/** @typedef {import('../../catalog/project-schema.js').Project['services'][string]} Service */

/** @type {(tier: Service['tier'], watch: 0 | 1) => Service} */
const watched = (tier, watch) => ({ tier, product: 'opaque', watch });

test('a run says which services on the way of requests keep no log, where there are any', () => {
  const services = { lb: watched('load-balancer', 0), web: watched('app', 1), job: watched('other', 0), db: watched('database', 0) };
  const [said, ...others] = aboutUnheard({ services });
  assert.match(said, /^No log is kept of lb, db \(watch: 0\): what was said there is not known/);
  assert.deepEqual(others, []);
  assert.deepEqual(aboutUnheard({ services: { web: services.web, job: services.job } }), []);
});
