import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyAdapter } from '../adapters/registry.js';
import { NotReadyError } from '../base/errors.js';
import { parseProject, writeProject } from '../catalog/project-file.js';
import { serviceModels } from './compose-model.js';
import { dangersOf } from './dangers.js';
import { detectTiers } from './detect.js';
import { adapters, configOf, SYSTEMS } from './fixtures/systems.js';
import { chooseProject, explainProject } from './init.js';

const END = 'wrote doubletake.yaml; next: doubletake run';

/** @type {(config: any, known?: import('../adapters/contract.js').Adapter[]) => { project: import('../catalog/project-schema.js').Project, text: string, lines: string[] }} */
function init(config, known = adapters()) {
  const models = serviceModels(config);
  const detections = detectTiers(models, known);
  const project = chooseProject(detections, models, ['compose.yaml']);
  const text = explainProject({ detections, project, dangers: dangersOf(config), end: END });
  return { project, text, lines: text.split('\n') };
}

test('what is proposed for a shop is the example of the documentation', () => {
  const { project } = init(configOf('shop'));
  const { services, ...rest } = project;
  assert.deepEqual(rest, {
    compose: ['compose.yaml'],
    entry: 'http://haproxy:8080/',
    edges: [
      ['haproxy', 'web'],
      ['web', 'pgbouncer'],
      ['pgbouncer', 'postgres'],
    ],
    load: { urls: ['GET /'], shape: 'steps', users: 200, think_ms: 1000 },
  });
  assert.deepEqual(services.haproxy, { tier: 'load-balancer', product: 'haproxy', watch: 1, reason: 'image haproxy:2.6' });
  assert.deepEqual(services.web, { tier: 'app', product: 'opaque', watch: 0, reason: 'it runs gunicorn' });
});

test('no level is proposed that changes how a service runs', () => {
  for (const system of SYSTEMS) for (const { watch } of Object.values(init(configOf(system)).project.services)) assert.ok(watch <= 1);
});

test('what is not on the way of a request is proposed as other', () => {
  assert.equal(init(configOf('notes')).project.services.worker.tier, 'other');
});

test('what is proposed can be written and read, whatever the services are called', () => {
  for (const system of SYSTEMS) {
    const { project } = init(configOf(system));
    const services = Object.fromEntries(
      Object.entries(project.services).map(([name, { tier, product, watch }]) => [name, { tier, product, watch }]),
    );
    assert.deepEqual(parseProject(writeProject(project), 'doubletake.yaml'), { ...project, services });
  }
});

test('a file in which nothing listens is refused', () => {
  assert.throws(
    () => init({ name: 'run', services: { one: { image: 'acme/one' } } }),
    (error) => error instanceof NotReadyError && /found no port of one/.test(error.message),
  );
});

test('a service on the machine’s own network is told as what keeps it from being asked', () => {
  const services = { web: { image: 'acme/web', network_mode: 'host', expose: ['80'] } };
  assert.throws(() => init({ name: 'run', services }), /found no port of web \(web has network_mode host\)[\s\S]*leave network_mode out/);
});

test('volumes that are empty in each run are told', () => {
  const config = configOf('shop');
  const models = serviceModels(config);
  const detections = detectTiers(models, adapters());
  const text = explainProject({
    detections,
    project: chooseProject(detections, models),
    fresh: ['data of postgres'],
    dangers: [],
    end: END,
  });
  assert.match(text, /\n\nNew and empty in each run: data of postgres\. /);
});

test('the table has a row for each service, with its columns under each other', () => {
  const { lines } = init(configOf('shop'));
  assert.deepEqual(lines.slice(0, 6), [
    'Services in compose.yaml',
    '  service    tier           product  why',
    '  haproxy    load-balancer  haproxy  image haproxy:2.6',
    '  pgbouncer  pool           opaque   image registry.example.com/edoburu/pgbouncer:1.18.0',
    '  postgres   database       opaque   image postgres:15.5',
    '  web        app            opaque   it runs gunicorn',
  ]);
});

