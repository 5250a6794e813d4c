/**
 * Where the users' time went, as one bar for the whole load and one for each stage: all of it is accounted for, what the
 * generator itself took included.
 *
 * @typedef {import('../../record/result.js').Result} Result
 * @typedef {import('../../record/result.js').UserTimePart} PartId
 */
import { count, percent } from '../format.js';
import { html } from '../html.js';
import { dataTable, numeric } from '../table.js';
import { section, stageTarget } from './parts.js';

/** What a part is drawn in; a part that is nobody's fault is quiet. @type {Record<PartId, string>} */
const COLOURS = {
  answered: '--tier-app',
  connecting: '--tier-load-balancer',
  failed: '--loss',
  thinking: '--rule',
  generator: '--tier-generator',
};
/** In the order of the bar. */
const ORDER = /** @type {PartId[]} */ (Object.keys(COLOURS));
/** Waiting in vain is told by more than its colour. */
const HATCHED = new Set(['failed', 'generator']);

/** @param {Result} result @returns {import('../html.js').Html | null} null where there are no users, or their time is not known */
export function userTimeSection({ user_time: time, stages }) {
  if (!time) return null;
  const shares = Object.fromEntries(time.parts.map(({ id, share }) => [id, share]));
  const label = (/** @type {PartId} */ id) => time.parts.find((part) => part.id === id)?.label ?? id;
  return section(
    'user-time',
    "Where the users' time went",
    html`<figure class="stage-bars">
<figcaption><b>${count(Math.round(time.total_s))} user-seconds.</b> Each bar is all the time of all users: a part that is not theirs or the system's is the generator's own, and a doubt when it is large.</figcaption>
<ul class="keys">${ORDER.map((id) => html`<li>${patch(id)}${label(id)} <b>${percent(shares[id])}</b></li>`)}</ul>
<div class="bars">${bar('all', shares, label)}${time.stages.map(({ parts }, index) => bar(stages[index] ? stageTarget(stages[index]) : '', parts, label))}</div>
${dataTable(
  "Where the users' time went",
  [{ title: 'Stage' }, ...ORDER.map((id) => numeric(label(id)))],
  [
    ['all', ...ORDER.map((id) => percent(shares[id]))],
    ...time.stages.map(({ parts }, index) => [
      stages[index] ? stageTarget(stages[index]) : String(index + 1),
      ...ORDER.map((id) => percent(parts[id])),
    ]),
  ],
)}
</figure>`,
  );
}

/** @param {PartId} id */
const patch = (id) => html`<span class="patch${HATCHED.has(id) && ' hatched'}" style="--c: var(${COLOURS[id]})"></span>`;

/** @type {(name: string, shares: Record<string, number | null>, label: (id: PartId) => string) => import('../html.js').Html} */
function bar(name, shares, label) {
  const pieces = ORDER.map((id) => {
    const width = `${(Math.max(0, shares[id] ?? 0) * 100).toFixed(2)}%`;
    return html`<span class="piece${HATCHED.has(id) && ' hatched'}" style="width: ${width}; --c: var(${COLOURS[id]})" title="${label(id)}: ${percent(shares[id])}"></span>`;
  });
  const known = Object.values(shares).every((share) => share !== null);
  return html`<div class="bar"><span class="target">${name}</span><span class="track">${pieces}</span><span class="sum">${known ? '' : 'not known'}</span></div>`;
}
