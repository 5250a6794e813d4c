/**
 * The command `examples`: renders the pages of the stored experiments, of which the repository keeps the records.
 */
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { EXIT, NotReadyError } from '../base/errors.js';
import { EXAMPLES, IS_CHECKOUT } from '../base/paths.js';
import { renderExcerpt } from '../compare/experiment/excerpt.js';
import { writeStoredFindings } from '../compare/experiment/findings.js';
import { isExcerpt } from '../record/findings.js';

/** @returns {string[]} folders of the stored experiments */
export const storedExperiments = () =>
  readdirSync(EXAMPLES)
    .sort()
    .map((name) => join(EXAMPLES, name))
    .filter(isExcerpt);

/**
 * @param {import('./reporter.js').Reporter} reporter
 * @returns {Promise<number>} exit code
 * @throws {NotReadyError} in a package, which has no stored experiments
 */
export async function renderExamples(reporter) {
  if (!IS_CHECKOUT)
    throw new NotReadyError(
      'examples: expected a checkout of the lab; found an installed package.',
      'give it in a checkout: "make examples".',
    );
  /** @type {string[]} */
  const pages = [];
  const tell = (/** @type {string} */ page) => {
    pages.push(relative(process.cwd(), page));
    reporter.tell(`  ${pages.at(-1)}\n`);
  };
  for (const folder of storedExperiments()) tell(await renderExcerpt(folder));
  tell((await writeStoredFindings()).report);
  reporter.give({ result: { pages } });
  return EXIT.done;
}
