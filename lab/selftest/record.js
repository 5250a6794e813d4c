/**
 * The record of a self-test below reports/, and the pages that are written from it.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NotReadyError } from '../define/errors.js';
import { REPORTS, ROOT } from '../define/paths.js';
import { readCommit } from '../measure/components.js';
import { describeMachine } from '../measure/machine.js';
import { renderSelftest } from '../render/selftest.js';
import { formatSelftestMarkdown } from '../render/selftest-markdown.js';

/** @typedef {import('./total.js').SelftestRecord} SelftestRecord */

const FOLDER = join(REPORTS, 'selftest');
const RECORD_FILE = 'record.json';
const PAGE = 'index.html';
const MARKDOWN = 'diagnosis.md';
const SHORT_COMMIT = 7;
const GIB = 2 ** 30;

/** @param {Pick<SelftestRecord, 'wanted' | 'repeats' | 'budget'>} how @returns {Promise<SelftestRecord>} without a run */
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

/** After every run, so that an interrupted test loses one at most. @param {SelftestRecord} record @param {string} [folder] */
export async function keepRecord(record, folder = FOLDER) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, RECORD_FILE), `${JSON.stringify(record, null, 1)}\n`);
}

/** @param {string} [folder] @returns {Promise<SelftestRecord>} @throws {NotReadyError} when there is none */
export async function readRecord(folder = FOLDER) {
  const text = await readFile(join(folder, RECORD_FILE), 'utf8').catch(() => null);
  if (text !== null) return JSON.parse(text);
  throw new NotReadyError(
    `FAULTS=again: expected the record of a self-test, reports/selftest/${RECORD_FILE}; found none.`,
    'run "make selftest" first.',
  );
}

/**
 * What the repository shows is written only when every fault was tried.
 * @param {SelftestRecord} record
 * @param {{ folder: string, docs: string }} [into]
 * @returns {Promise<string>} the page
 */
export async function writePages(record, { folder, docs } = { folder: FOLDER, docs: join(ROOT, 'docs') }) {
  const page = join(folder, PAGE);
  const markdown = formatSelftestMarkdown(record);
  await writeFile(page, renderSelftest(record));
  await writeFile(join(folder, MARKDOWN), markdown);
  if (record.wanted === 'all' && record.complete) await writeFile(join(docs, MARKDOWN), markdown);
  return page;
}
