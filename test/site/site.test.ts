/**
 * The site as a reader finds it: built from the documents, opened page by page, with nothing that leads nowhere.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, posix } from 'node:path';
import { after, before, test } from 'node:test';
import { execa } from 'execa';
import type { Browser } from 'playwright-core';
import { EXAMPLES, EXPERIMENT_RECORD, ROOT } from '../../lab/base/paths.ts';
import { storedFindings } from '../../lab/compare/experiment/findings.ts';
import { storedExperiments } from '../../lab/record/findings.ts';
import { accessibilityFaults } from '../browser/accessibility.ts';
import { openBrowser, SCREENS, THEMES } from '../browser/screens.ts';

/** Its generator is got from the registry first. */
const BUILD_LIMIT_MS = 300_000;
const PAGES_LIMIT_MS = 300_000;
const SITE = join(ROOT, 'site');
const DIST = join(SITE, 'dist');
/** As GitHub Pages has it: below the name of the repository. */
const BASE = '/doubletake/';
const VERSION: string = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;
const TYPES: Record<string, string> = {
	'.html': 'text/html',
	'.js': 'text/javascript',
	'.css': 'text/css',
	'.svg': 'image/svg+xml',
	'.png': 'image/png',
	'.webp': 'image/webp',
};

let server: Server;
let browser: Browser;
let address = '';
/** Of the check of its types, which goes on beside the browser. */
let types: Promise<{ exitCode?: number; all?: string }>;

const isFile = (path: string) => existsSync(path) && statSync(path).isFile();

/** As GitHub Pages does: a folder has its index, and a page is found without its ending. */
const fileOf = (path: string): string | null =>
	!path.startsWith(BASE)
		? null
		: ([path, `${path}.html`, join(path, 'index.html')]
				.map((name) => join(DIST, posix.normalize(name.slice(BASE.length - 1))))
				.find(isFile) ?? null);

before(
	async () => {
		await execa('make', ['site'], { cwd: ROOT, timeout: BUILD_LIMIT_MS, stdin: 'ignore', all: true, env: { SITE_BASE: BASE } });
		await execa('node', ['lab/cli/schema-types.ts'], { cwd: ROOT, stdin: 'ignore' });
		types = execa(join(ROOT, 'node_modules/.bin/tsc'), ['-p', 'site'], { cwd: ROOT, all: true, reject: false, stdin: 'ignore' });
		server = createServer(({ url = '/' }, response) => {
			const file = fileOf(decodeURIComponent(new URL(url, 'http://site').pathname));
			if (file === null) return void response.writeHead(404).end();
			response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(readFileSync(file));
		}).listen(0, '127.0.0.1');
		await once(server, 'listening');
		const { port } = server.address() as AddressInfo;
		address = `http://127.0.0.1:${port}${BASE.slice(0, -1)}`;
		browser = await openBrowser();
	},
	{ timeout: BUILD_LIMIT_MS },
);
after(async () => {
	await browser?.close();
	server?.closeAllConnections();
	server?.close();
});

const pagesIn = (folder: string) => readdirSync(join(DIST, folder)).filter((name) => name.endsWith('.html') && name !== '404.html');
const pages = () => pagesIn('');
const claimPages = () => pagesIn('claims').map((name) => `claims/${name}`);
/** Pages of claims are alike: their list and one with all that one can have. */
const lookedAt = () => [...pages(), 'claims/index.html', 'claims/D2.html'];

test('each document is a page', () => {
	const documents = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
	for (const name of documents) assert.ok(pages().includes(name.replace(/\.md$/, '.html')), name);
});

test('no page has a fault, wide or narrow, light or dark', { timeout: PAGES_LIMIT_MS }, async () => {
	// Loading takes longest: each page is loaded in both themes, each on one screen, and then changed to the other as a reader would.
	const found = await Promise.all(SCREENS.map((screen, index) => faultsOn(screen, index === 0 ? THEMES : THEMES.toReversed())));
	assert.deepEqual(found.flat(), []);
});

