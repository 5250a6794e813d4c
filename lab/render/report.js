/**
 * The report of one run as a single file. It answers in this order: what happened and can it be trusted, who is to
 * blame, where is the proof, how is it repeated.
 *
 * @typedef {import('../define/result.js').Result} Result
 */
import { bundleScript, chartStyles } from './bundle.js';
import { html, jsonText } from './html.js';
import { asset, renderPage } from './page.js';
import { breakdownsSection } from './sections/breakdowns.js';
import { evidenceSection } from './sections/evidence.js';
import { flowSection } from './sections/flow.js';
import { headlineFiguresSection } from './sections/headline-figures.js';
import { machineSection } from './sections/machine.js';
import { stagesSection } from './sections/stages.js';
import { timeLedgerSection } from './sections/time-ledger.js';
import { timelineSection } from './sections/timeline.js';
import { verdictSection } from './sections/verdict.js';

/**
 * @param {Result} result
 * @returns {Promise<string>} report.html, for the folder that holds result.json
 */
export async function renderReport(result) {
  return renderPage({
    title: `${result.architecture} ${result.load}, ${result.validity.verdict}: Doubletake`,
    styles: [chartStyles(), asset('report.css'), asset('flow.css'), asset('charts.css')],
    trail: html`<b>Doubletake</b> <a href="${'../'.repeat(result.run.split('/').length)}index.html">all runs</a> <span class="run">${result.run}</span>`,
    body: html`${verdictSection(result)}${flowSection(result)}${headlineFiguresSection(result)}${timelineSection(result)}${evidenceSection(result)}${timeLedgerSection(result)}${stagesSection(result)}${breakdownsSection(result)}${machineSection(result)}`,
    data: jsonText(result),
    script: await bundleScript('main.js'),
  });
}
