import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startLine } from '../../k6/lib/start.js';
import { newFirsts } from '../../k6/lib/user-first.js';
import { NotReadyError } from '../base/errors.ts';
import type { Failed } from './first-requests.ts';
import { refusalOfScript, unlessAllFail } from './first-requests.ts';

const BEGAN_S = 1_764_000_000;
const signal = new AbortController().signal;

/** As k6 writes its log. */
const logged = (msg: string) => `${JSON.stringify({ level: 'error', msg, source: 'console' })}\n`;
const start = logged(startLine(BEGAN_S * 1000));

/** A user's first answer. */
function reported(
	isGood: boolean,
	{
		url = 'http://edge:8000/nope',
		status = 404,
		code = 1404,
		user = 1,
	}: { url?: string; status?: number; code?: number; user?: number } = {},
): string {
	let text = '';
	newFirsts(user, (line) => {
		text = logged(line);
	}).take(isGood, { status, error_code: code, request: { method: 'GET', url } });
	return text;
}

/** A line of requests. */
const requests = (...goods: boolean[]) =>
	logged(JSON.stringify({ requests: [BEGAN_S * 1000, 0, 0, ...goods.flatMap((isGood, index) => [index * 100, 50, isGood ? 1 : -2, 0])] }));

/** By then it is known whether it looks again: both take turns. */
const TURNS = 50;

/**
 * What is found when all pieces are read.
 * @param elapsedS since the load began
 * @returns what failed, for which the load was stopped; null where it goes on
 * for good; undefined where it is looked at again
 */
async function verdictOf(pieces: string[], elapsedS: number = 10): Promise<Failed[] | null | undefined> {
	let [at, found] = [0, null as Failed[] | null | undefined];
	const over = new NotReadyError('stopped', 'nothing.');
	const given = {
		read: async () => {
			at += 1;
			if (at > pieces.length) found = undefined;
			return pieces[at - 1] ?? '';
		},
		refuse: (failed: Failed[]) => {
			found = failed;
			return over;
		},
		signal,
		clock: { lookMs: 0, now: () => (at < pieces.length ? Number.NEGATIVE_INFINITY : BEGAN_S + elapsedS) },
	};
	const drive = async (until: AbortSignal) => {
		for (let turns = 0; turns < TURNS + pieces.length && found !== undefined; turns += 1) await wait(1, undefined, { signal: until });
	};
	await unlessAllFail(given, drive).catch((error) => assert.equal(error, over));
	return found;
}

test('a script whose every request is a 404 is known after ten seconds, and not before', async () => {
	assert.equal(await verdictOf([start, reported(false), reported(false)], 9), undefined);
	assert.equal(await verdictOf([start, reported(false)]), undefined, 'one may be meant to fail');
	assert.deepEqual(await verdictOf([start, reported(false), reported(false), requests(false, false)]), [
		{ event: 'first-failed', method: 'GET', url: 'http://edge:8000/nope', status: 404, code: 1404 },
	]);
});

test('one good answer, whoever tells it, lets the load go on', async () => {
	assert.equal(await verdictOf([start, reported(false), reported(true, { user: 2 })], 3), null);
	assert.equal(await verdictOf([start, reported(false), requests(false, true)], 3), null);
});

test('pieces may end wherever they do', async () => {
	const text = start + reported(false) + reported(false) + requests(false);
	assert.equal((await verdictOf([...text.matchAll(/[\s\S]{1,97}/g)].map(([piece]) => piece)))?.length, 1);
});

test('nothing is said before the load has begun, nor while nobody has told a request, nor of an old load', async () => {
	assert.equal(await verdictOf([reported(false)]), undefined);
	assert.equal(await verdictOf([start]), undefined);
	assert.equal(await verdictOf([start, reported(false)], 31), null);
});

test('what a load does to a system is no reason to stop it, and a wrong address is', async () => {
	for (const found of [
		{ status: 502 },
		{ status: 503 },
		{ status: 504 },
		{ status: 0, code: 1050 },
		{ status: 0, code: 1212 },
		{ status: 0, code: 1220 },
	]) {
		assert.equal(await verdictOf([start, reported(false, found), reported(false, found)]), null, JSON.stringify(found));
		assert.equal(await verdictOf([start, reported(false), reported(false, found)]), null, JSON.stringify(found));
	}
	for (const found of [
		{ status: 401 },
		{ status: 429 },
		{ status: 500 },
		{ status: 0, code: 1101, url: 'http://egde/' },
		{ status: 0, code: 1212, url: 'http://localhost:8080/' },
		{ status: 0, code: 1212, url: 'http://127.0.0.1/' },
	])
		assert.equal((await verdictOf([start, reported(false, found), reported(false, found)]))?.length, 1, JSON.stringify(found));
});

test('the refusal names the line, what was asked, what was answered and what to write', () => {
	const failed = [
		{ method: 'GET', url: 'http://edge:8000/nope', status: 404, code: 1404 },
		{ method: 'GET', url: 'http://localhost:8080/', status: 0, code: 1212 },
	];
	assert.equal(
		refusalOfScript({ failed, script: 'k6/load.js', line: 28, entry: 'http://edge:8000/' }).message,
		[
			'doubletake.yaml:28, load.script: expected a script of which some request is answered well; found none in its first 10 s, so the load was stopped. What was asked first:',
			'    GET http://edge:8000/nope is answered with 404 Not Found',
			'    GET http://localhost:8080/ is refused: nothing listens there',
			'  To do: edit k6/load.js, so that it asks for what http://edge:8000/ serves. To k6 in its container localhost is k6 itself; the script finds http://edge:8000 in __ENV.TARGET. Services have the names that they have in the Compose file. If these answers are good, say so in it: http.setResponseCallback(http.expectedStatuses(404)).',
		].join('\n'),
	);
});

test('a load is stopped with the refusal, and one that ends or is interrupted by itself is not', async () => {
	const refusal = new NotReadyError('all fail', 'edit it.');
	const until = (stop: AbortSignal) =>
		new Promise((_, reject) => {
			stop.addEventListener('abort', () => reject(new Error('aborted')));
		});
	const given = { refuse: () => refusal, signal, clock: { lookMs: 0, now: () => BEGAN_S + 11 } };
	await assert.rejects(unlessAllFail({ ...given, read: async () => start + reported(false) + reported(false) }, until), refusal);
	assert.equal(await unlessAllFail({ ...given, read: async () => start + reported(true) }, async () => 'done'), 'done');
	assert.equal(await unlessAllFail({ ...given, read: async () => '' }, async () => 'done'), 'done');
	const user = new AbortController();
	const interrupted = unlessAllFail({ ...given, read: async () => '', signal: user.signal }, until);
	user.abort();
	await assert.rejects(interrupted, /^Error: aborted$/);
});