/** @returns of all pages */
async function faultsOn(screen: (typeof SCREENS)[number], themes: readonly (typeof THEMES)[number][]): Promise<string[]> {
	const faults: string[] = [];
	const page = await browser.newPage({ viewport: screen, hasTouch: screen.name === 'narrow' });
	let look = '';
	const tell = (fault: string) => faults.push(`${page.url()}, ${look}: ${fault}`);
	page.on('console', (message) => message.type() === 'error' && tell(message.text()));
	page.on('pageerror', (error) => tell(error.message));
	page.on('request', (request) => /^data:/.test(request.url()) || request.url().startsWith(address) || tell(`asked: ${request.url()}`));
	for (const name of lookedAt()) {
		for (const theme of themes) {
			look = `${screen.name} ${theme}`;
			await page.emulateMedia({ colorScheme: theme });
			if (theme === themes[0]) await page.goto(`${address}/${name}`, { waitUntil: 'load' });
			await page.locator('.VPContent').waitFor();
			await page.locator(theme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor();
			const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
			if (overflow > 0) tell(`it is ${overflow} px too wide`);
			// What a screen's width changes is where things are.
			if (screen.name === 'wide') for (const fault of await accessibilityFaults(page, { theme })) tell(fault);
		}
	}
	await page.close();
	return faults;
}

test('no link leads nowhere', () => {
	for (const name of [...pages(), ...claimPages()]) {
		const text = readFileSync(join(DIST, name), 'utf8');
		const hrefs = [...text.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, href]) => href);
		for (const href of hrefs.filter((one) => !/^[a-z]+:/.test(one))) {
			const { pathname, hash } = new URL(href, `http://site${BASE}${name}`);
			const file = fileOf(decodeURIComponent(pathname));
			assert.ok(file, `${name}: ${href}`);
			const anchor = decodeURIComponent(hash.slice(1));
			if (anchor !== '' && file.endsWith('.html')) assert.ok(readFileSync(file, 'utf8').includes(`id="${anchor}"`), `${name}: ${href}`);
		}
	}
});

for (const viewport of SCREENS)
	test(`a word is found, and a claim by its code, ${viewport.name}`, async () => {
		const page = await browser.newPage({ viewport });
		await page.goto(`${address}/`);
		await page.locator('.VPNavBarSearch button').first().click();
		await page.locator('#localsearch-input').fill('metastable');
		await page.locator('#localsearch-list li').first().waitFor();
		await page.locator('#localsearch-input').fill('R1a');
		await page.locator('#localsearch-list li:first-child a[href*="/claims/R1a"]').waitFor();
		await page.close();
	});

test('each claim has a page, to which the findings, its experiment and the documents lead', async () => {
	const { experiments } = await storedFindings();
	const read = (name: string) => readFileSync(join(DIST, name), 'utf8');
	for (const { href, claims } of experiments)
		for (const { id, statement, sentence } of claims) {
			const [page] = claimPages().filter((name) => name === `claims/${id}.html`);
			assert.ok(page, id);
			const text = read(page).replaceAll('&quot;', '"');
			for (const said of [statement, sentence ?? '', 'id="the-test"', 'id="what-was-claimed"'])
				assert.ok(text.includes(said), `${id}: ${said}`);
			assert.ok(read('examples/findings.html').includes(`href="../${page}"`), `findings: ${id}`);
			assert.ok(read(`examples/${href}`).includes(`href="../../${page}"`), `${href}: ${id}`);
		}
	assert.match(read('examples/queue/experiment.html'), /<a href="\.\.\/\.\.\/index\.html">/);
	assert.match(read('metastable.html'), /href="\/doubletake\/claims\/R1a.html"/);
});

test('the gallery has a card for each stored experiment, and the changelog the version', () => {
	const gallery = readFileSync(join(DIST, 'gallery.html'), 'utf8');
	for (const folder of storedExperiments()) assert.ok(gallery.includes(`href="./examples/${folder.slice(EXAMPLES.length + 1)}/`), folder);
	assert.ok(readFileSync(join(DIST, 'changelog.html'), 'utf8').includes(`<strong>${VERSION}</strong>`));
});

test('every stored experiment is there to be looked at', () => {
	assert.ok(isFile(join(DIST, 'examples/findings.html')));
	for (const folder of storedExperiments()) {
		const own = join(DIST, 'examples', folder.slice(EXAMPLES.length));
		assert.ok(
			[EXPERIMENT_RECORD.page, EXPERIMENT_RECORD.comparisonPage].some((page) => isFile(join(own, page))),
			folder,
		);
	}
});

test('its own code has types that hold', { timeout: PAGES_LIMIT_MS }, async () => {
	const { exitCode, all } = await types;
	assert.equal(exitCode, 0, all);
});
