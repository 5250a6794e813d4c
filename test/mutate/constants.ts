/**
 * The thresholds of a module, by one rule: numbers in the value of a const of the module itself, outside functions, that are a fraction, or whole and
 * named as a quantity (`WAIT_S`, `CALLS_LEAST`). So no status, unit, id, level or index is one; nor is zero or what is below it. Pure.
 *
 * @typedef {object} Constant
 * @property {string} file
 * @property {string} name    with the key or the place in a list, such as `LEAST_S.connect`
 * @property {number} value
 * @property {number} start   in the source
 * @property {number} end
 *
 * @typedef {Pick<Constant, 'start' | 'end'> & { to: number }} Move
 */

import { parse } from 'acorn';

/** By how much each moves. */
const PART = 0.2;
/** From here on a whole step lies within it: whole ones stay whole. Of the smaller ones a fraction says as much, as `at least 3.6` is `at least 4`. */
const WHOLE_FROM = 1 / PART;
/** How the name of a whole number says that more or less of it can be had. */
const QUANTITY =
	/(?:^|_)(?:S|MS|MOST|LEAST|SHARE|PART|TIMES|COST|COSTS|APART|FEW|MANY|SPREAD|ENOUGH|PERCENT|BELIEVED|DEARER|(?:LEAST|MOST)_BYTES)$|[a-z](?:S|Ms|Share|Least|Most)$/;

/** @param {string} file @param {string} source @returns {Constant[]} in the order of the source */
export function constantsOf(file, source) {
	const { body } = parse(source, { ecmaVersion: 'latest', sourceType: 'module' });
	return body
		.flatMap((statement) => (statement.type === 'ExportNamedDeclaration' ? (statement.declaration ?? []) : statement))
		.flatMap((declared) => (declared.type === 'VariableDeclaration' && declared.kind === 'const' ? declared.declarations : []))
		.flatMap(({ id, init }) => (init ? named(id, init) : []))
		.flatMap(({ name, value, start, end }) => (isThreshold(name, value) ? [{ file, name, value, start, end }] : []));
}

/** @typedef {import('acorn').AnyNode} AnyNode */

/** @param {AnyNode} id @param {AnyNode} value @returns {Omit<Constant, 'file'>[]} */
function named(id, value) {
	if (id.type === 'Identifier') return numbersIn(id.name, value);
	if (id.type !== 'ArrayPattern' || value.type !== 'ArrayExpression') return [];
	return id.elements.flatMap((one, at) => {
		const own = value.elements[at];
		return one && own ? named(one, own) : [];
	});
}

/** @param {string} name @param {AnyNode} node @returns {Omit<Constant, 'file'>[]} */
function numbersIn(name, node) {
	const value = reckoned(node);
	if (value !== null) return [{ name, value, start: node.start, end: node.end }];
	switch (node.type) {
		case 'ArrayExpression':
			return node.elements.flatMap((one, at) => (one ? numbersIn(`${name}[${at}]`, one) : []));
		case 'ObjectExpression':
			return node.properties.flatMap((one) => (one.type === 'Property' ? numbersIn(`${name}.${keyOf(one.key)}`, one.value) : []));
		case 'NewExpression':
		case 'CallExpression':
			return node.arguments.flatMap((one) => numbersIn(name, one));
		case 'BinaryExpression':
			return [node.left, node.right].flatMap((one) => numbersIn(name, one));
		default:
			return [];
	}
}

/** @param {AnyNode} key */
const keyOf = (key) => (key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : '');

/** @type {Record<string, (left: number, right: number) => number>} */
const RECKON = { '+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b, '/': (a, b) => a / b, '**': (a, b) => a ** b };

/** @param {AnyNode} node @returns {number | null} of what is made of numbers alone, such as `1 / 3` */
function reckoned(node) {
	if (node.type === 'Literal') return typeof node.value === 'number' ? node.value : null;
	if (node.type === 'UnaryExpression' && node.operator === '-') return opposite(reckoned(node.argument));
	if (node.type !== 'BinaryExpression') return null;
	const [left, right] = [node.left, node.right].map((one) => reckoned(one));
	return left === null || right === null ? null : (RECKON[node.operator]?.(left, right) ?? null);
}

/** @param {number | null} value */
const opposite = (value) => (value === null ? null : -value);

/** @param {string} name @param {number} value */
const isThreshold = (name, value) => value > 0 && (!Number.isInteger(value) || name.split(/[.[]/).some((part) => QUANTITY.test(part)));

/** What is below one and no time is a share, and stays one: it goes no further than halfway to all. */
const TIME = /_(?:S|MS)(?:$|[.[])/;

/** @param {Constant} constant @param {boolean} isUp @returns {Move} */
export function moveOf({ name, start, end, value }, isUp) {
	const to = value * (1 + (isUp ? PART : -PART));
	if (value < 1 && !TIME.test(name)) return { start, end, to: Math.min(to, (1 + value) / 2) };
	return { start, end, to: Number.isInteger(value) && value >= WHOLE_FROM ? Math.round(to) : to };
}

/** @param {string} source @param {Move[]} moves @returns {string} */
export const movedSource = (source, moves) =>
	moves
		.toSorted((one, other) => other.start - one.start)
		.reduce((text, { start, end, to }) => `${text.slice(0, start)}${to}${text.slice(end)}`, source);
