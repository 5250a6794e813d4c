/**
 * Where the time of good answers went, over time and by stage.
 *
 * @typedef {import('../../record/result.js').Result} Result
 * @typedef {import('../../record/result.js').TimeLedger} TimeLedger
 */
import { count, milliseconds, percent } from '../format.js';
import { html } from '../html.js';
import { isProgram } from '../scenario.js';
import { dataTable, numeric } from '../table.js';
import { tierColour } from '../tiers.js';
import { timeLedgerPanel } from '../time-panel.js';
import { chartFigure } from './chart-figure.js';
import { section, stageTarget } from './parts.js';
import { wireTimeFigure } from './wire-time.js';

/** @param {Result} result */
export function timeLedgerSection(result) {
  const { time_ledger, time_untold: untold = [], stages, wire } = result;
  if (isProgram(result)) return null;
  const onWire = wire?.time ? wireTimeFigure(wire.time) : null;
  return section('time', 'Where the time went', [
    ...(time_ledger ? [chartFigure(timeLedgerPanel(time_ledger)), stageFigure(time_ledger, stages), checkLine(time_ledger)] : []),
    onWire,
    !time_ledger &&
      !onWire &&
      html`<p class="fine">Not told apart: the service that users talk to left no record of how long it had each request.</p>`,
    untoldList(untold),
  ]);
}

/** Services whose time is in that of another, and what would tell it. @param {string[]} texts */
const untoldList = (texts) => texts.length > 0 && html`<ul class="fine untold">${texts.map((text) => html`<li>${text}.</li>`)}</ul>`;

/** @param {TimeLedger} ledger */
function checkLine({ check, parts, source }) {
  if (parts.some(({ id }) => id === 'loop') && !parts.some(({ id }) => id === 'balancer'))
    return html`<p class="fine">A node knows of a request when it has read it: what users waited beyond connecting and the node's own times is counted as waiting for its event loop. Nothing is left to check it against.</p>`;
  const times = source === 'wire' && 'Times are those of calls on the wire. ';
  return html`<p class="fine">${times}Over the whole load the parts sum to ${milliseconds(check.sum_ms)}; k6 measured ${milliseconds(check.measured_ms)}. ${percent(Math.abs(check.gap_fraction))} is between them.</p>`;
}

/**
 * @param {TimeLedger} ledger
 * @param {Result['stages']} loadStages
 */
function stageFigure(ledger, loadStages) {
  const { parts, stages } = ledger;
  // Only the load's own stages know whether a target is moved to or held.
  const names = stages.map(({ target }, index) => (loadStages[index]?.target === target ? stageTarget(loadStages[index]) : count(target)));
  const longest = Math.max(...stages.map((stage) => stageSum(ledger, stage)));
  return html`<figure class="stage-bars">
<figcaption><b>The same by stage.</b> A bar's length is the mean time of a good answer; colours as above, hatched parts wait.</figcaption>
<div class="bars">${stages.map((stage, index) => stageBar(ledger, stage, names[index], longest))}</div>
${dataTable(
  'Mean time of a good answer by stage',
  [{ title: 'Part' }, ...names.map(numeric)],
  [
    ...parts.map(({ id, label, waits }) => [`${label}${waits ? ' (waits)' : ''}`, ...stages.map((stage) => milliseconds(stage.parts[id]))]),
    ['as k6 measured it', ...stages.map(({ measured_ms }) => milliseconds(measured_ms))],
  ],
)}
</figure>
`;
}

/** @type {(ledger: TimeLedger, stage: TimeLedger['stages'][number], name: string, longest: number) => import('../html.js').Html} */
function stageBar(ledger, stage, name, longest) {
  const pieces = ledger.parts.map(({ id, label, tier, waits }) => {
    const share = longest > 0 ? (stage.parts[id] ?? 0) / longest : 0;
    const width = `${(share * 100).toFixed(2)}%`;
    return html`<span class="piece${waits && ' hatched'}" style="width: ${width}; --c: var(${tierColour(tier)})" title="${label}: ${milliseconds(stage.parts[id])}"></span>`;
  });
  return html`<div class="bar"><span class="target">${name}</span><span class="track">${pieces}</span><span class="sum">${milliseconds(stage.measured_ms ?? stageSum(ledger, stage))}</span></div>`;
}

/** @type {(ledger: TimeLedger, stage: TimeLedger['stages'][number]) => number} length of the bar */
const stageSum = ({ parts }, stage) => parts.reduce((sum, { id }) => sum + (stage.parts[id] ?? 0), 0);
