import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../base/errors.ts';
import { attachScript } from './wrapper.ts';

const USER_K6 = '/scripts/k6/lib/user-k6.js';

/** @param files by path */
const attach = (files: Record<string, string>, entry: string = '/shop/load/buy.js') =>
	attachScript({ entry, read: (path) => files[path] ?? null });

test('the wrapper exports what the script exports, with the lab’s part in four of it', () => {
	const { wrapper } = attach({ '/shop/load/buy.js': `export default function () {}` });
	const lines = wrapper.split('\n').filter((line) => line !== '' && !line.startsWith('//'));
	assert.deepEqual(lines, [
		`import '/scripts/k6/lib/user-http.js';`,
		`import '/scripts/k6/lib/user-k6.js';`,
		`import { userOptions, userSetup, userSummary, userTeardown } from '/scripts/k6/lib/user-script.js';`,
		`import * as script from "/shop/load/buy.js";`,
		`export * from "/shop/load/buy.js";`,
		'export default script.default;',
		'export const options = userOptions(script);',
		'export const setup = userSetup(script);',
		'export const teardown = userTeardown(script);',
		'export const handleSummary = userSummary(script, __ENV.RECORD_FOLDER);',
	]);
});

test('a script that may abort its load is told from one that does not', () => {
	const abort = `import { abort } from './steps/stop.js';\nexport default function () { abort(); }`;
	const stop = `import exec from 'k6/execution';\nexport const abort = () => exec.test.abort('enough');`;
	const options = (text: string) => /options = .*/.exec(text)?.[0];
	assert.equal(
		options(attach({ '/shop/load/buy.js': abort, '/shop/load/steps/stop.js': stop }).wrapper),
		'options = userOptions(script, true);',
	);
	assert.equal(options(attach({ '/shop/load/buy.js': `export default () => {};` }).wrapper), 'options = userOptions(script);');
});

test('a path with blanks and signs is named as k6 reads it', () => {
	const { wrapper: text } = attachScript({ entry: '/my shop/load #1?.js', read: () => 'export default 1;', lab: '/lab' });
	assert.match(text, /import \* as script from "\/my%20shop\/load%20%231%3F\.js";/);
	assert.match(text, /import '\/lab\/lib\/user-http\.js';/);
});

test('a script that does not import k6 is not changed at all', () => {
	const { changed, notes, remote } = attach({
		'/shop/load/buy.js': `import http from 'k6/http'; export default function () { http.get('http://x'); }`,
	});
	assert.deepEqual([changed, notes, remote], [[], [], []]);
});

test('only the files that import k6 are changed, however far from the script they are', () => {
	const files = {
		'/shop/load/buy.js': `import { cart } from './steps/cart.js';\nimport { check } from 'k6';\nexport default function () { cart(); }`,
		'/shop/load/steps/cart.js': `import http from 'k6/http';\nimport { isGood } from '../../shared/checks.js';\nexport const cart = () => {};`,
		'/shop/shared/checks.js': `import { check } from "k6";\nimport './again.js';\nexport const isGood = check;`,
		'/shop/shared/again.js': `import '../load/buy.js';\nexport default 1;`,
	};
	const { changed, files: all, references } = attach(files);
	assert.deepEqual(
		changed.map(({ path }) => path),
		['/shop/load/buy.js', '/shop/shared/checks.js'],
	);
	assert.equal(changed[1].text, files['/shop/shared/checks.js'].replace('"k6"', `"${USER_K6}"`));
	assert.deepEqual(all, Object.keys(files).sort());
	assert.deepEqual(references, [
		{ path: '/shop/load/steps/cart.js', from: '/shop/load/buy.js', line: 1 },
		{ path: '/shop/shared/checks.js', from: '/shop/load/steps/cart.js', line: 2 },
		{ path: '/shop/shared/again.js', from: '/shop/shared/checks.js', line: 2 },
		{ path: '/shop/load/buy.js', from: '/shop/shared/again.js', line: 1 },
	]);
});

