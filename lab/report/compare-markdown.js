/**
 * A comparison as Markdown, for a pull request: the verdict, the gates, every metric with its interval, the command.
 *
 * @typedef {import('../record/comparison.js').Comparison} Comparison
 * @typedef {import('../record/comparison.js').MetricComparison} MetricComparison
 */

import { blocksText, tooFewText } from './blocks.js';
import { estimateNote, estimateText, failedText, medianText, survivorshipText } from './compare/parts.js';
import { SIDES } from './compare/sides.js';
import { leftOutText } from './compare/verdict.js';
import { intervalText, onScale } from './compare/words.js';
import { doubtShort } from './doubt.js';
import { moment } from './format.js';
import { escapeMarkdown, markdown, markdownCode, markdownTable } from './markdown.js';

/**
 * @param {Comparison} comparison
 * @returns {string}
 */
export function formatCompareMarkdown(comparison) {
  return [heading(comparison), gates(comparison), doubts(comparison), metrics(comparison), footer(comparison)].filter(Boolean).join('\n');
}

/** @param {Comparison} comparison */
function heading({ title, verdict, blocks, load, budget, started }) {
  const basis = [blocksText(blocks), leftOutText(blocks.left_out.length), `load ${load}`, `budget ${budget}`, moment(started)];
  const tooFew = blocks.complete < blocks.least ? markdown`\n\n${tooFewText(blocks)}` : '';
  return markdown`## ${title}: ${verdict.word.toUpperCase()}\n\n**${verdict.sentence}**\n\n`.text.concat(
    `${basis.map(escapeMarkdown).join(' · ')}${tooFew}\n`,
  );
}

/** @param {Comparison} comparison */
function gates({ metrics: all }) {
  const lines = all
    .filter(({ gate }) => gate)
    .map(
      (metric) =>
        markdown`- ${metric.label}: **${metric.verdict}**, ${medianText(metric, 'base')} → ${medianText(metric, 'other')} (${estimateText(metric)})`
          .text,
    );
  return `### Gates\n\n${lines.join('\n')}\n`;
}

/** @param {Comparison} comparison */
const doubts = ({ survivorship }) => survivorship && markdown`> **Survivorship:** ${survivorshipText(survivorship)}\n`.text;

/** @param {Comparison} comparison */
function metrics({ metrics: all, base, other, paired, correction }) {
  const heads = [
    'Metric',
    ...[headOf(base), headOf(other), 'estimate', '95 % interval'].map((title) => ({ title, numeric: true })),
    'verdict',
  ];
  const rows = all.map((metric) => [
    metric.label,
    ...SIDES.map((side) => withFailed(metric, side)),
    onScale(metric.scale, metric.estimate),
    intervalText(metric),
    metric.held_back ? markdown`**${metric.verdict}**: ${metric.held_back}` : markdown`**${metric.verdict}**`,
  ]);
  return `### Metrics\n\n${markdownTable(heads, rows)}\n${escapeMarkdown(`${estimateNote(paired)} ${correction}`)}\n`;
}

/** `2a (8 of 8 SUSPECT)`. @param {import('../record/comparison.js').Arm} arm */
const headOf = ({ id, doubt }) => [id, doubt && `(${doubtShort(doubt)})`].filter(Boolean).join(' ');

/** @type {(metric: MetricComparison, side: import('./compare/parts.js').Side) => string} */
function withFailed(metric, side) {
  const failed = failedText(metric, side);
  return failed === null ? medianText(metric, side) : `${medianText(metric, side)}, ${failed}`;
}

/** @param {Comparison} comparison */
function footer({ command, id, notes }) {
  return [
    ...notes.map((text) => markdown`- Doubt: ${text}`.text),
    markdown`- Repeat this comparison: ${markdownCode(command)}`.text,
    markdown`- Folder: ${markdownCode(`reports/${id}`)}`.text,
    '',
  ].join('\n');
}
