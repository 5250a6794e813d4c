/**
 * The comparison of two arms as a single file. It answers in this order: which is better, whether it serves and
 * fails as it should, where each loses its requests, by how much they differ, and on which runs that rests.
 *
 * @typedef {import('../record/comparison.js').Comparison} Comparison
 */
import { bundleScript, chartStyles } from './bundle.js';
import { carryComparison } from './compare/carried.js';
import { dotsSection } from './compare/dots.js';
import { flowsSection } from './compare/flows.js';
import { gatesSection } from './compare/gates.js';
import { metricsSection } from './compare/metrics-table.js';
import { repeatSection, runsSection } from './compare/runs.js';
import { timelineSection } from './compare/timeline.js';
import { verdictSection } from './compare/verdict.js';
import { html, jsonText } from './html.js';
import { asset, renderPage } from './page.js';

const STYLES = [
  'report.css',
  'flow.css',
  'charts.css',
  'interval-axis.css',
  'stamp.css',
  'compare.css',
  'compare-runs.css',
  'compare-narrow.css',
];
const SECTIONS = [verdictSection, gatesSection, flowsSection, metricsSection, dotsSection, timelineSection, runsSection, repeatSection];

/**
 * @param {Comparison} comparison
 * @returns {Promise<string>} compare.html, for the folder that holds compare.json
 */
export async function renderCompare(comparison) {
  const { title, verdict, id, links } = comparison;
  return renderPage({
    title: `${title}, ${verdict.word}: Doubletake`,
    styles: [chartStyles(), ...STYLES.map(asset)],
    trail: html`<b>Doubletake</b> ${links.index && html`<a href="./${links.index}">all runs</a>`} ${links.experiment && html`<a href="./${links.experiment}">the experiment</a>`} <span class="run">${id}</span>`,
    body: html`${SECTIONS.map((section) => section(comparison))}`,
    data: jsonText(carryComparison(comparison)),
    script: await bundleScript('compare.js'),
  });
}
