/** How much the throughput depends on each service, on the page of the run whose load was held, in Markdown and on the terminal. */

import type { Squeeze } from '../record/types.js';
import { figure, MISSING, percent } from './format.ts';
import { escapeMarkdown, html, markdownTable } from './html.ts';
import { section } from './sections/parts.ts';
import { table } from './table.ts';

const COLUMNS = ['Service', 'Dependence', '95 % interval', 'Throughput lost while slowed', 'Cores used'];

const two = (value: number | null) => (value === null ? MISSING : value.toFixed(2));

const rowsOf = ({ services }: Squeeze): string[][] =>
	services.map(({ group, services: parts, dependence, low, high, lost, cores }) => [
		parts.length > 1 ? `${group} (${parts.join(', ')})` : group,
		two(dependence),
		low === null || high === null ? MISSING : `${two(low)} to ${two(high)}`,
		lost === null ? MISSING : percent(lost),
		figure(cores),
	]);

function caption({ rule, services, machine_cores: all, machine_used: used, load }: Squeeze) {
	const given = services.some(({ given_back: back }) => back > 0);
	const shared = given
		? ' The machine had too few idle cores: a service that stands still leaves its cores to the others. The dependence adds again at most what they could do with these.'
		: '';
	return `Each service was slowed by ${percent(rule.share)} in ${rule.rounds} turns of ${rule.turn_s} s, ${load}. It stood still for that share of each period of ${figure(rule.period_s * 1000)} ms, or its CPU quota was cut where the quota holds it back. Turns in which no service was slowed are the comparison. A dependence of 1 means: the throughput falls as much as the service is slowed. A dependence of 0 means: the service has time to spare. The containers used ${figure(used)} of ${all} cores.${shared}`;
}

export const squeezeSection = ({ squeeze }: { squeeze?: Squeeze }) =>
	squeeze !== undefined &&
	section(
		'dependence',
		'What the throughput depends on',
		html`<p>${squeeze.sentence}</p>${table('Dependence on each service', COLUMNS, rowsOf(squeeze), { isCards: true })}<p class="fine">${caption(squeeze)}</p>`,
	);

export const squeezeMarkdown = ({ squeeze }: { squeeze?: Squeeze }): string[] =>
	squeeze === undefined
		? []
		: [
				'### What the throughput depends on\n',
				`${escapeMarkdown(squeeze.sentence)}\n`,
				markdownTable(
					COLUMNS,
					rowsOf(squeeze).map((row) => row.map(escapeMarkdown)),
				),
				`\n${escapeMarkdown(caption(squeeze))}\n`,
			];

/** @returns what came of it, then a line for each service */
export const squeezeLines = (squeeze: Squeeze): string[] => [
	squeeze.sentence,
	...rowsOf(squeeze).map(
		([service, dependence, interval, lost, cores]) => `${dependence.padStart(6)} (${interval})  ${service}: ${lost} lost, ${cores} cores`,
	),
];
