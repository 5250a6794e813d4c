/**
 * Writes what was seen into the text of doubletake.yaml, and leaves all else of it as its user wrote it, comments too. Pure.
 *
 * @typedef {{ from: number, to: number, text: string }} Splice  of the text, in the place of what stood there
 * @typedef {{ tier: string, product: string, watch: number, protocol: string, reason?: string }} SeenService  reason: one clause, of its product
 *
 * @import { Decided } from '../../adapters/observed-system.ts'
 * @import { Project, ProjectService } from '../../catalog/project-schema.ts'
 * @import { AttachedService } from '../../target/compose-model.ts'
 * @import { FoundEntryPoints } from './observed-entries.ts'
 */

import { isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { storeOf } from '../../adapters/observed-system.ts';
import { adapterOf, everyAdapter } from '../../adapters/registry.ts';
import { knownImage } from '../../adapters/well-known.ts';
import { ownOf } from '../../base/values.ts';
import { scalar } from '../../catalog/project-file.ts';
import { entryUrls } from '../../catalog/project-schema.ts';
import { adapterTaking, OPAQUE } from '../../target/detect.ts';
import { LEVEL_WITHOUT_CONSENT } from '../../target/init.ts';

const SEEN = 'seen on the wire';
/** @type {FoundEntryPoints} */
const NO_ENTRY_POINTS = { entries: {}, hosts: {}, headers: {} };

/**
 * @param {string} text  of a doubletake.yaml that is right
 * @param {Project} project  that it says
 * @param {{ entries?: string[], entryPoints?: FoundEntryPoints, urls?: string[], edges: Decided['edges'], services: Record<string, SeenService> }} seen
 *   doors: how entries want to be asked; urls: what to ask for in the place of the placeholder; none where that stays
 * @returns {string}
 */
export function withObserved(text, project, { entries = entryUrls(project), entryPoints = NO_ENTRY_POINTS, urls = [], edges, services }) {
	const root = /** @type {any} */ (parseDocument(text, { stringKeys: true }).contents);
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

/** @type {(root: any, found: string[], seen: string[], entryPoints: FoundEntryPoints) => Splice[]} */
function entrySplices(root, found, seen, entryPoints) {
	const wanted = seen.map((entry) => entryPoints.entries[entry] ?? entry);
	if (wanted.join(' ') === found.join(' ')) return [];
	const { key, value } = root.items.find((/** @type {any} */ pair) => pair.key.value === 'entry');
	const from = key.range[0];
	return [
		{ from, to: from, text: `# ${SEEN}: ${whyEntries(found, seen, entryPoints)}\n` },
		{ from: value.range[0], to: endOf(value), text: wanted.length > 1 ? `[${wanted.map(scalar).join(', ')}]` : scalar(wanted[0]) },
	];
}

/** @param {string[]} found @param {string[]} wanted @param {FoundEntryPoints} entryPoints */
function whyEntries(found, wanted, { entries }) {
	const moved = wanted.filter((entry) => entries[entry] !== undefined);
	const reported = moved.map((entry) => `${entry} is to be asked at ${entries[entry]}`).join(', ');
	if (wanted.join(' ') === found.join(' ')) return reported;
	return `${otherEntries(found, wanted)}${reported === '' ? '' : `; ${reported}`}`;
}

/** @param {string[]} found @param {string[]} wanted */
function otherEntries(found, wanted) {
	if (!wanted.every((url) => found.includes(url))) return `from here requests come to more services than from ${found.join(', ')}`;
	const gone = found.filter((url) => !wanted.includes(url));
	return gone.length === 0
		? 'requests to the first need most services'
		: `another entry asks ${gone.join(', ')}, or nobody was answered there`;
}

/**
 * Hosts that a redirect gave, and those of an entry that is written otherwise now.
 * @type {(text: string, root: any, project: Project, entryPoints: FoundEntryPoints) => Splice[]}
 */
function hostSplices(text, root, { hosts = {} }, { entries, hosts: found }) {
	const added = Object.entries(found).filter(([host]) => hosts[host] === undefined);
	const node = root.get('hosts', true);
	const moved = isMap(node)
		? node.items.flatMap((/** @type {any} */ { value }) => {
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
	const { value } = root.items.find((/** @type {any} */ pair) => pair.key.value === 'entry');
	const end = endOfLine(text, endOf(value));
	return [{ from: end, to: end, text: `\n${why}\nhosts: { ${lines.join(', ')} }` }];
}

/** @type {(text: string, root: any, entryPoints: FoundEntryPoints) => Splice[]} */
function headerSplices(text, root, { headers }) {
	const load = root.get('load', true);
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${scalar(value)}`);
	if (lines.length === 0 || !isMap(load) || load.flow || load.has('headers') || load.has('script')) return [];
	const from = /** @type {any} */ (load.items[0].key).range[0];
	const indent = text.slice(text.lastIndexOf('\n', from) + 1, from);
	return [{ from, to: from, text: `headers: { ${lines.join(', ')} } # ${SEEN}: it redirects without\n${indent}` }];
}

/** A list in lines ends at the beginning of the next line. @param {any} value */
const endOf = ({ range, flow, items }) => (items && !flow ? items.at(-1).range[1] : range[1]);

/** @type {(text: string, root: any, urls: string[]) => Splice[]} */
function urlSplices(text, root, urls) {
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

/** @type {(text: string, root: any, found: Decided['edges'], wanted: Decided['edges']) => Splice[]} */
function edgeSplices(text, root, found, wanted) {
	const isIn =
		(/** @type {Decided['edges']} */ all) =>
		(/** @type {[string, string]} */ [from, to]) =>
			all.some(([one, other]) => one === from && other === to);
	const added = wanted.filter((pair) => !isIn(found)(pair));
	const gone = found.filter((pair) => !isIn(wanted)(pair));
	if (added.length + gone.length === 0) return [];
	const reported = [
		...(added.length > 0 ? [`${SEEN}: ${pairsText(added)}`] : []),
		...(gone.length > 0 ? [`not ${SEEN}: ${pairsText(gone)}`] : []),
	];
	const comment = reported.map((line) => `# ${line}\n`).join('');
	const pair = root.items.find((/** @type {any} */ { key }) => key.value === 'edges');
	if (pair === undefined) return [{ from: text.length, to: text.length, text: `\n${comment}edges: ${pairs(wanted)}\n` }];
	const { key, value } = pair;
	const [from] = key.range;
	// Comments between the items of a list in lines would be lost with it.
	if (isSeq(value) && !value.flow) return [{ from, to: from, text: comment }, ...lineSplices(text, value, added, isIn(gone))];
	return [{ from, to: value.range[1], text: `${comment}edges: ${pairs(wanted)}` }];
}

/** @type {(text: string, value: any, added: Decided['edges'], isGone: (pair: [string, string]) => boolean) => Splice[]} */
function lineSplices(text, value, added, isGone) {
	const out = value.items
		.filter((/** @type {any} */ item) => isGone(item.toJSON().map(String)))
		.map((/** @type {any} */ item) => {
			const from = text.lastIndexOf('-', item.range[0] - 1);
			return { from, to: from, text: '# ' };
		});
	const last = value.items.at(-1).range[1];
	const indent = /^ */.exec(text.slice(text.lastIndexOf('\n', value.range[0]) + 1))?.[0] ?? '';
	const lines = added.map((pair) => `\n${indent}- ${pairs([pair]).slice(1, -1)}`).join('');
	const end = endOfLine(text, last);
	return [...out, ...(lines === '' ? [] : [{ from: end, to: end, text: lines }])];
}

/**
 * @param {string} text
 * @param {any} root
 * @param {{ service: string, wanted: SeenService, found: ProjectService | undefined }} about
 * @returns {Splice[]}
 */
function serviceSplices(text, root, { service, wanted, found }) {
	const node = root.getIn(['services', service], true);
	if (found === undefined || !isMap(node)) return [];
	const changed = /** @type {const} */ (['tier', 'product', 'watch']).filter((name) => wanted[name] !== found[name]);
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
 * @param {string} name
 * @param {ProjectService} service
 * @param {{ decided: Decided, models: AttachedService[], commands: Record<string, string[]> }} known
 *   commands: of images, where the file gives none
 * @returns {SeenService}
 */
export function asSeen(name, { tier, product, watch }, { decided, models, commands: { [name]: command = [] } }) {
	/** @type {SeenService} */
	const seen = { tier: ownOf(decided.tiers, name) ?? tier, product, watch, protocol: ownOf(decided.protocols, name) ?? '' };
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

/** @param {string | number} value */
const textOf = (value) => (typeof value === 'number' ? String(value) : scalar(value));

/** @param {string} text @param {number} at */
function endOfLine(text, at) {
	const end = text.indexOf('\n', at);
	return end < 0 ? text.length : end;
}

/** @param {Decided['edges']} edges */
const pairs = (edges) => `[${edges.map((pair) => `[${pair.map(scalar).join(', ')}]`).join(', ')}]`;

/** @param {Decided['edges']} edges */
const pairsText = (edges) => edges.map(([from, to]) => `${from} asks ${to}`).join(', ');
