import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setPool } from '../fixtures/diagnose.ts';
import { projectCases } from '../fixtures/project-cases.ts';
import { endService, ledgerOf, logError } from '../fixtures/record.ts';
import { logAttempt } from '../fixtures/record-requests.ts';
import { setCpu } from '../fixtures/record-tiers.ts';
import type { Raw, Story } from '../fixtures/story.ts';
import { FROM } from '../fixtures/story.ts';
import { ejection, raise, refuse, SAID, tell, without } from '../fixtures/tell.ts';

/** Evidence of the first row, in short. */
function evidenceIn(story: Story, change?: (raw: Raw) => void): (string | number)[][] {
	const [row] = ledgerOf(story, change).failures;
	return row.evidence.map((piece) => {
		if (piece.kind === 'log') return [piece.source, piece.line, piece.count];
		if (piece.kind === 'count') return [piece.source, piece.text, piece.count];
		if (piece.kind === 'reading') return [piece.text];
		return [piece.source, piece.name, piece.before, piece.after];
	});
}

test("k6's own account comes first, by what it saw, the most first, with the text of an error", () => {
	const evidence = evidenceIn({ kinds: { reset: { 3: 2 }, eof: { 3: 9 } } });
	assert.deepEqual(evidence.slice(0, 2), [
		['k6', 'eof: text of eof', 9],
		['k6', 'reset: text of reset', 2],
	]);
	assert.deepEqual(evidenceIn({ answers: [{ error: 'TypeError', count: 3 }] })[0], ['k6', 'HTTP 500', 3]);
});

test("the balancer's lines of these requests are shown once, each with how many requests it is about", () => {
	const story = { balanced: true, answers: [{ status: 502, upstream_status: '502', count: 3 }] };
	const line = evidenceIn(story, tell(SAID.reset, 'app-1')).find(([source]) => source === 'nginx error log')?.[1] as string;
	assert.ok(line.startsWith(`[error] ${SAID.reset}`), line);
});

test("a line that is about no one request is shown where it is the cause's, and requests without a record are counted", () => {
	const evidence = evidenceIn({ balanced: true, kinds: { eof: { 4: 40 } } }, (raw) => logError(raw, [3, 4], SAID.reusing));
	assert.ok(evidence.some(([source, line, count]) => source === 'nginx error log' && line === `[warn] ${SAID.reusing}` && count === 2));
	assert.ok(evidence.some(([source, , count]) => source === 'nginx access log' && count === 40));
	assert.ok(evidence.some(([source, text, count]) => source === 'node logs' && text === 'no record of the request' && count === 40));
});

test('nothing is said of a request that is not in a log without ids', () => {
	const evidence = evidenceIn({ balanced: true, kinds: { eof: { 4: 40 } } }, (raw) => {
		raw.unlogged['app-1'] = 500;
	});
	assert.ok(!evidence.some(([source]) => source === 'node logs'));
});

test('what k6 says is said once where it says what k6 calls it', () => {
	const textOf = (error: string) =>
		evidenceIn({ kinds: { eof: { 4: 40 } } }, (raw) => {
			for (const sample of raw.errorSamples) sample.error = error;
		})[0][1];
	assert.deepEqual([textOf('EOF'), textOf('it ended')], ['EOF', 'eof: it ended']);
});

test('what the service at fault says itself is evidence, and stands in its own log', () => {
	const { story, change } = projectCases.find(({ sentence }) =>
		sentence.endsWith('to the worker of a program that ended'),
	) as (typeof projectCases)[number];
	assert.deepEqual(
		evidenceIn(story, change).filter(([source]) => source === 'web log'),
		[['web log', 'Booting worker with pid: 12', 1]],
	);
});

test('where the balancer turned requests away, the attempt that made it leave out a node is shown, and how often it did', () => {
	const answers = [{ status: 502, node: null, upstream: 'nodes', connect_s: '-', second: 6 }];
	const evidence = evidenceIn({ balanced: true, answers }, (raw) => {
		tell(SAID.noLive, undefined, 6)(raw);
		for (const second of [3, 4]) ejection(raw, second, 'app-1', SAID.refused);
	});
	const trigger = evidence.find(([source, line]) => source === 'nginx error log' && String(line).includes(SAID.refused));
	assert.equal(trigger?.[2], 2);
});

