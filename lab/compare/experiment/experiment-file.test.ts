import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { NotReadyError } from '../../base/errors.ts';
import { planOf, runsOf } from '../../diagnose/fixtures/experiment-runs.ts';
import { judgeTest } from '../claims/tests.ts';
import { claimsIn, curveIn, loadUnder, readQuestion, saidOf } from './experiment-file.ts';

const LEAST = 'question: Are four better?\narms: { two: WORKERS=2, four: [WORKERS=4, POOL=8], today: }\n';
const CLAIM = 'id: C1, statement: Four serve more., metric: goodput_rps, arm: four';

let folder = '';
before(async () => {
	folder = await mkdtemp(join(os.tmpdir(), 'doubletake-question-'));
});
after(() => rm(folder, { recursive: true }));

/** What a file says with this in it. */
async function questionIn(text: string, name: string = 'experiment.yaml') {
	await writeFile(join(folder, name), text);
	return readQuestion(folder, name);
}

const refused: (text: string, expected: RegExp) => Promise<void> = (text, expected) =>
	assert.rejects(questionIn(text), (error) => error instanceof NotReadyError && expected.test(error.message));

test('a question and its arms are enough, and each arm is said as a side of a comparison', async () => {
	const { question, arms } = await questionIn(LEAST);
	assert.equal(question, 'Are four better?');
	assert.deepEqual(
		Object.entries(arms).map(([name, said]) => [name, saidOf(said)]),
		[
			['two', ['WORKERS=2']],
			['four', ['WORKERS=4', 'POOL=8']],
			['today', []],
		],
	);
});

test('what is wrong is reported with its line, what was expected and what was found', async () => {
	await refused('arms: { two: A=2, four: A=4 }\n', /^experiment\.yaml, line 1: expected an entry "question"; found none\./);
	await refused('question: Q\narms: { two: A=2 }\n', /line 2, arms: expected at least two arms by their names/);
	await refused(
		'question: Q\narms: { two: A=2, four: { set: A=4 } }\n',
		/line 2, arms\.four: expected what compare takes as --a, or a list of that/,
	);
	await refused('question: Q\narms: { a/b: A=2, four: A=4 }\n', /expected a name of at most 40 letters/);
	await refused(
		'question: Q\narms: { two: A=2, Two: A=4 }\n',
		/expected names that differ in more than capitals and punctuation; found "Two" beside "two"/,
	);
	await refused(`${LEAST}quest: x\n`, /line 3: expected one of question, title, arms/);
	await refused(`${LEAST}repeats: 0\n`, /line 3, repeats: expected a whole number from 1 to 100; found 0/);
	await refused(`${LEAST}pairs: [[two, for]]\n`, /line 3, pairs\.0: expected one of two, four, today; found "for"/);
	await refused(`${LEAST}pairs: [[two, two]]\n`, /expected two arms; found "two" twice/);
	await refused(
		`${LEAST}loads: { heavy: { user: 5 } }\n`,
		/line 3, loads\.heavy: expected one of script, shape, users, think_ms; found "user"/,
	);
	await refused(`${LEAST}loads: { heavy: { users: many } }\n`, /loads\.heavy\.users: expected a whole number from 1 to /);
});

test('what is wrong in a claim is told too', async () => {
	await refused(`${LEAST}claims: [{ ${CLAIM} }]\n`, /claims\.0: expected at_least or at_most; found neither/);
	await refused(`${LEAST}claims: [{ ${CLAIM}, at_least: 1, at_most: 2 }]\n`, /expected at_least or at_most; found at_least and at_most/);
	await refused(
		`${LEAST}claims: [{ ${CLAIM}, at_least: 1, against: three }]\n`,
		/claims\.0\.against: expected one of two, four, today; found "three"/,
	);
	await refused(`${LEAST}claims: [{ ${CLAIM}, at_least: 1, against: four }]\n`, /claims\.0\.against: expected another arm; found "four"/);
	await refused(
		`${LEAST}claims: [{ ${CLAIM.replace('goodput_rps', 'goodput')}, at_least: 1 }]\n`,
		/claims\.0\.metric: expected one of goodput_rps, /,
	);
	await refused(
		`${LEAST}claims: [{ ${CLAIM}, at_least: 1 }, { ${CLAIM}, at_least: 1 }]\n`,
		/claims\.1\.id: expected each id once; found C1 twice/,
	);
	await refused(
		`${LEAST}loads: { light: {}, heavy: {} }\nclaims: [{ ${CLAIM}, at_least: 1 }]\n`,
		/expected an entry "load" \(light, heavy\); found none/,
	);
});

test('a claim about two arms is one of their ratio, and is judged as those of the lab', async () => {
	const question = await questionIn(`${LEAST}claims: [{ ${CLAIM}, against: two, at_least: 1.5 }]\n`);
	const [claim] = claimsIn(question, 'experiment', 'experiment.yaml');
	assert.deepEqual(
		[claim.source, claim.test, claim.shown],
		['experiment.yaml', 'goodput, four over two: at least 1.5 times as much.', ['four: {goodput_rps@four}', 'two: {goodput_rps@two}']],
	);
	const plan = planOf({ arms: ['two', 'four'].map((id) => ({ id, architecture: 'a' })), pairs: [['two', 'four']] });
	const judged = judgeTest(claim.tests[0], runsOf(plan, { two: { goodput: 500 }, four: { goodput: 900 } }));
	assert.equal(judged.verdict, 'HOLDS');
});

