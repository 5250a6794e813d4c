import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logWords } from '../../adapters/log-words.ts';
import { uncaught } from '../../adapters/phrases/uncaught.ts';
import { beforeEnds, endedOf, lastWordsText } from './before-ends.ts';
import { logsOf } from './logs.ts';
import { written } from './writing.ts';

const ZERO = 1_000_000;

/** @param lines seconds, and what is written then; of a text with several lines, all at once */
function wordsOf(lines: [number, string][], ends: number[]) {
	const log = lines
		.flatMap(([at, text]) =>
			text.split('\n').map((line, index) => `${new Date((ZERO + at) * 1000).toISOString().replace('Z', `${index}Z`)} ${line}\n`),
		)
		.join('');
	const adapted = [{ service: 'api', level: 1, files: { log, samples: [] } }];
	const read = logsOf({ adapted } as any, logWords, { from: ZERO, to: ZERO + 60 })('api');
	return beforeEnds(
		read?.templates ?? [],
		ends.map((at) => ZERO + at),
		logWords.uncaughtIn,
	);
}

/** What runtimes write of an error that ends their process, as the record keeps it; and the line that tells it. */
const ENDS: Record<string, [log: string, error: string, isUncaught: boolean]> = {
	'Node.js, thrown': [
		"/app/server.js:24\n  const { percent } = rows[0];\n          ^\n\nTypeError: Cannot destructure property '?' of '?' as it is undefined.\n    at /app/server.js:24:11\n\nNode.js v18.20.4",
		"TypeError: Cannot destructure property '…' of '…' as it is undefined.",
		true,
	],
	'CPython, with one error after another': [
		'Traceback (most recent call last):\n  File "?", line 8, in get\n    return rows[0]\nIndexError: list index out of range\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File "?", line 12, in main\nshop.errors.NoVoucher: none of that name',
		'IndexError: list index out of range',
		false,
	],
	'CPython, a class of a package': [
		'Traceback (most recent call last):\n  File "?", line 8, in get\nsqlalchemy.exc.NoResultFound: No row was found when one was required',
		'sqlalchemy.exc.NoResultFound: No row was found when one was required',
		false,
	],
	Go: [
		'panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x4b2f01]\n\ngoroutine 7 [running]:\nmain.percentOf(...)\n\t/app/main.go:31\nexit status 2',
		'panic: runtime error: invalid memory address or nil pointer dereference',
		true,
	],
	Java: [
		'Exception in thread "?" java.lang.IllegalStateException: no voucher\n\tat shop.Main.main(Main.java:7)\nCaused by: java.sql.SQLException: closed\n\t... 3 more',
		'Exception in thread "…" java.lang.IllegalStateException: no voucher',
		true,
	],
	Ruby: [
		"app.rb:12:in 'Object#percent_of': undefined method 'percent' for nil (NoMethodError)\n\tfrom app.rb:30:in 'main'\n\tfrom app.rb:41:in 'main'",
		"app.rb:12:in '…': undefined method '…' for nil (NoMethodError)",
		true,
	],
	'.NET': [
		'Unhandled exception. System.InvalidOperationException: Sequence contains no elements\n   at System.Linq.ThrowHelper.ThrowNoElementsException()\n   at Program.Main()',
		'Unhandled exception. System.InvalidOperationException: Sequence contains no elements',
		true,
	],
	Rust: [
		"thread 'main' panicked at src/main.rs:12:5:\ncalled on a value that is none\nnote: run with a backtrace",
		"thread '…' panicked at src/main.rs:n: called on a value that is none",
		true,
	],
	'a program of its own': [
		'loading vouchers\nfatal: cannot reach the store, giving up\nbye',
		'fatal: cannot reach the store, giving up',
		false,
	],
};

for (const [runtime, [log, error, isUncaught]] of Object.entries(ENDS))
	test(`the error is told of which a process ended, and not its last line: ${runtime}`, () => {
		const words = wordsOf(
			[
				[1, 'listening'],
				[9.9, log],
				[11, 'listening'],
				[19.9, log],
				[21, 'listening'],
				[29.9, log],
				[40, 'listening'],
			],
			[10, 20, 30],
		);
		assert.equal(words?.text.replace(/:$/, ''), error);
		assert.deepEqual([words?.ends, words?.isError, words?.isUncaught], [3, true, isUncaught]);
	});

test('a line that is written at other times too tells of no end', () => {
	const log = 'ERROR: the mail quota is used up';
	assert.equal(
		wordsOf(
			[
				[3, log],
				[9.9, log],
				[13, log],
			],
			[10],
		),
		null,
	);
});

test('what was written well before the last lines is of something else', () => {
	const words = wordsOf(
		[
			[8.6, 'ERROR: a mail could not be sent'],
			[9.9, 'TypeError: x is undefined'],
		],
		[10],
	);
	assert.equal(words?.text, 'TypeError: x is undefined');
});

test('without a word of an error the last line is told as that', () => {
	const words = wordsOf(
		[
			[1, 'listening'],
			[9.8, 'liveness: not alive'],
			[9.9, 'ending'],
		],
		[10],
	);
	assert.deepEqual(words, { text: 'ending', ends: 1, isError: false, isUncaught: false });
});

test('of several errors that is told with which most ends came', () => {
	const one = 'TypeError: x is undefined';
	const words = wordsOf(
		[
			[9.9, one],
			[19.9, 'RangeError: too deep'],
			[29.9, one],
		],
		[10, 20, 30],
	);
	assert.deepEqual([words?.text, words?.ends], [one, 2]);
});

test('sentence and title say how often, and no title is made of few ends', () => {
	const words = { text: 'TypeError: x', ends: 6, isError: true, isUncaught: true };
	assert.equal(lastWordsText(words, 6), 'Of an error that nobody caught its log says before each of its 6 ends: “TypeError: x”.');
	assert.equal(lastWordsText({ ...words, isUncaught: false }, 9), 'Its log tells of an error before 6 of its 9 ends: “TypeError: x”.');
	assert.equal(lastWordsText({ ...words, ends: 1, isError: false }, 1), 'The last that its log says before it ended: “TypeError: x”.');
	const times = { count: 1006, back_s: 1.2 };
	const back = ', and was back after 1.20 s each time (median)';
	const titleOf = (...given: Parameters<typeof endedOf>) => written(endedOf(...given) ?? '');
	assert.equal(
		titleOf({ ...words, text: 'TypeError: x.' }, 6, times),
		`ended 1,006 times of an error that nobody caught (“TypeError: x”)${back}`,
	);
	assert.equal(titleOf({ ...words, isUncaught: false }, 6, times), `ended 1,006 times with “TypeError: x” in its log${back}`);
	assert.equal(endedOf({ ...words, ends: 2 }, 6), null);
	assert.match(titleOf({ ...words, text: 'x'.repeat(160) }, 6), /^ended of an error that nobody caught \(“x{120}…”\)$/);
});

for (const { product, line } of uncaught)
	test(`an error that nobody caught is known by its first line: ${product}`, () => {
		assert.deepEqual([wordsOf([[9.9, line]], [10])?.isUncaught], [true]);
	});
