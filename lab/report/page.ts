/** What every page is made of: one file that asks nothing of any network, with its styles, scripts and data inside. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { secrets } from '../base/secrets.ts';
import { Html, html } from './html.ts';

/** Nothing is fetched, whatever a page may contain; what the page brings itself is inline. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

export function renderPage({
	title,
	styles,
	trail,
	body,
	data = null,
	script = null,
	isServed = false,
}: {
	title: string;
	/** besides those that all pages share */
	styles: Html[];
	/** what stands at the top left: where the reader is */
	trail: Html;
	body: Html;
	/** for the script */
	data?: Html | null;
	script?: Html | null;
	/** it may ask the server that it came from */
	isServed?: boolean;
}): string {
	const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Html(isServed ? `${POLICY}; connect-src 'self'` : POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${MARK}">
<title>${secrets.without(title)}</title>
<style>${smallest([asset('base.css'), asset('hidden.css'), ...styles])}</style>
<script>${asset('theme.js')}</script>
</head>
<body>
<header class="top"><p class="trail"><span class="mark" aria-hidden="true">${asset('mark.svg')}</span>${withoutSecrets(trail)}</p><button type="button" class="theme" id="theme" aria-label="Switch between light and dark">◐</button></header>
<main>
${withoutSecrets(body)}
</main>
${data && html`<script type="application/json" id="result">${withoutSecrets(data)}</script>`}
${script && html`<script>${script}</script>`}
</body>
</html>
`;
	return page.text;
}

/** Styles and scripts have none, and words in them are no values. */
const withoutSecrets = ({ text }: Html) => new Html(secrets.without(text));

/** a program that renders many reports does it once */
const small: Map<string, Html> = new Map();

/** @returns the same rules without comments and what the reader does not see */
function smallest(styles: Html[]): Html {
	const text = styles.map((style) => style.text).join('\n');
	const known = small.get(text) ?? new Html(transformSync(text, { loader: 'css', minify: true, charset: 'utf8' }).code.trim());
	small.set(text, known);
	return known;
}

/** A file of assets/, to be put into a page without its indentation. */
export const asset = (name: string) =>
	new Html(readFileSync(fileURLToPath(new URL(`assets/${name}`, import.meta.url)), 'utf8').replaceAll(/^[ \t]+/gm, ''));

/** The product's own, in colours that are seen on light and on dark. */
const MARK = `data:image/svg+xml,${encodeURIComponent(asset('mark.svg').text.trim())}`;
