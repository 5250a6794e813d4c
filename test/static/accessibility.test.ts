/**
 * What the tests ask of the colours of a page: a text that cannot be read is found, wherever it stands among others that can.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { accessibilityFaults } from '../browser/accessibility.ts';
import { openBrowser } from '../browser/screens.ts';

let browser: Browser;
before(async () => {
	browser = await openBrowser();
});
after(() => browser?.close());

async function faultsOf(body: string, theme: 'light' | 'dark' = 'dark'): Promise<string[]> {
	const page = await browser.newPage();
	try {
		const style =
			'body { color: #333; background: #fff } .pale { color: #ccc } .dark { background: #444 } .at { position: absolute; top: 0 }';
		await page.setContent(`<!doctype html><html lang="en"><title>Texts</title><style>${style}</style><main>${body}</main></html>`);
		return await accessibilityFaults(page, { theme });
	} finally {
		await page.close();
	}
}

test('texts that can be read are no fault, in either theme', async () => {
	const body = '<h1>Texts</h1><p>one</p><p>two</p><p class="dark pale">three</p>';
	assert.deepEqual([await faultsOf(body), await faultsOf(body, 'light')], [[], []]);
});

for (const [what, body] of Object.entries({
	'by its own colour': '<p>one</p><p>two</p><p class="pale">three</p>',
	'by the ground of one of its parents': '<p>one</p><div class="dark"><p>two</p></div>',
	'by what it stands on, out of the flow': '<div class="dark" style="height: 9em"></div><p>one</p><p>two</p><p class="at">three</p>',
	'in a field': '<p>one</p><input aria-label="a field" class="pale" value="two">',
	'inside of a paragraph': '<p>one <b>two</b> <b class="pale">three</b></p>',
}))
	test(`one that cannot, ${what}, is found`, async () => {
		const [fault = 'none'] = await faultsOf(body);
		assert.match(fault, /^color-contrast: /);
	});

test('of those that look alike the first is told', async () => {
	const [fault] = await faultsOf('<p class="pale" id="first">one</p><p class="pale">two</p>');
	assert.match(fault, /\(1\)\n {4}#first: /);
});
