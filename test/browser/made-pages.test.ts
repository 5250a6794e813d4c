/**
 * The pages of the runs that `make test` has made, which a browser shows without a fault.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CHECKS, notedPages } from './made-pages.ts';
import { closeBrowser, keepBrowser } from './screens.ts';

const pages = await notedPages();

before(keepBrowser);
after(closeBrowser);

test('the runs have left pages', () => assert.ok(pages.length > 0));

for (const { kind, path, of } of pages)
	test(`a browser shows ${of} without a fault`, async () => {
		await CHECKS[kind](path);
	});
