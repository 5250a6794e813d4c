/**
 * What services are called says nothing: a record with other names in it has the same result with these names in it, and a page. Names that
 * every object of JavaScript has, and such as are flags of a command, are taken by Compose.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FROZEN, RECORD } from '../../base/paths.ts';
import { readRaw } from '../../diagnose/read-raw.ts';
import { placedResult } from '../../diagnose/result.ts';
import { renderReport } from '../../report/report.ts';
import { formatRunMarkdown } from '../../report/run-markdown.ts';
import { readRecords, withFiles } from './files.ts';

/** In the order of the plain ones: a sentence names several in theirs. */
const HOSTILE = [
	['constructor', '__proto__', 'hasOwnProperty'],
	['__proto__', '--push', 'toString'],
];
const PLAIN = ['qq0x', 'qq1x', 'qq2x'];
/** By group and name, services that are called by no word of the field. */
const RECORDS: [group: string, name: string, services: string[]][] = [
	['cases', 'haproxy-flap', ['lb', 'web1', 'web2']],
	['cases', 'go-ports', ['gateway', 'catalog']],
	['recipes', 'N', ['lb', 'store', 'batch']],
	['cases', 'stale-dns', ['api', 'worker']],
];

const renamed = (text: string, from: string[], to: string[]) =>
	// With the number of a container behind it, too.
	from.reduce((found, name, index) => found.replaceAll(new RegExp(`(?<![\\w-])${name}(?![\\w-]|-\\d)`, 'g'), () => to[index]), text);

/** Lists are in the order of names in places. */
function ordered(value: any): any {
	if (Array.isArray(value)) return value.map((one) => JSON.stringify(ordered(one))).sort();
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries<any>(value)
			.map(([key, one]) => [key, ordered(one)])
			.sort(([one], [other]) => (one < other ? -1 : 1)),
	);
}

for (const [group, name, services] of RECORDS)
	test(`${group}/${name} has the same result whatever its services are called`, async () => {
		const files = (await readRecords(FROZEN, group)).get(name)?.() ?? {};
		const analysed = async (names: string[]) => {
			const swapped = Object.entries(files).map(([file, text]) => [renamed(file, services, names), renamed(text, services, names)]);
			const record = Object.fromEntries(swapped);
			// What says that nothing was changed in it goes.
			const { files: _, seal: __, ...manifest } = JSON.parse(record[RECORD.manifest]);
			const raw = await withFiles({ ...record, [RECORD.manifest]: JSON.stringify(manifest) }, readRaw);
			return JSON.parse(JSON.stringify(placedResult(raw).result));
		};
		const expected = ordered(await analysed(PLAIN));
		for (const names of HOSTILE) {
			const found = await analysed(names);
			const back = services.reduce((text, _, index) => text.replaceAll(names[index], PLAIN[index]), JSON.stringify(found));
			assert.deepEqual(ordered(JSON.parse(back)), expected, names.join());
			assert.ok(String(await renderReport(found, { files: [], hasIndex: false })).includes(names[0]));
			assert.ok(formatRunMarkdown({ result: found, judged: [] }).length > 0);
		}
	});
