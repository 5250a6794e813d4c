/**
 * Which other files a Compose file names, as Compose's own reader takes its text. Where the two readers differ, more is named rather than less: an entry
 * counts wherever it may come from, and one that is written twice, reset or replaced counts too.
 */

import type { Alias, Document, Node } from 'yaml';
import { isAlias, isMap, isPair, isScalar, isSeq, parseAllDocuments, visit } from 'yaml';

type Included = {
	/** of the Compose files */
	paths: string[];
	/** files of variables for them */
	variables: string[];
	/** that their paths begin at; empty where it does not say */
	place: string;
};

type NamedBy = {
	service: string;
	/** files of variables and of labels */
	variables: string[];
	/** file: null where it is the same */
	extended: { file: string | null; service: string }[];
};

/** Compose's reader ends a line at each: https://yaml.org/spec/1.1/#b-generic */
const BREAK = /\r\n?|[\u0085\u2028\u2029]/g;
/** Of a text that is not UTF-8, which Compose reads all the same. */
const OTHER_CODE = /^\ufffd|\0/;
/** Its text is not what it stands for. */
const BINARY = 'tag:yaml.org,2002:binary';

/** @returns as far as they can be read */
export function documentsOf(text: string): Document[] {
	const found = parseAllDocuments(text.replace(BREAK, '\n'), { prettyErrors: false, logLevel: 'silent', uniqueKeys: false });
	return (Array.isArray(found) ? found : []) as Document[];
}

/** whether Compose finds nothing else in it than the lab does */
export const isPlain: (text: string, documents: Document[]) => boolean = (text, documents) =>
	!OTHER_CODE.test(text) &&
	documents.every(({ contents, errors }) => errors.length === 0 && (isEmpty(contents) || isMap(contents)) && !hasBinary(contents));

/** A key that names files, or what could come to be one: an escape, a tag. */
const MAY_NAME = /include|env_file|label_file|extends|!|\\[xuU\r\n\u0085\u2028\u2029]/;
/** Of a text that only Compose can read. */
export const mayName = (text: string) => OTHER_CODE.test(text) || MAY_NAME.test(text);

const isEmpty = (node: unknown) => node === null || (isScalar(node) && node.value === null);

function hasBinary(contents: any) {
	let isThere = false;
	visit(contents, {
		Node: (_, { tag }) => {
			isThere ||= tag === BINARY;
			return isThere ? visit.BREAK : undefined;
		},
	});
	return isThere;
}

export const includesIn = (document: Document): Included[] => {
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

export const servicesIn = (document: Document): NamedBy[] => {
	const { under, textsOf, itemsOf, entriesOf } = readerOf(document);
	const pathsOf = (one: unknown) => (isMap(one) ? under(one, 'path').flatMap(textsOf) : textsOf(one));
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

function readerOf(document: Document) {
	const targets = targetsIn(document);
	const resolved = (node: unknown) => (isAlias(node) ? targets.get(node) : node);
	const entriesOf = (node: unknown) => entriesWithin(node, []);
	/** With what is merged into it, however deep. */
	const entriesWithin: (node: unknown, outer: unknown[]) => [string, unknown][] = (node, outer) => {
		if (!isMap(node) || outer.includes(node)) return [];
		return node.items.flatMap(({ key, value }) => {
			const name = textOf(resolved(key));
			const found = resolved(value);
			return name === '<<' ? itemsOf(found).flatMap((one) => entriesWithin(one, [...outer, node])) : [[name, found] as [string, unknown]];
		});
	};
	const under = (node: unknown, key: string) => entriesOf(node).flatMap(([name, found]) => (name === key ? [found] : []));
	const itemsOf: (node: unknown) => unknown[] = (node) => (isSeq(node) ? node.items.filter((one) => !isPair(one)).map(resolved) : [node]);
	const textsOf = (node: unknown) => itemsOf(node).flatMap((one) => (isScalar(one) && one.value !== null ? [textOf(one)] : []));
	return { entriesOf, under, itemsOf, textsOf };
}

/** Of each alias, what it stands for: the last before it of that name. */
function targetsIn(document: Document) {
	const anchors: Map<string, Node> = new Map();
	const targets: Map<Alias, Node | undefined> = new Map();
	visit(document, {
		Node: (_, node) => {
			if (isAlias(node)) targets.set(node, anchors.get(node.source));
			else if (node.anchor) anchors.set(node.anchor, node);
		},
	});
	return targets;
}

const textOf = (node: unknown) =>
	isScalar(node) ? (typeof node.value === 'string' ? node.value : (node.source ?? String(node.value))) : '';
