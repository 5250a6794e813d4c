import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Part } from '../../../k6/lib/stored-id.js';
import { storedId } from '../../../k6/lib/stored-id.js';
import { NotReadyError, UnansweredError } from '../../base/errors.ts';
import { RAW } from '../../base/paths.ts';
import { openStoredIds } from './stored-ids.ts';

const MARK = 'a1b2c3d4e5f6';
const HOW = { service: 'db', command: ['psql', '-c', 'select ref from orders'] };
const STACK = [
	{ service: 'app', id: 'a' },
	{ service: 'db', id: 'd' },
] as any[];
const TIMES = { againMs: 0, settleMs: 10_000, failingMs: 10_000 };
const rawFolder = mkdtempSync(join(os.tmpdir(), 'doubletake-stored-ids-'));
after(() => rmSync(rawFolder, { recursive: true }));

const id: (number: number, part?: Part) => string = (number, part = 'load') => storedId(MARK, part, 7, number);

type Printed = { lines?: string[]; exitCode?: number; isCut?: boolean; error?: Error };

type Ask = typeof import('../../docker/docker.ts').executeLines;

/** A store that prints these, one after the other, and then the last again. */
function printing(...all: Printed[]) {
	let asked = 0;
	const ask: Ask = async (container, command, { onLine }) => {
		assert.deepEqual([container, command], ['d', HOW.command]);
		const { lines = [], exitCode = 0, isCut = false, error } = all[Math.min(asked, all.length - 1)];
		asked += 1;
		if (error) throw error;
		for (const line of lines) onLine(line);
		return { exitCode, isCut };
	};
	return { ask, times: () => asked };
}

const opened: (ask: Ask, given?: Partial<Parameters<typeof openStoredIds>[0]>) => ReturnType<typeof openStoredIds> = (ask, given = {}) =>
	openStoredIds({ stack: STACK, how: HOW, mark: MARK, rawFolder, say: () => {}, signal: AbortSignal.any([]), ask, times: TIMES, ...given });

/** What is known of a run after its load. */
async function readBy(ask: Ask, times: Partial<typeof TIMES> = {}) {
	const { whenDriven, notes } = await opened(ask, { times: { ...TIMES, ...times } });
	const { stored_ids: found } = await whenDriven();
	return { found, notes, kept: readFileSync(join(rawFolder, RAW.documentIds), 'utf8') };
}

test('of what is printed the ids of the load are kept, each as often as it is stored, and of all else the number', async () => {
	const before = ['somebody@example.org'];
	const all = { lines: [...before, id(1), ` "${id(2)}"`, '', id(1), id(9, 'warmup'), '12-34'] };
	const { found, notes, kept } = await readBy(printing({ lines: before }, all).ask);
	assert.equal(kept, '7-1\n7-2\n7-1\n');
	assert.deepEqual(found, { service: 'db', is_whole: true, ids: 3, others: 2 });
	assert.equal(notes.length, 1);
	assert.match(notes[0], /in db printed 2 lines without an id of this run, and 1 before the load; they are not counted/);
});

test('a command that does not work is refused before the load, with what it said', async () => {
	const refused: (printed: Printed, message: RegExp, stack?: any[]) => Promise<void> = (printed, message, stack = STACK) =>
		assert.rejects(opened(printing(printed).ask, { stack }), (error) => error instanceof NotReadyError && message.test(error.message));
	const failed =
		/integrity\.command: expected .*in db.*; found that it ended with code 1; its last lines:\n {4}ERROR: no table\n {4}LINE 1\n {8}\^\n {2}To do/;
	await refused({ lines: ['psql', 'ERROR: no table', 'LINE 1', '    ^'], exitCode: 1 }, failed);
	await refused({ exitCode: 127 }, /it ended with code 127; its last lines:\n {4}\(it printed nothing\)/);
	await refused({ lines: [id(1)], isCut: true, exitCode: -1 }, /it printed more than 256 MB/);
	await refused({ error: new UnansweredError('psql') }, /it did not end in 60 s/);
	await refused({ error: Object.assign(new Error('is not running'), { statusCode: 409 }) }, /found that the container does not run/);
	await refused({ error: new Error('no such program') }, /the engine did not run it in the container/);
	await refused({}, /db has no container in this run/, STACK.slice(0, 1));
});

test('it is read until two readings find as many: what was accepted may be stored later, and a store may be coming back', async () => {
	const rising = printing({}, { exitCode: 2 }, { lines: [id(1)] }, { lines: [id(1), id(2)] }, { lines: [id(1), id(2)] });
	const { found, notes, kept } = await readBy(rising.ask);
	assert.deepEqual([kept, notes, rising.times()], ['7-1\n7-2\n', [], 5]);
	assert.deepEqual([found?.is_whole, found?.ids], [true, 2]);
});

test('what still rises, or still fails, at the end of the time is not known to be all', async () => {
	let stored = 0;
	const rising: Ask = async (_container, _command, { onLine }) => {
		for (let number = 0; number < stored; number += 1) onLine(id(number));
		stored += 1;
		return { exitCode: 0, isCut: false };
	};
	const still = await readBy(rising, { settleMs: 0 });
	assert.equal(still.found?.is_whole, false);
	assert.match(still.notes.join(), /is not known, .* in db did not say it all: more of them were still being stored/);
	const failing = await readBy(printing({}, { lines: [id(1)], exitCode: 2 }).ask, { failingMs: 0 });
	assert.equal(failing.found?.is_whole, false);
	assert.match(failing.notes.join(), /: it ended with code 2\.$/);
	const together = await readBy(printing({}, { lines: [`[ '${id(1)}', '${id(2)}' ]`] }).ask, { failingMs: 0 });
	assert.equal(together.found?.is_whole, false);
	assert.match(together.notes.join(), /: it printed several ids in a line/);
});

test('one that prints nothing of this run says nothing of it, but where the warm-up is there and the load is not', async () => {
	const nothing = await readBy(printing({}).ask);
	assert.deepEqual([nothing.found?.is_whole, nothing.notes.length], [false, 1]);
	assert.match(nothing.notes[0], /it printed nothing, because nothing was stored or because it looks elsewhere/);
	const others = await readBy(printing({ lines: ['x'] }).ask);
	assert.equal(others.found?.is_whole, false);
	assert.match(others.notes[0], /it printed 1 line without an id of this run, because/);
	const lost = await readBy(printing({}, { lines: [id(1, 'warmup')] }).ask);
	assert.deepEqual([lost.found?.is_whole, lost.found?.ids, lost.notes], [true, 0, []]);
});

test('of a load that did not come to its end they are not known, and why is said', async () => {
	const store = printing({ lines: [] });
	const { notes } = await opened(store.ask);
	assert.equal(store.times(), 1);
	assert.equal(notes.length, 1);
	assert.match(notes[0], /is not known, because the command of "integrity" in db did not say it all: the load did not come to its end/);
});

test('where nobody asks for them nothing is read, and the manifest says nothing', async () => {
	const { ask, times } = printing({});
	const { whenDriven, notes } = await opened(ask, { how: undefined });
	assert.deepEqual([await whenDriven(), notes, times()], [{}, [], 0]);
});
