/**
 * What axe-core finds in a page: https://github.com/dequelabs/axe-core.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Of its four; the others are of matters of taste. */
const GRAVE = ['serious', 'critical'];
const SHOWN_MOST = 3;

/** What a theme changes. */
const OF_COLOURS = ['color-contrast'];

/**
 * @param {import('playwright-core').Page} page
 * @param {{ theme: 'light' | 'dark' }} shown  all rules are asked in light, in dark those of colours
 * @returns {Promise<string[]>} a line for each rule that the page breaks gravely, with where
 */
export async function accessibilityFaults(page, { theme }) {
  // Not as a script of the page, which its policy would refuse.
  await page.evaluate(SOURCE);
  const options = { resultTypes: ['violations'], ...(theme === 'dark' ? { runOnly: OF_COLOURS } : {}) };
  const violations = await page.evaluate(
    (given) =>
      /** @type {any} */ (globalThis).axe
        .run(document, given)
        .then((/** @type {any} */ found) => found.violations),
    options,
  );
  return violations
    .filter((/** @type {{ impact: string }} */ { impact }) => GRAVE.includes(impact))
    .map((/** @type {{ id: string, help: string, nodes: { target: string[], failureSummary: string }[] }} */ { id, help, nodes }) => {
      const places = nodes
        .slice(0, SHOWN_MOST)
        .map(({ target, failureSummary }) => `    ${target.join(' ')}: ${failureSummary.replaceAll(/\s+/g, ' ')}`);
      return [`${id}: ${help} (${nodes.length})`, ...places].join('\n');
    });
}
