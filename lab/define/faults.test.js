import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { architectures, profileOf } from './architectures.js';
import { causes } from './causes.js';
import { faults } from './faults.js';
import { ROOT } from './paths.js';
import { scenarios } from './scenarios.js';

/** What a run without failures can be diagnosed as. */
const WITHOUT_FAILURES = ['none', 'saturated'];
const compose = parse(readFileSync(join(ROOT, 'compose', 'compose.yaml'), 'utf8'), { merge: true, maxAliasCount: -1 });

/** What the figures of an architecture's services are called. @param {string} architecture */
const namesIn = (architecture) =>
  Object.values(compose.services)
    .filter(({ profiles }) => profiles.includes(profileOf(architecture)) || profiles.includes('load'))
    .map(({ labels }) => labels['doubletake.name']);

for (const [id, { title, architecture, load, expected, services = {}, conf, actions = [] }] of Object.entries(faults)) {
  test(`${id} names an architecture, a load and a cause that there are`, () => {
    assert.ok(title);
    assert.ok(architectures[architecture], architecture);
    assert.ok(scenarios.documents.loads[load], load);
    const { cause } = expected;
    const known = cause.endsWith('*')
      ? Object.keys(causes).some((candidate) => candidate.startsWith(cause.slice(0, -1)))
      : cause in causes || WITHOUT_FAILURES.includes(cause);
    assert.ok(known, cause);
  });

  test(`${id} touches only services that its architecture has`, () => {
    const names = namesIn(architecture);
    for (const name of [...Object.keys(services), ...actions.map(({ service }) => service)]) assert.ok(names.includes(name), name);
  });

  test(`${id} finds what it changes in the balancer's conf, if it changes any`, () => {
    if (!conf) return;
    assert.match(readFileSync(join(ROOT, 'nginx', `${architecture}.conf`), 'utf8'), conf[0]);
  });
}

test('every cause has a title and says by which rule failures are placed on it', () => {
  for (const [id, { title, rule }] of Object.entries(causes)) assert.ok(title && rule, id);
});
