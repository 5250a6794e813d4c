/**
 * Writes the pages, and the parts of pages, that are made from the lab's tables and its stored experiments; and the Compose file of the
 * root, which has every system.
 */

import { existsSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { EXIT, NotReadyError } from '../base/errors.ts';
import { COMPOSE_FOLDER, EXAMPLES, EXPERIMENT_RECORD, IS_CHECKOUT, RECORD, ROOT } from '../base/paths.ts';
import type { Reporter } from '../base/progress.ts';
import { MEASURED_REMEDIES_FILE } from '../catalog/measured-remedies.ts';
import { storedFindings } from '../compare/experiment/findings.ts';
import { isExcerpt, readRecord } from '../record/excerpt-file.ts';
import { FINDINGS_RECORD } from '../record/findings.ts';
import type { ExperimentResult } from '../record/types.js';
import { withRuleOrder } from '../report/diagnosis-tables.ts';
import { formatFindingsMarkdown } from '../report/findings-markdown.ts';
import { Markdown } from '../report/html.ts';
import { withPart } from '../report/marked.ts';
import { armRows, findingsRows, referencePage, remedyRows } from '../report/reference.ts';
import { trustList } from '../report/trust-list.ts';
import { storedRemedies } from './measured-reliefs.ts';
import { withOptions } from './option-help.ts';

/** From the root, where the README is. */
const TO_EXAMPLES = 'reports/examples/';
/** Pages with the arms of experiments: each part's name to the folder, and what makes its rows. */
const WITH_ARMS: Record<string, { parts: Record<string, string>; rows: (result: ExperimentResult) => string }> = {
	'docs/doubling.md': { parts: { ramp: 'doubling', patient: 'doubling-patient', balancers: 'balancers', queue: 'queue' }, rows: armRows },
	'docs/remedies.md': { parts: { patient: 'remedies-patient', surge: 'remedies-surge' }, rows: remedyRows },
};

const read = (file: string) => readFile(join(ROOT, file), 'utf8');

/** @returns path below the lab's folder to its text, as it should be */
export async function generatedPages(): Promise<Record<string, string>> {
	const findings = await storedFindings();
	return {
		'compose.yaml': rootCompose(),
		[MEASURED_REMEDIES_FILE]: `${JSON.stringify(await storedRemedies(), null, '\t')}\n`,
		Makefile: withOptions(await read('Makefile')),
		'docs/reference.md': referencePage(await read('Makefile')),
		'docs/diagnosis.md': withRuleOrder(await read('docs/diagnosis.md')),
		...(await pagesWithArms()),
		[`${TO_EXAMPLES}${FINDINGS_RECORD.markdown}`]: formatFindingsMarkdown(findings),
		'README.md': withPart(
			withPart(await read('README.md'), 'findings', findingsRows(findings, TO_EXAMPLES)),
			'trust',
			trustList({ selftest: selftestIn(await read('docs/diagnosis.md')), runs: await storedRuns(), machines: findings.machines }),
		),
	};
}

async function pagesWithArms(): Promise<Record<string, string>> {
	const pages = Object.entries(WITH_ARMS).map(async ([file, { parts, rows }]) => {
		let page = await read(file);
		for (const [name, folder] of Object.entries(parts))
			page = withPart(page, name, rows(await readRecord(join(EXAMPLES, folder), EXPERIMENT_RECORD.result)));
		return [file, page];
	});
	return Object.fromEntries(await Promise.all(pages));
}

/** What the page of the self-test begins with, which that wrote. */
function selftestIn(page: string) {
	const [, headline = ''] = /^\*\*(.+)\*\*$/m.exec(page) ?? [];
	const [, commit = ''] = /judged by commit (\w+)/.exec(page) ?? [];
	return { headline: new Markdown(headline), commit };
}

/** How many runs the stored experiments rest on, by their validity. */
async function storedRuns() {
	const runs: Record<string, number> = {};
	for (const folder of readdirSync(EXAMPLES).filter((name) => isExcerpt(join(EXAMPLES, name)))) {
		const { attempts } = await readRecord(join(EXAMPLES, folder), RECORD.manifest);
		for (const { validity } of attempts) runs[validity] = (runs[validity] ?? 0) + 1;
	}
	return runs;
}

function rootCompose() {
	const folders = readdirSync(COMPOSE_FOLDER)
		.filter((id) => existsSync(join(COMPOSE_FOLDER, id, 'compose.yaml')))
		.sort();
	return `# Every system of compose/, made by "make docs": "docker compose --profile arch-2a up" works from here.
name: doubletake
include:
${folders.map((id) => `  - compose/${id}/compose.yaml\n`).join('')}`;
}

/**
 * @returns exit code
 * @throws {NotReadyError} in a package, which has no stored experiments and is not written to
 */
export async function writeDocs(reporter: Reporter): Promise<number> {
	if (!IS_CHECKOUT)
		throw new NotReadyError('docs: expected a checkout of Doubletake; found an installed package.', 'give it in a checkout: "make docs".');
	const pages = Object.entries(await generatedPages());
	for (const [file, text] of pages) {
		await writeFile(join(ROOT, file), text);
		reporter.tell(`  ${relative(process.cwd(), join(ROOT, file))}\n`);
	}
	reporter.give({ result: { files: pages.map(([file]) => file) } });
	return EXIT.done;
}
