/** Writes what was seen into the text of doubletake.yaml, and leaves all else of it as its user wrote it, comments too. Pure. */

import { isMap, isScalar, isSeq, parseDocument } from 'yaml';
import type { Decided } from '../../adapters/observed-system.ts';
import { storeOf } from '../../adapters/observed-system.ts';
import { adapterOf, everyAdapter } from '../../adapters/registry.ts';
import { knownImage } from '../../adapters/well-known.ts';
import { ownOf } from '../../base/values.ts';
import { scalar } from '../../catalog/project-file.ts';
import type { Project, ProjectService } from '../../catalog/project-schema.ts';
import { entryUrls } from '../../catalog/project-schema.ts';
import type { AttachedService } from '../../target/compose-model.ts';
import { adapterTaking, OPAQUE } from '../../target/detect.ts';
import { LEVEL_WITHOUT_CONSENT } from '../../target/init.ts';
import type { FoundEntryPoints } from './observed-entries.ts';

/** of the text, in the place of what stood there */
type Splice = { from: number; to: number; text: string };

/** reason: one clause, of its product */
type SeenService = { tier: string; product: string; watch: number; protocol: string; reason?: string };

const SEEN = 'seen on the wire';
const NO_ENTRY_POINTS: FoundEntryPoints = { entries: {}, hosts: {}, headers: {} };

/**
 * @param text of a doubletake.yaml that is right
 * @param project that it says
 * @param seen doors: how entries want to be asked; urls: what to ask for in the place of the placeholder; none where that stays
 */
export function withObserved(
	text: string,
	project: Project,
	{
		entries = entryUrls(project),
		entryPoints = NO_ENTRY_POINTS,
		urls = [],
		edges,
		services,
	}: {
		entries?: string[];
		entryPoints?: FoundEntryPoints;
		urls?: string[];
		edges: Decided['edges'];
		services: Record<string, SeenService>;
	},
): string {
	const root = parseDocument(text, { stringKeys: true }).contents as any;
	const splices = [
		...entrySplices(root, entryUrls(project), entries, entryPoints),
		...hostSplices(text, root, project, entryPoints),
		...headerSplices(text, root, entryPoints),
		...edgeSplices(text, root, project.edges, edges),
		...urlSplices(text, root, urls),
		...Object.entries(services).flatMap(([service, wanted]) =>
			serviceSplices(text, root, { service, wanted, found: project.services[service] }),
		),
	];
	// From the end on, so that what stands before keeps its place.
	return splices
		.toSorted((one, other) => other.from - one.from)
		.reduce((all, { from, to, text: own }) => `${all.slice(0, from)}${own}${all.slice(to)}`, text);
}

function entrySplices(root: any, found: string[], seen: string[], entryPoints: FoundEntryPoints): Splice[] {
	const wanted = seen.map((entry) => entryPoints.entries[entry] ?? entry);
	if (wanted.join(' ') === found.join(' ')) return [];
	const { key, value } = root.items.find((pair: any) => pair.key.value === 'entry');
	const from = key.range[0];
	return [
		{ from, to: from, text: `# ${SEEN}: ${whyEntries(found, seen, entryPoints)}\n` },
		{ from: value.range[0], to: endOf(value), text: wanted.length > 1 ? `[${wanted.map(scalar).join(', ')}]` : scalar(wanted[0]) },
	];
}

function whyEntries(found: string[], wanted: string[], { entries }: FoundEntryPoints) {
	const moved = wanted.filter((entry) => entries[entry] !== undefined);
	const reported = moved.map((entry) => `${entry} is to be asked at ${entries[entry]}`).join(', ');
	if (wanted.join(' ') === found.join(' ')) return reported;
	return `${otherEntries(found, wanted)}${reported === '' ? '' : `; ${reported}`}`;
}

function otherEntries(found: string[], wanted: string[]) {
	if (!wanted.every((url) => found.includes(url))) return `from here requests come to more services than from ${found.join(', ')}`;
	const gone = found.filter((url) => !wanted.includes(url));
	return gone.length === 0
		? 'requests to the first need most services'
		: `another entry asks ${gone.join(', ')}, or nobody was answered there`;
}

