/**
 * The screens on which pages are looked at, wide and narrow, light and dark, and what holds for every page on each of them.
 */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { accessibilityFaults } from './accessibility.js';

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
export const THEMES = /** @type {const} */ (['light', 'dark']);
/** Folder for pictures of every page that the tests open, for whoever wants to look at them: `SHOTS=/tmp make test`. */
const { SHOTS } = process.env;
const WAIT_MOST_MS = 10_000;
/** Its start on a machine that is busy took more than 10 s (seen). */
const LAUNCH_MOST_MS = 30_000;

/** Without a profile of its own it starts with an empty one. */
export const openBrowser = () => chromium.launch({ executablePath: CHROMIUM, args: FLAGS, timeout: LAUNCH_MOST_MS });

/**
 * @param {string} htmlPath
 * @param {object} options
 * @param {string} options.what         kind of page, for messages
 * @param {(page: import('playwright-core').Page) => Promise<string[]>} options.faultsOf  what is wrong besides
 * @throws {Error} naming the screen and what was expected of it
 */
export async function onEveryScreen(htmlPath, { what, faultsOf }) {
  const shots = SHOTS && (await mkdtemp(join(SHOTS, `${what}-`)));
  const browser = await openBrowser();
  try {
    const looks = SCREENS.flatMap((screen) => THEMES.map((theme) => ({ ...screen, theme })));
    const found = await Promise.all(
      looks.map(async (look) => ({ look, faults: await faultsOn(browser, pathToFileURL(htmlPath).href, { ...look, shots, faultsOf }) })),
    );
    const wrong = found.filter(({ faults }) => faults.length > 0);
    if (wrong.length > 0)
      throw new Error(wrong.map(({ look, faults }) => `${what}, ${look.name} ${look.theme}:\n  ${faults.join('\n  ')}`).join('\n'));
  } finally {
    await browser.close();
  }
}

/**
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 * @param {typeof SCREENS[number] & { theme: typeof THEMES[number], shots: string | undefined, faultsOf: (page: import('playwright-core').Page) => Promise<string[]> }} screen
 */
async function faultsOn(browser, url, { name, width, height, scale, theme, shots, faultsOf }) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    hasTouch: name === 'narrow',
    deviceScaleFactor: scale,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MOST_MS);
  /** @type {string[]} */
  const faults = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => faults.push(`page: ${error.message}`));
  page.on('request', (request) => request.url() !== url && !request.url().startsWith('data:') && faults.push(`request: ${request.url()}`));
  await page.goto(url, { waitUntil: 'load' });
  if (shots) await page.screenshot({ path: join(shots, `${name}-${theme}-first.png`) });
  if (shots) await page.screenshot({ path: join(shots, `${name}-${theme}.png`), fullPage: true });
  faults.push(...(await page.evaluate(faultsOfAnyPage)));
  // A page that is broken already cannot be used.
  if (faults.length === 0) faults.push(...(await faultsOf(page)));
  // What a screen's width changes is where things are.
  if (faults.length === 0 && name === 'wide') faults.push(...(await accessibilityFaults(page, { theme })));
  await context.close();
  return faults;
}

/**
 * Runs in the page.
 * @returns {string[]}
 */
function faultsOfAnyPage() {
  /** @type {string[]} */
  const faults = [];
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
