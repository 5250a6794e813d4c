import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Adapter } from '../adapters/contract.ts';
import { everyAdapter } from '../adapters/registry.ts';
import { NotReadyError } from '../base/errors.ts';
import { parseProject, writeProject } from '../catalog/project-file.ts';
import type { Project } from '../catalog/project-schema.ts';
import { serviceModels } from './compose-model.ts';
import { dangersOf } from './dangers.ts';
import { detectTiers } from './detect.ts';
import { adapters, configOf, SYSTEMS } from './fixtures/systems.ts';
import { chooseProject, explainProject } from './init.ts';
import { notesOf, summariseProject } from './summary.ts';

const END = 'wrote doubletake.yaml; next: doubletake run';

function init(config: any, known: Adapter[] = adapters()): { project: Project; text: string; lines: string[] } {
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

test('a service on the machine’s own network is reported as what keeps it from being asked', () => {
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

test('each level is reported with what it gives, what it needs, and whether it is used', () => {
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

test('what stays unknown is reported with what would change it', () => {
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

test('dangers are reported with what to do, those that are refused first', () => {
	const config = configOf('notes');
	config.services.api.privileged = true;
	const { text, lines } = init(config);
	assert.ok(text.indexOf('is refused without --allow') < text.indexOf('To be known before a run'));
	assert.ok(lines.includes('    To avoid it: name under cap_add what it needs instead.'));
	assert.match(init(configOf('shop')).text, /Nothing in it could be harmed/);
});

test('what Compose has doubts about is reported as a question', () => {
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

function summaryOf(config: any, more: Partial<Parameters<typeof summariseProject>[0]> = {}) {
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
		assert.equal(lines.length, 15);
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
	const differs = ['New when the run begins: volume data (db).'];
	assert.equal(notesOf({ ...found, differs }).at(-1), differs[0], 'a volume is told once');
	const lines = summaryOf(configOf('shop'), { notes: notes.slice(0, 1), doubts: ['Compose: the "X" variable is not set.'] });
	assert.ok(lines.findIndex((line) => line.startsWith('  ! ')) < lines.findIndex((line) => line.startsWith('  ? ')));
});