/** Hosts that a redirect gave, and those of an entry that is written otherwise now. */
function hostSplices(text: string, root: any, { hosts = {} }: Project, { entries, hosts: found }: FoundEntryPoints): Splice[] {
	const added = Object.entries(found).filter(([host]) => hosts[host] === undefined);
	const node = root.get('hosts', true);
	const moved = isMap(node)
		? node.items.flatMap(({ value }: any) => {
				const wanted = isScalar(value) && value.range ? entries[String(value.value)] : undefined;
				return wanted === undefined ? [] : [{ from: value.range[0], to: value.range[1], text: scalar(wanted) }];
			})
		: [];
	if (added.length === 0) return moved;
	const lines = added.map(([host, entry]) => `${scalar(host)}: ${scalar(entry)}`);
	const why = `# ${SEEN}: redirects lead to ${added.map(([host]) => host).join(', ')}`;
	if (isMap(node) && node.range)
		return node.flow
			? [...moved, { from: node.range[0] + 1, to: node.range[0] + 1, text: ` ${lines.join(', ')},` }]
			: [...moved, { from: node.range[0], to: node.range[0], text: `${lines.join('\n  ')} ${why}\n  ` }];
	const { value } = root.items.find((pair: any) => pair.key.value === 'entry');
	const end = endOfLine(text, endOf(value));
	return [{ from: end, to: end, text: `\n${why}\nhosts: { ${lines.join(', ')} }` }];
}

function headerSplices(text: string, root: any, { headers }: FoundEntryPoints): Splice[] {
	const load = root.get('load', true);
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${scalar(value)}`);
	if (lines.length === 0 || !isMap(load) || load.flow || load.has('headers') || load.has('script')) return [];
	const from = (load.items[0].key as any).range[0];
	const indent = text.slice(text.lastIndexOf('\n', from) + 1, from);
	return [{ from, to: from, text: `headers: { ${lines.join(', ')} } # ${SEEN}: it redirects without\n${indent}` }];
}

/** A list in lines ends at the beginning of the next line. */
const endOf = ({ range, flow, items }: any) => (items && !flow ? items.at(-1).range[1] : range[1]);

function urlSplices(text: string, root: any, urls: string[]): Splice[] {
	const value = root.getIn(['load', 'urls'], true);
	if (urls.length === 0 || !isSeq(value) || !value.flow || !value.range) return [];
	const [from, to] = value.range;
	const end = endOfLine(text, to);
	return [
		{
			from,
			to: end,
			text: `${JSON.stringify(urls).replaceAll('","', '", "')} # pages that users come to first: write what yours ask`,
		},
	];
}

function edgeSplices(text: string, root: any, found: Decided['edges'], wanted: Decided['edges']): Splice[] {
	const isIn =
		(all: Decided['edges']) =>
		([from, to]: [string, string]) =>
			all.some(([one, other]) => one === from && other === to);
	const added = wanted.filter((pair) => !isIn(found)(pair));
	const gone = found.filter((pair) => !isIn(wanted)(pair));
	if (added.length + gone.length === 0) return [];
	const reported = [
		...(added.length > 0 ? [`${SEEN}: ${pairsText(added)}`] : []),
		...(gone.length > 0 ? [`not ${SEEN}: ${pairsText(gone)}`] : []),
	];
	const comment = reported.map((line) => `# ${line}\n`).join('');
	const pair = root.items.find(({ key }: any) => key.value === 'edges');
	if (pair === undefined) return [{ from: text.length, to: text.length, text: `\n${comment}edges: ${pairs(wanted)}\n` }];
	const { key, value } = pair;
	const [from] = key.range;
	// Comments between the items of a list in lines would be lost with it.
	if (isSeq(value) && !value.flow) return [{ from, to: from, text: comment }, ...lineSplices(text, value, added, isIn(gone))];
	return [{ from, to: value.range[1], text: `${comment}edges: ${pairs(wanted)}` }];
}

