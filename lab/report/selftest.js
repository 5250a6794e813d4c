/**
 * The page of the self-test as a single file.
 */
import { html } from './html.js';
import { asset, renderPage } from './page.js';
import { section } from './sections/parts.js';
import { selftestContent } from './selftest-content.js';
import { table } from './table.js';

/** @param {import('../record/selftest-total.js').SelftestRecord} record @returns {string} index.html */
export function renderSelftest(record) {
  const { headline, basis, doubts, parts, command } = selftestContent(record);
  return renderPage({
    title: 'Self-test: Doubletake',
    styles: [asset('selftest.css'), asset('cards.css')],
    trail: html`<b>Doubletake</b> <span>self-test of the diagnosis</span>`,
    body: html`<section id="finding" aria-label="Finding">
<h1>${headline}</h1>
<p class="basis">${basis.map((part, index) => html`${index > 0 && html` <span class="sep">·</span> `}${part}`)}</p>
${doubts.map((doubt) => html`<p class="doubt">${doubt}</p>`)}
</section>
${parts.map(({ id, title, text, columns, rows, isCards }) => section(id, title, html`<p class="lead">${text}</p>${rows.length > 0 && table(title, columns, rows, { isCards })}`))}
${section('repeat', 'Repeat it', html`<p><code class="command">${command}</code></p>`)}`,
  });
}
