/**
 * The pages of the runs that `make test` has made, which a browser shows without a fault.
 */
import assert from 'node:assert/strict';
import { relative } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT } from '../../lab/base/paths.js';
import { CHECKS, notedPages } from './made-pages.js';
import { closeBrowser, keepBrowser } from './screens.js';

const pages = await notedPages();

before(keepBrowser);
after(closeBrowser);

test('the runs have left pages', () => assert.ok(pages.length > 0));

for (const { kind, path } of pages)
  test(`a browser shows ${relative(ROOT, path)} without a fault`, async () => {
    await CHECKS[kind](path);
  });
