import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { execa } from 'execa';
import { EXIT } from '../base/errors.ts';
import { FROZEN, RECORD, ROOT } from '../base/paths.ts';
import { putStoredRun } from '../diagnose/fixtures/stored-run.ts';
import { packFiles } from '../verify/freeze/archive.ts';
import { readGroup, readRecords, writeFrozen } from '../verify/freeze/files.ts';

const LIMIT_MS = 60_000;
const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-replay-'));
after(() => rmSync(folder, { recursive: true }));

const RUN = 'reports/2a/2026-11-22T070000Z-0001';
const resultFile = join(folder, RUN, RECORD.result);

async function give(...words: string[]): Promise<{ exitCode?: number; stdout: string; stderr: string }> {
	const { exitCode, stdout, stderr } = await execa(process.execPath, [join(ROOT, 'lab/cli/start.ts'), ...words], {
		reject: false,
		timeout: LIMIT_MS,
		env: { DOUBLETAKE_FOLDER: folder, DOUBLETAKE_REPORTS: join(folder, 'reports') },
	});
	return { exitCode, stdout, stderr };
}

function putRecord(name: string, manifest: string, result: string | null) {
	mkdirSync(join(folder, 'reports/other', name, RECORD.raw), { recursive: true });
	writeFileSync(join(folder, 'reports/other', name, RECORD.manifest), manifest);
	if (result !== null) writeFileSync(join(folder, 'reports/other', name, RECORD.result), result);
}

test('where there is no record, that is said', async () => {
	const { exitCode, stderr } = await give('replay');
	assert.equal(exitCode, EXIT.notReady);
	assert.match(stderr, /^error: replay: expected runs with a raw record and a result below reports; found none\./);
});

test('a record that its rules place as before has not moved, and others that cannot be compared are said', async () => {
	await putStoredRun(join(folder, RUN));
	const reported = await give('report', RUN);
	assert.equal(reported.exitCode, EXIT.done, reported.stderr);
	const result = readFileSync(resultFile, 'utf8');
	putRecord('old', readFileSync(join(ROOT, 'lab/diagnose/fixtures/run-schema-1/manifest.json'), 'utf8'), result);
	putRecord('cut', '{', result);
	putRecord('bare', '{}', null);
	const { exitCode, stdout } = await give('replay');
	assert.equal(exitCode, EXIT.done);
	assert.match(stdout, /^reports\/other\/old: cannot be read: .* found schema 1, /m);
	assert.match(stdout, /^reports\/other\/cut: cannot be read: .* no JSON in it\.$/m);
	assert.match(stdout, /^3 records, 0 moved; 2 could not be read; 1 without a result to compare with$/m);
	assert.equal(stdout.split('\n').length, 3);
});

test('what moved is reported before and now, with the headline, and nothing is written', async () => {
	const result = JSON.parse(readFileSync(resultFile, 'utf8'));
	const [row] = result.ledger.failures;
	const { count, cause } = row;
	row.count += 2;
	const stored = JSON.stringify({ ...result, headline: 'Nothing\u001b[2J failed.' });
	writeFileSync(resultFile, stored);
	const { exitCode, stdout } = await give('replay', RUN, '--json');
	assert.equal(exitCode, EXIT.done);
	const { result: reported } = JSON.parse(stdout);
	assert.equal(reported.records, 1);
	const [{ record, moves, headline }] = reported.moved;
	assert.equal(record, RUN);
	assert.deepEqual(
		moves.map(({ from, why, before, now }: any) => [from, why.split(',')[0], before.count, now.count]),
		[['ledger', cause, count + 2, count]],
	);
	assert.equal(headline.before, 'Nothing\u001b[2J failed.');
	assert.equal(readFileSync(resultFile, 'utf8'), stored);
});

test('with WRITE=1 result and report are written again, and then nothing has moved', async () => {
	const written = await give('replay', RUN, 'WRITE=1');
	assert.equal(written.exitCode, EXIT.done, written.stderr);
	assert.match(written.stdout, /^ {2}headline {2}Nothing \[2J failed\.\n {9}→ {2}.+$/m);
	assert.match(written.stdout, /^1 record, 1 moved$/m);
	assert.doesNotMatch(readFileSync(resultFile, 'utf8'), /Nothing/);
	assert.equal((await give('replay', RUN)).stdout, '1 record, 0 moved');
});

test('of a frozen record its result is written, and nothing else', async () => {
	const frozen = join(folder, 'frozen');
	const [[name, files]] = await readRecords(FROZEN, 'cases');
	const stored = (await readGroup(FROZEN, 'cases'))[name];
	const [first] = stored.placed;
	const { ledger } = stored.result;
	const changed = { ...stored.result, ledger: { ...ledger, failures: [] } };
	const placed = [{ ...first, kind: 'app web: x' }, ...stored.placed.slice(1)];
	await writeFrozen(frozen, 'cases', { [name]: { ...stored, result: changed, placed } }, { [name]: packFiles(files()) });
	const written = await give('replay', frozen, 'WRITE=1');
	assert.match(written.stdout, / {2}ledger {2}.* {2}none → \d+ /, written.stderr);
	assert.match(written.stdout, new RegExp(`^  1 request from app web: x to ${first.kind.replace(/[()]/g, '\\$&')}$`, 'm'));
	assert.match(written.stdout, /^ {2}fields {2}ledger\.failures$/m);
	assert.deepEqual(await readGroup(frozen, 'cases'), { [name]: stored });
	assert.equal((await give('replay', frozen)).stdout, '1 record, 0 moved');
});

test('a variable that changes nothing about it is refused', async () => {
	const { exitCode, stderr } = await give('replay', RUN, 'LOAD=smoke');
	assert.equal(exitCode, EXIT.notReady);
	assert.match(stderr, /^error: LOAD: expected none, because it changes nothing about replay; /);
});
