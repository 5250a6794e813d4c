import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenChecks, brokenIn, checksIn } from '../fixtures/checks.ts';
import { recordOf } from '../fixtures/record.ts';
import { logAttempt } from '../fixtures/record-requests.ts';
import type { Raw, Story } from '../fixtures/story.ts';
import { FROM } from '../fixtures/story.ts';
import { logLine, waited } from '../fixtures/tell.ts';

const RECEIVED = 'requests that nginx sent = requests that app-1 received + requests without a record there';
const ANSWERED = 'successful answers of app-1, app-2 = those that nginx received + those that nginx had given up on';

/**
 * The balancer wrote 499, or 200 and sent all of it, and the node answered 200, to a user who was gone.
 * @param status at the balancer
 */
function answerAbandoned(raw: Raw, status: number) {
	for (const { id } of raw.failures) {
		logLine(raw, id, { status });
		if (status === 200) Object.assign(raw.accessLines.at(-1), { completion: 'OK' });
		logAttempt(raw, id, { outcome: 'answered', status: 200 });
	}
	raw.balancerStatus[2].requests += raw.failures.length;
	for (const row of raw.nodes['app-1'].slice(-3)) {
		row.received += raw.failures.length;
		row.answered = { ...row.answered, '2xx': row.answered['2xx'] + raw.failures.length };
	}
	for (const row of raw.database.slice(-3)) row.operations = { insert: row.operations.insert + raw.failures.length };
	raw.database[raw.database.length - 1].documents_exact += raw.failures.length;
}

test('a good answer that nobody waited for is told by name, and only one without a name breaks a check', () => {
	for (const { status, ofBalancer, broken } of [
		{ status: 499, ofBalancer: 1000, broken: [RECEIVED, ANSWERED] },
		{ status: 200, ofBalancer: 1040, broken: [RECEIVED] },
	]) {
		const raw = recordOf({ balanced: true, kinds: { timeout: { 3: 40 } } });
		answerAbandoned(raw, status);
		const good = checksIn(raw).filter(({ statement }) => statement.startsWith('successful answers'));
		assert.deepEqual(
			good.map(({ left, right, may_differ: mayDiffer }) => [left, right, mayDiffer]),
			[
				[ofBalancer, ofBalancer, 1],
				[1040, 1040, 1],
			],
		);
		assert.deepEqual(brokenIn(raw), []);
		// So many that a thousandth does not cover them.
		for (const { id } of raw.failures.slice(0, 15)) raw.attempts.delete(id);
		assert.deepEqual(
			brokenIn(raw).map(([statement]) => statement),
			broken,
		);
	}
});

test('what users gave up on may be counted by one tier alone while a tier is at work on it, or has just ended', () => {
	const differ = (story: Story, ended = (FROM + 2) as number | null) => {
		const raw = recordOf({ balanced: true, ...story });
		for (const { id } of raw.failures) logAttempt(raw, id, { ended });
		return checksIn(raw).find(({ statement }) => statement.startsWith('requests that k6 sent'))?.may_differ;
	};
	assert.equal(differ({}), 1);
	assert.equal(differ({ kinds: { timeout: { 3: 40 } } }), 1);
	assert.equal(differ({ kinds: { timeout: { 3: 40 } } }, null), 41);
	assert.equal(differ({ late: { timeout: 40 } }), 41);
	assert.equal(differ({ late: { eof: 40 } }), 1);
});

test('what its user gave up may have been answered by the tiers all the same', () => {
	const answered = (raw: Raw) => {
		for (const row of raw.nodes['app-1'].slice(-3))
			Object.assign(row, { received: row.received + 5, answered: { '2xx': row.answered['2xx'] + 5 } });
		raw.database[raw.database.length - 1].documents_exact += 5;
		for (const row of raw.database.slice(-2)) row.operations = { insert: row.operations.insert + 5 };
		waited(raw, 2);
	};
	assert.deepEqual(brokenChecks({ late: { unanswered: 5 } }, answered), []);
	assert.equal(brokenChecks({ late: { eof: 5 } }, answered).length > 0, true);
});
