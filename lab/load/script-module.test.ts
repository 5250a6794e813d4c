import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readModule } from './script-module.ts';

const USER_K6 = '/scripts/k6/lib/user-k6.js';

const textOf = (source: string) => readModule(source, USER_K6).text;

test('every form of import of k6 names the lab’s module, and nothing else changes', () => {
	for (const [source, expected] of [
		[`import { check } from 'k6';`, `import { check } from '${USER_K6}';`],
		[`import { check as ok, sleep } from "k6"`, `import { check as ok, sleep } from "${USER_K6}"`],
		[`import k6 from 'k6';`, `import k6 from '${USER_K6}';`],
		[`import k6, { check } from 'k6';`, `import k6, { check } from '${USER_K6}';`],
		[`import * as k6 from 'k6';`, `import * as k6 from '${USER_K6}';`],
		[`import 'k6';`, `import '${USER_K6}';`],
		[`export { check } from 'k6';`, `export { check } from '${USER_K6}';`],
		[`export * from 'k6';`, `export * from '${USER_K6}';`],
		[`import{check}from'k6'`, `import{check}from'${USER_K6}'`],
		[`import { check } from '\\u006b6';`, `import { check } from '${USER_K6}';`],
	]) {
		assert.equal(textOf(source), expected);
	}
});

test('an import over several lines, with comments in it, keeps its lines', () => {
	const source = `import {
  check, // from 'k6'
  /* 'k6' */ sleep,
} from /* here */ 'k6'; import http from 'k6/http';
`;
	assert.equal(textOf(source), source.replace(`/* here */ 'k6'`, `/* here */ '${USER_K6}'`));
});

test('modules whose name only begins with k6 stay', () => {
	const source = `import http from 'k6/http';\nimport { Counter } from 'k6/metrics';\nimport x from './k6';\nimport y from './k6.js';`;
	const { text, isChanged, imports } = readModule(source, USER_K6);
	assert.deepEqual([text, isChanged], [source, false]);
	assert.deepEqual(imports, ['k6/http', 'k6/metrics', './k6', './k6.js']);
});

test('comments, strings, templates and regular expressions that look like imports are none', () => {
	const source = [
		`// import { check } from 'k6';`,
		`/* import { check } from 'k6'; */`,
		'const text = "import { check } from \'k6\'";',
		`const template = \`import { check } from 'k6'; \${\`import 'k6'\`} import 'k6'\`;`,
		`const pattern = /import 'k6'/;`,
		'const half = 1 / 2; const other = "a" / 3;',
		`const object = { import: 'k6', from: 'k6' }; object.import('k6');`,
		`import http from 'k6/http';`,
		'export default function () { http.get(template); }',
	].join('\n');
	const { text, imports } = readModule(source, USER_K6);
	assert.equal(text, source);
	assert.deepEqual(imports, ['k6/http']);
});

test('import() and import.meta are left alone', () => {
	const source = `const later = () => import('k6');\nconst here = import.meta.resolve('./data.json');\nexport default later;`;
	const { text, imports, opens } = readModule(source, USER_K6);
	assert.equal(text, source);
	assert.deepEqual(imports, []);
	assert.deepEqual(opens, ['./data.json']);
});

test('a file that requires k6 gets a require of its own, in its first line', () => {
	const source = `const { check } = require('k6');\nconst http = require("k6/http");\nmodule.exports = { default() {} };\n`;
	const { text, requires } = readModule(source, USER_K6);
	assert.equal(text.split('\n').length, source.split('\n').length);
	assert.ok(text.endsWith(source));
	assert.deepEqual(requires, ['k6', 'k6/http']);
});

test('that require hands everything but k6 to the one of k6, and finds it where the file did', () => {
	const source = `module.exports = [require('k6'), require('k6/http'), require('./helpers.js'), typeof require];`;
	const module = { exports: null as any };
	const before = globalThis.require;
	globalThis.require = ((name: string) => `found ${name}`) as any;
	try {
		// As k6 runs a file that is no ES module.
		new Function('module', 'exports', readModule(source, USER_K6).text)(module, {});
	} finally {
		globalThis.require = before;
	}
	assert.deepEqual(module.exports, [`found ${USER_K6}`, 'found k6/http', 'found ./helpers.js', 'function']);
});

test('a file with a require of its own, or that names no k6, keeps the one it has', () => {
	for (const source of [
		`const require = (name) => name; module.exports = require('k6');`,
		`const http = require('k6/http');`,
		`const text = 'k6'; export default text;`,
	]) {
		assert.equal(textOf(source), source);
	}
});

test('a first line that names an interpreter stays the first', () => {
	const text = textOf(`#!/usr/bin/env k6\nconst { check } = require('k6');`);
	assert.match(text, /^#!\/usr\/bin\/env k6\nvar require=.*;const \{ check \}/);
});

test('files of data are found where their path is written out', () => {
	const source = [
		`const users = new SharedArray('users', () => JSON.parse(open('./users.json')));`,
		`const image = open("../img/cat.png", 'b');`,
		`const names = open(\`\${__ENV.NAMES}\`);`,
		'const given = open(path);',
	].join('\n');
	assert.deepEqual(readModule(source, USER_K6).opens, ['./users.json', '../img/cat.png']);
});

test('methods of a page that send requests by themselves are told', () => {
	const source = `export default function () { page.submitForm({}); page.clickLink(); page.submitForm(); }`;
	assert.deepEqual(readModule(source, USER_K6).pageMethods, ['submitForm', 'clickLink']);
});

test('a file that cannot be read is left as it is, with the reason', () => {
	const source = `import { check } from 'k6;\nexport default function () {`;
	const { text, isChanged, problem } = readModule(source, USER_K6);
	assert.deepEqual([text, isChanged], [source, false]);
	assert.match(problem, /Parse error/);
});

test('TypeScript is read as well, types of it included', () => {
	const source = [
		`import { check, type Checkers } from 'k6';`,
		`import type { Order } from './order';`,
		'export const f = (order: Order): boolean => check(order, {});',
	].join('\n');
	const { text, imports } = readModule(source, USER_K6);
	assert.ok(text.startsWith(`import { check, type Checkers } from '${USER_K6}';`));
	assert.deepEqual(imports, ['k6', './order']);
});
