/**
 * The record of a self-test below reports/, and the pages that are written from it.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NotReadyError } from '../../base/errors.js';
import { IS_CHECKOUT, REPORTS, ROOT } from '../../base/paths.js';
import { describeMachine } from '../../docker/describe-machine.js';
import { renderSelftest } from '../../report/selftest.js';
import { formatSelftestMarkdown } from '../../report/selftest-markdown.js';
import { readCommit } from '../../run/components.js';

/** @typedef {import('../../record/selftest-total.js').SelftestRecord} SelftestRecord */

const FOLDER = join(REPORTS, 'selftest');
const DOCS = IS_CHECKOUT ? join(ROOT, 'docs') : FOLDER;
/** Below it: a test of some faults must not cost the hours that one of all took. */
const SOME = 'some';
const RECORD_FILE = 'record.json';
const PAGE = 'index.html';
const MARKDOWN = 'diagnosis.md';
const SHORT_COMMIT = 7;
const GIB = 2 ** 30;

/** @param {Pick<SelftestRecord, 'wanted' | 'repeats' | 'budget' | 'system'>} how @returns {Promise<SelftestRecord>} without a run */
export async function newRecord(how) {
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

/** @param {Pick<SelftestRecord, 'wanted'>} record @param {string} folder of all self-tests */
const folderOf = ({ wanted }, folder) => (wanted === 'all' ? folder : join(folder, SOME));

/** After every run, so that an interrupted test loses one at most. @param {SelftestRecord} record @param {string} [folder] */
export async function keepRecord(record, folder = FOLDER) {
  const own = folderOf(record, folder);
  await mkdir(own, { recursive: true });
  await writeFile(join(own, RECORD_FILE), `${JSON.stringify(record, null, 1)}\n`);
}

/**
 * @param {'again' | 'rest'} wanted  rest: of those that were cut off
 * @param {{ command: string }} subject  command: that makes one
 * @param {string} [folder]
 * @returns {Promise<SelftestRecord>} the last one
 * @throws {NotReadyError} when there is none
 */
export async function readLastRecord(wanted, { command }, folder = FOLDER) {
  const texts = await Promise.all([folder, join(folder, SOME)].map((own) => readFile(join(own, RECORD_FILE), 'utf8').catch(() => null)));
  const records = texts
    .flatMap((text) => (text === null ? [] : [/** @type {SelftestRecord} */ (JSON.parse(text))]))
    .filter(({ complete }) => wanted === 'again' || !complete)
    .sort((one, other) => one.ended.localeCompare(other.ended));
  const last = records.at(-1);
  if (last) return last;
  const which = wanted === 'rest' ? ' that was cut off' : '';
  throw new NotReadyError(
    `FAULTS=${wanted}: expected the record of a self-test${which} below reports/selftest; found none.`,
    `run "${command}" first.`,
  );
}

/**
 * What the repository shows is written only when every fault was tried on the shipped architectures, and only in a checkout.
 * @param {SelftestRecord} record
 * @param {{ folder: string, docs: string }} [into]
 * @returns {Promise<string>} the page
 */
export async function writePages(record, { folder, docs } = { folder: FOLDER, docs: DOCS }) {
  const own = folderOf(record, folder);
  const page = join(own, PAGE);
  const markdown = formatSelftestMarkdown(record);
  await mkdir(own, { recursive: true });
  await writeFile(page, renderSelftest(record));
  await writeFile(join(own, MARKDOWN), markdown);
  if (record.wanted === 'all' && record.complete && !record.system) await writeFile(join(docs, MARKDOWN), markdown);
  return page;
}
