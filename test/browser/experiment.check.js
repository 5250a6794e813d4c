/**
 * Opens the page of an experiment as a reader would, wide and narrow, light and dark, and says the first thing that is
 * wrong with it.
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
const WAIT_MOST_MS = 10_000;

/**
 * @param {string} htmlPath
 * @param {{ shots?: string }} [options] shots: a folder for screenshots
 * @throws {Error} naming the screen and what was expected of it
 */
export async function checkExperiment(htmlPath, { shots } = {}) {
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
  complaints.push(...(await copyFaults(page)));
  // What is folded away must not be wider than the screen either.
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });
  const unfolded = await page.evaluate(() => document.documentElement.scrollWidth);
  if (unfolded > width) complaints.push(`unfolded, the page is ${unfolded} px wide on a screen of ${width}`);
  await context.close();
  if (complaints.length > 0) throw new Error(`experiment, ${name} ${theme}:\n  ${complaints.join('\n  ')}`);
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

  const { claims, curve } = JSON.parse(document.getElementById('result')?.textContent ?? '');
  const isOnFirstScreen = (/** @type {Element | null} */ element) => {
    const box = element?.getBoundingClientRect();
    return box !== undefined && box.height > 0 && box.bottom <= innerHeight;
  };
  if (!isOnFirstScreen(document.querySelector('h1'))) faults.push('the first screen does not show the headline');
  const stamps = [...document.querySelectorAll('.stamps a')];
  if (stamps.length !== claims.length) faults.push(`expected ${claims.length} stamps, found ${stamps.length}`);
  if (!stamps.every(isOnFirstScreen)) faults.push('the first screen does not show all stamps');
  for (const stamp of stamps) {
    const target = stamp.getAttribute('href')?.slice(1) ?? '';
    if (!document.getElementById(target)) faults.push(`a stamp leads to ${target}, which is not there`);
  }

  const drawings = [...document.querySelectorAll('svg.curve')];
  const shown = drawings.filter((svg) => svg.getBoundingClientRect().height > 0);
  if (curve && drawings.length > 0 && shown.length !== 1) faults.push(`expected one visible curve, found ${shown.length}`);
  for (const picture of [...document.querySelectorAll('.test svg.interval'), ...shown]) {
    const { width, height } = picture.getBoundingClientRect();
    if (width < 100 || height < 10) faults.push(`a picture is ${width} by ${height} px: ${picture.getAttribute('aria-label')}`);
  }

  for (const figure of document.querySelectorAll('figure')) {
    const caption = figure.querySelector('figcaption')?.textContent?.trim();
    if (!caption) faults.push('a figure has no caption');
    if (!figure.querySelector('details table')) faults.push(`a figure has no table: ${caption}`);
  }
  return faults;
}

/**
 * A file has no clipboard in some browsers; the text is then at least selected. Either way the button says what it did.
 * @param {import('playwright-core').Page} page
 */
async function copyFaults(page) {
  const button = page.locator('button.copy').last();
  await button.focus();
  await page.keyboard.press('Enter');
  const said = await button
    .filter({ hasText: /Copied|Selected/ })
    .waitFor({ timeout: WAIT_MOST_MS })
    .then(() => true)
    .catch(() => false);
  return said ? [] : ['the button that copies does nothing'];
}
