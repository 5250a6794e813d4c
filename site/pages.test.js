import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { anchorOf, changelogOf, MENU, pageOf, sourceOf } from './pages.js';

const REPOSITORY = 'https://example.org/doubletake/blob/main/';
const inDocs = (/** @type {string} */ text, /** @type {string | null} */ repository = REPOSITORY) =>
	pageOf(text, 'docs/swarm.md', repository);

test('the readme is the first page, and each document has its own name', () => {
	assert.deepEqual(['README.md', 'CHANGELOG.md', 'docs/swarm.md'].map(sourceOf), ['index.md', 'changelog.md', 'swarm.md']);
});

test('a link to a document leads to its page, with its anchor', () => {
	assert.equal(inDocs('[a](reference.md#loads) and [b](../README.md)'), '[a](./reference.md#loads) and [b](./index.md)');
	assert.equal(pageOf('[a](docs/swarm.md)', 'README.md', null), '[a](./swarm.md)');
});

test('a stored experiment leads to its rendered page', () => {
	assert.equal(
		inDocs('[x](../reports/examples/queue/experiment.md), [all](../reports/examples/findings.md)'),
		'[x](./examples/queue/experiment.html){target="_self"}, [all](./examples/findings.html){target="_self"}',
	);
});

test('code leads to the repository, and where there is none it is words', () => {
	assert.equal(inDocs('[run.js](../lab/run/run.js)'), `[run.js](${REPOSITORY}lab/run/run.js)`);
	assert.equal(inDocs('see [`run.js`](../lab/run/run.js)', null), 'see `run.js`');
});

test('a heading has the anchor that GitHub gives it', () => {
	assert.deepEqual(['1. Who lost the request?', 'SUSPECT and INVALID', 'A 202 is `accepted`, not *done*', 'p95_ms'].map(anchorOf), [
		'1-who-lost-the-request',
		'suspect-and-invalid',
		'a-202-is-accepted-not-done',
		'p95_ms',
	]);
});

test('what leads elsewhere, or stays on the page, is as it was', () => {
	for (const text of ['[k6](https://k6.io)', '[up](#top)', 'no link [here]', '![picture](https://a/b.png)'])
		assert.equal(inDocs(text), text);
	assert.equal(inDocs('![the report](report-2a.webp)'), '![the report](./report-2a.webp)');
});

test('the changelog begins with the version, and its headings are versions', () => {
	const text = changelogOf('# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-01-01\n', '0.1.0');
	assert.match(text, /^# Changelog\n\n.*\*\*0\.1\.0\*\*/);
	assert.match(text, /^## Unreleased\n\n## 0\.1\.0 - 2026-01-01$/m);
	assert.equal(inDocs('[new](../CHANGELOG.md#added)'), '[new](./changelog.md#added)');
});

test('every document is in the menu, once', () => {
	const documents = readdirSync(new URL('../docs', import.meta.url)).filter((name) => name.endsWith('.md'));
	const own = ['/', '/example', '/gallery', '/claims/', '/changelog'];
	const listed = MENU.flatMap(([, pages]) => pages.map(([, address]) => address)).filter((address) => !own.includes(address));
	assert.deepEqual(listed.toSorted(), documents.map((name) => `/${name.replace(/\.md$/, '')}`).toSorted());
});
