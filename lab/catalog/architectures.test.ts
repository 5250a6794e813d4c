import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { NotReadyError } from '../base/errors.ts';
import { architectures, changeIn, folderOf, nameOfFolder, profileOf, readSystems, scenarioOf } from './architectures.ts';
import { published } from './published.ts';
import { scenarios } from './scenarios.ts';

const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-systems-'));
after(() => rmSync(folder, { recursive: true }));

function addSystem(id: string, text: string) {
	mkdirSync(join(folder, id), { recursive: true });
	writeFileSync(join(folder, id, 'doubletake.yaml'), text);
}

test('a system is a folder: nothing else has to know it', () => {
	addSystem('2a', 'title: two nodes\nquestion: Twice as much?\nentry: http://nginx:8080/\n');
	addSystem('a', 'title: one node\nquestion: How much?\nvariables: {SIZE: {about: of it, standard: "1", range: [1, 9]}}\n');
	mkdirSync(join(folder, 'images'));
	assert.deepEqual(readSystems(folder), {
		a: { title: 'one node', question: 'How much?', variables: { SIZE: { about: 'of it', standard: '1', range: [1, 9] } } },
		'2a': { title: 'two nodes', question: 'Twice as much?', entry: 'http://nginx:8080/' },
	});
});

test('a file that is no YAML is named too', () => {
	addSystem('c', 'title: [one\n');
	assert.throws(
		() => readSystems(folder),
		(error) => error instanceof NotReadyError && /c\/doubletake\.yaml, line 2: expected YAML; /.test(error.message),
	);
	rmSync(join(folder, 'c'), { recursive: true });
});

test('a folder that says it badly is named with what is wrong', () => {
	addSystem('b', 'title: b\nquestion: no question\nenrty: http://b/\n');
	assert.throws(
		() => readSystems(folder),
		(error) =>
			error instanceof NotReadyError &&
			/b\/doubletake\.yaml, line 2, question: expected what is asked .*; found "no question"\.\n.*line 3: .*found "enrty"\./.test(
				error.message,
			) &&
			/write "entry" instead of "enrty"/.test(error.message),
	);
});

test('a name that is in no table is reported at the start, and not when a run needs it', () => {
	rmSync(join(folder, 'b'), { recursive: true, force: true });
	const SAYS = 'title: d\nquestion: How?\n';
	for (const [text, problem] of [
		['load: { scenario: nowhere }\n', /load\.scenario: expected one of documents, .*; found "nowhere"/],
		['load: { urls: ["GET /"] }\n', /load: expected one of scenario; found "urls"/],
		['services: { web: { tier: app, product: opaque, watch: 0 } }\n', /expected one of title, .*; found "services"/],
		['published: doubling.9z\n', /published: expected a run of published\.json; found "doubling\.9z"/],
		['remedies: [{ system: 9z, change: it, causes: [shed] }]\n', /remedies\.0\.system: expected one of a, d, 2a; found "9z"/],
		['remedies: [{ system: a, change: it, causes: [bad-luck] }]\n', /remedies\.0\.causes\.0: expected one of .*; found "bad-luck"/],
		[
			'remedies: [{ variables: { SIZE: "2" }, change: it, causes: [shed] }]\n',
			/remedies\.0: expected one of change, causes, system; found "variables"/,
		],
		['variables: {SIZE: {about: of it, standard: "1"}}\n', /variables\.SIZE: expected an entry "choices"/],
	] as [string, RegExp][]) {
		addSystem('d', SAYS + text);
		assert.throws(
			() => readSystems(folder),
			(error) => error instanceof NotReadyError && /d\/doubletake\.yaml, line 3/.test(error.message) && problem.test(error.message),
			text,
		);
	}
	addSystem('d', `${SAYS}load: { scenario: crud }\npublished: doubling.2a\nremedies: [{ system: a, change: it, causes: [shed] }]\n`);
	assert.equal(readSystems(folder).d.remedies?.[0].system, 'a');
});

for (const [id, architecture] of Object.entries(architectures)) {
	test(`${id} says what it is, why one would run it and where the load goes`, () => {
		assert.match(id, /^[a-z0-9]+(-[a-z0-9]+)*$/);
		assert.ok(architecture.title);
		assert.match(architecture.question, /\?$/);
		const isAsked = scenarios[scenarioOf(id)].driver === 'k6';
		assert.equal(architecture.entry !== undefined, isAsked);
		if (isAsked) assert.equal(new URL(architecture.entry ?? '').protocol, 'http:');
		// A profile's name needs two characters, and this is what compose.yaml calls it.
		assert.equal(profileOf(id), `arch-${id}`);
	});

	test(`${id} refers to published figures that are there, if to any`, () => {
		if (architecture.published === undefined) return;
		const [section, run] = architecture.published.split('.');
		assert.ok(published[section]?.runs?.[run], architecture.published);
		assert.ok(published[section].source);
	});
}

test('a system that is a remedy of another says what it changes', () => {
	assert.match(changeIn('2a-slots'), /^8,192 slots/);
	assert.equal(changeIn('2a'), '');
});

test('a system is called by its folder, unless that is called as an architecture or as what the lab keeps elsewhere', () => {
	assert.deepEqual(
		['/home/ann/My Shop (2)', '/', '/home/ann/crud', '/home/ann/2a', '/home/ann/compare', '/home/ann/shop'].map(nameOfFolder),
		['my-shop-2', 'own', 'crud-own', '2a-own', 'compare-own', 'shop'],
	);
	assert.equal(nameOfFolder(folderOf('2a')), '2a');
});
