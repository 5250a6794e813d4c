/**
 * The thresholds of a module, by one rule: numbers in the value of a const of the module itself, outside functions, that are a fraction, or whole and
 * named as a quantity (`WAIT_S`, `CALLS_LEAST`). So no status, unit, id, level or index is one; nor is zero or what is below it. Pure.
 */

import { stripTypeScriptTypes } from 'node:module';
import type { AnyNode } from 'acorn';
import { parse } from 'acorn';

export type Constant = {
	file: string;
	/** with the key or the place in a list, such as `LEAST_S.connect` */
	name: string;
	value: number;
	/** in the source */
	start: number;
	end: number;
};

export type Move = Pick<Constant, 'start' | 'end'> & { to: number };

/** By how much each moves. */
const PART = 0.2;
/** From here on a whole step lies within it: whole ones stay whole. Of the smaller ones a fraction says as much, as `at least 3.6` is `at least 4`. */
const WHOLE_FROM = 1 / PART;
/** How the name of a whole number says that more or less of it can be had. */
const QUANTITY =
	/(?:^|_)(?:S|MS|MOST|LEAST|SHARE|PART|TIMES|COST|COSTS|APART|FEW|MANY|SPREAD|ENOUGH|PERCENT|BELIEVED|DEARER|(?:LEAST|MOST)_BYTES)$|[a-z](?:S|Ms|Share|Least|Most)$/;

/** @returns in the order of the source */
export function constantsOf(file: string, source: string): Constant[] {
	// Places stay the same: blanks stand for types.
	const { body } = parse(stripTypeScriptTypes(source), { ecmaVersion: 'latest', sourceType: 'module' });
	return body
		.flatMap((statement) => (statement.type === 'ExportNamedDeclaration' ? (statement.declaration ?? []) : statement))
		.flatMap((declared) => (declared.type === 'VariableDeclaration' && declared.kind === 'const' ? declared.declarations : []))
		.flatMap(({ id, init }) => (init ? named(id, init) : []))
		.flatMap(({ name, value, start, end }) => (isThreshold(name, value) ? [{ file, name, value, start, end }] : []));
}

function named(id: AnyNode, value: AnyNode): Omit<Constant, 'file'>[] {
	if (id.type === 'Identifier') return numbersIn(id.name, value);
	if (id.type !== 'ArrayPattern' || value.type !== 'ArrayExpression') return [];
	return id.elements.flatMap((one, at) => {
		const own = value.elements[at];
		return one && own ? named(one, own) : [];
	});
}

function numbersIn(name: string, node: AnyNode): Omit<Constant, 'file'>[] {
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

const keyOf = (key: AnyNode) => (key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : '');

const RECKON: Record<string, (left: number, right: number) => number> = {
	'+': (a, b) => a + b,
	'-': (a, b) => a - b,
	'*': (a, b) => a * b,
	'/': (a, b) => a / b,
	'**': (a, b) => a ** b,
};

/** @returns of what is made of numbers alone, such as `1 / 3` */
function reckoned(node: AnyNode): number | null {
	if (node.type === 'Literal') return typeof node.value === 'number' ? node.value : null;
	if (node.type === 'UnaryExpression' && node.operator === '-') return opposite(reckoned(node.argument));
	if (node.type !== 'BinaryExpression') return null;
	const [left, right] = [node.left, node.right].map((one) => reckoned(one));
	return left === null || right === null ? null : (RECKON[node.operator]?.(left, right) ?? null);
}

const opposite = (value: number | null) => (value === null ? null : -value);

const isThreshold = (name: string, value: number) =>
	value > 0 && (!Number.isInteger(value) || name.split(/[.[]/).some((part) => QUANTITY.test(part)));

/** What is below one and no time is a share, and stays one: it goes no further than halfway to all. */
const TIME = /_(?:S|MS)(?:$|[.[])/;

export function moveOf({ name, start, end, value }: Constant, isUp: boolean): Move {
	const to = value * (1 + (isUp ? PART : -PART));
	if (value < 1 && !TIME.test(name)) return { start, end, to: Math.min(to, (1 + value) / 2) };
	return { start, end, to: Number.isInteger(value) && value >= WHOLE_FROM ? Math.round(to) : to };
}

export const movedSource = (source: string, moves: Move[]): string =>
	moves
		.toSorted((one, other) => other.start - one.start)
		.reduce((text, { start, end, to }) => `${text.slice(0, start)}${to}${text.slice(end)}`, source);
