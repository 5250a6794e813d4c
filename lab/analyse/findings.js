/**
 * The findings of several experiments in one table, from their records alone.
 *
 * @typedef {import('../define/claims.js').Claim} Claim
 * @typedef {import('../define/experiment-result.js').ExperimentResult} ExperimentResult
 * @typedef {import('../define/experiments.js').Experiment} Experiment
 * @typedef {import('../define/findings.js').ClaimFinding} ClaimFinding
 * @typedef {import('../define/findings.js').ExperimentFinding} ExperimentFinding
 * @typedef {import('../define/findings.js').Findings} Findings
 *
 * @typedef {{ path: string, result: ExperimentResult, fixed?: Claim[] }} Found  a record, its folder below reports/, and its claims as
 *   they stood before its runs, where its manifest is there
 * @typedef {{ href: string, markdown: string, result: ExperimentResult, fixed?: Claim[] }} LinkedRecord  href, markdown: of its page and of
 *   the same as Markdown, from the folder of the findings
 * @typedef {Pick<Experiment, 'title' | 'question' | 'load' | 'budget' | 'judged_under'> & { id: string, claims: Claim[] }} Asked  an
 *   experiment as the tables have it now
 */
import { isOwnQuestion } from '../define/claims/own-question.js';
import { judgedUnder, unlikeOf } from '../define/definition.js';
import { FINDINGS_SCHEMA_VERSION } from '../define/findings.js';
import { doorOf, spell } from '../define/spelling.js';
import { claimDoubtOf, rereadOf, rereadSentence, successorsOf } from './reread.js';
import { count } from './words.js';

/** How the headline counts each verdict: one, and more than one. */
const COUNTED = /** @type {const} */ ({
  HOLDS: ['holds here', 'hold here'],
  REFUTED: ['is refuted', 'are refuted'],
  INCONCLUSIVE: ['is inconclusive', 'are inconclusive'],
  'not measured': ['is not measured', 'are not measured'],
});
const VERDICTS = /** @type {(keyof typeof COUNTED)[]} */ (Object.keys(COUNTED));

/**
 * The record that speaks for an experiment: one made under the budget and under a load that its claims are about, before any
 * other; then one with blocks enough for a verdict, the one that judges the most claims, the one with the most complete blocks,
 * the newest. Of a record and a copy of it, the record.
 * @param {Found[]} records  of one experiment, in any order
 * @param {Pick<Experiment, 'load' | 'budget' | 'judged_under'>} own  the experiment's entry
 * @returns {Found | null}
 */
export function chooseRecord(records, own) {
  // The experiment's own condition before those that are judged too, and all of them before any other.
  const conditions = judgedUnder(own).toReversed();
  const isOwn = (/** @type {Found} */ { result: { load, budget } }) =>
    conditions.findIndex((condition) => condition.load === load && condition.budget === budget) + 1;
  const isEnough = (/** @type {Found} */ { result: { blocks } }) => Number(blocks.complete >= blocks.least);
  const isOriginal = (/** @type {Found} */ { path, result }) => Number(path === result.id);
  const [best = null] = records.toSorted(
    (one, other) =>
      isOwn(other) - isOwn(one) ||
      isEnough(other) - isEnough(one) ||
      other.result.claims.length - one.result.claims.length ||
      other.result.blocks.complete - one.result.blocks.complete ||
      other.result.started.localeCompare(one.result.started) ||
      isOriginal(other) - isOriginal(one),
  );
  return best;
}

/**
 * @param {LinkedRecord[]} records  one at most for each experiment that has claims
 * @param {object} about
 * @param {Asked[]} about.experiments  all that are to stand in the table, in order
 * @param {(claim: string) => string} about.anchorOf  where a claim is on its experiment's page
 * @param {string | null} about.index  link to the list of everything
 * @param {string} about.command  measures it all again
 * @returns {Findings}
 */
