/**
 * The page of an experiment as a single file. It answers in this order: what was found, which claims stood and why, how near
 * the published figures are, how the arms did, which pairs were compared, where each run is, how it is repeated.
 *
 * @typedef {import('../record/experiment-result.js').ExperimentResult} ExperimentResult
 */
import { bundleScript } from './bundle.js';
import { armsSection } from './experiment/arms.js';
import { claimsSection } from './experiment/claim-card.js';
import { curveSection } from './experiment/curve.js';
import { findingSection } from './experiment/finding.js';
import { outcomesSection } from './experiment/outcomes.js';
import { pairsSection } from './experiment/pairs.js';
import { publishedSection } from './experiment/published.js';
import { repeatSection } from './experiment/repeat.js';
import { runsSection } from './experiment/runs.js';
import { html } from './html.js';
import { asset, renderPage } from './page.js';

const STYLES = [
  'report',
  'charts',
  'interval-axis',
  'stamp',
  'experiment',
  'experiment-outcomes',
  'experiment-arms',
  'experiment-curve',
  'experiment-narrow',
];

/**
 * @param {ExperimentResult} result
 * @param {import('../record/findings.js').ReadOtherwise[]} [otherwise]  claims that come out otherwise today
 * @returns {Promise<string>} experiment.html, for the folder that holds experiment.json
 */
export async function renderExperiment(result, otherwise = []) {
  return renderPage({
    title: `${result.title}: Doubletake`,
    styles: STYLES.map((name) => asset(`${name}.css`)),
    trail: html`<b>Doubletake</b> ${result.index && html`<a href="./${result.index}">all runs</a>`} <span class="run">${result.id}</span>`,
    body: html`${findingSection(result, otherwise)}${claimsSection(result)}${publishedSection(result)}${curveSection(result)}${outcomesSection(result)}${armsSection(result)}${pairsSection(result)}${runsSection(result)}${repeatSection(result)}`,
    script: await bundleScript('experiment.js'),
  });
}