test('a claim about one arm is one of its share, else of how many of its runs are so', async () => {
	const of = async (claim: string) =>
		claimsIn(await questionIn(`${LEAST}claims: [{ ${claim} }]\n`, 'e.yaml'), 'e', 'e.yaml')[0].tests[0].kind;
	assert.equal(await of('id: C1, statement: S, metric: failure_rate, arm: four, at_most: 0.01'), 'level');
	assert.equal(await of('id: C1, statement: S, metric: latency_ms_p95_ok, arm: four, at_most: 800'), 'outcome');
});

test('under several loads a claim is about the arm under the one that it names', async () => {
	const text = `${LEAST}loads: { light: { users: 5 }, heavy: { users: 50 } }\nclaims: [{ ${CLAIM}, against: two, at_least: 1, load: heavy }]\n`;
	const [{ tests }] = claimsIn(await questionIn(text, 'e.yaml'), 'e', 'e.yaml');
	assert.deepEqual([(tests[0] as any).base, (tests[0] as any).other], ['two (heavy)', 'four (heavy)']);
});

test('a load differs from doubletake.yaml’s in what it says, and users of a script are no such thing', () => {
	assert.deepEqual(loadUnder({ urls: ['GET /'], users: 5 }, 'heavy', { users: 50 }), { urls: ['GET /'], users: 50 });
	assert.deepEqual(loadUnder({ urls: ['GET /'], users: 5 }, 'heavy', { script: 'heavy.js' }), { script: 'heavy.js' });
	assert.throws(
		() => loadUnder({ script: 'load.js' }, 'heavy', { users: 50 }),
		/^NotReadyError: loads\.heavy: expected no "users" beside a script, which says itself who comes when; found 50/,
	);
});

const NODES = 'question: Q\narms: { one: N=1, two: N=2, three: N=3, four: N=4 }\n';
const COUNTED = 'nodes: { of: web, arms: { one: 1, two: 2, three: 3, four: 4 } }\n';

/** Of each arm, containers of web by its number. */
const modelsOf = (replicas: number[]) =>
	Object.fromEntries(
		['one', 'two', 'three', 'four'].map((arm, index) => [
			arm,
			[
				{ service: 'db', replicas: 1 },
				{ service: 'web', replicas: replicas[index] },
			],
		]),
	);

test('numbers of nodes are the curve of which a capacity plan is made', async () => {
	const { nodes } = await questionIn(NODES + COUNTED, 'e.yaml');
	assert.deepEqual(curveIn(nodes, modelsOf([1, 2, 3, 4]), 'e.yaml'), {
		...{ x_label: 'nodes', metric: 'goodput_rps', x: { one: 1, two: 2, three: 3, four: 4 } },
		of: { services: ['web'], all: ['db', 'web'] },
	});
	assert.equal(curveIn(undefined, {}, 'e.yaml'), undefined);
});

test('numbers that Compose does not make are refused, and what is within containers it does not count', async () => {
	const { nodes } = await questionIn(NODES + COUNTED, 'e.yaml');
	assert.throws(
		() => curveIn(nodes, modelsOf([1, 2, 2, 4]), 'e.yaml'),
		/^NotReadyError: e\.yaml, nodes\.arms\.three: expected as many containers of web as the arm is said to have, 3; Compose makes 2\./,
	);
	assert.deepEqual(curveIn(nodes, modelsOf([1, 1, 1, 1]), 'e.yaml')?.x, nodes?.arms);
	assert.throws(
		() => curveIn({ ...nodes, of: 'wep', arms: {} }, modelsOf([1, 2, 3, 4]), 'e.yaml'),
		/^NotReadyError: e\.yaml, nodes\.of: expected services of the arms, db, web; found "wep"\.[\s\S]*"web"/,
	);
});

test('numbers of which no plan could be made are told with their line', async () => {
	await refused(
		`${NODES}nodes: { of: web, arms: { one: 1, two: 2, three: 3 } }\n`,
		/line 3, nodes\.arms: expected at least 4 arms with how many/,
	);
	await refused(`${NODES}nodes: { of: web, arms: { one: 1, two: 2, three: 3, for: 4 } }\n`, /nodes\.arms: expected one of .*; found "for"/);
	await refused(
		`${NODES}nodes: { of: web, arms: { one: 1, two: 2, three: 3, four: 3 } }\n`,
		/expected another number for each arm; found 3 twice/,
	);
	await refused(
		`${NODES}nodes: { of: web, arms: { one: 0, two: 2, three: 3, four: 4 } }\n`,
		/nodes\.arms\.one: expected a whole number from 1 to/,
	);
	await refused(`${NODES}${COUNTED}loads: { light: { users: 5 }, heavy: { users: 50 } }\n`, /line 3, nodes: expected one load beside it/);
});
