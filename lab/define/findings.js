/**
 * The shape of `findings.json`: the verdicts of all experiments with claims in one table, each with a sentence to quote and
 * the place of its evidence. Rendering reads this and computes nothing.
 *
 * @typedef {import('./experiment-result.js').ClaimVerdict | 'not measured'} FindingVerdict
 *
 * @typedef {object} Findings
 * @property {1} schema
 * @property {string} headline            one sentence that counts the verdicts
 * @property {Record<FindingVerdict, number>} counts
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
 * @property {string | null} incomplete   why its verdicts are not to be relied on; null where they are
 *
 * @typedef {object} Reread               never counted as a verdict: it came after the runs
 * @property {string} id                  of the claim as it stands now
 * @property {string} statement
 * @property {import('./experiment-result.js').ClaimVerdict | null} verdict  null where the record cannot answer it
 * @property {string} sentence
 *
 * @typedef {object} ClaimFinding
 * @property {string} id                  such as `D3`
 * @property {string} statement           what was claimed
 * @property {{ label: string, text: string }[]} published  figures, each in words
 * @property {FindingVerdict} verdict
 * @property {string | null} quote        a sentence to quote; null where nothing was measured
 * @property {string | null} doubt        how many runs of which of its arms are SUSPECT, and why; null where none is
 * @property {Reread[]} reread            the record read again, by claims or rules that came after its runs; empty where nothing changed
 * @property {string | null} href         its evidence: the place of the claim on the experiment's page
 */
export const FINDINGS_SCHEMA_VERSION = 1;

/** Stands for all experiments that have claims, and is the group below reports/ of what measured them in one go. */
export const ALL = 'all';

/** Names of the files that hold the findings. */
export const FINDINGS_RECORD = Object.freeze({ data: 'findings.json', page: 'findings.html', markdown: 'findings.md' });
