/** The rules and questions of the diagnosis, as docs/diagnosis.md shows them: made by `make docs` from their tables. */

import { ASKED_OF, RULES } from '../diagnose/rules.ts';
import { EXPLAINS, FAMILIES, SYMPTOMS } from '../diagnose/waiting/graph.ts';
import { QUESTIONS } from '../diagnose/waiting/questions.ts';
import { escapeMarkdown, Markdown, markdownCode, markdownTable } from './html.ts';
import { withPart } from './marked.ts';

export const PART = 'order';
const HEADS = ['rule', 'may name', 'asks', 'why it stands there'];

const codes = (names: readonly string[]) => new Markdown([...new Set(names)].map((name) => markdownCode(name).text).join(', '));

const tables = (): string =>
	[
		...Object.entries(ASKED_OF).map(([of, metric]) => {
			const rows = RULES.filter((rule) => rule.of === of).map(({ id, says, asks, before }) => [
				markdownCode(id),
				codes(says),
				codes(asks),
				before,
			]);
			return `### \`${of}\`\n\n${escapeMarkdown(metric)}.\n\n${markdownTable(HEADS, rows)}`;
		}),
		`### Questions\n\nThey are asked of requests at the service where following them stops, all of them. An answer that another one explains gives way to it.\n\n${markdownTable(
			['question', 'may name', 'asked of', 'not asked where'],
			QUESTIONS.map(({ id, says, shows, unless }) => [markdownCode(id), codes(says), codes(shows), unless.join(', or ')]),
		)}`,
		`### What explains what\n\nFamilies of causes. The relation is transitive, and every family explains ${SYMPTOMS.join(', ')}.\n\n${markdownTable(
			['family', 'causes', 'explains'],
			[...FAMILIES].map(([family, causes]) => [markdownCode(family), codes(causes), codes(EXPLAINS[family] ?? [])]),
		)}`,
	].join('\n');

/** @returns with the rules as they are today, where it has their part */
export const withRuleOrder = (page: string): string => withPart(page, PART, tables());
