import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFits } from '../../record/fixtures/fits.ts';
import { readStoredRun } from '../fixtures/stored-run.ts';
import { Made, readShop } from '../joins/fixtures/made.ts';
import { joinedOf, linedOf } from '../joins/joined.ts';
import { resultOf } from '../result.ts';
import { wireOf } from '../wire.ts';
import { withTimeouts } from '../wire-timeouts.ts';
import { wireRequestsOf } from './trees.ts';

const WINDOW = { from: 0, to: 1000, warmupFrom: 0 };
/** Of a program that keeps no list of the requests that failed. */
const NO_LIST = { failures: [], program: {} as any };
const BAD = { status: 502, bad: true };

/** lb looks for web from 1 to 3 s, and nobody has its address. */
function waterfallsIn(fill: (made: Made) => void) {
	const made = new Made();
	fill(made);
	made.record.networks.push({
		...{ network: 'run', unseen: '', ended_early: '', dropped: 0, cpu_s: 0, counters: null },
		hosts: [{ source: 'lb', target: 'web', asked: 3, answered: 0, first_at: 1, last_at: 3, in_vain: [[1, 3]] }],
	});
	const { waterfalls } = wireRequestsOf(NO_LIST, WINDOW, joinedOf(made.record));
	return waterfalls.map(({ rows }) => rows.map(({ from, to, end, took_ms: took, ambiguous }) => [from, to, end, took, ambiguous]));
}

test('a service that is dead is asked for by ARP alone: what failed meanwhile has that as a bad call, which ends with it', () => {
	const [lost] = waterfallsIn((made) => made.call('k6 lb', 0.999, 4.01, BAD));
	assert.deepEqual(lost, [
		['k6', 'lb', 'answered', 3011, false],
		['lb', 'web', 'no-host', 3010, true],
	]);
});

test('what was good, began afterwards, ended long after or failed for another call has none', () => {
	const rows = waterfallsIn((made) => {
		made.call('k6 lb', 0.9, 2);
		made.call('k6 lb', 5, 5.1, BAD);
		made.call('k6 lb', 0.8, 20, BAD);
		made.call('k6 lb', 1.5, 2.5, { ...BAD, id: 'u' });
		made.call('lb db', 1.6, 2.4, { id: 'u', status: 500, bad: true });
		made.call('k6 lb', 1.5, 2.5, { status: null, end: 'given-up', by: 'client' });
	});
	assert.ok(rows.flat().every(([, , end]) => end !== 'no-host'));
});

const failuresOf = (ids: string[]) => ids.map((id) => ({ id, t: 0, waited_s: 0, status: 0, code: 0, kind: '' }));

const REQUESTS_WINDOW = { from: 0, to: 1e10, warmupFrom: 0 };

/** The shop's record, of which k6 took what was answered 503 for failed. */
async function shop() {
	const wire = await readShop();
	const failures = failuresOf(wire.calls.filter(({ status, id }) => status === 503 && id).map(({ id }) => String(id)));
	return { wire, failures, reported: wireRequestsOf({ failures, program: null }, REQUESTS_WINDOW, joinedOf(wire)) };
}

test('each URL has its requests, and what each asked on every edge behind the entry', async () => {
	const { failures, reported } = await shop();
	const { urls = [], joins = [] } = reported ?? {};
	assert.deepEqual(urls.map(({ verb, template }) => `${verb} ${template}`).sort(), ['GET /', 'GET /slow', 'POST /orders']);
	assert.equal(
		urls.reduce((sum, { failed }) => sum + failed, 0),
		failures.length,
	);
	for (const { template, edges, count, failed } of urls) {
		assert.deepEqual([edges[0].from, edges.at(-1)?.from, edges.at(-1)?.to], ['lb', 'pool', 'store']);
		const store = edges[edges.length - 1];
		// Only that page lets the database sleep, for half a second: a call joined to another URL's request would show.
		assert.equal(store.time_ms_per_request > 400, template === '/slow', `${template} ${store.time_ms_per_request} ms`);
		assert.ok(Math.abs(store.calls_per_request - (count - failed) / count) < 0.02, 'each good request asks once');
		assert.ok((store.calls_per_request_calm ?? 0) > 0.98, 'where none is refused, each asks once');
	}
	for (const joined of joins) assert.equal(joined.from === 'lb' ? joined.by_order : joined.by_id, 0, JSON.stringify(joined));
});

