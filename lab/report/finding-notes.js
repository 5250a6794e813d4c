/**
 * Notes below the table of findings, numbered: how a claim was registered and why it is read otherwise, what decided it, and which runs are
 * in doubt. The table's cells keep the verdict and one sentence.
 *
 * @typedef {import('../record/findings.js').ClaimFinding} ClaimFinding
 * @typedef {import('../record/findings.js').Findings} Findings
 *
 * @typedef {object} Note
 * @property {number} number  from 1
 * @property {string} id      of the claim
 * @property {string[]} sentences
 * @property {string | null} doubt
 */

/** What the words mean. */
export const LEGEND =
  'HOLDS, REFUTED: the whole 95 % interval is on that side of the claim’s threshold. DEPENDS: it comes out otherwise under another load or CPU quota that was measured. DOES NOT CARRY OVER: another bottleneck than the source’s was measured, so that it counts neither for the claim nor against it. INCONCLUSIVE: the runs do not decide. The notes say what was registered before the runs, and why it is read otherwise.';

/** @param {Findings} findings @returns {Note[]} in the order of the table */
export const notesOf = ({ experiments }) =>
  experiments
    .flatMap(({ claims }) => claims)
    .map((claim) => ({ id: claim.id, sentences: sentencesOf(claim), doubt: claim.doubt }))
    .filter(({ sentences, doubt }) => sentences.length > 0 || doubt !== null)
    .map((note, index) => ({ number: index + 1, ...note }));

/** @param {ClaimFinding} claim @returns {string[]} */
function sentencesOf(claim) {
  const { registered, deviation, remarks, elsewhere } = claim;
  const stood = registered !== null && (deviation !== null || isReadOtherwise(claim)) ? [registeredText(claim, registered)] : [];
  return [
    ...stood,
    ...(deviation === null ? [] : [`After the runs, a deviation: ${deviation}`]),
    ...elsewhere.flatMap(({ load, budget, instead }) => (instead === null ? [] : [`Under ${conditionText({ load, budget })} ${instead}.`])),
    ...remarks,
  ];
}

/** Whether the verdict, or what it is a verdict on, is another one than was registered. @param {ClaimFinding} claim */
export const isReadOtherwise = ({ verdict, statement, registered }) =>
  registered !== null && (verdict !== registered.verdict || statement !== registered.statement);

/** @type {(claim: ClaimFinding, registered: NonNullable<ClaimFinding['registered']>) => string} */
function registeredText(claim, { verdict, statement, sentence }) {
  const of = statement === claim.statement ? '' : `, as “${statement.replace(/\.$/, '')}”`;
  return `Registered before the runs${of}: ${verdict}.${isReadOtherwise(claim) ? ` “${sentence}”` : ''}`;
}

/** @param {{ load: string, budget: string }} condition */
export const conditionText = ({ load, budget }) => `load ${load}, budget ${budget}:`;
