/**
 * Which other files a Compose file names, as Compose's own reader takes its text. Where the two readers differ, more is named rather than less: an entry
 * counts wherever it may come from, and one that is written twice, reset or replaced counts too.
 *
 * @typedef {object} Included
 * @property {string[]} paths      of the Compose files
 * @property {string[]} variables  files of variables for them
 * @property {string} place        that their paths begin at; empty where it does not say
 *
 * @typedef {object} NamedBy
 * @property {string} service
 * @property {string[]} variables  files of variables and of labels
 * @property {{ file: string | null, service: string }[]} extended  file: null where it is the same
 */

import { isAlias, isMap, isPair, isScalar, isSeq, parseAllDocuments, visit } from 'yaml';

/** Compose's reader ends a line at each: https://yaml.org/spec/1.1/#b-generic */
const BREAK = /\r\n?|[\u0085\u2028\u2029]/g;
/** Of a text that is not UTF-8, which Compose reads all the same. */
const OTHER_CODE = /^\ufffd|\0/;
/** Its text is not what it stands for. */
const BINARY = 'tag:yaml.org,2002:binary';

/** @param {string} text @returns {import('yaml').Document[]} as far as they can be read */
export function documentsOf(text) {
	const found = parseAllDocuments(text.replace(BREAK, '\n'), { prettyErrors: false, logLevel: 'silent', uniqueKeys: false });
	return /** @type {import('yaml').Document[]} */ (Array.isArray(found) ? found : []);
}

/** @type {(text: string, documents: import('yaml').Document[]) => boolean} whether Compose finds nothing else in it than the lab does */
export const isPlain = (text, documents) =>
	!OTHER_CODE.test(text) &&
	documents.every(({ contents, errors }) => errors.length === 0 && (isEmpty(contents) || isMap(contents)) && !hasBinary(contents));

/** A key that names files, or what could come to be one: an escape, a tag. */
const MAY_NAME = /include|env_file|label_file|extends|!|\\[xuU\r\n\u0085\u2028\u2029]/;
/** Of a text that only Compose can read. @param {string} text */
export const mayName = (text) => OTHER_CODE.test(text) || MAY_NAME.test(text);

/** @param {unknown} node */
const isEmpty = (node) => node === null || (isScalar(node) && node.value === null);

/** @param {any} contents */
function hasBinary(contents) {
	let isThere = false;
	visit(contents, {
		Node: (_, { tag }) => {
			isThere ||= tag === BINARY;
			return isThere ? visit.BREAK : undefined;
		},
	});
	return isThere;
}

/** @param {import('yaml').Document} document @returns {Included[]} */
export const includesIn = (document) => {
	const { under, textsOf, itemsOf } = readerOf(document);
	return under(document.contents, 'include')
		.flatMap(itemsOf)
		.map((one) =>
			isMap(one)
				? {
						paths: under(one, 'path').flatMap(textsOf),
						variables: under(one, 'env_file').flatMap(textsOf),
						place: under(one, 'project_directory').flatMap(textsOf)[0] ?? '',
					}
				: { paths: textsOf(one), variables: [], place: '' },
		);
};

/** @param {import('yaml').Document} document @returns {NamedBy[]} */
export const servicesIn = (document) => {
	const { under, textsOf, itemsOf, entriesOf } = readerOf(document);
	const pathsOf = (/** @type {unknown} */ one) => (isMap(one) ? under(one, 'path').flatMap(textsOf) : textsOf(one));
	return under(document.contents, 'services')
		.flatMap(entriesOf)
		.map(([service, found]) => ({
			service,
			variables: ['env_file', 'label_file'].flatMap((key) => under(found, key).flatMap(itemsOf).flatMap(pathsOf)),
			extended: under(found, 'extends').flatMap((one) => {
				if (!isMap(one)) return textsOf(one).map((name) => ({ file: null, service: name }));
				const files = under(one, 'file').flatMap(textsOf);
				return under(one, 'service')
					.flatMap(textsOf)
					.flatMap((name) => (files.length === 0 ? [null] : files).map((file) => ({ file, service: name })));
			}),
		}));
};

/** @param {import('yaml').Document} document */
function readerOf(document) {
	const targets = targetsIn(document);
	const resolved = (/** @type {unknown} */ node) => (isAlias(node) ? targets.get(node) : node);
	const entriesOf = (/** @type {unknown} */ node) => entriesWithin(node, []);
	/** With what is merged into it, however deep. @type {(node: unknown, outer: unknown[]) => [string, unknown][]} */
	const entriesWithin = (node, outer) => {
		if (!isMap(node) || outer.includes(node)) return [];
		return node.items.flatMap(({ key, value }) => {
			const name = textOf(resolved(key));
			const found = resolved(value);
			return name === '<<'
				? itemsOf(found).flatMap((one) => entriesWithin(one, [...outer, node]))
				: [/** @type {[string, unknown]} */ ([name, found])];
		});
	};
	const under = (/** @type {unknown} */ node, /** @type {string} */ key) =>
		entriesOf(node).flatMap(([name, found]) => (name === key ? [found] : []));
	/** @type {(node: unknown) => unknown[]} */
	const itemsOf = (node) => (isSeq(node) ? node.items.filter((one) => !isPair(one)).map(resolved) : [node]);
	const textsOf = (/** @type {unknown} */ node) =>
		itemsOf(node).flatMap((one) => (isScalar(one) && one.value !== null ? [textOf(one)] : []));
	return { entriesOf, under, itemsOf, textsOf };
}

/** Of each alias, what it stands for: the last before it of that name. @param {import('yaml').Document} document */
function targetsIn(document) {
	/** @type {Map<string, import('yaml').Node>} */
	const anchors = new Map();
	/** @type {Map<import('yaml').Alias, import('yaml').Node | undefined>} */
	const targets = new Map();
	visit(document, {
		Node: (_, node) => {
			if (isAlias(node)) targets.set(node, anchors.get(node.source));
			else if (node.anchor) anchors.set(node.anchor, node);
		},
	});
	return targets;
}

/** @param {unknown} node */
const textOf = (node) => (isScalar(node) ? (typeof node.value === 'string' ? node.value : (node.source ?? String(node.value))) : '');
