/**
 * Opens a report as a reader would, wide and narrow, light and dark, and says the first thing that is wrong with it.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

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
const SCREENS = [
  { name: 'wide', width: 1280, height: 800, scale: 1 },
  { name: 'narrow', width: 390, height: 844, scale: 2 },
];
const THEMES = /** @type {const} */ (['light', 'dark']);
/** Along the axis, 0 to 1. */
const CURSOR_PLACES = [0.3, 0.42, 0.55, 0.68];
const WAIT_MOST_MS = 10_000;

/**
 * @param {string} htmlPath
 * @param {{ shots?: string }} [options] shots: a folder for screenshots
 * @throws {Error} naming the screen and what was expected of it
 */
export async function checkReport(htmlPath, { shots } = {}) {
  // Without a profile of its own the browser starts with an empty one.
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS, timeout: WAIT_MOST_MS });
  try {
    for (const screen of SCREENS) {
      for (const theme of THEMES) await checkScreen(browser, pathToFileURL(htmlPath).href, screen, theme, shots);
    }
  } finally {
    await browser.close();
  }
}

/**
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 * @param {typeof SCREENS[number]} screen
 * @param {typeof THEMES[number]} theme
 * @param {string | undefined} shots
 */
async function checkScreen(browser, url, { name, width, height, scale }, theme, shots) {
  const where = `${name} ${theme}`;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    hasTouch: name === 'narrow',
    deviceScaleFactor: scale,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MOST_MS);
  /** @type {string[]} */
  const complaints = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`page: ${error.message}`));
  page.on(
    'request',
    (request) => request.url() !== url && !request.url().startsWith('data:') && complaints.push(`request: ${request.url()}`),
  );

  await page.goto(url, { waitUntil: 'load' });
  if (shots) await page.screenshot({ path: join(shots, `${name}-${theme}-first.png`) });
  if (shots) await page.screenshot({ path: join(shots, `${name}-${theme}.png`), fullPage: true });
  complaints.push(...(await page.evaluate(faultsOfPage)));
  // Without its charts a page cannot be pointed at; what is wrong is known by now.
  if (complaints.length > 0) throw new Error(`report, ${where}:\n  ${complaints.join('\n  ')}`);
  complaints.push(...(await cursorFaults(page)));
  complaints.push(...(await cardFaults(page)));
  if (shots) await page.screenshot({ path: join(shots, `${name}-${theme}-card.png`) });
  await context.close();
  if (complaints.length > 0) throw new Error(`report, ${where}:\n  ${complaints.join('\n  ')}`);
}

/**
 * Runs in the page.
 * @returns {string[]}
 */
function faultsOfPage() {
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

  const nodes = JSON.parse(document.getElementById('result')?.textContent ?? '').flow.nodes;
  const visible = [...document.querySelectorAll('svg.flow')].filter((svg) => svg.getBoundingClientRect().height > 0);
  if (visible.length !== 1) faults.push(`expected one visible flow picture, found ${visible.length}`);
  const groups = visible[0]?.querySelectorAll('g[data-node]').length;
  if (groups !== nodes.length) faults.push(`expected ${nodes.length} nodes in the flow picture, found ${groups}`);

  for (const figure of document.querySelectorAll('figure')) {
    const caption = figure.querySelector('figcaption')?.textContent?.trim();
    if (!caption) faults.push('a figure has no caption');
    if (!figure.querySelector('details table')) faults.push(`a figure has no table: ${caption}`);
  }
  return faults;
}

/**
 * Pointing at one panel has to move the cursor in all of them, and put values into all legends. A second may be missing
 * in one of them, so several are pointed at.
 * @param {import('playwright-core').Page} page
 */
async function cursorFaults(page) {
  const plot = page.locator('#timeline .plot .u-over').nth(1);
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  if (!box) return ['the second panel of the time axis is not there'];
  /** @type {Set<string>} */
  const spoke = new Set();
  /** @type {string[]} */
  const faults = [];
  let panels = 0;
  for (const place of CURSOR_PLACES) {
    await page.mouse.move(box.x + box.width * place, box.y + box.height / 2);
    const legends = await page.evaluate(readLegends);
    panels = legends.length;
    if (new Set(legends.map(({ second }) => second)).size !== 1 || !legends[0].second.startsWith('at ')) {
      faults.push(`the panels do not show one second: ${legends.map(({ second }) => second).join(' | ')}`);
    }
    if (legends.some(({ hasCursor }) => !hasCursor)) faults.push('a panel shows no cursor');
    for (const { panel, hasValue } of legends) if (hasValue) spoke.add(panel);
  }
  if (spoke.size < panels) faults.push(`only ${[...spoke].join(', ')} show values at the cursor`);
  return faults;
}

/** Runs in the page. */
function readLegends() {
  const figures = [...document.querySelectorAll('#timeline figure')].filter((figure) => figure.querySelector('.plot'));
  return figures.map((figure) => ({
    panel: figure.getAttribute('data-panel') ?? '',
    second: figure.querySelector('.at')?.textContent ?? '',
    hasValue: [...figure.querySelectorAll('.legend .value')].some((value) => /\d/.test(value.textContent ?? '')),
    hasCursor: figure.querySelector('.u-cursor-x:not(.u-off)') !== null,
  }));
}

/**
 * A focused tier has to show its evidence, inside the screen.
 * @param {import('playwright-core').Page} page
 */
async function cardFaults(page) {
  const node = page.locator('svg.flow:visible g[data-node]').nth(1);
  // Out of the way: what the mouse is at would be shown instead.
  await page.mouse.move(0, 0);
  await node.scrollIntoViewIfNeeded();
  await node.focus();
  const card = await page.locator('.card:not([hidden])').boundingBox();
  if (!card) return ['a focused tier shows no evidence'];
  const width = page.viewportSize()?.width ?? 0;
  return card.x < 0 || card.x + card.width > width ? ['the evidence of a tier leaves the screen'] : [];
}
