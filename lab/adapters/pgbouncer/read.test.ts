import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { aboutOf, containerOf, eachSecond, filesOf } from '../fixtures/hop-files.ts';
import { read } from './read.ts';
import type { State } from './state.ts';
import { sampleState } from './state.ts';

const ABOUT = aboutOf({ service: 'pool', tier: 'pool' });
const CONSOLE = readFileSync(new URL('./fixtures/console.txt', import.meta.url), 'utf8');
const STATE = (await sampleState(containerOf(CONSOLE).container)) as State;

test('its console tells what runs full in it, and of requests it knows nothing', () => {
	const record = read(filesOf('', eachSecond(STATE)), ABOUT);
	assert.deepEqual(record.coverage, { requests: 'none', reasons: 'none', limits: 'full' });
	assert.deepEqual([record.product, record.tier, record.received], ['pgbouncer', 'pool', null]);
	assert.equal(read(filesOf('', eachSecond(STATE).slice(0, 4)), ABOUT).coverage.limits, 'partial');
});

test('the fullest pool of a database is measured by the size of one, and clients without the lab by theirs', () => {
	const [pool, clients] = read(filesOf('', eachSecond(STATE)), ABOUT).limits;
	assert.deepEqual([pool.resource, pool.size, pool.used[0].used], ['server connections of the pool', 8, 6]);
	assert.deepEqual([clients.resource, clients.size, clients.used[0].used], ['client connections', 100, 29]);
});

test('of several databases each has a limit with its name', () => {
	const two = { ...STATE, pools: [...STATE.pools, { ...STATE.pools[1], database: 'jobs' }], sizes: { shop: 8, jobs: 4 } };
	assert.deepEqual(
		read(filesOf('', eachSecond(two)), ABOUT).limits.map(({ resource, size }) => [resource, size]),
		[
			['server connections of the pool of shop', 8],
			['server connections of the pool of jobs', 4],
			['client connections', 100],
		],
	);
});

test('without samples no limit is reported', () => {
	const record = read(filesOf(''), ABOUT);
	assert.deepEqual([record.limits, record.coverage.limits], [[], 'none']);
});