test('what the nodes logged of these requests is told by how it ended', () => {
	const evidence = evidenceIn({ kinds: { timeout: { 9: 3 } } }, (raw) => {
		for (const [at, { id }] of raw.failures.entries()) logAttempt(raw, id, at === 0 ? { outcome: 'open', ended: null, place: '' } : {});
	});
	assert.deepEqual(
		evidence.filter(([source]) => source === 'app-1 log'),
		[
			['app-1 log', "app-1 closed it without an answer while it was in the node's own code", 2],
			['app-1 log', 'app-1 had it open to the end of its log', 1],
		],
	);
	const answered = evidenceIn({ answers: [{ error: 'MongoServerError', count: 2 }] });
	assert.ok(answered.some(([source, text]) => source === 'app-1 log' && text === 'app-1 answered 500 MongoServerError'));
});

test('the end and the standstill of the tier at fault are reported, those of others are not', () => {
	const ended = evidenceIn({ kinds: { eof: { 6: 20 } } }, (raw) => {
		endService(raw, 'app-1', 5, { outOfMemory: true });
		endService(raw, 'mongo', 8);
	});
	assert.deepEqual(
		ended.filter(([source]) => source === 'container engine'),
		[['container engine', 'app-1 ended in second 5, exit code 137, out of memory', 1]],
	);
	const still = evidenceIn({ kinds: { timeout: { 6: 3 } } }, (raw) => {
		raw.nodes['app-1'] = without(raw.nodes['app-1'], 2, 7);
	});
	assert.deepEqual(
		still.filter(([source]) => source === 'observer'),
		[['observer', 'app-1 stood still from second 2 for 5.0 s', 1]],
	);
});

test("a counter of the kernel is shown where it is the cause's and rose at the tier at fault", () => {
	const evidence = evidenceIn({ kinds: { reset: { 6: 8 } } }, (raw) => {
		raise(raw, 'app-1', 6, { EmbryonicRsts: 8, RetransSegs: 3 });
		raise(raw, 'mongo', 6, { EmbryonicRsts: 5 });
	});
	assert.deepEqual(
		evidence.filter(([source]) => String(source).startsWith('kernel')),
		[['kernel, app-1', 'EmbryonicRsts', 0, 8]],
	);
});

test('the resets that a kernel sent stand beside connections that were refused, and none where a rule may have rejected them', () => {
	const resets = (count: number) =>
		evidenceIn({ kinds: { refused: { 6: 8 } } }, (raw) => raise(raw, 'app-1', 6, { OutRsts: count })).filter(([source]) =>
			String(source).startsWith('kernel'),
		);
	assert.deepEqual(resets(8), [['kernel, app-1', 'OutRsts', 0, 8]]);
	assert.deepEqual(resets(0), []);
});

test("MongoDB's count of refused connections stands beside what is attributed to it, be it none", () => {
	const story = { answers: [{ error: 'MongoNetworkError' }] };
	const rejected = (change: (raw: Raw) => void) => evidenceIn(story, change).filter(([source]) => source === 'mongod');
	assert.deepEqual(
		rejected(() => {}),
		[['mongod', 'connections refused', 0, 0]],
	);
	assert.deepEqual(
		rejected((raw) => refuse(raw, 5, 3)),
		[['mongod', 'connections refused', 0, 3]],
	);
});

test('connections that the balancer accepted and did not handle are the evidence that new ones were closed', () => {
	const evidence = evidenceIn({ balanced: true, kinds: { eof: { 4: 15 } } }, (raw) => {
		logError(raw, [3], SAID.full);
		raw.balancerStatus[2].handled -= 15;
	});
	assert.deepEqual(evidence.at(-1), ['nginx stub_status', 'connections accepted but not handled', 0, 15]);
});

test('what was missing at the time is shown with the cause that it is: files, CPU, connections of the pool', () => {
	const files = evidenceIn({ kinds: { eof: { 6: 4 } } }, (raw) => {
		for (const row of raw.containers) if (row.name === 'app-1' && row.t >= FROM + 5) row.fds = { open_files: 64, limit: 64 };
	});
	assert.ok(files.some(([, text]) => text === 'app-1 had as many files open as it may, in so many readings'));
	const answers = [{ error: 'MongoWaitQueueTimeoutError', second: 7, count: 4 }];
	const pool = evidenceIn({ answers }, (raw) => setPool(raw, 'app-1', 3, 8, { checkouts: 700, in_use: 50, waiting: 200 }));
	assert.deepEqual(
		pool.filter(([source]) => source === 'app-1 record'),
		[['app-1 record', 'its pool gave out no connection for 5.0 s from second 3', 1]],
	);
	const cpu = evidenceIn({ answers }, (raw) => setCpu(raw, 'mongo', 0.99, 6, 7));
	assert.deepEqual(
		cpu.filter(([source]) => source === 'observer'),
		[['observer', 'mongo had used up its CPU quota, in so many readings', 2]],
	);
});
