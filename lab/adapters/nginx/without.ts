/** The logs and totals of a shipped system's Nginx without requests that are left out of its record. */

import { RECORD } from '../../base/paths.ts';
import { parseLines } from '../../base/values.ts';
import type { Adapter } from '../contract.ts';
import { FILES } from './inside.ts';

/** What the error log calls a connection. */
const CONNECTION = / \*(\d+) /;

export function without(
	thinned: Parameters<NonNullable<Adapter['without']>>[0],
	files: Parameters<NonNullable<Adapter['without']>>[1],
	{ isDropped }: Parameters<NonNullable<Adapter['without']>>[2],
): ReturnType<NonNullable<Adapter['without']>> {
	const [access, error, totals] = [FILES.access, FILES.error, FILES.totals].map((name) => `${RECORD.raw}/${name}`);
	if (!files[access]) return {};
	return {
		...(files[error] ? { [error]: ofConnections(thinned[error], files[access], thinned[access]) } : {}),
		...(files[totals] ? { [totals]: less(files[totals], files[access], isDropped) } : {}),
	};
}

/**
 * The error log names the connection alone.
 * @param all lines of the access log
 */
function ofConnections(text: string, all: string, kept: string) {
	const connectionsIn = (lines: string) => new Set([...lines.matchAll(/"connection":(\d+)/g)].map(([, number]) => number));
	const [every, left] = [connectionsIn(all), connectionsIn(kept)];
	const isKept = (line: string) => {
		const number = CONNECTION.exec(line)?.[1];
		return number === undefined || !every.has(number) || left.has(number);
	};
	return text
		.split('\n')
		.filter((line) => line === '' || isKept(line))
		.join('\n');
}

function less(totals: string, access: string, isDropped: (id: string) => boolean) {
	const dropped = parseLines(access).filter(({ id }) => isDropped(id));
	return parseLines(totals)
		.map((row) => ({ ...row, requests: Math.max(0, row.requests - dropped.filter(({ t }) => t <= row.t).length) }))
		.map((row) => `${JSON.stringify(row)}\n`)
		.join('');
}
