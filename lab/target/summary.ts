/**
 * What `doubletake init` says to somebody in a hurry, in at most fifteen lines: what was found, what was decided and is worth knowing, what to
 * type next. The rest is said by `--explain` (init.ts).
 */

import { lineWithCodes } from '../base/hidden-characters.ts';
import { PROJECT_TIERS, type Project } from '../catalog/project-schema.ts';
import type { Danger } from './dangers.ts';
import { type Detected, type Detections, OPAQUE } from './detect.ts';
import { entryText } from './entry.ts';
import { inColumns } from './init.ts';

const LINES_MOST = 15;
const EXPLAIN = 'doubletake init --explain';
const UNSAID = 'the file does not say; "doubletake init --observe" brings a copy up, and sees it';
/** Of who asks whom, in its line. */
const EDGES_MOST = 8;
const NAMES_MOST = 12;

/** @returns for a terminal, with the end of its last line */
export function summariseProject({
	detections,
	project,
	load = [],
	notes = [],
	doubts = [],
	end,
}: {
	detections: Detections;
	/** as written */
	project: Project;
	/** what is to be said of the load that was chosen, a sentence each; doubts begin with a question mark */
	load?: string[];
	/** what is worth knowing before a run, a sentence each, what keeps it from being done first */
	notes?: string[];
	/** of Compose, a sentence each */
	doubts?: string[];
	/** what was done, and what to type next */
	end: string;
}): string {
	const { entry, more, edges } = detections;
	const questions = [...detections.doubts, ...doubts].map((doubt) => `? ${doubt}`);
	const isDoubt = (text: string) => text.startsWith('?');
	const asked = listed(
		edges.map(({ from, to }) => `${from} asks ${to}`),
		EDGES_MOST,
		'; ',
	);
	const found = [
		`${lineWithCodes(project.compose.join(', '))}: requests enter at ${entry === null ? 'none' : entryText(entry, more)}`,
		...inColumns([
			...tierRows(detections, project),
			...(detections.services.length > 1 ? [['who asks whom', asked || UNSAID]] : []),
			...load.filter((text) => !isDoubt(text)).map((text) => ['load', text]),
		]),
	];
	const worth = [...notes, ...load.filter(isDoubt), ...questions];
	const room = LINES_MOST - found.length - 1;
	const said = worth.length <= room ? worth : [...worth.slice(0, room - 1), `and ${worth.length - room + 1} more: ${EXPLAIN}`];
	return `${[...found, ...said.map((text) => `  ${lineWithCodes(text)}`), `${end} (why: ${EXPLAIN})`].join('\n')}\n`;
}

function tierRows({ services }: Detections, project: Project): [string, string][] {
	const named = ({ service, product }: Detected) => (product === OPAQUE || service.includes(product) ? service : `${service} (${product})`);
	return PROJECT_TIERS.flatMap((tier) => {
		const own = services.filter(({ service }) => project.services[service].tier === tier);
		const beside = tier === 'other' ? `: no request passes ${own.length === 1 ? 'it' : 'them'}` : '';
		return own.length === 0 ? [] : [[tier, `${listed(own.map(named), NAMES_MOST)}${beside}`] as [string, string]];
	});
}

const listed = (texts: string[], most: number, separator = ', ') =>
	texts.length <= most ? texts.join(separator) : `${texts.slice(0, most).join(separator)}${separator}and ${texts.length - most} more`;

/**
 * What is worth knowing before a run, in one line each: what keeps it from being done first.
 * @param found differs: in what a run's copy is
 * another system, a sentence each
 */
export function notesOf({
	dangers,
	differs,
	fresh,
	place,
}: {
	dangers: Danger[];
	differs: string[];
	fresh: string[];
	place: string[];
}): string[] {
	const of = (wanted: Danger['severity']) => dangers.filter(({ severity }) => severity === wanted);
	const unsaid = fresh.filter((volume) => !differs.some((text) => text.includes(`volume ${volume.split(' of ')[0]} (`)));
	return [
		...of('refuse').map(({ service, what, remedy }) => `! ${service} ${what}: refused without --allow; to avoid it: ${remedy}`),
		...of('warn').map(({ service, what, why }) => `note: ${service} ${what}: ${why}`),
		...differs,
		...(unsaid.length === 0 ? [] : [`new and empty in each run: ${unsaid.join(', ')}`]),
		...place,
	];
}
