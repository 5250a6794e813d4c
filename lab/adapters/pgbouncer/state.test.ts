import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { containerOf } from '../fixtures/hop-files.ts';
import type { State } from './state.ts';
import { sampleState } from './state.ts';

/** What is told of a console that answers so. */
const stateIn = async (output: string) => (await sampleState(containerOf(output).container)) as State | null;

test('each table is read by the names of its columns', async () => {
	const state = await stateIn('= pools\ndatabase\tsv_active\ncl\t2\n\t3\n= databases\nname\n= lists\nlist\titems\nused_clients\t4\n');
	assert.deepEqual(
		state?.pools.map(({ database, busy }) => [database, busy]),
		[
			['cl', 2],
			['', 3],
		],
	);
	assert.deepEqual([state?.sizes, state?.clients], [{}, 3]);
});

test('a row that was cut off is left out', async () => {
	const pools = async (rows: string) => (await stateIn(`= pools\ndatabase\tsv_active\n${rows}`))?.pools.length;
	assert.equal(await pools('shop\t2\n3'), 1);
	assert.equal(await pools('shop\n'), 0);
});

test('an output that is no table gives none', async () => {
	assert.equal(await stateIn(''), null);
});

const CONSOLE = readFileSync(new URL('./fixtures/console.txt', import.meta.url), 'utf8');

test('pools, their sizes and clients are read from the console', async () => {
	assert.deepEqual(await stateIn(CONSOLE), {
		pools: [
			{ database: 'shop', busy: 6 },
			{ database: 'shop', busy: 1 },
		],
		sizes: { shop: 8 },
		clients: 29,
		settings: { max_client_conn: '100' },
	});
});

test('no user, address or question of the configuration is kept', async () => {
	const reported = JSON.stringify(await stateIn(CONSOLE));
	for (const secret of ['hunter2', 'pg_shadow', '5432']) assert.ok(!reported.includes(secret), secret);
});

test('columns that a version does not have count nothing, and a limit of the database is the smaller size', async () => {
	const text = '= pools\ndatabase\tuser\tsv_active\nshop\tapp\t2\n= databases\nname\tpool_size\tmax_connections\nshop\t20\t5\n';
	const state = await stateIn(text);
	assert.deepEqual(state?.pools, [{ database: 'shop', busy: 2 }]);
	assert.deepEqual([state?.sizes, state?.clients, state?.settings], [{ shop: 5 }, null, {}]);
});

test('it is asked within a second, and where it cannot be asked there is no sample', async () => {
	const { container, asked } = containerOf(CONSOLE);
	assert.ok(await sampleState(container));
	assert.ok(asked[0].limitMs < 1000);
	assert.equal(await sampleState(containerOf('', 1).container), null);
	assert.equal(await sampleState(containerOf('sh: exec: psql: not found\n', 127).container), null);
	assert.equal(await sampleState(containerOf('= databases\nname\n', 0).container), null);
});
