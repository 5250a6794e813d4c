import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModels } from './compose-model.js';
import { dangersOf } from './dangers.js';
import { detectTiers } from './detect.js';
import { adapters, configOf, SYSTEMS } from './fixtures/systems.js';
import { chooseProject } from './init.js';
import { LINES_MOST, notesOf, summariseProject } from './summary.js';

const END = 'wrote doubletake.yaml; next: doubletake run';

/** @param {any} config @param {Partial<Parameters<typeof summariseProject>[0]>} [more] */
function summaryOf(config, more = {}) {
  const models = serviceModels(config);
  const detections = detectTiers(models, adapters());
  return summariseProject({ detections, project: chooseProject(detections, models), end: END, ...more })
    .trimEnd()
    .split('\n');
}

test('a shop is said in a few lines: entry, tiers, edges, load, and what to type next', () => {
  assert.deepEqual(summaryOf(configOf('shop'), { load: ['The load is load.js: a k6 script.'] }), [
    'compose.yaml: requests enter at http://haproxy:8080/ (the load balancer that publishes port 8080)',
    '  load-balancer  haproxy',
    '  app            web',
    '  pool           pgbouncer',
    '  database       postgres',
    '  who asks whom  haproxy asks web; web asks pgbouncer; pgbouncer asks postgres',
    '  load           The load is load.js: a k6 script.',
    'wrote doubletake.yaml; next: doubletake run (why: doubletake init --explain)',
  ]);
});

test('what no request passes is named as such', () => {
  assert.ok(summaryOf(configOf('notes')).includes('  other          mailpit, migrate, worker: no request passes them'));
});

test('however much there is to say, it is said in fifteen lines, and how much was left out', () => {
  const notes = Array.from({ length: 30 }, (_, index) => `note ${index}`);
  for (const system of SYSTEMS) {
    const lines = summaryOf(configOf(system), { notes });
    assert.equal(lines.length, LINES_MOST);
    const kept = lines.filter((line) => /^ {2}note /.test(line)).length;
    assert.ok(lines.some((line) => Number(/^ {2}and (\d+) more: doubletake init --explain$/.exec(line)?.[1]) >= 30 - kept));
  }
});

test('of a service that is alone nobody asks who asks it', () => {
  const alone = { services: { web: { image: 'haproxy:2.6', expose: ['80'], networks: { default: null } } } };
  assert.ok(!summaryOf(alone).some((line) => line.includes('who asks whom')));
});

test('of many services the first are named', () => {
  const config = configOf('shop');
  for (let number = 1; number <= 20; number += 1) config.services[`job-${number}`] = { image: 'acme/job' };
  assert.ok(summaryOf(config).some((line) => /^ {2}other .*, and 8 more: no request passes them$/.test(line)));
});

test('what a run refuses comes before what is only to be known, and before questions', () => {
  const config = configOf('hostile');
  const found = { dangers: dangersOf(config), differs: [], fresh: ['data of db'], place: [] };
  const notes = notesOf(found);
  const refused = found.dangers.filter(({ severity }) => severity === 'refuse').length;
  assert.ok(refused > 0 && refused < found.dangers.length);
  assert.ok(notes.slice(0, refused).every((note) => note.startsWith('! ') && note.includes('refused without --allow')));
  assert.equal(notes.at(-1), 'new and empty in each run: data of db');
  const lines = summaryOf(configOf('shop'), { notes: notes.slice(0, 1), doubts: ['Compose: the "X" variable is not set.'] });
  assert.ok(lines.findIndex((line) => line.startsWith('  ! ')) < lines.findIndex((line) => line.startsWith('  ? ')));
});
