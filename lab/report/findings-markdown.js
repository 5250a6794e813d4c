/**
 * The findings as Markdown, for a README or a pull request: the sentence that counts them, and the table. It leads to Markdown, which is
 * shown where it is shown, as pages are not.
 *
 * @typedef {import('../record/findings.js').ClaimFinding} ClaimFinding
 * @typedef {import('../record/findings.js').ExperimentFinding} ExperimentFinding
 * @typedef {import('../record/findings.js').Findings} Findings
 */
import { blocksText } from './blocks.js';
import { conditionText, isReadOtherwise, LEGEND, notesOf } from './finding-notes.js';
import { MISSING, moment } from './format.js';
import { escapeMarkdown, Markdown, markdown, markdownCode, markdownTable } from './markdown.js';

const HEADS = ['Claim', 'Published', 'Verdict', 'In one sentence', 'Evidence'];
const QUESTION_HEADS = ['Question', 'In one sentence', 'Measured', 'Evidence'];
/** Between the parts of a cell, where no line can be broken. */
const THEN = '; ';

/**
 * @param {Findings} findings
 * @returns {string} findings.md, for the folder that holds findings.json
 */
export function formatFindingsMarkdown(findings) {
  const { headline, registered, grading, machines, started, ended, command, unclaimed } = findings;
  const when = started && ended ? `measured from ${moment(started)} to ${moment(ended)}` : 'nothing was measured';
  return [
    markdown`## ${headline}\n`.text,
    ...[registered, grading].flatMap((text) => (text === null ? [] : [`${escapeMarkdown(text)}\n`])),
    `${[...machines, when].map(escapeMarkdown).join(' · ')}\n`,
    `${escapeMarkdown(LEGEND)}\n`,
    findingsTable(findings, ''),
    ...notes(findings),
    ...(unclaimed.length > 0 ? [`### Without a claim\n\n${markdownTable(QUESTION_HEADS, unclaimed.map(questionRow))}`] : []),
    markdown`Repeat it: ${markdownCode(command)}\n`.text,
  ].join('\n');
}

/**
 * @param {Findings} findings
 * @param {string} base  path from where the table will stand to the folder of the findings: empty, or with a slash at its end
 * @returns {string}
 */
export function findingsTable(findings, base) {
  const numbers = new Map(notesOf(findings).map(({ id, number }) => [id, number]));
  return markdownTable(
    HEADS,
    findings.experiments.flatMap((experiment) => [
      groupRow(experiment, base),
      ...experiment.claims.map((claim) => claimRow(claim, experiment, base, numbers.get(claim.id))),
    ]),
  );
}

/** @param {Findings} findings @returns {string[]} none where no claim has any */
function notes(findings) {
  const items = notesOf(findings).map(
    ({ number, id, sentences, doubt }) =>
      markdown`${number}. **${id}** ${[...sentences, ...(doubt === null ? [] : [`In doubt: ${doubt}.`])].join(' ')}\n`.text,
  );
  return items.length === 0 ? [] : [`### Notes\n\n${items.join('')}`];
}

/** A row of its own names the experiment: Markdown has no heads within a table. @type {(experiment: ExperimentFinding, base: string) => import('./markdown.js').Content[]} */
function groupRow(experiment, base) {
  const { title, markdown: href, source } = experiment;
  return [markdown`**${href === null ? title : link(title, `${base}${href}`)}**`, source, '', basisOf(experiment), ''];
}

/** @param {ExperimentFinding} experiment */
const basisOf = ({ blocks, load, budget, incomplete, grading }) =>
  [blocks && blocksText(blocks), load && `load ${load}`, budget && `budget ${budget}`, incomplete, grading].filter(Boolean).join(THEN);

/** Of an experiment without claims. @param {ExperimentFinding} experiment @returns {import('./markdown.js').Content[]} */
const questionRow = (experiment) => [
  markdown`**${experiment.title}** ${experiment.question}`,
  experiment.headline ?? MISSING,
  basisOf(experiment),
  experiment.markdown === null ? MISSING : link('evidence', experiment.markdown),
];

/** @type {(claim: ClaimFinding, experiment: ExperimentFinding, base: string, number: number | undefined) => import('./markdown.js').Content[]} number: of its note */
function claimRow(claim, { markdown: evidence }, base, number) {
  const { id, own, statement, published, verdict, sentence, registered, elsewhere, href } = claim;
  const was = registered !== null && isReadOtherwise(claim) ? ` (registered: ${registered.verdict})` : '';
  return [
    markdown`**${id}** ${statement}${own && ' (the lab’s own question)'}`,
    published.map(({ label, text }) => `${label}: ${text}`).join(THEN) || MISSING,
    markdown`**${verdict}**${was}`,
    [sentence ?? MISSING, ...elsewhere.map(elsewhereText), ...(number === undefined ? [] : [`Note ${number}.`])].join(' '),
    href === null ? MISSING : link('evidence', `${base}${evidence}`),
  ];
}

/** @param {ClaimFinding['elsewhere'][number]} reading */
const elsewhereText = ({ load, budget, verdict, text, instead }) =>
  `Under ${conditionText({ load, budget })} ${verdict}${instead === null ? '' : ' (other arms)'}, ${text}`;

/** It always stays a path from where the table is, whatever the text says. @type {(text: string, href: string) => Markdown} */
const link = (text, href) =>
  new Markdown(
    `[${escapeMarkdown(text)}](./${encodeURI(href).replace(/[()'@]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)})`,
  );
