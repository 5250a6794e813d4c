/** Logs without the lines of requests that are left out. */

import { basename } from 'node:path';
import type { Left as LeftOfContract } from '../../adapters/contract.ts';
import { adapterFor } from '../../adapters/registry.ts';
import { RAW, RECORD, requestLogOf, SERVICE_RECORD } from '../../base/paths.ts';
import { some } from '../../diagnose/joins/grouped.ts';
import type { Raw } from '../../diagnose/read-raw.ts';
import { maskedFigures } from '../../diagnose/waiting/template.ts';
import { type RecordFiles, WIRE } from './files.ts';
import { BAD_LEAST, droppedIn, rowsOf, textOf, withCounters } from './thin-counters.ts';

/** When nodes answered requests well, by their logs, and those of them that are left out. */
function answeredIn(
	files: RecordFiles,
	{ nodes, isDropped }: { nodes: string[]; isDropped: (id: string) => boolean },
): LeftOfContract['answered'] {
	const logs = nodes.flatMap((node) => files[`${RECORD.raw}/${requestLogOf(node)}`] ?? []);
	const times = (isOf: (id: string) => boolean) =>
		logs.flatMap((log) => droppedIn(log, isOf)).flatMap(({ t, sign, status }) => (sign === '-' && Number(status) < BAD_LEAST ? [t] : []));
	return { all: times(() => true), gone: times(isDropped) };
}

/** The generator's ids in a text, where no longer name and no date is around them; a node's log of requests has a sign before each. */
export const ID = /(?:(?<![\w.:-])|(?<=^[^\w\s]))w?\d+-\d+(?![\w-])/gm;

/** Before a line of what a service wrote, as the engine took it. */
const TIME = /^(\S+Z) /;
/** What is said of a failure is said when it happens. */
const NEAR_S = 0.05;

type Left = {
	isDropped: (id: string) => boolean;
	/** of what a service wrote, of each kind of line that names no request so many stay, beside those near a failure */
	lines: number;
	/** when a request failed that stays, seconds since 1970 */
	moments: number[];
	raw: Raw;
};

export function thinLogs(files: RecordFiles, { isDropped, lines, moments, raw }: Left): RecordFiles {
	const services = (raw.manifest.services ?? []) as { name: string; tier: string; product?: string }[];
	const isLine = (line: string) => !(line.match(ID) ?? []).some(isDropped);
	const whole = new Set([RECORD.manifest, WIRE]);
	const thinned = Object.fromEntries(
		Object.entries(files).map(([name, text]) => {
			if (basename(name) === RAW.k6Log) return [name, withoutAcknowledged(text, isDropped)];
			if (whole.has(name) || name.endsWith('.json')) return [name, text];
			const left = linesOf(text, isLine);
			return [name, basename(name) === SERVICE_RECORD.log ? fewOfEachKind(left, lines, moments) : left];
		}),
	);
	const of = { nodes: Object.keys(raw.nodes), isDropped };
	const answered = answeredIn(files, of);
	const ofProducts = services.map(
		(service) => adapterFor(service)?.without?.(thinned, files, { isDropped, answered, service: service.name }) ?? {},
	);
	return withCounters(Object.assign({}, thinned, ...ofProducts), files, of);
}

const linesOf = (text: string, isKept: (line: string) => boolean) =>
	text
		.split('\n')
		.filter((line) => line === '' || isKept(line))
		.join('\n');

function fewOfEachKind(text: string, most: number, moments: number[]) {
	const kinds: Map<string, number[]> = new Map();
	const lines = text.split('\n');
	const isNear = (t: number) => moments.some((moment) => Math.abs(moment - t) <= NEAR_S);
	const kept: Set<number> = new Set();
	for (const [number, line] of lines.entries()) {
		const time = TIME.exec(line);
		const kind = maskedFigures(time ? line.slice(time[0].length) : line);
		const own = kinds.get(kind) ?? [];
		kinds.set(kind, own);
		own.push(number);
		if (line === '' || (time && isNear(Date.parse(time[1]) / 1000))) kept.add(number);
	}
	for (const numbers of kinds.values()) for (const number of some(numbers, most)) kept.add(number);
	return lines.filter((_, number) => kept.has(number)).join('\n');
}

/** What a user was told was stored, beside what it wrote of its requests. */
const withoutAcknowledged = (text: string, isDropped: (id: string) => boolean) =>
	text.includes(ACKNOWLEDGED)
		? textOf(rowsOf(text).filter(({ msg }) => !isAcknowledged(msg) || !isDropped(JSON.parse(msg).acknowledged)))
		: text;
const ACKNOWLEDGED = 'acknowledged';

const isAcknowledged = (msg: string | undefined) => msg?.startsWith(`{"${ACKNOWLEDGED}"`) === true;
