/**
 * A queue before the database, on real containers: what was accepted is followed to its end, though who does it is killed on the way.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { RECORD } from '../../lab/define/paths.js';
import { checkReport } from '../browser/report.check.js';
import { assertNothingIsLeft, assertRan, make, newestRun, RUN_LIMIT_MS, readResult } from './front-door.js';

/** Each loop of the consumer has one write in hand. */
const LOOPS = 50;

describe('make run-2a-list, whose consumer is killed', () => {
  /** @type {import('../../lab/define/result.js').Result} */
  let result;
  /** @type {NonNullable<import('../../lab/define/result.js').Result['queue']>} */
  let queue;
  let page = '';

  before(
    async () => {
      assertRan(await make('run-2a-list', 'LOAD=smoke', 'FAULT=kill consumer@5s+2s'));
      const folder = await newestRun('2a-list');
      result = await readResult(folder);
      assert.ok(result.queue);
      queue = result.queue;
      page = join(folder, RECORD.report);
    },
    { timeout: RUN_LIMIT_MS },
  );

  test('every request that users had a good answer for was put into the queue', () => {
    const { requests, failures } = result.metrics;
    assert.ok(queue.accepted >= requests - failures && queue.accepted <= requests, `${queue.accepted} of ${requests - failures}`);
  });

  test('all of them were taken out again, and none is missing but what the consumer had in hand', () => {
    assert.equal(queue.left, 0);
    assert.ok(queue.lost !== null && queue.lost <= LOOPS, String(queue.lost));
    assert.ok(queue.completed > 0 && queue.completed_in_load <= queue.completed);
  });

  test('while it was away writes waited, and good answers are those that were done', () => {
    assert.ok(Math.max(...queue.backlog) > 0);
    assert.ok(result.metrics.goodput_rps * result.duration_s <= queue.completed + 1);
  });

  test('counts add up in every tier', () => {
    for (const { statement, left, right, holds } of result.ledger.checks) assert.ok(holds, `${statement}: ${left} and ${right}`);
  });

  test('the report says what became of what was accepted', async () => {
    assert.match(await readFile(page, 'utf8'), /What became of accepted writes/);
    await checkReport(page);
  });

  test('nothing is left', () => assertNothingIsLeft());
});

describe('make run-2a-queue, whose consumer is killed, under a load that two generators make', () => {
  /** @type {import('../../lab/define/result.js').Result} */
  let result;
  /** @type {NonNullable<import('../../lab/define/result.js').Result['queue']>} */
  let queue;

  before(
    async () => {
      assertRan(await make('run-2a-queue', 'LOAD=smoke', 'INTEGRITY=1', 'GENERATORS=2', 'FAULT=kill consumer@5s+2s'));
      result = await readResult(await newestRun('2a-queue'));
      assert.ok(result.queue);
      queue = result.queue;
    },
    { timeout: RUN_LIMIT_MS },
  );

  test('the load is one, with each generator’s part in it', () => {
    const note = result.notes.find((text) => text.startsWith('2 generators made the load together'));
    assert.ok(note !== undefined && Number(/within (\d+) ms/.exec(note)?.[1]) < 500, String(note));
    for (const name of ['k6-1', 'k6-2']) assert.ok(Number(result.resources[name]?.cpu_cores.mean) > 0, name);
    assert.deepEqual(
      result.flow.nodes.filter(({ tier }) => tier === 'generator').map(({ id, received }) => [id, received]),
      [['k6', result.metrics.requests]],
    );
  });

  test('what the consumer had in hand is handed out again, so that nothing is lost', () => {
    assert.deepEqual([queue.left, queue.failed, queue.lost, result.ledger.writes.lost], [0, 0, 0, 0]);
    assert.equal(queue.completed, queue.accepted);
  });

  test('what was done twice is stored once', () => assert.equal(result.ledger.writes.duplicated, 0));

  test('counts add up in every tier', () => {
    for (const { statement, left, right, holds } of result.ledger.checks) assert.ok(holds, `${statement}: ${left} and ${right}`);
  });

  test('nothing is left', () => assertNothingIsLeft());
});
