import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OWN_MARK } from '../../adapters/nginx/config.js';
import { system } from '../fixtures/own-cases.js';
import { factsOf, recordOf } from '../fixtures/record.js';
import { FROM } from '../fixtures/story.js';
import { hopCounts } from './conservation.js';

/** An Nginx between the edge and its pool, in the lab's format. @param {string[]} ids  of its requests, one each tenth of a second */
function withInner(ids) {
  const lines = ids.map((id, index) => {
    const t = FROM + 1 + index / 10;
    const told = {
      t,
      id,
      connection: 1,
      status: 200,
      request_s: 0.01,
      upstream: '',
      upstream_status: '',
      connect_s: '',
      upstream_s: '',
      completion: 'OK',
    };
    return `${new Date(t * 1000).toISOString()} ${OWN_MARK} ${JSON.stringify(told)}\n`;
  });
  const raw = recordOf({ balanced: true, kinds: { eof: { 2: 1 } } });
  system({ web: lines.join('') })(raw);
  for (const service of raw.manifest.services) if (service.name === 'web') Object.assign(service, { product: 'nginx', watch: 2 });
  for (const one of raw.adapted) if (one.service === 'web') Object.assign(one, { product: 'nginx', level: 2 });
  const facts = factsOf(raw);
  return { facts, web: hopCounts(facts).find(({ service }) => service === 'web') };
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
