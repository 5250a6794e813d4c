/** The page that shows a run while it goes on. It brings no figures: they come second by second. */

import { bundleScript, chartStyles } from '../../report/bundle.ts';
import { html } from '../../report/html.ts';
import { asset, renderPage } from '../../report/page.ts';

/** As the script fills them: the name of the element, what it says. */
const FIGURES = [
	['users', 'Users'],
	['rps', 'Requests a second'],
	['p95_ms', 'p95'],
	['failed', 'Failed'],
	['left_s', 'Left'],
];
const CHARTS = [
	['rate', 'Requests a second', 'Failed ones below. The mean of five seconds, drawn at their middle.'],
	['p95', 'p95, ms', 'Of the requests of the same five seconds.'],
	['cpu', 'CPU of each tier', 'Of its quota, or of a core where it has none.'],
	['connections', 'Open connections of each tier', 'TCP connections in its own network.'],
];

/** @param title of the run */
export const renderLivePage = async (title: string): Promise<string> =>
	renderPage({
		title: `${title}, running: Doubletake`,
		styles: [chartStyles(), asset('live.css')],
		trail: html`<b>Doubletake</b> <span class="run">${title}</span>`,
		isServed: true,
		body: html`<h1>${title} <span class="stage" id="stage">waiting for the load</span></h1>
<p class="live-note" id="note" role="status">Nothing here is judged yet. The report, with the ledger of each failed request, is made when the load has ended.</p>
<p class="live-note" id="of">Stage, users, requests, p95 and failures will stand here some seconds after the load has begun.</p>
<dl class="live-figures">${FIGURES.map(([id, name]) => html`<div><dt>${name}</dt><dd id="${id}">–</dd></div>`)}</dl>
<h2>The tiers now</h2>
<ol class="live-tiers" id="tiers"></ol>
<h2>So far</h2>
<p class="live-note">Seconds from the start of the load; before 0 s is the warm-up.</p>
<div class="live-charts">${CHARTS.map(
			([id, name, about]) => html`<figure><figcaption><b>${name}</b> ${about}</figcaption><div class="plot" id="${id}"></div></figure>`,
		)}</div>`,
		script: await bundleScript('live.ts'),
	});
