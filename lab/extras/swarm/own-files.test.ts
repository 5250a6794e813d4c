import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { filesAt, formOf } from './own-files.ts';

const NODES = ['one', 'two'].map((name) => ({ name, attributes: { 'node.hostname': name }, isReady: true }));
const TOO_LARGE_BYTES = 500_001;

let folder = '';
before(async () => {
	folder = await mkdtemp(join(os.tmpdir(), 'own-files-'));
	await mkdir(join(folder, 'site'));
	await Promise.all([
		writeFile(join(folder, 'edge.conf'), 'events {}'),
		writeFile(join(folder, 'cost$.conf'), 'events {}'),
		writeFile(join(folder, 'large.bin'), Buffer.alloc(TOO_LARGE_BYTES)),
		...Array.from({ length: 101 }, (_, index) => writeFile(join(folder, 'site', `${index}.html`), '')),
	]);
});
after(() => rm(folder, { recursive: true }));

/** @param more of the model */
const model = (services: Record<string, any>, more: object = {}) => ({
	services: Object.fromEntries(
		Object.entries(services).map(([name, service]) => [name, { image: name, labels: { 'doubletake.tier': 'app' }, ...service }]),
	),
	...more,
});
const formed = (given: ReturnType<typeof model>, { filled = [], parts = [] }: { filled?: string[]; parts?: string[] } = {}) =>
	formOf(given, { nodes: NODES, reached: ['one', 'two'], cwd: folder, filled, parts });
const mount = (file: string, isReadOnly: boolean = true) => ({
	type: 'bind',
	source: join(folder, file),
	target: '/there',
	read_only: isReadOnly,
});

test('a file is what there is at its place, and of a folder all below it', () => {
	assert.deepEqual(filesAt(join(folder, 'edge.conf')), ['']);
	assert.equal(filesAt(join(folder, 'site')).length, 101);
});

test('what is read and small is handed on, and its service may run on any host', () => {
	for (const file of ['edge.conf', 'cost$$.conf']) {
		const given = model({ edge: { volumes: [mount(file)] } });
		const { isHandedOn, mayRunOn, notes } = formed(given);
		assert.deepEqual([isHandedOn?.(mount(file)), mayRunOn(given.services.edge), notes], [true, [], []], file);
	}
});

test('what is written, too large or too many keeps its service on this machine, and that is said', () => {
	for (const kept of [mount('edge.conf', false), mount('large.bin'), mount('site')]) {
		const given = model({ edge: { volumes: [kept] } });
		const { isHandedOn, mayRunOn, notes } = formed(given);
		assert.equal(isHandedOn?.(kept), false, kept.source);
		assert.deepEqual(mayRunOn(given.services.edge), ['node.hostname == one'], kept.source);
		assert.deepEqual(notes, ['edge runs on one, which alone has what it mounts at /there.'], kept.source);
	}
});

test('what each host has of its own is mounted there', () => {
	const clock = { type: 'bind', source: '/etc/localtime', target: '/etc/localtime', read_only: true };
	const given = model({ web: { volumes: [clock] } });
	const { isHandedOn, mayRunOn } = formed(given);
	assert.deepEqual([isHandedOn?.(clock), mayRunOn(given.services.web)], [false, []]);
});

test('a volume that this machine has filled keeps its services there; another that several use is reported', () => {
	const data = { type: 'volume', source: 'data', target: '/data' };
	const given = model({ web: { volumes: [data] }, worker: { volumes: [data] } }, { volumes: { data: {} } });
	const here = formed(given, { filled: ['data'] });
	assert.deepEqual(here.mayRunOn(given.services.worker), ['node.hostname == one']);
	assert.deepEqual(
		here.notes,
		['web', 'worker'].map((name) => `${name} runs on one, which alone has what it mounts at /data.`),
	);
	const { mayRunOn, notes } = formed(given);
	assert.deepEqual(mayRunOn(given.services.worker), []);
	assert.match(notes.join('\n'), /^volumes\.data is used by web, worker: on different hosts each has its own/);
});

test('what a stack leaves out of a service is told, and of the generator, which is the lab’s, nothing', () => {
	const { notes } = formed(
		model({ web: { ports: ['80:80'] }, k6: { security_opt: ['no-new-privileges'], labels: { 'doubletake.tier': 'generator' } } }),
	);
	assert.deepEqual(notes, ['services.web.ports is left out on a Swarm: nothing is published: who asks is on the same network.']);
});

test('what a stack cannot have is refused by its key, with what to do', () => {
	const refused: [ReturnType<typeof model>, RegExp][] = [
		[
			model({ web: { network_mode: 'host' } }),
			/^NotReadyError: services\.web\.network_mode: expected networks of the file .* found "host"/,
		],
		[model({ web: { volumes_from: ['db'] } }), /services\.web\.volumes_from: expected volumes of its own .* found "db"/],
		[model({ web: {} }, { configs: { site: { environment: 'SITE' } } }), /configs\.site: expected a file on a Swarm; found a variable\./],
		[model({ web: {} }, { secrets: { key: { external: true } } }), /secrets\.key: expected a file on a Swarm; found none\./],
	];
	for (const [given, words] of refused) assert.throws(() => formed(given), words);
	assert.deepEqual(formed(model({ web: {} }, { configs: { site: { content: 'x' } }, secrets: { key: { file: '/key' } } })).notes, []);
});
