import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePlan, seedIn } from './make-plan.js';
import { scheduleOf } from './plan.js';

const arms = ['a', '2a'].map((id) => ({ id, architecture: id }));
/** @type {import('./make-plan.js').Asked} */
const asked = {
  experiment: 'test',
  table: { title: 'two', question: 'Which?', load: 'ramp', arms, pairs: [['a', '2a']], repeats: 3 },
  claims: () => [],
  settle: (_, { SEED }) => ({
    ...{ load: 'ramp', budget: 'none', seed: Number(SEED), images: 'auto', busy: 'refuse', variables: {} },
    commandWith: (repeats) => `again ${repeats}`,
  }),
};

test('a new plan has the order that its seed draws, and no run yet', async () => {
  const { schema, schedule, id, attempts, ended, baseline, arms: kept, command } = await makePlan(asked, { SEED: '7' });
  assert.deepEqual(schedule, scheduleOf(['a', '2a'], 3, 7));
  assert.match(id, /^test\/\d{4}-\d{2}-\d{2}T\d{6}Z-[0-9a-f]{4}$/);
  assert.deepEqual([schema, attempts, ended, baseline, kept, command], [1, [], null, null, arms, 'again 3']);
});

test('what an experiment asks is kept with its hash, and of a comparison the arms say it', async () => {
  const { definition, definition_hash: hash } = await makePlan(asked, { SEED: '7' });
  assert.deepEqual([definition?.question, typeof hash], ['Which?', 'string']);
  assert.equal((await makePlan({ ...asked, experiment: 'compare' }, { SEED: '7' })).definition, null);
});

test('a seed that is given stands, and without one a short one is drawn', () => {
  assert.equal(seedIn({ SEED: '7' }), '7');
  assert.match(seedIn({}), /^\d{1,4}$/);
});

test('there are as many blocks as are asked for, else as the question says, else as a verdict needs', async () => {
  const { repeats: _, ...table } = asked.table;
  const blocks = async (/** @type {Record<string, string>} */ env, /** @type {typeof asked.table} */ of) =>
    (await makePlan({ ...asked, table: of }, { SEED: '7', ...env })).repeats;
  assert.deepEqual([await blocks({}, table), await blocks({}, asked.table), await blocks({ REPEATS: '2' }, asked.table)], [8, 3, 2]);
  await assert.rejects(blocks({ REPEATS: '0' }, table), /REPEATS: expected a whole number from 1 to 100; found "0"/);
});
