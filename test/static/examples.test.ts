/**
 * The stored experiments: from the data that the repository keeps all their pages are rendered, whole and light, no link in them is dead, and a browser shows
 * each experiment without a fault.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { after, before, test } from 'node:test';
import { EXCERPT_FILE, EXPERIMENT_RECORD, RECORD } from '../../lab/base/paths.ts';
import { renderExcerpt } from '../../lab/compare/experiment/excerpt.ts';
import { storedExperiments } from '../../lab/record/findings.ts';
import { checkExperiment } from '../browser/experiment.check.ts';
import { closeBrowser, keepBrowser } from '../browser/screens.ts';

const PAGE_BYTES_MOST = 200 * 1024;

before(keepBrowser);
after(closeBrowser);

test('there are stored experiments', () => {
	assert.ok(storedExperiments().length >= 9);
});

for (const stored of storedExperiments()) {
	test(`${basename(stored)} is rendered from its data, no link in its pages is dead, and a browser shows it`, async (context) => {
		const parent = await mkdtemp(join(os.tmpdir(), 'doubletake-examples-'));
		context.after(() => rm(parent, { recursive: true }));
		const folder = join(parent, basename(stored));
		await mkdir(folder);
		await cp(join(stored, EXCERPT_FILE), join(folder, EXCERPT_FILE));
		assert.ok(existsSync(await renderExcerpt(folder)));
		const pages = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.html')).map((file) => join(folder, file));
		assert.ok(pages.some((page) => basename(page) === RECORD.report));
		for (const page of pages) {
			// Links of what the script draws are in the page's data.
			const text = (await readFile(page, 'utf8')).replaceAll(/<script>.*?<\/script>/gs, '');
			for (const [, href] of text.matchAll(/(?:\shref=|"href":)"([^"#:]+)(?:#[^"]*)?"/g))
				assert.ok(existsSync(join(dirname(page), href)), `${relative(folder, page)}: ${href} is not there`);
			const { size } = await stat(page);
			assert.ok(size < PAGE_BYTES_MOST, `${relative(folder, page)}: ${size} bytes`);
		}
		const experiment = join(folder, EXPERIMENT_RECORD.page);
		// The control is a comparison alone.
		if (existsSync(experiment)) await checkExperiment(experiment);
	});
}
