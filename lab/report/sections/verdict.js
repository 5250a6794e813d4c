/**
 * The first thing that a reader sees: what happened, whether to trust it, what to try, and how to do it again.
 *
 * @typedef {import('../../record/result.js').Result} Result
 */
import { faultsOf } from '../fault-words.js';
import { duration, moment, percent, plural } from '../format.js';
import { html } from '../html.js';
import { variableTexts } from '../scenario.js';
import { badge } from './parts.js';

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
    faultsOf(result).length > 0 &&
    html` <span class="sep">·</span> <a href="#faults">${faultsOf(result)
      .map(({ text }) => text)
      .join(', ')}</a>`;
  return html`<b>${architecture}</b> ${architecture_title}${variables} <span class="sep">·</span> load <b>${load}</b>${put} <span class="sep">·</span> budget <b>${budget}</b> <span class="sep">·</span> <time datetime="${started}">${moment(started)}</time> <span class="sep">·</span> ${duration(duration_s)}`;
}

/** What would have kept the writes that are gone. @param {Result} result */
const keep = ({ gone_writes: gone }) => gone?.to_do.map((text) => html`<li><span class="label">Writes gone</span> ${text}</li>`);

/** @param {Result} result */
function tryNext({ try_next }) {
  return try_next.map(({ command, why }) => html`<li><span class="label">Try</span> <code class="command">${command}</code> ${why}</li>`);
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