test('files of data belong to the script, by the module that opens them', () => {
	const { files, references } = attach({
		'/shop/load/buy.js': `import './steps/cart.js';\nconst users = open('../data/users.json');\nexport default () => users;`,
		'/shop/load/steps/cart.js': `export const items = open('./items.csv');`,
	});
	assert.deepEqual(files, ['/shop/data/users.json', '/shop/load/buy.js', '/shop/load/steps/cart.js', '/shop/load/steps/items.csv']);
	assert.deepEqual(references[1], { path: '/shop/data/users.json', from: '/shop/load/buy.js', line: 2 });
});

test('paths may be absolute, or addresses of files', () => {
	const { files } = attach({
		'/shop/load/buy.js': `import '/lib/one.js';\nimport 'file:///lib/two.js';\nexport default 1;`,
		'/lib/one.js': 'export default 1;',
		'/lib/two.js': 'export default 2;',
	});
	assert.deepEqual(files, ['/lib/one.js', '/lib/two.js', '/shop/load/buy.js']);
});

test('a script made by a bundler, with require, is followed as far as its files are there', () => {
	const { changed, files } = attach({
		'/shop/load/buy.js': `const k6 = require('k6'); const { cart } = require('./cart.js'); // require('./gone.js')\nexports.default = () => cart(k6);`,
		'/shop/load/cart.js': 'exports.cart = () => {};',
	});
	assert.deepEqual(files, ['/shop/load/buy.js', '/shop/load/cart.js']);
	assert.deepEqual(
		changed.map(({ path }) => path),
		['/shop/load/buy.js'],
	);
});

test('what the lab will not see is said', () => {
	const { notes, remote } = attach({
		'/shop/load/buy.js': [
			`import ws from 'k6/ws';`,
			`import grpc from 'k6/net/grpc';`,
			`import { randomItem } from 'https://jslib.k6.io/k6-utils/1.4.0/index.js';`,
			'export default function () { page.submitForm(); }',
		].join('\n'),
	});
	assert.deepEqual(notes, [
		'k6/net/grpc: its requests carry no id and are not placed.',
		'k6/ws: its requests carry no id and are not placed.',
		'response.submitForm(): its requests carry no id and are not placed.',
		'https://jslib.k6.io/k6-utils/1.4.0/index.js: k6 fetches it; its requests are counted, and checks that it makes itself are counted by k6 alone.',
	]);
	assert.deepEqual(remote, ['https://jslib.k6.io/k6-utils/1.4.0/index.js']);
});

test('a file that cannot be read is left to k6, and said', () => {
	const source = `import { check } from 'k6;\nexport default 1;`;
	const { changed, notes } = attach({ '/shop/load/buy.js': source });
	assert.deepEqual(changed, []);
	assert.match(notes[0], /^\/shop\/load\/buy\.js: could not be read \(Parse error .*\); its checks are counted by k6 alone\.$/);
});

test('a script that is not there, or a file that it imports, is refused with the path', () => {
	const refused = (files: Record<string, string>, message: RegExp, entry: string) =>
		assert.throws(
			() => attach(files, entry),
			(error) => error instanceof NotReadyError && message.test(error.message),
		);
	refused({}, /expected a file at "\/shop\/load\/buy\.js"; found none/, '/shop/load/buy.js');
	refused({ '/a.js': `import './b';` }, /"\/a\.js" imports "\/b"; found no such file.*\n.*with its ending/, '/a.js');
	refused({}, /found the archive "\/a\.tar"/, '/a.tar');
});

test('in TypeScript a file that is not there may hold types alone', () => {
	const { files } = attach({ '/shop/buy.ts': `import { Order } from './order';\nexport default (a: Order) => a;` }, '/shop/buy.ts');
	assert.deepEqual(files, ['/shop/buy.ts']);
});
