/**
 * A panel as it stands in the page: caption, legend, room for the chart and for its table. The script draws the chart, writes the table and
 * moves the legend's values with the cursor; until then, and without a script, the legend says the highest values.
 *
 * @typedef {import('../panels.js').Panel} Panel
 * @typedef {import('../panels.js').PanelSeries} PanelSeries
 */
import { MISSING } from '../format.js';
import { html } from '../html.js';
import { isMeasured, peakIndex } from '../panels.js';

/** @param {Panel} panel */
export function chartFigure({ id, title, caption, series, t_s, height, empty = 'Not measured.' }) {
  const hasData = series.some(isMeasured);
  return html`<figure class="chart" data-panel="${id}">
<figcaption><b>${title}.</b> ${caption}</figcaption>
<ul class="legend">${hasData && html`<li class="at">highest</li>`}${series.map((each) => legendItem(each, t_s))}</ul>
${hasData ? html`<div class="plot" style="height: ${height}px" tabindex="0" role="group" aria-label="Chart: ${title}. Left and right arrow keys move the cursor."></div>` : html`<p class="fine">${empty}</p>`}
<details class="data"><summary>Table</summary><div class="scroll" tabindex="0" role="region" aria-label="Data of the chart ${title}"><p class="fine">A row for each second, which the script of this page writes.</p></div></details>
</figure>
`;
}

/** @type {(series: PanelSeries, t_s: Panel['t_s']) => import('../html.js').Html} */
function legendItem(series, t_s) {
  const peak = peakIndex(series, t_s);
  const swatch = `swatch ${series.kind} ${series.stroke}${series.hatched ? ' hatched' : ''}${series.isSolid ? ' full' : ''}`;
  return html`<li><span class="${swatch}" style="--c: var(${series.colour})"></span><span class="name">${series.label}</span><span class="value">${peak < 0 ? MISSING : series.text(peak)}</span></li>`;
}
