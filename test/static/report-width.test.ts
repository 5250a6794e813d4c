/**
 * What a report says of its limited resources may be longer than a line of a phone, and where requests stood is pointed at, on each screen.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { RECORD } from '../../lab/base/paths.ts';
import { recordedResult } from '../../lab/report/fixtures/results.ts';
import { renderReport } from '../../lab/report/report.ts';
import { checkReport } from '../browser/report.check.ts';

test('where requests stood can be pointed at, and a value that says why it is above its limit makes no page wider than its screen', async () => {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-stood-'));
	try {
		const result = recordedResult();
		const [slots] = result.series.limits;
		// There are 40 all the time.
		result.series.limits[0] = { ...slots, limit: 20, note: 'those that wait to be accepted take no slot yet' };
		await writeFile(join(folder, RECORD.result), JSON.stringify(result));
		await writeFile(join(folder, RECORD.report), await renderReport(result));
		await checkReport(join(folder, RECORD.report));
	} finally {
		await rm(folder, { recursive: true });
	}
});
