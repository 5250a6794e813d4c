/** The rule for what is a constant, the numbers that are put in its place, and the search, on a toy module. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constantsOf, movedSource, moveOf } from './constants.ts';
import { mutate } from './mutate.ts';
import type { Moved } from './report.ts';
import { movedIn, reportOf } from './report.ts';

const TOY = `
import { other } from './other.js';
export const WAIT_S = 2;
const CALLS_LEAST = 10;
const [LOW, HIGH, SOON_MOST, ALL_SHARE] = [0.1, 1 / 4, 8, 0.9];
const LEAST_S = { connect: 0.05, 'gave-up': Math.max(3) };
const LATE_S = 100 * WAIT_S;
const MILLI = 1000, REFUSED = 503, NONE = -1, LEVEL = { app: 3 };
const NEVER_LEAST = 0;
let seen = 0.5;
function within(a) { const OWN_S = 7; return a > 0.5 ? OWN_S : other(a, 400); }
const late = (a) => a > 30;
`;

test('a constant is a fraction, or a whole number that is named as a quantity, outside functions', () =>
	assert.deepEqual(
		constantsOf('toy.js', TOY).map(({ name, value }) => [name, value]),
		[
			['WAIT_S', 2],
			['CALLS_LEAST', 10],
			['LOW', 0.1],
			['HIGH', 0.25],
			['SOON_MOST', 8],
			['ALL_SHARE', 0.9],
			['LEAST_S.connect', 0.05],
			['LEAST_S.gave-up', 3],
			['LATE_S', 100],
		],
	));

test('each moves by a fifth, one that has a whole step within it stays whole, and a share goes halfway to all at most', () => {
	const all = constantsOf('toy.js', TOY);
	const moved = movedSource(
		TOY,
		all.map((constant) => moveOf(constant, constant.name !== 'WAIT_S')),
	);
	const says = moved.split('\n').slice(2, 7);
	assert.deepEqual(says, [
		'export const WAIT_S = 1.6;',
		'const CALLS_LEAST = 12;',
		'const [LOW, HIGH, SOON_MOST, ALL_SHARE] = [0.12, 0.3, 10, 0.95];',
		"const LEAST_S = { connect: 0.06, 'gave-up': Math.max(3.5999999999999996) };",
		'const LATE_S = 120 * WAIT_S;',
	]);
	assert.deepEqual(moved.split('\n').slice(7), TOY.split('\n').slice(7));
});

/** Of numbered constants: the third decides alone as it goes up, the first and the last only together. */
function searched(isOver: () => boolean = () => false) {
	const constants = Array.from({ length: 9 }, (_, at) => ({ file: 'toy.js', name: `C${at}_S`, value: at, start: at, end: at }));
	let tries = 0;
	const tryOut = async (vector: Moved[], targets: string[]) => {
		tries += 1;
		const has = (at: number) => vector.some(({ constant }) => constant.start === at);
		const third = vector.some(({ constant, isUp }) => constant.start === 3 && isUp);
		const moved = [
			['a', '2 of 2 requests: api: busy → db: full', third],
			['b', 'new: the limit is db', has(0) && has(8)],
		] as [string, string, boolean][];
		return new Map(moved.flatMap(([target, said, is]) => (is && targets.includes(target) ? [[target, said]] : [])));
	};
	return mutate({ constants, targets: ['a', 'b', 'c'], tryOut }, { seed: '1', runs: 6, isOver, say: () => {} }).then((found) => ({
		...found,
		constants,
		tries: () => tries,
	}));
}

test('the search ends at one constant, and at several where only together they decide', async () => {
	const { decided, changed, runs, tries, constants } = await searched();
	assert.deepEqual(
		decided.filter(({ target }) => target === 'a').map(({ by }) => by.map(({ constant, isUp }) => [constant.name, isUp])),
		[[['C3_S', true]]],
	);
	assert.ok(decided.some(({ target, by }) => target === 'b' && by.length > 1));
	assert.equal(runs, 6);
	assert.equal(changed.get('b'), 6);
	assert.ok(!changed.has('c'));
	assert.ok(tries() < 40, `${tries()} tries`);
	const report = reportOf({ constants, decided, changed, runs, records: ['a', 'c'] });
	assert.match(report, /Of 9 constants 1 decide alone: 1 what a frozen record says, 0 whether/);
	assert.match(report, /\| toy\.js \| `C3_S` \| 3 \| up: a: 2 of 2 requests: api: busy → db: full \|/);
	assert.match(report, /1 of 2 records moved in a run, and 1 made tests/);
});

test('where the time is over, what is left is said to be not told apart', async () => {
	const { decided, runs } = await searched(() => true);
	assert.equal(runs, 1);
	assert.ok(decided.every(({ by }) => by.length === 9));
});

test('what moved is told by requests, and by what else is said', () => {
	const before = { requests: { 1: 'api: busy', 2: 'api: busy' }, others: ['the limit is api'] };
	assert.equal(movedIn(before, before), '');
	assert.equal(
		movedIn(before, { requests: { 1: 'api: busy', 2: 'db: full' }, others: [] }),
		'1 of 2 requests: api: busy → db: full; no more: the limit is api',
	);
	assert.equal(movedIn(before, { requests: {}, others: ['it is not analysed: no'] }), 'it is not analysed: no');
});
