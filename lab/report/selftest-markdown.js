/**
 * The page of the self-test as Markdown, for docs/diagnosis.md.
 */
import { escapeMarkdown, markdownTable } from './markdown.js';
import { selftestContent } from './selftest-content.js';

/** @param {import('../record/selftest-total.js').SelftestRecord} record @returns {string} */
export function formatSelftestMarkdown(record) {
  const { headline, basis, doubts, parts, command } = selftestContent(record);
  return [
    '# Can the diagnosis be trusted?\n',
    `**${escapeMarkdown(headline)}**\n`,
    `${basis.map(escapeMarkdown).join(' · ')}\n`,
    ...doubts.map((doubt) => `**${escapeMarkdown(doubt)}**\n`),
    `Written by \`${command}\`; not to be edited by hand.\n`,
    ...parts.flatMap(({ title, text, columns, rows }) => [
      `## ${escapeMarkdown(title)}\n`,
      `${escapeMarkdown(text)}\n`,
      ...(rows.length === 0
        ? []
        : [
            markdownTable(
              columns.map((column) => ({ title: column.title, numeric: column.numeric ?? false })),
              rows,
            ),
          ]),
    ]),
  ].join('\n');
}
