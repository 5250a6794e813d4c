/**
 * The action, the example workflow and their page speak of what there is: actions that are pinned, inputs that are used, commands and thresholds that can
 * be read, files that a run leaves.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseAllDocuments, parseDocument } from 'yaml';
import { EXIT } from '../../lab/base/errors.ts';
import { RECORD, ROOT } from '../../lab/base/paths.ts';
import { readExpect, readFailOn } from '../../lab/options/expect.ts';
import { callsIn, problemOf } from './calls.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const text = read('docs/pipelines.yml');
const page = read('docs/pipelines.md');
const [document, action] = [text, read('action.yml')].map((yaml) => parseDocument(yaml));
type Step = { name?: string; uses?: string; run?: string; env?: Record<string, string>; with?: Record<string, string> };

const workflow: { permissions: Record<string, string>; jobs: Record<string, { 'timeout-minutes': number; steps: Step[] }> } =
	document.toJS();
const {
	inputs,
	outputs,
	runs,
}: {
	inputs: Record<string, { description: string }>;
	outputs: Record<string, { description: string; value: string }>;
	runs: { steps: Step[] };
} = action.toJS();
const uses = [...Object.values(workflow.jobs).flatMap((job) => job.steps), ...runs.steps];

test('the workflow and the action are YAML without a fault or a warning', () => {
	for (const one of [document, action]) assert.deepEqual([...one.errors, ...one.warnings], []);
});

test('the workflow may write comments and nothing else, and no job may run for ever', () => {
	assert.deepEqual(workflow.permissions, { contents: 'read', 'pull-requests': 'write' });
	for (const [name, job] of Object.entries(workflow.jobs)) assert.ok(job['timeout-minutes'] <= 60, name);
});

test('every input is used, in a variable and never in a command, and the workflow gives those that there are', () => {
	const [{ env = {}, run = '' }, upload] = runs.steps;
	assert.doesNotMatch(run, /\$\{\{/);
	const used = JSON.stringify([env, upload]);
	for (const [name, { description }] of Object.entries(inputs)) assert.ok(used.includes(`inputs.${name} `) && description, name);
	for (const [name, { description, value }] of Object.entries(outputs)) assert.ok(value.includes(`outputs.${name} `) && description, name);
	const given = uses.flatMap((step) => (step.uses?.includes('doubletake') ? Object.entries(step.with ?? {}) : []));
	for (const [name, value] of given) {
		assert.ok(name in inputs, name);
		if (name === 'expect') assert.ok(readExpect(value).length > 0);
		if (name === 'fail-on') assert.ok(readFailOn(value).length > 0);
	}
});

test('the template for GitLab has the same inputs', () => {
	const [{ spec }, { doubletake }] = parseAllDocuments(read('templates/doubletake.yml')).map((one) => one.toJS());
	const own = ['artifact', 'name', 'token'];
	const names = Object.keys(inputs)
		.filter((name) => !own.includes(name))
		.map((name) => name.replaceAll('-', '_'));
	assert.deepEqual(
		Object.keys(spec.inputs).filter((name) => !['source', 'revision', 'stage', 'tags'].includes(name)),
		names,
	);
	const variables = JSON.stringify(doubletake);
	for (const name of Object.keys(spec.inputs)) assert.ok(variables.includes(`$[[ inputs.${name} ]]`), name);
});

test('every call of the page is of a target or command that there is, with variables that it takes', () => {
	for (const call of callsIn(page)) assert.equal(problemOf(call), null, call.text);
});

test('the page says once what the placeholders stand for, and whatever has them leads there', () => {
	const heading = '## What OWNER and COMMIT stand for';
	const [, section = ''] = new RegExp(`^${heading}$([\\s\\S]*?)^## `, 'm').exec(page) ?? [];
	assert.match(section, /`OWNER` is the account [\s\S]*`COMMIT` is the full id of a commit [\s\S]*git rev-parse HEAD/);
	// The address with its placeholders is one that git takes.
	for (const [, path] of section.matchAll(/https:\/\/[\w.]+\/(\S+)\.git/g)) assert.equal(path, 'OWNER/doubletake');
	assert.match(text, /docs\/pipelines\.md explains it, and what OWNER and COMMIT stand for/);
	assert.ok(page.indexOf('OWNER/doubletake@COMMIT # as the next section says') < page.indexOf(heading));
});

test('the page names the files that a run leaves', () => {
	for (const name of [RECORD.summary, RECORD.junit]) assert.ok(page.includes(`\`${name}\``), name);
});

test('the page has every exit code, and an example that can be read', () => {
	const codes = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
	assert.deepEqual(
		codes,
		Object.values(EXIT).toSorted((one, other) => one - other),
	);
	for (const [, expect] of page.matchAll(/EXPECT='(.*?)'/g)) assert.ok(readExpect(expect).length > 0);
});
