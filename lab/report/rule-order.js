/**
 * The rules of the diagnosis in their order, as docs/diagnosis.md shows them: made by `make docs` from their one table.
 */
import { ASKED_OF, RULES } from '../diagnose/rules.js';
import { escapeMarkdown, Markdown, markdownCode, markdownTable } from './html.js';
import { emptyPart, withPart } from './reference.js';

const PART = 'order';
const HEADS = ['rule', 'may name', 'reads', 'asks', 'why it stands there'];

/** @param {readonly string[]} names */
const codes = (names) => new Markdown([...new Set(names)].map((name) => markdownCode(name).text).join(', '));

/** @returns {string} */
const tables = () =>
  Object.entries(ASKED_OF)
    .map(([of, metric]) => {
      const rows = RULES.filter((rule) => rule.of === of).map(({ id, says, facts, asks, before, unless = [] }) => [
        markdownCode(id),
        codes(says),
        codes(facts),
        codes(asks),
        unless.length === 0 ? before : `${before}; not asked where ${unless.join(', or ')}`,
      ]);
      return `### \`${of}\`\n\n${escapeMarkdown(metric)}.\n\n${markdownTable(HEADS, rows)}`;
    })
    .join('\n');

/** @param {string} page @returns {string} with the rules as they are today, where it has their part */
export const withRuleOrder = (page) => withPart(page, PART, tables());

/** @returns {string} the section that has them */
export const ruleOrder = () =>
  [
    '## The order of the rules\n',
    'Rules of one subject are asked from the top, and the first that has an answer gives it. Each reads the facts that it names, and gets no others; it asks the rules of other subjects on. A place that is `free` could be another: no rule after it takes the same.\n',
    withRuleOrder(emptyPart(PART)),
  ].join('\n');
