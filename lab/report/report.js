/**
 * The report of one run as a single file. It answers in this order: what happened and can it be trusted, who is to
 * blame, where is the proof, how is it repeated.
 *
 * @typedef {import('../record/result.js').Result} Result
 */
import { RECORD } from '../base/paths.js';
import { bundleScript, chartStyles } from './bundle.js';
import { carry } from './drawn.js';
import { inTodaysShape } from './earlier.js';
import { html, jsonText } from './html.js';
import { asset, renderPage } from './page.js';
import { bottleneckSection } from './sections/bottleneck.js';
import { breakdownsSection } from './sections/breakdowns.js';
import { evidenceSection } from './sections/evidence.js';
import { flowSection } from './sections/flow.js';
import { headlineFiguresSection } from './sections/headline-figures.js';
import { machineSection } from './sections/machine.js';
import { nearMissesSection } from './sections/near-misses.js';
import { putFaultsSection } from './sections/put-faults.js';
import { stagesSection } from './sections/stages.js';
import { standingSection } from './sections/standing.js';
import { timeLedgerSection } from './sections/time-ledger.js';
import { timelineSection } from './sections/timeline.js';
import { urlsSection } from './sections/urls.js';
import { userTimeSection } from './sections/user-time.js';
import { verdictSection } from './sections/verdict.js';
import { waterfallsSection } from './sections/waterfalls.js';
import { wireSection } from './sections/wire.js';

/** Of assets/. */
const SCRIPT = 'main.js';

/** Has the page's script bundled, by a process of esbuild's own, while the caller analyses. Where that fails, renderReport() tells it. */
export const beginReport = () => void bundleScript(SCRIPT).catch(() => {});

/** What every run leaves. */
export const FILES = [RECORD.result, RECORD.manifest, `${RECORD.raw}/`];

/**
 * @param {Result} given
 * @param {object} [around]  what is there to be linked to; what every run leaves unless given
 * @param {string[]} [around.files]  in the report's folder, beside the report itself
 * @param {boolean} [around.hasIndex]  the list of everything
 * @returns {Promise<string>} report.html, for the folder of the run
 */
export async function renderReport(given, { files = FILES, hasIndex = true } = {}) {
  const result = inTodaysShape(given);
  return renderPage({
    title: `${result.architecture} ${result.load}, ${result.validity.verdict}: Doubletake`,
    styles: [
      chartStyles(),
      asset('report.css'),
      asset('flow.css'),
      asset('charts.css'),
      asset('bars.css'),
      asset('cards.css'),
      // Of what the networks told, where they were recorded.
      ...(result.wire ? [asset('waterfalls.css'), asset('standing.css')] : []),
    ],
    trail: html`<b>Doubletake</b> ${hasIndex && html`<a href="${'../'.repeat(result.run.split('/').length)}index.html">all runs</a>`} <span class="run">${result.run}</span>`,
    body: html`${verdictSection(result)}${standingSection(result)}${flowSection(result)}${headlineFiguresSection(result)}${putFaultsSection(result)}${timelineSection(result)}${evidenceSection(result)}${nearMissesSection(result)}${userTimeSection(result)}${timeLedgerSection(result)}${stagesSection(result)}${bottleneckSection(result)}${breakdownsSection(result)}${wireSection(result)}${urlsSection(result)}${waterfallsSection(result)}${machineSection(result, files)}`,
    data: jsonText(carry(result)),
    script: await bundleScript(SCRIPT),
  });
}