function lineSplices(text: string, value: any, added: Decided['edges'], isGone: (pair: [string, string]) => boolean): Splice[] {
	const out = value.items
		.filter((item: any) => isGone(item.toJSON().map(String)))
		.map((item: any) => {
			const from = text.lastIndexOf('-', item.range[0] - 1);
			return { from, to: from, text: '# ' };
		});
	const last = value.items.at(-1).range[1];
	const indent = /^ */.exec(text.slice(text.lastIndexOf('\n', value.range[0]) + 1))?.[0] ?? '';
	const lines = added.map((pair) => `\n${indent}- ${pairs([pair]).slice(1, -1)}`).join('');
	const end = endOfLine(text, last);
	return [...out, ...(lines === '' ? [] : [{ from: end, to: end, text: lines }])];
}

function serviceSplices(
	text: string,
	root: any,
	{ service, wanted, found }: { service: string; wanted: SeenService; found: ProjectService | undefined },
): Splice[] {
	const node = root.getIn(['services', service], true);
	if (found === undefined || !isMap(node)) return [];
	const changed = (['tier', 'product', 'watch'] as const).filter((name) => wanted[name] !== found[name]);
	if (changed.length === 0) return [];
	const splices = changed.flatMap((name) => {
		const value = node.get(name, true);
		return isScalar(value) && value.range ? [{ from: value.range[0], to: value.range[1], text: textOf(wanted[name]) }] : [];
	});
	const end = endOfLine(text, Math.max(...splices.map(({ to }) => to)));
	const hasComment = text.slice(text.lastIndexOf('\n', end - 1) + 1, end).includes(' #');
	const why = wanted.reason ?? (wanted.protocol === '' ? SEEN : `${SEEN}: asked in ${wanted.protocol}`);
	return [...splices, { from: end, to: end, text: hasComment ? `; ${why}` : ` # ${why}` }];
}

/**
 * A product is known by what its image starts, whatever that is called, else by what it speaks where nothing else says what it is: others speak
 * the same.
 * @param known commands: of images, where the file gives none
 */
export function asSeen(
	name: string,
	{ tier, product, watch }: ProjectService,
	{
		decided,
		models,
		commands: { [name]: command = [] },
	}: { decided: Decided; models: AttachedService[]; commands: Record<string, string[]> },
): SeenService {
	const seen: SeenService = { tier: ownOf(decided.tiers, name) ?? tier, product, watch, protocol: ownOf(decided.protocols, name) ?? '' };
	const model = models.find(({ service }) => service === name);
	if (product !== OPAQUE || model === undefined) return seen;
	const started = { ...model, command };
	const starting = command.length === 0 ? undefined : adapterTaking(started, everyAdapter);
	// A proxy before nothing that is seen, as within TLS, is an app by that.
	const tiers = seen.tier === 'app' ? ['app', 'load-balancer'] : [seen.tier];
	const isStarted = tiers.includes(starting?.detect(started)?.tier ?? '');
	const store = storeOf(seen.protocol);
	const speaking = knownImage(model.image) === null && store?.tier === seen.tier ? adapterOf(store.product) : null;
	const adapter = isStarted ? starting : speaking;
	if (!adapter) return seen;
	const levels = adapter.watches(model).map(({ level }) => level);
	return {
		...seen,
		product: adapter.product,
		watch: Math.max(watch, ...levels.filter((level) => level <= LEVEL_WITHOUT_CONSENT)),
		...(isStarted ? { reason: `its image starts ${adapter.title}` } : {}),
	};
}

const textOf = (value: string | number) => (typeof value === 'number' ? String(value) : scalar(value));

function endOfLine(text: string, at: number) {
	const end = text.indexOf('\n', at);
	return end < 0 ? text.length : end;
}

const pairs = (edges: Decided['edges']) => `[${edges.map((pair) => `[${pair.map(scalar).join(', ')}]`).join(', ')}]`;

const pairsText = (edges: Decided['edges']) => edges.map(([from, to]) => `${from} asks ${to}`).join(', ');
