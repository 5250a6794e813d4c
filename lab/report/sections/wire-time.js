/**
 * Where the time of good requests went by the wire: a bar for each service that they passed, and one for each edge.
 *
 * @typedef {import('../../record/result.js').WireTime} WireTime
 */
import { figure, milliseconds, percent, plural } from '../format.js';
import { html } from '../html.js';
import { dataTable, numeric } from '../table.js';
import { tierColour } from '../tiers.js';

/** Of a time, from which on a reader is told that another request would fit as well; below it no bar looks different. */
const AMBIGUOUS_LEAST = 0.01;

/** @param {WireTime} time */
export function wireTimeFigure({ requests, mean_ms: mean, services, edges }) {
  const notes = edges.flatMap(notesOf);
  return html`<figure class="stage-bars">
<figcaption><b>By service and by edge, on the wire.</b> Mean of ${plural(requests, 'good request')}, ${milliseconds(mean)} each. A service's bar is the time in it, without its calls to others: these bars sum to the whole. An edge's bar is all calls on it for a request, with what lies behind.</figcaption>
<div class="bars named">${services.map(({ service, tier, ms }) => bar(service, tier, ms, mean))}</div>
<div class="bars named">${edges.filter(({ calls_per_request: calls }) => calls > 0).map(({ from, to, tier, ms }) => bar(`${from} → ${to}`, tier, ms, mean))}</div>
${dataTable(
  'Time by service and edge',
  [
    { title: 'Service or edge' },
    numeric('Time a request'),
    numeric('Share'),
    numeric('Calls a request'),
    numeric('Ambiguous'),
    numeric('Not joined'),
  ],
  [
    ...services.map(({ service, ms, share, ambiguous_share: ambiguous }) => [
      service,
      milliseconds(ms),
      percent(share),
      '',
      percent(ambiguous),
      '',
    ]),
    ...edges.map((edge) => [
      `${edge.from} → ${edge.to}`,
      milliseconds(edge.ms),
      '',
      figure(edge.calls_per_request),
      percent(edge.ambiguous_share),
      plural(edge.unjoined, 'call'),
    ]),
  ],
)}
${notes.length > 0 && html`<ul class="fine untold">${notes.map((text) => html`<li>${text}</li>`)}</ul>`}
</figure>
`;
}

/** @param {string} name @param {string} tier @param {number} ms @param {number} whole */
function bar(name, tier, ms, whole) {
  const width = `${(whole > 0 ? Math.min(100, (ms / whole) * 100) : 0).toFixed(2)}%`;
  return html`<div class="bar"><span class="target">${name}</span><span class="track"><span class="piece" style="width: ${width}; --c: var(${tierColour(tier)})"></span></span><span class="sum">${milliseconds(ms)}</span></div>`;
}

/** How much of it is not safely a request's. @param {WireTime['edges'][number]} edge @returns {string[]} */
function notesOf({ from, to, ms, ambiguous_share: ambiguous, unjoined, unjoined_ms: unjoinedMs }) {
  const doubted =
    ambiguous >= AMBIGUOUS_LEAST && ms > 0
      ? [`${from} → ${to}: ${percent(ambiguous)} of its time is in calls joined by order where another request would fit as well.`]
      : [];
  const left =
    unjoined > 0
      ? [
          `${from} → ${to}: ${plural(unjoined, 'call')} joined to no request. At most ${milliseconds(unjoinedMs)} a request of ${from}'s own time went into ${unjoined === 1 ? 'it' : 'them'}.`,
        ]
      : [];
  return [...doubted, ...left];
}
