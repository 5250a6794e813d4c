import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress } from 'node:zlib';
import { NotReadyError } from '../base/errors.js';
import { fromColumns, toColumns, writeFileAtomic } from '../base/files.js';
import { EXCERPT_FILE } from '../base/paths.js';

/**
 * The shape of `findings.json`: the verdicts of all experiments with claims in one table, each with a sentence to quote and
 * the place of its evidence. Rendering reads this and computes nothing.
 *
 * A record is judged under one load and one budget, and by the claims as they stood before its runs. Two verdicts come of more than one
 * record or of what a source says of itself, and are found here alone: DEPENDS, on a condition under which it was measured; and DOES NOT
 * CARRY OVER, where another bottleneck was measured than the source's, so that it counts neither for the source nor against it.
 *
 * @typedef {import('./comparison.js').ClaimVerdict | 'DEPENDS' | 'DOES NOT CARRY OVER' | 'not measured'} FindingVerdict
 * @typedef {Record<FindingVerdict, number>} VerdictCounts
 *
 * @typedef {object} Findings
 * @property {2} schema
 * @property {string} headline            counts the verdicts: the publications' claims, and the lab's own questions apart
 * @property {string | null} registered   the same as it was registered before the runs, and what is read otherwise since; null where nothing was measured
 * @property {string | null} grading      which verdicts rest on runs that were graded by rules replaced since; null where none does
 * @property {{ publications: VerdictCounts, own: VerdictCounts, registered: VerdictCounts }} counts  registered: of both, before the runs
 * @property {string | null} started      ISO 8601, of the first record; null where nothing was measured
 * @property {string | null} ended        of the last
 * @property {string[]} machines          on which it was measured, in words
 * @property {string | null} index        link to the list of everything; null where there is none
 * @property {string} command             measures it all again
 * @property {ExperimentFinding[]} experiments  in the order of their table
 * @property {ExperimentFinding[]} unclaimed    those that ask a question and have no claims: of each load one, and only what was measured
 *
 * @typedef {object} ExperimentFinding
 * @property {string} id                  key of the experiments table
 * @property {string | null} record       folder below reports/ in which it was measured; null where it was not
 * @property {string} title
 * @property {string} question
 * @property {string} source              of its claims
 * @property {boolean} own                none of its claims is a publication's
 * @property {string | null} href         its page, from the folder of the findings
 * @property {string | null} markdown     the same as Markdown
 * @property {string | null} headline     its own
 * @property {{ wanted: number, complete: number, least: number } | null} blocks
 * @property {string | null} load
 * @property {string | null} budget
 * @property {string | null} machine
 * @property {string | null} started      ISO 8601
 * @property {ClaimFinding[]} claims
 * @property {string | null} told         the sentence on the claim that says the most; null where nothing was measured
 * @property {string | null} incomplete   why its verdicts are not to be relied on; null where they are
 * @property {string | null} grading      that its runs were graded by rules replaced since; null where they were not
 *
 * @typedef {object} Reading              of a stored claim, as it is read today
 * @property {string} id                  of the claim as it stands now
 * @property {string} statement
 * @property {import('./comparison.js').ClaimVerdict} verdict
 * @property {string} sentence
 * @property {string[]} remarks
 * @property {import('./comparison.js').ClaimTest[]} tests
 * @property {import('./comparison.js').ArmDoubt[] | null} doubts  null where it was judged before claims knew of doubts
 * @property {boolean} is_about_it        the claim is about the record's load and budget
 * @property {string | null} changed      why it is tested or judged otherwise than it was registered, or cannot be; null where it is the same
 *
 * @typedef {object} ReadOtherwise        a claim that comes out otherwise today than its record's page says, under the record's own load and budget
 * @property {string} id
 * @property {string | null} statement    null where it is the registered one
 * @property {FindingVerdict} verdict
 * @property {import('./comparison.js').ClaimVerdict} registered
 * @property {string} sentence
 * @property {string | null} changed      why
 *
 * @typedef {object} ConditionReading     the same tests under another load or budget
 * @property {string} load
 * @property {string} budget
 * @property {string} record              id of the experiment's record
 * @property {import('./comparison.js').ClaimVerdict} verdict
 * @property {string} text                figures with their intervals
 * @property {string | null} instead      what was tested in place of arms that were not measured there; null where it is the same
 * @property {import('./comparison.js').ClaimTest[]} tests
 *
 * @typedef {object} ClaimFinding
 * @property {string} id                  such as `D3`
 * @property {boolean} own                the lab's own question, which no publication makes a claim of
 * @property {string} statement           what was claimed
 * @property {{ label: string, text: string }[]} published  figures, each in words
 * @property {FindingVerdict} verdict     as it is read today
 * @property {string | null} sentence     to be quoted; null where nothing was measured
 * @property {{ verdict: import('./comparison.js').ClaimVerdict, statement: string, sentence: string } | null} registered  as it was judged
 *   by what was fixed before the runs; null where nothing was measured
 * @property {string | null} deviation    why it is read otherwise; null where it is read as registered
 * @property {ConditionReading[]} elsewhere  under other loads and budgets
 * @property {string[]} remarks           what decided it, and what a reader has to know
 * @property {string | null} doubt        how many runs of which of its arms are SUSPECT, and why; null where none is
 * @property {string | null} href         its evidence: the place of the claim on the experiment's page
 */
export const FINDINGS_SCHEMA_VERSION = 2;

/** Stands for all experiments that have claims, and is the group below reports/ of what measured them in one go. */
export const ALL = 'all';

/** Names of the files that hold the findings. */
export const FINDINGS_RECORD = Object.freeze({ data: 'findings.json', page: 'findings.html', markdown: 'findings.md' });

/*
 * The one file of an excerpt: all records of an experiment that are kept, packed together, because they are much alike. What reads a record
 * of an experiment reads it here, whether it is a file of its own or packed. Its tables are packed by columns; those of earlier files are
 * not, and read the same.
 */

const pack = promisify(brotliCompress);
const unpack = promisify(brotliDecompress);

/** @typedef {Record<string, any>} Records  by path below the experiment's folder, such as `runs/2026-11-22T061436Z-a049/result.json` */

/** @param {string} folder of an experiment */
export const isExcerpt = (folder) => existsSync(join(folder, EXCERPT_FILE));

/** @param {string} folder @param {Records} records */
export async function writeExcerpt(folder, records) {
  await writeFileAtomic(join(folder, EXCERPT_FILE), await pack(JSON.stringify(toColumns(records))));
}

/**
 * @param {string} folder
 * @returns {Promise<Records>} none where the folder holds no excerpt
 * @throws {NotReadyError} when the file is not whole
 */
export async function readExcerpt(folder) {
  const path = join(folder, EXCERPT_FILE);
  const packed = await readFile(path).catch(() => null);
  if (packed === null) return {};
  try {
    return fromColumns(JSON.parse(String(await unpack(packed))));
  } catch {
    throw new NotReadyError(
      `${path}: expected the packed records of an experiment; found ${packed.length} bytes that cannot be unpacked.`,
      'get it again from where it came.',
    );
  }
}

/**
 * @param {string} folder of an experiment or of an excerpt of one
 * @param {string} path  of the record below it
 * @returns {Promise<any>} null where it is not there
 */
export async function readRecord(folder, path) {
  // What was unpacked from an excerpt may be of an earlier one.
  if (isExcerpt(folder)) return (await readExcerpt(folder))[path] ?? null;
  const text = await readFile(join(folder, path), 'utf8').catch(() => null);
  return text === null ? null : JSON.parse(text);
}
