import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesIn, linksIn } from './page-links.ts';

const page = (...written: string[]) => written.map((href) => `<p><a class="x" href="${href}">there</a></p>`).join('\n');

test('links of the same site are taken as the page has them, each once', () => {
	assert.deepEqual(linksIn(page('/items', 'about', '/items#top', '/find?a=1&amp;b=2', './', '?page=2'), '/', 20), [
		'/items',
		'/about',
		'/find?a=1&b=2',
		'/?page=2',
	]);
	assert.deepEqual(linksIn("<A HREF='next'>x</A><a href=/bare>y</a>", '/shop/list', 20), ['/shop/next', '/bare']);
});

test('links to other sites, to files, and those that may end something are left alone', () => {
	const others = [
		'https://example.com/',
		'//example.com/x',
		'mailto:ada@example.com',
		'javascript:go()',
		'http://[',
		'/logout',
		'/items/1/delete',
		'/manual.pdf',
	];
	assert.deepEqual(linksIn(page(...others), '/', 20), []);
});

test('no more are taken than are wanted, however long the page is', () => {
	const long = page(...Array.from({ length: 50_000 }, (_, index) => `/page/${index}`));
	assert.equal(linksIn(long, '/', 20).length, 20);
	assert.deepEqual(linksIn('<a '.repeat(100_000), '/', 20), []);
});

test('files that the page loads are taken from scripts, styles and pictures of the same site', () => {
	const text =
		'<link rel="stylesheet" href="/a.css?v=2"><script defer src=app.mjs></script><img alt="x" src=\'/logo.svg\'>' +
		'<script src="https://cdn.example/x.js"></script><link rel="canonical" href="/about"><a href="/paper.pdf">p</a>';
	assert.deepEqual(filesIn(text, '/start/', 9), ['/a.css?v=2', '/start/app.mjs', '/logo.svg']);
	assert.deepEqual(filesIn(text, '/start/', 1), ['/a.css?v=2']);
});
