/**
 * The screens on which pages are looked at, wide and narrow, light and dark, and what every page has to keep on each of them.
 */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { accessibilityFaults } from './accessibility.ts';

const CHROMIUM = '/usr/bin/chromium';
const FLAGS = [
	'--headless',
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];
export const SCREENS = [
	{ name: 'wide', width: 1280, height: 800, scale: 1 },
	{ name: 'narrow', width: 390, height: 844, scale: 2 },
];
export const THEMES = ['light', 'dark'] as const;
/** Folder for pictures of every page that the tests open, for whoever wants to look at them: `SHOTS=/tmp make test`. */
const { SHOTS } = process.env;
/** A browser that has only the CPU which others leave may stand still while they make a load. */
const WAIT_MOST_MS = 60_000;
/** Of what is folded when a page is loaded. */
const FOLDED = 'data-folded-at-first';
/** Its start on a machine that is busy took more than 10 s (seen). */
const LAUNCH_MOST_MS = 60_000;

/** Without a profile of its own it starts with an empty one. */
export const openBrowser = () => chromium.launch({ executablePath: CHROMIUM, args: FLAGS, timeout: LAUNCH_MOST_MS });

/** One for all pages of a test. */
let kept: Browser | null = null;

/** Before a test that looks at many pages: to start a browser takes as long as half a page. */
export async function keepBrowser() {
	kept = await openBrowser();
}
export const closeBrowser = () => kept?.close();

/** @throws {Error} naming the screen and what was expected of it */
export async function onEveryScreen(
	htmlPath: string,
	{
		what,
		faultsOf,
	}: {
		/** kind of page, for messages */
		what: string;
		/** what is wrong besides */
		faultsOf: (page: Page) => Promise<string[]>;
	},
) {
	const shots = SHOTS && (await mkdtemp(join(SHOTS, `${what}-`)));
	const browser = kept ?? (await openBrowser());
	try {
		// Loading takes longest: each page is loaded in both themes, each on one screen, and then changed to the other as a reader would.
		const orders = SCREENS.map((screen, index) => ({ screen, themes: index === 0 ? THEMES : THEMES.toReversed() }));
		const url = pathToFileURL(htmlPath).href;
		const found = (await Promise.all(orders.map((order) => looksOn(browser, url, { ...order, shots, faultsOf })))).flat();
		const wrong = found.filter(({ faults }) => faults.length > 0);
		if (wrong.length > 0) throw new Error(wrong.map(({ look, faults }) => `${what}, ${look}:\n  ${faults.join('\n  ')}`).join('\n'));
	} finally {
		if (browser !== kept) await browser.close();
	}
}

async function looksOn(
	browser: Browser,
	url: string,
	{
		screen: { name, width, height, scale },
		themes,
		shots,
		faultsOf,
	}: {
		screen: (typeof SCREENS)[number];
		themes: readonly (typeof THEMES)[number][];
		shots: string | undefined;
		faultsOf: (page: Page) => Promise<string[]>;
	},
): Promise<{ look: string; faults: string[] }[]> {
	const context = await browser.newContext({
		viewport: { width, height },
		colorScheme: themes[0],
		hasTouch: name === 'narrow',
		deviceScaleFactor: scale,
	});
	const page = await context.newPage();
	page.setDefaultTimeout(WAIT_MOST_MS);
	const looks = themes.map((theme) => ({ theme, look: `${name} ${theme}`, faults: [] as string[] }));
	let [now] = looks;
	page.on('console', (message) => message.type() === 'error' && now.faults.push(`console: ${message.text()}`));
	page.on('pageerror', (error) => now.faults.push(`page: ${error.message}`));
	page.on(
		'request',
		(request) => request.url() !== url && !request.url().startsWith('data:') && now.faults.push(`request: ${request.url()}`),
	);
	await page.goto(url, { waitUntil: 'load' });
	await page.evaluate(noteFolded, FOLDED);
	for (now of looks) {
		const { theme, faults } = now;
		await page.emulateMedia({ colorScheme: theme });
		if (shots) await page.screenshot({ path: join(shots, `${name}-${theme}-first.png`) });
		if (shots) await page.screenshot({ path: join(shots, `${name}-${theme}.png`), fullPage: true });
		faults.push(...(await page.evaluate(faultsOfAnyPage)));
		// A page that is broken already cannot be used.
		if (faults.length === 0) faults.push(...(await faultsOf(page)));
		// What a screen's width changes is where things are.
		if (faults.length === 0 && name === 'wide') faults.push(...(await accessibilityFaults(page, { theme })));
		await page.mouse.move(0, 0);
		await page.evaluate(showAsLoaded, FOLDED);
	}
	await context.close();
	return looks;
}

/** Runs in the page. */
function noteFolded(mark: string) {
	for (const details of document.querySelectorAll('details:not([open])')) details.setAttribute(mark, '');
}

/** Runs in the page: what a reader scrolled to, unfolded or is at is as it was. */
function showAsLoaded(mark: string) {
	for (const details of document.querySelectorAll('details')) details.open = !details.hasAttribute(mark);
	if (document.activeElement instanceof HTMLElement || document.activeElement instanceof SVGElement) document.activeElement.blur();
	scrollTo(0, 0);
}

/** Runs in the page. */
function faultsOfAnyPage(): string[] {
	const faults: string[] = [];
	const { scrollWidth } = document.documentElement;
	if (scrollWidth > innerWidth) faults.push(`the page is ${scrollWidth} px wide on a screen of ${innerWidth}`);
	for (const plot of document.querySelectorAll('.plot')) {
		const canvas = plot.querySelector('canvas');
		const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data;
		const isDrawn = pixels && new Uint32Array(pixels.buffer).some((pixel, _, all) => pixel !== all[0]);
		if (!isDrawn) faults.push(`nothing is drawn in "${plot.getAttribute('aria-label')}"`);
	}
	for (const figure of document.querySelectorAll('figure')) {
		const caption = figure.querySelector('figcaption')?.textContent?.trim();
		if (!caption) faults.push('a figure has no caption');
		if (!figure.querySelector('table')) faults.push(`a figure has no table: ${caption}`);
	}
	return faults;
}
