/**
 * What every page is made of: one file that asks nothing of any network, with its styles, scripts and data inside.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { Html, html } from './html.js';

/** Nothing is fetched, whatever a page may contain; what the page brings itself is inline. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/**
 * @param {object} page
 * @param {string} page.title
 * @param {Html[]} page.styles   besides those that all pages share
 * @param {Html} page.trail      what stands at the top left: where the reader is
 * @param {Html} page.body
 * @param {Html | null} [page.data]    for the script
 * @param {Html | null} [page.script]
 * @param {boolean} [page.isServed]  it may ask the server that it came from
 * @returns {string}
 */
export function renderPage({ title, styles, trail, body, data = null, script = null, isServed = false }) {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Html(isServed ? `${POLICY}; connect-src 'self'` : POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${MARK}">
<title>${title}</title>
<style>${smallest([asset('base.css'), asset('hidden.css'), ...styles])}</style>
<script>${asset('theme.js')}</script>
</head>
<body>
<header class="top"><p class="trail"><span class="mark" aria-hidden="true">${asset('mark.svg')}</span>${trail}</p><button type="button" class="theme" id="theme" aria-label="Switch between light and dark">◐</button></header>
<main>
${body}
</main>
${data && html`<script type="application/json" id="result">${data}</script>`}
${script && html`<script>${script}</script>`}
</body>
</html>
`;
  return page.text;
}

/** @type {Map<string, Html>} a program that renders many reports does it once */
const small = new Map();

/** @param {Html[]} styles @returns {Html} the same rules without comments and what the reader does not see */
function smallest(styles) {
  const text = styles.map((style) => style.text).join('\n');
  const known = small.get(text) ?? new Html(transformSync(text, { loader: 'css', minify: true, charset: 'utf8' }).code.trim());
  small.set(text, known);
  return known;
}

/**
 * A file of assets/, to be put into a page without its indentation.
 * @param {string} name
 */
export const asset = (name) =>
  new Html(readFileSync(fileURLToPath(new URL(`assets/${name}`, import.meta.url)), 'utf8').replaceAll(/^\s+/gm, ''));

/** The product's own, in colours that are seen on light and on dark. */
const MARK = `data:image/svg+xml,${encodeURIComponent(asset('mark.svg').text.trim())}`;
