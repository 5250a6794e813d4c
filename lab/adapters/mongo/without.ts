/** What is on record of a shipped system's MongoDB without requests that are left out: of several each has its part of the documents. */

import { RECORD } from '../../base/paths.ts';
import { parseLines } from '../../base/values.ts';
import type { Adapter, Left } from '../contract.ts';
import { logOf, OBSERVED, parseRefusals, parseStops } from './store.ts';

/** Whether a line of its log says that it refused a connection, or was told to stop. */
const tellsOfTrouble = (line: string) => parseRefusals(line).length > 0 || parseStops(line).length > 0;

/** What a reading tells of documents. */
const STORED = ['documents', 'documents_exact'];
/** What it says of itself without having been asked: a start is a thousand lines, which nothing reads. */
const WORSE_THAN_INFORMATION = /"s":"[WEF]"/;

export function without(
	_thinned: Parameters<NonNullable<Adapter['without']>>[0],
	files: Parameters<NonNullable<Adapter['without']>>[1],
	{ service, answered }: Parameters<NonNullable<Adapter['without']>>[2],
): ReturnType<NonNullable<Adapter['without']>> {
	const [log, observed] = [logOf(service), OBSERVED].map((name) => `${RECORD.raw}/${name}`);
	return {
		...(files[log] ? { [log]: troublesIn(files[log]) } : {}),
		...(files[observed] && answered.all.length > 0 ? { [observed]: scaled(files[observed], answered) } : {}),
	};
}

const troublesIn = (log: string) =>
	log
		.split('\n')
		.filter((line) => line === '' || tellsOfTrouble(line) || WORSE_THAN_INFORMATION.test(line))
		.join('\n');

/** @param answered each stores one document */
function scaled(text: string, { all, gone }: Left['answered']) {
	const by = (times: number[], t: number) => times.filter((time) => time <= t).length;
	const rows = parseLines(text).map((row) => {
		const until = by(all, row.t);
		const share = until === 0 ? 1 : 1 - by(gone, row.t) / until;
		const part = (counted: any) => (typeof counted === 'number' ? Math.round(counted * share) : counted);
		return {
			...row,
			...(row.opcounters ? { opcounters: { ...row.opcounters, insert: part(row.opcounters.insert) } } : {}),
			...Object.fromEntries(STORED.filter((name) => name in row).map((name) => [name, part(row[name])])),
		};
	});
	return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
