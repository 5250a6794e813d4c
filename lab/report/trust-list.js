/**
 * How far the lab is to be trusted, as a list for the README.
 */
import { count, plural } from './format.js';
import { markdown } from './markdown.js';

/** @typedef {import('./markdown.js').Markdown} Markdown */

const VERDICTS = ['VALID', 'SUSPECT', 'INVALID'];

/**
 * @param {object} measured
 * @param {{ headline: Markdown, commit: string }} measured.selftest  commit: whose rules judged it
 * @param {Record<string, number>} measured.runs  of the stored experiments, by their validity
 * @param {readonly string[]} measured.machines  in words
 * @returns {string}
 */
export function trustList({ selftest, runs, machines }) {
  const all = Object.values(runs).reduce((sum, number) => sum + number, 0);
  const each = VERDICTS.map((verdict) => `${count(runs[verdict] ?? 0)} ${verdict}`).join(', ');
  return [
    markdown`- **The diagnosis.** ${selftest.headline} By \`make selftest\` at commit ${selftest.commit}: [each fault](docs/diagnosis.md). The rules were changed after earlier runs of these very faults: it is no test of faults that nobody has seen.`,
    markdown`- **The runs.** ${plural(all, 'run')} behind this page: ${each}. INVALID ones count nowhere; what does not survive without its SUSPECT runs is INCONCLUSIVE.`,
    markdown`- **The machine.** ${machines.join('; ')}: generator and system share the CPU.`,
  ].join('\n');
}
