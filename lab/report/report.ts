/**
 * The report of one run as a single file. It answers in this order: what happened and can it be trusted, who is to
 * at fault, where is the proof, how is it repeated.
 */

import { RECORD } from '../base/paths.ts';
import { isWorthTrying, measuredRemedies } from '../catalog/measured-remedies.ts';
import type { Judged } from '../diagnose/expectations.ts';
import { knownCommand } from '../options/known-command.ts';
import { wordOf } from '../record/touches.ts';
import type { Result } from '../record/types.js';
import { bundleScript, chartStyles } from './bundle.ts';
import { knownSteps } from './commands.ts';
import { carry } from './drawn.ts';
import { Html, html, jsonText } from './html.ts';
import { asset, renderPage } from './page.ts';
import { proofSection } from './proof.ts';
import { evidenceSection } from './sections/evidence.ts';
import { headlineFiguresSection, stagesSection, userTimeSection } from './sections/headline-figures.ts';
import { nearMissesSection } from './sections/near-misses.ts';
import { breakdownsSection, flowSection, loadSection, machineSection } from './sections/parts.ts';
import { putFaultsSection } from './sections/put-faults.ts';
import { standingSection } from './sections/standing.ts';
import { bottleneckSection, timeLedgerSection } from './sections/time-ledger.ts';
import { timelineSection } from './sections/timeline.ts';
import { urlsSection } from './sections/urls.ts';
import { verdictSection } from './sections/verdict.ts';
import { waterfallsSection } from './sections/waterfalls.ts';
import { wireSection } from './sections/wire.ts';
import { squeezeSection } from './squeeze.ts';

/** Whom the command runs: `make run-2a-slots`, `doubletake swarm 2a-slots`. */
const RUNS = /\b(?:run|swarm)[- ]([\w-]+)/;

/** What a result advises may have been judged worse, or never better, since. */
const stillWorthTrying = ({ architecture, load, try_next: advice }: Result): Result['try_next'] =>
	advice.filter(({ command }) => {
		const remedy = RUNS.exec(command)?.[1];
		const measured = measuredRemedies.filter((one) => one.base === architecture && one.remedy === remedy);
		return isWorthTrying(measured, load);
	});

/** What somebody has to know who sees such a page for the first time. */
const aboutSection = ({ started, machine: { cores, cpu_model: cpu } }: Result) =>
	html`<p class="fine">Doubletake measured a copy of this system in containers, under a load that it made itself. It ran on ${started.slice(0, 10)} on one machine with ${cores} cores (${cpu}). The figures hold for that machine. Places and causes of failures come from packets, logs and counters of that run.</p>`;

/** Of assets/. */
const SCRIPT = 'main.ts';

/** Has the page's script bundled, by a process of esbuild's own, while the caller analyses. Where that fails, renderReport() tells it. */
export const beginReport = () => void bundleScript(SCRIPT).catch(() => {});

/** What every run leaves. */
export const FILES = [RECORD.result, RECORD.manifest, `${RECORD.raw}/`];

/** A section's title, without the marks in it. */
const TITLE = /<h2 id="([\w-]+)-title">(.*?)<\/h2>/g;

/** A page's sections, which stay in view beside it on a wide screen. */
const contentsOf = ({ text }: Html) =>
	html`<nav class="contents" aria-label="Contents"><ul>${[...text.matchAll(TITLE)].map(
		([, id, title]) => html`<li><a href="#${id}">${new Html(title.replace(/ <a .*/, ''))}</a></li>`,
	)}</ul></nav>`;

/** @returns the same, with a list of its sections before it */
export const withContents = (body: Html): Html => html`${contentsOf(body)}${body}`;

/**
 * @param around what is there to be linked to; what every run leaves unless given
 * @returns report.html, for the folder of the run
 */
export async function renderReport(
	given: Result,
	{
		isShared = false,
		files = isShared ? [] : FILES,
		hasIndex = !isShared,
		judged = [],
		since = null,
	}: {
		/** in the report's folder, beside the report itself */
		files?: string[];
		/** the list of everything */
		hasIndex?: boolean;
		/** by thresholds */
		judged?: Judged[];
		/** what is otherwise since the run before */
		since?: string | null;
		/** its reader has this file alone */
		isShared?: boolean;
	} = {},
): Promise<string> {
	const result = { ...given, command: knownCommand(given.command) ?? '', try_next: knownSteps(stillWorthTrying(given)) };
	const body = html`${verdictSection(result)}${isShared && aboutSection(result)}${proofSection(result)}${standingSection(result)}${flowSection(result)}${headlineFiguresSection(result, since)}${loadSection(result, judged)}${putFaultsSection(result)}${timelineSection(result)}${evidenceSection(result)}${nearMissesSection(result)}${userTimeSection(result)}${timeLedgerSection(result)}${stagesSection(result)}${bottleneckSection(result)}${squeezeSection(result)}${breakdownsSection(result)}${wireSection(result)}${urlsSection(result)}${waterfallsSection(result)}${machineSection(result, files)}`;
	return renderPage({
		title: `${result.architecture} ${result.load}, ${wordOf(result.validity)}: Doubletake`,
		styles: [
			chartStyles(),
			asset('report.css'),
			asset('flow.css'),
			asset('charts.css'),
			asset('bars.css'),
			asset('cards.css'),
			// Of what the networks told, where they were recorded.
			...(result.wire ? [asset('waterfalls.css'), asset('standing.css')] : []),
		],
		trail: html`<b>Doubletake</b> ${hasIndex && html`<a href="${'../'.repeat(result.run.split('/').length)}index.html">all runs</a>`} <span class="run">${result.run}</span>`,
		body: withContents(body),
		data: jsonText(carry(result)),
		script: await bundleScript(SCRIPT),
	});
}