export function findingsOf(records, { experiments, anchorOf, index, command }) {
  const rows = experiments.map((asked) => {
    const record = records.find(({ result }) => result.experiment === asked.id);
    return record ? measuredRow(record, asked, anchorOf) : missingRow(asked, command);
  });
  const unclaimed = records
    .filter(({ result }) => !experiments.some(({ id }) => id === result.experiment))
    .map((record) => measuredRow(record, { ...record.result, claims: [] }, anchorOf));
  const claims = rows.flatMap((row) => row.claims);
  const counts = /** @type {Findings['counts']} */ (
    Object.fromEntries(VERDICTS.map((verdict) => [verdict, claims.filter((claim) => claim.verdict === verdict).length]))
  );
  const shown = records
    .filter(({ result }) => [...rows, ...unclaimed].some(({ record }) => record === result.id))
    .map(({ result }) => result);
  return {
    schema: FINDINGS_SCHEMA_VERSION,
    headline: [headlineOf(counts, claims.length), rereadSentence(claims)].filter(Boolean).join(' '),
    counts,
    started: shown.map(({ started }) => started).sort()[0] ?? null,
    ended:
      shown
        .map(({ ended }) => ended)
        .sort()
        .at(-1) ?? null,
    machines: [...new Set(shown.map(({ machine }) => machine.text))],
    index,
    command,
    experiments: rows,
    unclaimed,
  };
}

/** @type {(record: LinkedRecord, asked: Asked, anchorOf: (claim: string) => string) => ExperimentFinding} */
function measuredRow({ href, markdown, result, fixed = [] }, asked, anchorOf) {
  const { experiment, id, title, question, headline, blocks, load, budget, machine, started, claims } = result;
  const isCovered = (/** @type {Claim} */ claim) => claims.some((judged) => judged.id === claim.id || judged.id === claim.replaces);
  return {
    id: experiment,
    record: id,
    title,
    question,
    source: sourceOf(claims),
    own: claims.every(({ source }) => isOwnQuestion(source)),
    href,
    markdown,
    headline,
    blocks: { wanted: blocks.wanted, complete: blocks.complete, least: blocks.least },
    load,
    budget,
    machine: machine.text,
    started,
    claims: [
      ...claims.map((claim) => ({
        id: claim.id,
        statement: claim.statement,
        published: claim.published,
        verdict: claim.verdict,
        quote: claim.quote,
        doubt: claimDoubtOf(claim, result, fixed),
        reread: rereadOf({
          result,
          judged: claim,
          before: fixed.find(({ id: stored }) => stored === claim.id),
          now: successorsOf(asked.claims, claim.id),
          unlikeOf: (stands) => unlikeOf(asked, result, stands),
        }),
        href: `${href}#${anchorOf(claim.id)}`,
      })),
      // Claims about arms that were left out of the experiment.
      ...asked.claims.filter((claim) => !isCovered(claim)).map(notMeasured),
    ],
    incomplete:
      blocks.complete < blocks.least
        ? `${count(blocks.complete)} ${blocks.complete === 1 ? 'block is' : 'blocks are'} complete, and a verdict needs ${count(blocks.least)}.`
        : null,
  };
}

/** @type {(claim: Claim) => ClaimFinding} */
const notMeasured = ({ id, statement, published }) => ({
  id,
  statement,
  published,
  verdict: 'not measured',
  quote: null,
  doubt: null,
  reread: [],
  href: null,
});

/** @type {(asked: Asked, command: string) => ExperimentFinding} */
const missingRow = ({ id, title, question, claims }, command) => ({
  id,
  record: null,
  title,
  question,
  source: sourceOf(claims),
  own: claims.every(({ source }) => isOwnQuestion(source)),
  href: null,
  markdown: null,
  headline: null,
  blocks: null,
  load: null,
  budget: null,
  machine: null,
  started: null,
  claims: claims.map(notMeasured),
  incomplete: `Not measured yet: ${spell(['experiment', id], [], doorOf(command))}`,
});

/** @param {{ source: string }[]} claims */
const sourceOf = (claims) => [...new Set(claims.map(({ source }) => source))].join('; ');

/**
 * `Of 18 claims 4 hold here, 9 are refuted and 5 are inconclusive.`
 * @param {Findings['counts']} counts
 * @param {number} total
 */
function headlineOf(counts, total) {
  const parts = VERDICTS.filter((verdict) => counts[verdict] > 0).map(
    (verdict) => `${count(counts[verdict])} ${COUNTED[verdict][counts[verdict] === 1 ? 0 : 1]}`,
  );
  const last = parts.pop();
  const listed = parts.length > 0 ? `${parts.join(', ')} and ${last}` : last;
  return `Of ${count(total)} ${total === 1 ? 'claim' : 'claims'} ${listed ?? 'none was made'}.`;
}
