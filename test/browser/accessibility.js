/**
 * What axe-core finds in a page: https://github.com/dequelabs/axe-core.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Of its four; the others are of matters of taste. */
const GRAVE = ['serious', 'critical'];
const SHOWN_MOST = 3;

/**
 * @param {import('playwright-core').Page} page
 * @returns {Promise<string[]>} a line for each rule that the page breaks gravely, with where
 */
export async function accessibilityFaults(page) {
  // Not as a script of the page, which its policy would refuse.
  await page.evaluate(SOURCE);
  const violations = await page.evaluate(() =>
    /** @type {any} */ (globalThis).axe
      .run(document, { resultTypes: ['violations'] })
      .then((/** @type {any} */ found) => found.violations),
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
