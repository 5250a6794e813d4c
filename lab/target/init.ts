/** `doubletake init`: what to write into doubletake.yaml, and what to say of it to somebody who sees it for the first time. */

import { NotReadyError } from '../base/errors.ts';
import type { Level } from '../base/tier.ts';
import { grouped } from '../base/values.ts';
import { LEVELS, PROJECT_FILE, type Project, placeholderFor } from '../catalog/project-schema.ts';
import type { AttachedService } from './compose-model.ts';
import type { Danger } from './dangers.ts';
import { type Detected, type Detections, OPAQUE } from './detect.ts';
import { entryText } from './entry.ts';

/** @returns each two blanks in, all columns but the last as wide as their widest */
export function inColumns(rows: string[][]): string[] {
	const widthOf = (column: number) => Math.max(...rows.map((row) => row[column].length));
	return rows.map((row) => `  ${row.map((text, column) => (column === row.length - 1 ? text : text.padEnd(widthOf(column)))).join('  ')}`);
}

/** The levels above change how a service runs, and are only used where the user writes them. */
export const LEVEL_WITHOUT_CONSENT = 1;

/**
 * @param compose files, in their order, as seen from the folder of doubletake.yaml
 * @returns with the load of a system of which nothing is known
 * @throws {NotReadyError} when no service can be asked by users
 */
export function chooseProject(
	{ services, entry, more, edges }: Detections,
	models: AttachedService[],
	compose: string[] = ['compose.yaml'],
): Project {
	if (entry === null) throw noEntry(models);
	const chosen = services.map(({ service, tier, product, reason, watches }) => {
		const levels = watches.map(({ level }) => level).filter((level) => level <= LEVEL_WITHOUT_CONSENT);
		const watch = Math.max(0, ...levels) as Level;
		return [service, { tier: tier ?? 'other', product, watch, reason }];
	});
	const entries = [entry, ...more].map(({ url }) => url);
	return {
		compose,
		entry: entries.length > 1 ? entries : entry.url,
		services: Object.fromEntries(chosen),
		edges: edges.map(({ from, to }) => [from, to]),
		load: placeholderFor({ entry: entries }),
	};
}

function noEntry(models: AttachedService[]) {
	const names = models.map(({ service }) => service).join(', ');
	const found = `The Compose file: expected a service that users can ask by its name; found no port of ${names}`;
	const apart = models.flatMap(({ service, networkMode }) => (networkMode === '' ? [] : [`${service} has network_mode ${networkMode}`]));
	if (apart.length === 0)
		return new NotReadyError(`${found}.`, 'add "ports" or "expose" with its port to the service that takes users’ requests.');
	return new NotReadyError(
		`${found} (${apart.join(', ')}).`,
		'in a second Compose file leave network_mode out (!reset null) and add "expose"; then doubletake init compose.yaml second.yaml.',
	);
}

/** @returns for a terminal, with the end of its last line */
export function explainProject({
	detections,
	project,
	fresh = [],
	load = [],
	place = [],
	doubts = [],
	differs = [],
	dangers,
	isOutsideOpen = false,
	file = PROJECT_FILE,
	end,
}: {
	detections: Detections;
	/** as written */
	project: Project;
	/** volumes that each run makes anew */
	fresh?: string[];
	/** what is to be said of the load that was chosen, a sentence each */
	load?: string[];
	/** what is to be said of where the reports are written, a sentence each */
	place?: string[];
	/** of Compose, a sentence each */
	doubts?: string[];
	/** in what a run's copy is another system, a sentence each */
	differs?: string[];
	dangers: Danger[];
	/** a service may write to what lies outside of the folder */
	isOutsideOpen?: boolean;
	/** in which it stands */
	file?: string;
	/** the last line */
	end: string;
}): string {
	const parts = [
		servicesPart(detections, project),
		wayPart(detections),
		watchPart(detections, project, file),
		unknownPart(detections, project),
		doubts.map((doubt) => `? ${doubt}`).join('\n'),
		differs.join('\n'),
		dangersPart(dangers, isOutsideOpen),
		freshPart(fresh),
		place.join('\n'),
		load.join('\n'),
		end,
	];
	return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function servicesPart({ services }: Detections, project: Project): string {
	const rows = services.map(({ service, tier, product, reason }) => [service, tier ?? 'other', product, reason]);
	return [`Services in ${project.compose.join(', ')}`, ...inColumns([['service', 'tier', 'product', 'why'], ...rows])].join('\n');
}

function wayPart({ entry, more, edges, doubts }: Detections) {
	if (entry === null) return '';
	const asked = edges.map(({ from, to, reason }) => [`${from} asks ${to}`, `(${reason})`]);
	return [`Requests enter at ${entryText(entry, more)}`, ...inColumns(asked), ...doubts.map((doubt) => `  ? ${doubt}`)].join('\n');
}

function watchPart({ services }: Detections, project: Project, file: string): string {
	const linesOf = ({ service, watches }: Detected) =>
		watches.map(({ level, gives, needs }) => {
			const mark = level <= project.services[service].watch ? '*' : ' ';
			return `  ${mark} ${level}, ${LEVELS[level]}: ${sentence(gives)}${needs === undefined ? '' : ` Needs: ${sentence(needs)}`}`;
		});
	// Of a dozen unknown programs one is like the other.
	const alike = [...grouped(services, (detected) => linesOf(detected).join('\n'))];
	const lines = alike.flatMap(([text, own]) => [`  ${own.map(({ service }) => service).join(', ')}`, ...(text === '' ? [] : [text])]);
	return [`What can be watched of each, by level (* as "watch" in ${file} has it)`, ...lines].join('\n');
}

function unknownPart(detections: Detections, project: Project): string {
	const lines = detections.services
		.filter(({ tier }) => tier !== null)
		.flatMap((detected) => unknownLines(detected, project.services[detected.service].watch, detections.products));
	return lines.length === 0 ? '' : ['What stays unknown, and what would change it', ...lines].join('\n');
}

function unknownLines({ service, product, watches }: Detected, watch: number, products: string[]): string[] {
	const above = watches
		.filter(({ level }) => level > watch)
		.map(({ level, gives }) => `  ${service}: ${sentence(gives)} Write "watch: ${level}" to know it.`);
	if (product !== OPAQUE) return above;
	const known = products.length === 0 ? '' : ` If it runs one of ${products.join(', ')}, write that as its product.`;
	return [...above, `  ${service}: its own reasons for a failure, because nothing here can read what it runs.${known}`];
}

function dangersPart(dangers: Danger[], isOutsideOpen: boolean): string {
	if (dangers.length === 0 && isOutsideOpen) return '';
	if (dangers.length === 0) return 'Nothing in it could be harmed by a run: each has containers, networks and volumes of its own.';
	const lines = (wanted: Danger['severity']) =>
		dangers
			.filter(({ severity }) => severity === wanted)
			.flatMap(({ service, what, why, remedy }) => [`  ${service} ${what}: ${why}.`, `    To avoid it: ${remedy}.`]);
	const refused = lines('refuse');
	const warned = lines('warn');
	return [
		...(refused.length > 0 ? ['A run could do harm, and is refused without --allow', ...refused] : []),
		...(warned.length > 0 ? ['To be known before a run', ...warned] : []),
	].join('\n');
}

const freshPart = (fresh: string[]) =>
	fresh.length === 0
		? ''
		: `New and empty in each run: ${fresh.join(', ')}. What yours hold now is not in them; the system fills them itself, or it is missing.`;

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
