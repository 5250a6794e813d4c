/** The page of the self-test as Markdown, for docs/diagnosis.md. */

import { knownCommand } from '../options/known-command.ts';
import type { SelftestRecord } from '../record/selftest-total.ts';
import { PART, withRuleOrder } from './diagnosis-tables.ts';
import { escapeMarkdown, markdownTable } from './html.ts';
import { emptyPart } from './reference.ts';
import { RULES_PART, selftestContent } from './selftest.ts';

export function formatSelftestMarkdown(record: SelftestRecord): string {
	const { headline, basis, doubts, parts, command } = selftestContent(record);
	const { system } = record;
	return [
		'# Can the diagnosis be trusted?\n',
		`**${escapeMarkdown(headline)}**\n`,
		`${basis.map(escapeMarkdown).join(' · ')}\n`,
		...doubts.map((doubt) => `**${escapeMarkdown(doubt)}**\n`),
		`Written by \`${knownCommand(command) ?? 'an unknown command'}\`; not to be edited by hand.\n`,
		// The reference has them as they are today.
		...(system.is_document ? parts.filter(({ id }) => id !== RULES_PART) : parts).flatMap(({ title, text, columns, rows }) => [
			`## ${escapeMarkdown(title)}\n`,
			`${escapeMarkdown(text)}\n`,
			...(rows.length === 0 ? [] : [markdownTable(columns, rows)]),
		]),
		...(system.is_document ? [ruleOrder()] : []),
	].join('\n');
}

/** @returns the section that has them */
const ruleOrder = (): string =>
	[
		'## The rules and questions\n',
		'Rules of one subject are asked from the top, and the first that has an answer gives it. Each reads facts that its code names, and gets no others; it asks the rules of other subjects on. A place that is `free` could be another: no rule after it takes the same. What each cause means is in the [reference](reference.md#causes).\n',
		withRuleOrder(emptyPart(PART)),
	].join('\n');
