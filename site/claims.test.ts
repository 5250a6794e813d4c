import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asPageOfSite, withClaimLinks } from './claims.ts';

const IDS = ['D1', 'D1a'];

test('a code leads to its claim, but not in code, links, headings, tags and addresses', () => {
	assert.equal(withClaimLinks('D1, D1a: HOLDS; D12', IDS), '[D1](/claims/D1), [D1a](/claims/D1a): HOLDS; D12');
	for (const text of ['`D1`', '[D1](#x)', '# On D1', '```\nD1\n```', '<a href="D1">', 'https://a/D1'])
		assert.equal(withClaimLinks(text, IDS), text);
});

test('a page of the lab leads to the site and to its claims from wherever it is', () => {
	const page = '<b class="id">D1a</b> <span class="id">D1</span> <b class="id">X</b> <b>D1</b> <b>Doubletake</b>';
	assert.equal(
		asPageOfSite(page, 2, IDS),
		'<b class="id"><a href="../../claims/D1a.html">D1a</a></b> <span class="id"><a href="../../claims/D1.html">D1</a></span> <b class="id">X</b> <b>D1</b> <b><a href="../../index.html">Doubletake</a></b>',
	);
});
