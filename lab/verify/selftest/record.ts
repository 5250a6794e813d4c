/** The record of a self-test below reports/, and the pages that are written from it. */

import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NotReadyError } from '../../base/errors.ts';
import { REPORTS } from '../../base/paths.ts';
import { writeFileAtomic } from '../../base/whole-file.ts';
import { describeMachine } from '../../docker/lock.ts';
import type { SelftestRecord } from '../../record/selftest-total.ts';
import { renderSelftest } from '../../report/selftest.ts';
import { formatSelftestMarkdown } from '../../report/selftest-markdown.ts';
import { readCommit } from '../../run/components.ts';
import type { Place, SelftestTarget } from './selftest.ts';

export const FOLDER = join(REPORTS, 'selftest');
/** Below it: a test of some faults must not cost the hours that one of all took. */
const SOME = 'some';
const RECORD_FILE = 'record.json';
const PAGE = 'index.html';
const MARKDOWN = 'diagnosis.md';
const SHORT_COMMIT = 7;
const GIB = 2 ** 30;

/** @returns without a run */
export async function newRecord(how: Pick<SelftestRecord, 'wanted' | 'repeats' | 'budget' | 'system'>): Promise<SelftestRecord> {
	const { cores, cpu_model: processor, memory_bytes: memory, os } = await describeMachine();
	const now = new Date().toISOString();
	return {
		...how,
		started: now,
		ended: now,
		commit: await commitText(),
		machine: `${cores} cores ${processor}, ${Math.round(memory / GIB)} GiB, ${os}`,
		complete: false,
		scores: [],
	};
}

export async function commitText() {
	const git = await readCommit();
	return git ? `${git.commit.slice(0, SHORT_COMMIT)}${git.changed ? ', with changes' : ''}` : 'unknown';
}

/** @param folder of all self-tests */
const folderOf = ({ wanted }: Pick<SelftestRecord, 'wanted'>, folder: string) => (wanted === 'all' ? folder : join(folder, SOME));

/** After every run, so that an interrupted test loses one at most. */
export async function keepRecord(record: SelftestRecord, folder: string) {
	const own = folderOf(record, folder);
	await mkdir(own, { recursive: true });
	await writeFileAtomic(join(own, RECORD_FILE), `${JSON.stringify(record, null, 1)}\n`);
}

/**
 * @param wanted rest: of those that were cut off
 * @param target as it is today
 * @returns the last one, of that
 * @throws {NotReadyError} when there is none
 */
export async function readLastRecord(
	wanted: 'again' | 'rest',
	{ system }: Pick<SelftestTarget, 'system'>,
	folder: string,
): Promise<SelftestRecord> {
	const texts = await Promise.all([folder, join(folder, SOME)].map((own) => readFile(join(own, RECORD_FILE), 'utf8').catch(() => null)));
	const records = texts
		.flatMap((text) => (text === null ? [] : [JSON.parse(text) as SelftestRecord]))
		.filter(({ complete }) => wanted === 'again' || !complete)
		.sort((one, other) => one.ended.localeCompare(other.ended));
	const last = records.at(-1);
	if (last) return { ...last, system };
	const which = wanted === 'rest' ? ' that was cut off' : '';
	throw new NotReadyError(
		`FAULTS=${wanted}: expected the record of a self-test${which} below reports/selftest; found none.`,
		`run "${system.command}" first.`,
	);
}

/**
 * What the repository shows is written only when every fault was tried, of what is a document of it, and only in a checkout.
 * @returns the page
 */
export async function writePages(record: SelftestRecord, { folder, docs }: Place): Promise<string> {
	const { wanted, complete, system } = record;
	const own = folderOf(record, folder);
	const page = join(own, PAGE);
	const markdown = formatSelftestMarkdown(record);
	await mkdir(own, { recursive: true });
	await writeFileAtomic(page, renderSelftest(record));
	await writeFileAtomic(join(own, MARKDOWN), markdown);
	if (wanted === ALL && complete && system.is_document) await writeFileAtomic(join(docs, MARKDOWN), markdown);
	return page;
}

/** Every fault that there is. */
export const ALL = 'all';
