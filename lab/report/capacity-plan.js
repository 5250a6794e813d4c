/**
 * The page of a capacity plan as a single file. It answers in this order: how many nodes, whether the plan is to be trusted, on which
 * curve it rests, what every number of nodes gives, what saturates next, what was measured, what is assumed.
 *
 * @typedef {import('../record/capacity-plan.js').CapacityPlan} CapacityPlan
 */
import { CAPACITY_RECORD } from '../base/paths.js';
import { capacityCurveSection } from './capacity/curve.js';
import { demandsSection, modelSection, numbersSection, tiersSection } from './capacity/tables.js';
import { capacityTitle } from './capacity/words.js';
import { count, moment, plural, rate } from './format.js';
import { html } from './html.js';
import { asset, renderPage } from './page.js';
import { badge, localLink, section } from './sections/parts.js';
import { stamp } from './stamp.js';

const STYLES = ['report', 'charts', 'stamp', 'experiment', 'experiment-curve', 'experiment-narrow', 'capacity'];
const SEPARATOR = html` <span class="sep">·</span> `;

/**
 * @param {CapacityPlan} plan
 * @returns {string} plan.html, for the folder that holds plan.json
 */
export function renderCapacityPlan(plan) {
  return renderPage({
    title: `${capacityTitle(plan.target)}: Doubletake`,
    styles: STYLES.map((name) => asset(`${name}.css`)),
    trail: html`<b>Doubletake</b> ${plan.index && localLink(plan.index, 'all runs')} ${localLink(plan.experiment.href, 'the experiment')} <span class="run">${plan.id}</span>`,
    body: html`${finding(plan)}${capacityCurveSection(plan)}${numbersSection(plan)}${tiersSection(plan)}${demandsSection(plan)}${modelSection(plan)}${assumptions(plan)}${repeat(plan)}`,
  });
}

/** @param {CapacityPlan} plan */
function finding({ target, headline, verdict, experiment, hold_out: check, doubt, most, most_rps: mostRps, machine }) {
  return html`<section id="finding" aria-label="Finding">
<p class="run-line"><b>${capacityTitle(target)}</b>${SEPARATOR}${experiment.title}</p>
<h1>${headline}</h1>
<p class="hold-out">${stamp(verdict, 'large')} <span><b>Hold-out check.</b> ${check.sentence} ${count(check.runs_inside)} of its ${plural(check.runs, 'run')} are inside.</span></p>
${doubt && html`<p class="hold-out">${badge('SUSPECT')} <span><b>In doubt.</b> ${doubt.text}. ${doubt.without}</span></p>`}
<p class="basis">answered up to <b>${rate(mostRps)}</b> and <b>${plural(most.reach, 'node')}</b>${SEPARATOR}${plural(experiment.runs, 'run')}, ${count(experiment.left_out)} INVALID left out${SEPARATOR}load <b>${experiment.load}</b>, ${experiment.load_title}${SEPARATOR}budget <b>${experiment.budget}</b>${SEPARATOR}<time datetime="${experiment.started}">${moment(experiment.started)}</time>${SEPARATOR}${machine.text}</p>
</section>
`;
}

/** @param {CapacityPlan} plan */
const assumptions = ({ assumptions: all }) =>
  section('assumptions', 'Assumptions', html`<ul class="assumptions">${all.map((text) => html`<li>${text}</li>`)}</ul>`);

/** @param {CapacityPlan} plan */
const repeat = ({ command, experiment }) =>
  section(
    'repeat',
    'Repeat it',
    html`<p><code class="command">${command}</code></p>
<p class="fine">In this folder: ${localLink(CAPACITY_RECORD.data, CAPACITY_RECORD.data)}; its runs: ${localLink(experiment.href, experiment.id)}</p>`,
  );
