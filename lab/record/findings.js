/**
 * The shape of `findings.json`: the verdicts of all experiments with claims in one table, each with a sentence to quote and
 * the place of its evidence. Rendering reads this and computes nothing.
 *
 * A record is judged under one load and one budget, and by the claims as they stood before its runs. Two verdicts come of more than one
 * record or of what a source says of itself, and are found here alone: DEPENDS, on a condition under which it was measured; and DOES NOT
 * CARRY OVER, where another bottleneck was measured than the source's, so that it counts neither for the source nor against it.
 *
 * @typedef {import('./experiment-result.js').ClaimVerdict | 'DEPENDS' | 'DOES NOT CARRY OVER' | 'not measured'} FindingVerdict
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
 * @property {import('./experiment-result.js').ClaimVerdict} verdict
 * @property {string} sentence
 * @property {string[]} remarks
 * @property {import('./experiment-result.js').ClaimTest[]} tests
 * @property {import('./experiment-result.js').ArmDoubt[] | null} doubts  null where it was judged before claims knew of doubts
 * @property {boolean} is_about_it        the claim is about the record's load and budget
 * @property {string | null} changed      why it is tested or judged otherwise than it was registered, or cannot be; null where it is the same
 *
 * @typedef {object} ReadOtherwise        a claim that comes out otherwise today than its record's page says, under the record's own load and budget
 * @property {string} id
 * @property {string | null} statement    null where it is the registered one
 * @property {FindingVerdict} verdict
 * @property {import('./experiment-result.js').ClaimVerdict} registered
 * @property {string} sentence
 * @property {string | null} changed      why
 *
 * @typedef {object} ConditionReading     the same tests under another load or budget
 * @property {string} load
 * @property {string} budget
 * @property {string} record              id of the experiment's record
 * @property {import('./experiment-result.js').ClaimVerdict} verdict
 * @property {string} text                figures with their intervals
 * @property {string | null} instead      what was tested in place of arms that were not measured there; null where it is the same
 * @property {import('./experiment-result.js').ClaimTest[]} tests
 *
 * @typedef {object} ClaimFinding
 * @property {string} id                  such as `D3`
 * @property {boolean} own                the lab's own question, which no publication makes a claim of
 * @property {string} statement           what was claimed
 * @property {{ label: string, text: string }[]} published  figures, each in words
 * @property {FindingVerdict} verdict     as it is read today
 * @property {string | null} sentence     to be quoted; null where nothing was measured
 * @property {{ verdict: import('./experiment-result.js').ClaimVerdict, statement: string, sentence: string } | null} registered  as it was judged
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
