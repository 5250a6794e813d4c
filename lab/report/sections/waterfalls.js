/**
 * Single requests, hop by hop: the slowest of the good ones, and some of each way in which others were lost.
 *
 * @typedef {import('../../record/types.js').WireWaterfall} WireWaterfall
 * @typedef {import('../../record/types.js').WireHop} WireHop
 */

import { grouped } from '../../base/values.js';
import { urlName, variableTexts } from '../calibration.js';
import { count, duration, MISSING, milliseconds, moment, percent, plural, tryWords } from '../format.js';
import { html } from '../html.js';
import { badge, section } from './parts.js';

/** From here on a status says that it went wrong at whoever answered. */
const SERVER_ERROR = 500;
/** What took no time is seen all the same. */
const WIDTH_LEAST = 0.4;

/** @param {import('../../record/types.js').Result} result @returns {import('../html.js').Html | null} null where no request was recorded */
export function waterfallsSection({ wire }) {
  const { waterfalls = [] } = wire ?? {};
  if (waterfalls.length === 0) return null;
  return section(
    'waterfalls',
    'Slowest and lost requests, hop by hop',
    html`<p class="lead">Each bar is a call, from the first byte of its question to the last of its answer, under the one that it was made for. Orange did not go well; hatched: another request would fit as well.</p>
${groupsOf(waterfalls).map(
  (group) => html`<h3>${groupTitle(group)}</h3>
${group.map((waterfall, index) => waterfallOf(waterfall, index === 0))}`,
)}`,
  );
}

/** @param {WireWaterfall[]} waterfalls @returns {WireWaterfall[][]} as they stand beside each other */
const groupsOf = (waterfalls) => [...grouped(waterfalls, ({ why, rows }) => (why === 'slowest' ? why : endText(rows[0]))).values()];

/** @param {WireWaterfall[]} group */
function groupTitle([{ why, of_kind: ofKind, rows }]) {
  if (why === 'slowest') return `The slowest of ${count(ofKind)} good requests`;
  return `Lost, ${endText(rows[0])}: ${count(ofKind)}`;
}

/** @param {WireWaterfall} waterfall @param {boolean} isOpen */
function waterfallOf({ id, at_s: at, took_ms: took, rows, more }, isOpen) {
  const whole = Math.max(took ?? 0, ...rows.map((row) => row.offset_ms + (row.took_ms ?? 0)));
  return html`<details class="waterfall"${isOpen && html` open`}><summary><b>${urlName(rows[0])}</b> ${milliseconds(took)}, ${milliseconds(at * 1000)} into the load${id !== null && html`, id <code>${id}</code>`}</summary>
<ol>${rows.map((row) => hopOf(row, whole))}</ol>
${more > 0 && html`<p class="fine">${count(more)} more calls.</p>`}</details>
`;
}

/** @param {WireHop} row @param {number} whole_ms */
function hopOf(row, whole_ms) {
  const share = (/** @type {number} */ ms) => (whole_ms > 0 ? Math.min(100, Math.max(0, (ms / whole_ms) * 100)) : 0);
  const left = Math.min(share(row.offset_ms), 100 - WIDTH_LEAST);
  // What has no end goes on to the end of all.
  const width = Math.max(WIDTH_LEAST, Math.min(100 - left, row.took_ms === null ? 100 : share(row.took_ms)));
  const what = [row.protocol, urlOf(row), endText(row)].filter(Boolean).join(' · ');
  return html`<li style="--depth: ${row.depth}"><span class="who">${row.from} → ${row.to}</span>
<span class="what">${what}${joinText(row)}</span>
<span class="track"><span class="piece${row.ambiguous && ' hatched'}" style="margin-left: ${left.toFixed(2)}%; width: ${width.toFixed(2)}%; --c: var(${isBad(row) ? '--loss' : '--tier-app'})"></span></span>
<span class="sum">+${milliseconds(row.offset_ms)}, <b>${row.took_ms === null ? MISSING : milliseconds(row.took_ms)}</b></span></li>
`;
}

/** A statement's fingerprint begins with its verb. @param {WireHop} row */
const urlOf = ({ verb, template }) =>
  template.startsWith(`${verb} `) || template === verb ? template : [verb, template].filter(Boolean).join(' ');

/** @param {WireHop} row */
function joinText({ joined, ambiguous }) {
  if (joined === null) return '';
  return ambiguous ? ` · joined by ${joined}, ambiguous` : ` · joined by ${joined}`;
}

/** @param {WireHop} row */
const isBad = ({ end, status, code }) => end !== 'answered' || code !== null || (status ?? 0) >= SERVER_ERROR;