test('where requests enter and where they go on is said with its reasons', () => {
  const { lines } = init(configOf('shop'));
  const at = lines.indexOf('Requests enter at http://haproxy:8080/ (the load balancer that publishes port 8080)');
  assert.deepEqual(lines.slice(at + 1, at + 4), [
    '  haproxy asks web         (depends_on)',
    '  web asks pgbouncer       (named in DATABASE_URL)',
    '  pgbouncer asks postgres  (named in DB_HOST)',
  ]);
});

test('each level is told with what it gives, what it needs, and whether it is used', () => {
  const { lines } = init(configOf('shop'));
  const at = lines.indexOf('  haproxy');
  assert.deepEqual(lines.slice(at + 1, at + 4), [
    '  * 0, its container: CPU, memory, and whether it ended.',
    '  * 1, its own log: Each request, and who broke it. Needs: The line "option httplog" in its configuration.',
    '    2, a configuration laid over its own: The id of each request. Needs: Consent.',
  ]);
});

test('services of which the same can be watched are told together', () => {
  const { lines } = init(configOf('shop'));
  const at = lines.indexOf('  pgbouncer, postgres, web');
  assert.equal(lines[at + 1], '  * 0, its container: CPU, memory, and whether it ended.');
});

test('a program that no adapter knows is watched by its own log too, which changes nothing about it', () => {
  const models = serviceModels(configOf('shop'));
  assert.deepEqual(chooseProject(detectTiers(models, everyAdapter), models).services.web, {
    tier: 'app',
    product: 'opaque',
    watch: 1,
    reason: 'it runs gunicorn',
  });
});

test('what stays unknown is told with what would change it', () => {
  const { lines } = init(configOf('shop'));
  assert.ok(lines.includes('  haproxy: The id of each request. Write "watch: 2" to know it.'));
  const web = '  web: its own reasons for a failure, because nothing here can read what it runs.';
  assert.ok(lines.includes(`${web} If it runs one of haproxy, mongo, write that as its product.`));
  assert.ok(!init(configOf('notes')).lines.some((line) => line.startsWith('  worker: ')));
});

test('a doubt stands below the ways, as a question', () => {
  const config = configOf('shop');
  config.services.haproxy.depends_on = {};
  assert.ok(init(config).lines.includes('  ? The file does not say whom haproxy asks; web is assumed.'));
});

test('dangers are told with what to do, those that are refused first', () => {
  const config = configOf('notes');
  config.services.api.privileged = true;
  const { text, lines } = init(config);
  assert.ok(text.indexOf('is refused without --allow') < text.indexOf('To be known before a run'));
  assert.ok(lines.includes('    To avoid it: name under cap_add what it needs instead.'));
  assert.match(init(configOf('shop')).text, /Nothing in it could be harmed/);
});

test('what Compose has doubts about is told as a question', () => {
  const config = configOf('shop');
  const models = serviceModels(config);
  const detections = detectTiers(models, adapters());
  const doubts = ['Compose: The "X" variable is not set. Defaulting to a blank string.'];
  const text = explainProject({ detections, project: chooseProject(detections, models), doubts, dangers: [], end: END });
  assert.match(text, /\n\n\? Compose: The "X" variable is not set/);
});

test('the last line says what was written and what comes next', () => {
  assert.match(init(configOf('shop')).text, /\n\nwrote doubletake\.yaml; next: doubletake run\n$/);
});

test('of a Node service it says that there is a preload, and that it takes consent', () => {
  const { project, lines } = init({ services: { web: { image: 'node:24', expose: ['3000'], networks: { default: null } } } }, everyAdapter);
  assert.deepEqual(project.services.web, { tier: 'app', product: 'node', watch: 1, reason: 'image node:24' });
  assert.ok(
    lines.some((line) =>
      /^ {4}3, a preload in its process: Each request by its id.* Needs: Node 18\.18 or newer, and consent: /.test(line),
    ),
  );
  assert.ok(lines.some((line) => /^ {2}web: Each request by its id.* Write "watch: 3" to know it\.$/.test(line)));
});
