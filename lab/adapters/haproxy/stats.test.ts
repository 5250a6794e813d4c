import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { limitsOf, readStats } from './stats.ts';

const answer = readFileSync(new URL('./fixtures/show-stat.txt', import.meta.url), 'utf8');

function sample(text: string, t: number) {
	const stats = readStats(text);
	assert.ok(stats);
	return { t, ...stats };
}

test('the answer is read: the process’s numbers, and a row for each frontend, backend and server', () => {
	const { info, rows } = sample(answer, 0);
	assert.deepEqual(info, { Maxconn: 2048, CurrConns: 41, DroppedLogs: 0 });
	assert.deepEqual(
		rows.map(({ proxy, name, values }) => [proxy, name, values.scur, values.slim]),
		[
			['web', 'FRONTEND', 40, 1000],
			['app', 's1', 20, 20],
			['app', 's2', 20, 20],
			['app', 'BACKEND', 58, 100],
		],
	);
});

test('what is no such answer is none', () => {
	for (const text of ['', 'HTTP/1.1 400 Bad request', 'Maxconn: 5\n']) assert.equal(readStats(text), null);
});

test('a row that was cut off keeps the columns that it has', () => {
	const rows = sample(answer.slice(0, answer.indexOf('app,BACKEND,17,38,58')).concat('app,BACKEND,17,38'), 0).rows;
	assert.deepEqual(rows.at(-1)?.values, { qcur: 17 });
});

test('limits are those of the process, of each frontend and server, of a server’s queue, and of all servers together with what waits', () => {
	const limits = limitsOf([sample(answer, 1), sample(answer.replace('CurrConns: 41', 'CurrConns: 2048'), 2)]);
	assert.deepEqual(
		limits.map(({ resource, size, used }) => [resource, size, used.map((reading) => reading.used)]),
		[
			['connections of the process', 2048, [41, 2048]],
			['connections of frontend web', 1000, [40, 40]],
			['connections to server app/s1', 20, [20, 20]],
			['connections to server app/s2', 20, [20, 20]],
			['queue of server app/s2', 64, [1, 1]],
			['connections to all servers of app, waiting requests included', 40, [58, 58]],
		],
	);
	assert.deepEqual(
		limits[0].used.map(({ t }) => t),
		[1, 2],
	);
});

test('servers of which one has no limit have none together', () => {
	const limits = limitsOf([sample(answer.replace('app,s1,0,3,20,20,20,', 'app,s1,0,3,20,20,,'), 1)]);
	assert.ok(!limits.some(({ resource }) => resource.includes('all servers') || resource.includes('app/s1')));
});

test('without a sample there are no limits', () => {
	assert.deepEqual(limitsOf([]), []);
});
