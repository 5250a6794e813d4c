import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXAMPLES, EXPERIMENT_RECORD, ROOT } from '../base/paths.ts';
import { architectures } from '../catalog/architectures.ts';
import { metrics } from '../catalog/metrics.ts';
import { storedFindings } from '../compare/experiment/findings.ts';
import { OPTION_NAMES } from '../options/accepted-options.ts';
import { causes } from '../record/causes.ts';
import { readRecord } from '../record/excerpt-file.ts';
import { withPart } from './marked.ts';
import { armRows, findingsRows, referencePage, remedyRows } from './reference.ts';

const page = referencePage('#::   make run-<architecture>   measure it\n#:   make test                 all\nrun-%:\n');

test('the reference has every architecture, variable, metric and cause', () => {
	for (const name of [...Object.keys(architectures), ...OPTION_NAMES, ...metrics.map(({ id }) => id), ...Object.keys(causes)])
		assert.match(page, new RegExp(`^\\| \`${name}\` \\|`, 'm'), name);
});

test('the commands are those of the help', () => {
	assert.match(page, /^\| `make run-<architecture>` \| measure it \|\n\| `make test` \| all \|$/m);
});

test('what an earlier row says is not said again', () => {
	assert.match(page, /^\| `callee-full` \|.*\| as `[a-z-]+` \|$/m);
});

test('what stands in backquotes in a table of the lab is code on the page', () => {
	assert.match(page, /mostly `ramp`, by the scenario, unless given/);
});

const findings = await storedFindings();
const metastable = await readRecord(join(EXAMPLES, 'metastable'), EXPERIMENT_RECORD.result);
const doubling = await readRecord(join(EXAMPLES, 'doubling'), EXPERIMENT_RECORD.result);

test('each experiment of a publication that was measured has a row with a link, one sentence, and its claims by verdict as they are read today; how many came out how stands above', () => {
	const [headline, table, below] = findingsRows(findings, 'reports/').split('\n\n');
	assert.equal(headline, findings.headline);
	const rows = table.trim().split('\n').slice(2);
	const measured = findings.experiments.filter(({ markdown, own }) => markdown !== null && !own);
	assert.match(
		below,
		/^Other experiments test our own ideas\. Claims of \[What breaks the retry loop\]\(reports\/metastable-cures\/experiment\.md\): 3 hold and 1 is refuted\./,
	);
	assert.equal(rows.length, measured.length);
	assert.ok(rows.every((row) => !/SUSPECT runs: /.test(row)));
	const [batching] = rows.filter((row) => row.includes('batching/'));
	assert.match(
		batching,
		/^\| \[One worker instead of three\]\(reports\/batching\/experiment\.md\) \| One worker completed .* \| 3 hold \|$/,
	);
});

test('a verdict that a claim lost when it was read again is not in the row: what is read today is', () => {
	const claim = { id: 'X1', verdict: 'REFUTED', registered: { verdict: 'HOLDS' } } as any;
	const rows = findingsRows({ ...findings, experiments: [{ ...findings.experiments[0], reported: null, claims: [claim] }] }, '');
	assert.match(rows, /\| not measured \| 1 is refuted \|/);
});

test('each arm has a row with its doubts, its figures over the blocks and where it lost requests', () => {
	const rows = armRows(doubling).trim().split('\n').slice(2);
	assert.equal(rows.length, doubling.arms.length);
	for (const [index, { id, runs, suspect, ledger }] of doubling.arms.entries()) {
		assert.ok(rows[index].includes(`\`${id}\``) && rows[index].includes(`| ${runs}`), rows[index]);
		assert.equal(rows[index].includes('SUSPECT'), suspect > 0);
		for (const { cause_title: cause } of ledger) assert.ok(rows[index].includes(cause));
	}
});

test('each arm that has a price has a row of what it serves and what it takes', () => {
	const [heads, , ...rows] = remedyRows(metastable).trim().split('\n');
	const served = '| runs | good answers | failed |';
	const taken = '| p95 of successes | CPU per 1,000 done | Containers |';
	assert.ok(heads.includes(`${served} served 30 s after it, of before ${taken}`), heads);
	const calm = metastable.arms.map((arm: any) => ({ ...arm, metrics: { ...arm.metrics, came_back_share: undefined } }));
	assert.ok(remedyRows({ ...metastable, arms: calm }).includes(`${served} ${taken.slice(2)}`));
	assert.equal(rows.length, metastable.arms.length);
	for (const [index, { id, price }] of metastable.arms.entries())
		assert.ok(rows[index].includes(`\`${id}\``) && rows[index].includes(`| ${price.containers} |`), rows[index]);
});

const PAGE = 'before\n<!-- rows: made by "make docs" -->\nold\n<!-- end of rows -->\nafter\n';

test('what stands between the marks is replaced, and done again it stays as it is', () => {
	const once = withPart(PAGE, 'rows', '| new |\n');
	assert.equal(once, 'before\n<!-- rows: made by "make docs" -->\n\n| new |\n\n<!-- end of rows -->\nafter\n');
	assert.equal(withPart(once, 'rows', '| new |\n'), once);
});

test('a page without the marks is an error that names them', () => {
	assert.throws(() => withPart('before', 'rows', ''), /expected the lines <!-- rows: made by "make docs" --> and <!-- end of rows -->/);
});

test('every command of the lab says what it gives as JSON, and no other does', () => {
	const commands = [...readFileSync(join(ROOT, 'lab/cli/main.ts'), 'utf8').matchAll(/\.command\('([\w-]+)/g)].map(([, name]) => name);
	assert.ok(commands.length > 10);
	const [, table] = page.split('\n## JSON\n');
	const reported = [...table.split('\n## ')[0].matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
	assert.deepEqual(reported.sort(), commands.sort());
});