/** @param {WireHop} row */
function endText({ end, by, status, code, from, to }) {
  const who = by === 'client' ? from : to;
  const texts = {
    answered: `answered ${code ?? status ?? ''}`.trim(),
    'given-up': `given up by ${from}`,
    closed: `closed by ${to} without an answer`,
    reset: `reset by ${to} without an answer`,
    cut: `answer cut short by ${who}`,
    open: 'open at the end of the recording',
    refused: `connection refused by ${to}`,
    unanswered: `connection not answered by ${to}`,
    'no-host': `nobody had the address of ${to}`,
    'unasked-closed': `connection closed by ${to} before it was asked`,
    'unasked-reset': `connection reset by ${to} before it was asked`,
  };
  return texts[end];
}

/**
 * The first thing that a reader sees: what happened, whether to trust it, what to try, and how to do it again.
 *
 * @typedef {import('../../record/types.js').Result} Result
 */

/** @param {Result} result */
export function verdictSection(result) {
  const { validity, interrupted } = result;
  const invalid = validity.verdict === 'INVALID';
  return html`${invalid && invalidBanner(result)}
<section id="verdict" aria-label="Verdict">
<p class="run-line">${runLine(result)}</p>
<div class="verdict"><h1>${result.headline}</h1>
<div class="trust">${badge(validity.verdict)}${!invalid && reasons(validity.reasons)}</div></div>
${result.load_end && html`<p class="fine">${result.load_end.text}</p>`}
${interrupted && html`<p class="doubt">The load was cut short; what was measured until then is here.</p>`}
<ul class="try">${keep(result)}${proof(result)}${tryNext(result)}${again(result)}</ul>
</section>
`;
}

/** @param {Result} result */
function invalidBanner({ validity }) {
  return html`<aside class="banner" role="alert"><p><b>INVALID.</b> This run says nothing about the architecture, and comparisons leave it out.</p>${reasons(validity.reasons)}</aside>`;
}

/** @param {string[]} texts */
const reasons = (texts) => texts.length > 0 && html`<ul class="reasons">${texts.map((text) => html`<li>${text}</li>`)}</ul>`;

/** @param {Result} result */
function runLine(result) {
  const { architecture, architecture_title, load, budget, started, duration_s } = result;
  const variables = variableTexts(result).map((text) => html` <b class="variable">${text}</b>`);
  const put =
    result.faults.length > 0 && html` <span class="sep">·</span> <a href="#faults">${result.faults.map(({ text }) => text).join(', ')}</a>`;
  return html`<b>${architecture}</b> ${architecture_title}${variables} <span class="sep">·</span> load <b>${load}</b>${put} <span class="sep">·</span> budget <b>${budget}</b> <span class="sep">·</span> <time datetime="${started}">${moment(started)}</time> <span class="sep">·</span> ${duration(duration_s)}`;
}

/** What would have kept the writes that are gone. @param {Result} result */
const keep = ({ gone_writes: gone }) => gone?.to_do.map((text) => html`<li><span class="label">Writes gone</span> ${text}</li>`);

/** @param {Result} result */
function tryNext({ try_next }) {
  return try_next.map(
    ({ command, why, once_valid }) =>
      html`<li><span class="label">${tryWords(once_valid)}</span> <code class="command">${command}</code> ${why}</li>`,
  );
}

/** @param {Result} result */
const again = ({ command }) => html`<li><span class="label">Repeat</span> <code class="command">${command}</code></li>`;

/** The rest stands in the evidence. */
const READINGS_SHOWN = 3;

/**
 * What most failures rest on, as it was read on the way; else a log line, in the words of the tier that lost them, and of which of them where
 * there are others.
 * @param {Result} result
 */
function proof({
  ledger: {
    failures: [most],
  },
  waiting,
}) {
  const [followed] = waiting?.findings ?? [];
  if (followed) return followed.evidence.slice(0, READINGS_SHOWN).map((text) => html`<li><span class="label">Read</span> ${text}</li>`);
  const said = most?.evidence.find(({ kind }) => kind === 'log');
  if (said?.kind !== 'log') return null;
  const ofSome = most.share < 1 && `. It stands for ${percent(most.share)} of the failures: ${most.cause_title}`;
  return html`<li><span class="label">Proof</span> <code>${said.line}</code> ${plural(said.count, 'line')} in the ${said.source}${hiddenByDefault(said.line) && ', which its default level hides'}${ofSome}</li>`;
}

/** What begins with its level in brackets is logged from level error on unless told otherwise. @param {string} line */
const hiddenByDefault = (line) => /^\[(debug|info|notice|warn)\]/.test(line);
