import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Made } from './joins/fixtures/made.ts';
import { joinedOf } from './joins/joined.ts';
import { wireRequestsOf } from './wire-requests/trees.ts';

const WINDOW = { from: 0, to: 1000, warmupFrom: 0 };
/** Of a program that keeps no list of the requests that failed. */
const NO_LIST = { failures: [], program: {} as any };
const GIVEN_UP = { status: null, end: 'given-up', by: 'client' } as const;
const CLOSED = { status: null, end: 'closed', by: 'server' } as const;
const BAD = { status: 504, bad: true };

function reported(fill: (made: Made) => void) {
	const made = new Made();
	fill(made);
	const { timeouts, of } = wireRequestsOf(NO_LIST, WINDOW, joinedOf(made.record));
	const rows = timeouts.map(({ from, to, by, how, after_ms: after, count, share }) => [
		`${from} ${to}`,
		by,
		how,
		Math.round(after),
		count,
		share,
	]);
	return { rows, of, calls: made.record.calls };
}

/** @param each a second apart */
const often = (times: number, each: (at: number, index: number) => void) => Array.from({ length: times }, (_, index) => each(index, index));

test('a caller that gives up after equal times has a time-out of its own, and the answer that follows from it is none', () => {
	const { rows, of, calls } = reported((made) =>
		often(20, (at) => {
			made.call('k6 nginx', at, at + 10.002 + at / 1e4, { id: `u${at}`, ...BAD });
			made.call('nginx api', at + 0.001, at + 10.001 + at / 1e4, { id: `u${at}`, ...GIVEN_UP });
		}),
	);
	assert.deepEqual(rows, [['nginx api', 'nginx', 'gave-up', 10001, 20, 1]]);
	assert.equal(of.get(calls[1])?.count, 20);
	assert.equal(of.get(calls[0]), of.get(calls[1]), 'the request that it was made for ran into it');
});

test('give-ups of no rule are no time-out', () => {
	const { rows } = reported((made) => often(40, (at) => made.call('nginx api', at, at + 0.3 + ((at * 7) % 40) / 4, GIVEN_UP)));
	assert.deepEqual(rows, []);
});

test('who gave up first has the time-out: behind it the same times follow from it', () => {
	for (const id of [true, false]) {
		const { rows } = reported((made) =>
			often(20, (at) => {
				made.call('k6 nginx', at, at + 5, { ...(id && { id: `u${at}` }), ...GIVEN_UP });
				made.call('nginx api', at + 0.001, at + 5.0004, { ...(id && { id: `u${at}` }), ...GIVEN_UP });
				made.call('api db', at + 0.003, at + 5.02, GIVEN_UP);
			}),
		);
		assert.deepEqual(rows, [['k6 nginx', 'k6', 'gave-up', 5000, 20, 1]], `with ids: ${id}`);
	}
});

test('who goes on after its caller has left, and then gives up, has a time-out of its own', () => {
	const { rows } = reported((made) =>
		often(20, (at) => {
			made.call('k6 nginx', at, at + 2 + ((at * 7) % 20) / 3, { id: `u${at}`, ...GIVEN_UP });
			made.call('nginx api', at + 0.001, at + 10.001, { id: `u${at}`, ...GIVEN_UP });
		}),
	);
	assert.deepEqual(rows, [['nginx api', 'nginx', 'gave-up', 10000, 20, 1]]);
});

test('the end of a load is no time-out, whatever was under way then', () => {
	const { rows } = reported((made) => {
		for (let user = 0; user < 80; user += 1) made.call('k6 nginx', 20 + user / 1000, 30, GIVEN_UP);
		for (let user = 0; user < 80; user += 1) made.call('k6 nginx', 10 + user / 5, 30, GIVEN_UP);
	});
	assert.deepEqual(rows, []);
});

test('errors of a service after equal times, of which it asked nobody, are its own time-out', () => {
	const { rows, of, calls } = reported((made) =>
		often(20, (at) => {
			made.call('k6 api', at, at + 30 + (at % 3) / 100, { status: 500, bad: true });
			made.call('k6 api', at + 0.5, at + 0.52);
		}),
	);
	assert.deepEqual(rows, [['k6 api', 'api', 'answered', 30010, 20, 1]]);
	assert.equal(of.get(calls[0])?.how, 'answered');
});

test('errors that come as late as good answers do are none: the service takes that long', () => {
	const { rows } = reported((made) => often(20, (at) => made.call('k6 api', at, at + 1, at % 2 === 0 ? { status: 500, bad: true } : {})));
	assert.deepEqual(rows, []);
});

test('errors at once are no time-out, equal as they are', () => {
	const { rows } = reported((made) => often(50, (at) => made.call('k6 api', at, at + 0.1, { status: 503, bad: true })));
	assert.deepEqual(rows, []);
});

test('errors of a service that asks others where nothing can be read may be of those', () => {
	const { rows } = reported((made) => {
		often(20, (at) => made.call('k6 api', at, at + 30, { status: 500, bad: true }));
		made.call('api partner', 0, 1, { protocol: 'tls', role: 'beat' });
		made.record.connections[made.record.connections.length - 1].hidden_bytes = 900;
	});
	assert.deepEqual(rows, []);
});

test('a service that answers with an error after equal times while its call still waits has stopped to wait for it', () => {
	const { rows } = reported((made) =>
		often(20, (at) => {
			made.call('k6 api', at, at + 3.01, { id: `u${at}`, ...BAD });
			made.call('api partner', at + 0.01 + (at % 4) / 1000, at + 8 + (at % 7), { id: `u${at}` });
		}),
	);
	assert.deepEqual(rows, [['api partner', 'api', 'gave-up', 2999, 20, 1]]);
});

test('who was asked and closes after equal times without an answer has a time-out', () => {
	const { rows } = reported((made) => often(20, (at) => made.call('nginx web', at, at + 30.001, CLOSED)));
	assert.deepEqual(rows, [['nginx web', 'web', 'closed', 30001, 20, 1]]);
});

test('a few of other lengths do not hide a time-out, and its share is told', () => {
	const { rows } = reported((made) => {
		often(30, (at) => made.call('nginx api', at, at + 10, GIVEN_UP));
		often(10, (at) => made.call('nginx api', at, at + 1 + at / 2, GIVEN_UP));
	});
	assert.deepEqual(rows, [['nginx api', 'nginx', 'gave-up', 10000, 30, 0.75]]);
});

test('only calls of the load count, and blocking reads that end by themselves are no time-outs', () => {
	const { rows } = reported((made) => {
		often(9, (at) => made.call('nginx api', 2000 + at, 2010 + at, GIVEN_UP));
		often(9, (at) => made.call('worker cache', at, at + 5, { role: 'wait', ...GIVEN_UP }));
	});
	assert.deepEqual(rows, []);
});