test('the slowest and the lost stand there hop by hop, each hop with how it was joined', async () => {
	const { reported } = await shop();
	const { waterfalls = [] } = reported ?? {};
	const [slowest, lost] = ['slowest', 'lost'].map((why) => waterfalls.filter((waterfall) => waterfall.why === why));
	assert.deepEqual([slowest.length, lost.length], [5, 5]);
	assert.deepEqual(
		slowest[0].rows.map(({ from, to, depth, joined }) => [from, to.replace(/\d/, 'N'), depth, joined]),
		[
			['k6', 'lb', 0, null],
			['lb', 'web-N', 1, 'id'],
			[slowest[0].rows[1].to, 'pool', 2, 'order'],
			['pool', 'store', 3, 'order'],
		],
	);
	for (const { id, rows } of lost) {
		assert.ok(id);
		assert.deepEqual(
			rows.map(({ status }) => status),
			[503],
		);
	}
});

test('a request is lost where the generator says so, or where the wire shows no whole answer', () => {
	const made = new Made();
	made.call('k6 web', 1, 1.5, { id: 'bad', status: 200 });
	made.call('k6 web', 2, 2.1, { id: 'wanted', status: 503, bad: true });
	made.call('k6 web', 3, 4, { id: 'gone', status: null, end: 'given-up', by: 'client' });
	made.call('k6 web', 5, null, { id: 'open', status: null, end: 'open', by: null });
	const { waterfalls, urls } = wireRequestsOf({ failures: failuresOf(['bad']), program: null }, REQUESTS_WINDOW, joinedOf(made.record));
	assert.equal(urls[0].failed, 3);
	assert.deepEqual(waterfalls.map(({ why, id, took_ms: took }) => [why, id, took]).slice(0, 1), [['slowest', 'wanted', 100]]);
	assert.deepEqual(waterfalls.flatMap(({ why, id }) => (why === 'lost' ? [id] : [])).sort(), ['bad', 'gone', 'open']);
	assert.equal(waterfalls.find(({ id }) => id === 'open')?.took_ms, null);
});

test('calls a request are reported beside those of calm seconds, so that a retry storm is seen', () => {
	const made = new Made();
	for (let at = 1; at <= 4; at += 1) {
		const id = `r${at}`;
		const isBad = at > 2;
		made.call('k6 web', at, at + 0.5, { id, bad: isBad, status: isBad ? 500 : 200 });
		for (let times = 0; times < (isBad ? 3 : 1); times += 1)
			made.call('web db', at + 0.1 * (times + 1), at + 0.1 * (times + 1) + 0.05, { id });
	}
	const reported = wireRequestsOf({ failures: failuresOf(['r3', 'r4']), program: null }, REQUESTS_WINDOW, joinedOf(made.record));
	const [edge] = reported?.urls[0].edges ?? [];
	assert.deepEqual([edge.calls_per_request, edge.calls_per_request_calm, edge.time_ms_per_request], [2, 1, 100]);
});

test('only what began in the load counts', () => {
	const made = new Made();
	made.call('k6 web', 1, 1.5);
	made.call('k6 web', 11, 11.5);
	made.call('host web', 12, 12.5);
	const reported = wireRequestsOf({ failures: [], program: null }, { ...REQUESTS_WINDOW, from: 10 }, joinedOf(made.record));
	assert.deepEqual(
		reported?.urls.map(({ count }) => count),
		[1],
	);
});

test('what is told of a real record fits the schema of results', async () => {
	const { wire, reported } = await shop();
	assert.ok(reported);
	const { timeouts, urls, waterfalls, joins } = reported;
	const edges = withTimeouts(wireOf(linedOf(wire), REQUESTS_WINDOW) ?? { edges: [] }, timeouts);
	const result = {
		...resultOf(await readStoredRun()),
		wire: { ...wireOf(linedOf(wire), REQUESTS_WINDOW), edges, urls, waterfalls, joins },
	};
	assertFits('result', result);
	assert.throws(() => assertFits('result', { ...result, wire: { ...result.wire, urls: [{ verb: 'GET' }] } }));
});
