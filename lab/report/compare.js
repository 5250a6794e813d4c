/**
 * The comparison of two arms as a single file. It answers in this order: which is better, whether it serves and
 * fails as it should, where each loses its requests, by how much they differ, and on which runs that rests.
 *
 * @typedef {import('../record/types.js').Comparison} Comparison
 */

import { carryComparison, SIDES } from './compare/arms.js';
import {
  dotsSection,
  estimateNote,
  estimateText,
  failedText,
  flowsSection,
  gatesSection,
  medianText,
  metricsSection,
  survivorshipText,
} from './compare/parts.js';
import { repeatSection, runsSection, timelineSection, verdictSection } from './compare/verdict.js';
import { intervalText, onScale } from './experiment/words.js';
import { moment, numeric } from './format.js';
import { escapeMarkdown, html, jsonText, markdown, markdownCode, markdownTable } from './html.js';
import { bundleScript, chartStyles } from './report.js';
import { leftOutText } from './sections/parts.js';
import { asset, blocksText, renderPage, tooFewText } from './stamp.js';
import { doubtShort } from './table.js';

const STYLES = [
  'report.css',
  'flow.css',
  'charts.css',
  'interval-axis.css',
  'stamp.css',
  'compare.css',
  'compare-runs.css',
  'compare-narrow.css',
];
const SECTIONS = [verdictSection, gatesSection, flowsSection, metricsSection, dotsSection, timelineSection, runsSection, repeatSection];

/**
 * @param {Comparison} comparison
 * @returns {Promise<string>} compare.html, for the folder that holds compare.json
 */
export async function renderCompare(comparison) {
  const { title, verdict, id, links } = comparison;
  return renderPage({
    title: `${title}, ${verdict.word}: Doubletake`,
    styles: [chartStyles(), ...STYLES.map(asset)],
    trail: html`<b>Doubletake</b> ${links.index && html`<a href="./${links.index}">all runs</a>`} ${links.experiment && html`<a href="./${links.experiment}">the experiment</a>`} <span class="run">${id}</span>`,
    body: html`${SECTIONS.map((section) => section(comparison))}`,
    data: jsonText(carryComparison(comparison)),
    script: await bundleScript('compare.js'),
  });
}

/**
 * A comparison as Markdown, for a pull request: the verdict, the gates, every metric with its interval, the command.
 *
 * @typedef {import('../record/types.js').MetricComparison} MetricComparison
 */

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
  const heads = ['Metric', ...[headOf(base), headOf(other), 'estimate', '95 % interval'].map(numeric), 'verdict'];
  const rows = all.map((metric) => [
    metric.label,
    ...SIDES.map((side) => withFailed(metric, side)),
    onScale(metric.scale, metric.estimate),
    intervalText(metric),
    metric.held_back ? markdown`**${metric.verdict}**: ${metric.held_back}` : markdown`**${metric.verdict}**`,
  ]);
  return `### Metrics\n\n${markdownTable(heads, rows)}\n${escapeMarkdown(`${estimateNote(paired)} ${correction}`)}\n`;
}

/** `2a (8 of 8 SUSPECT)`. @param {import('../record/types.js').Arm} arm */
const headOf = ({ id, doubt }) => [id, doubt && `(${doubtShort(doubt)})`].filter(Boolean).join(' ');

/** @type {(metric: MetricComparison, side: import('./compare/parts.js').ArmKey) => string} */
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
