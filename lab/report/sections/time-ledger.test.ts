import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edgeLine, system } from '../../diagnose/fixtures/project-cases.ts';
import { projectWire, REQUESTS } from '../../diagnose/fixtures/project-wire.ts';
import { recordOf } from '../../diagnose/fixtures/record.ts';
import { readStoredRun } from '../../diagnose/fixtures/stored-run.ts';
import { resultOf } from '../../diagnose/result.ts';
import { assertFits } from '../../record/fixtures/fits.ts';
import type { Result } from '../../record/types.js';
import { chartTable } from '../chart-table.ts';
import { carry, unfold } from '../drawn.ts';
import { failingResult, programResult, recordedResult } from '../fixtures/results.ts';
import { FORMATS } from '../format.ts';
import { standingPanels } from '../panels.ts';
import { renderReport } from '../report.ts';
import { formatRunMarkdown } from '../run-markdown.ts';
import { formatSummary } from '../terminal.ts';
import { waitsAt } from '../wire-rows.ts';
import { standingSection } from './standing.ts';
import { bottleneckSection, timeLedgerSection } from './time-ledger.ts';
import { verdictSection } from './verdict.ts';

/** @param isWatched the proxy's record of each request was read */
function projectSystem(isWatched: boolean) {
	const raw = recordOf({ balanced: true });
	const edge = Array.from({ length: 10 }, (_, at) => edgeLine(`a${at}-0`, at + 0.5, { status: 200, state: '----', timers: '0/2/1/16/19' }));
	system({ edge: isWatched ? edge.join('') : '', isWatched })(raw);
	raw.manifest.system = { title: 'shop', is_followed: true };
	return timeLedgerSection(resultOf(raw))?.text ?? '';
}

test('what a user’s own proxy recorded of each request is shown by part, with who told nothing', () => {
	const shown = projectSystem(true);
	for (const text of ['in edge', 'edge connects (waiting)', 'in web, pool, store', 'web: how long it had a request is not on record'])
		assert.ok(shown.includes(text), text);
	assert.ok(!shown.includes('left no record'));
	assert.match(shown, /Over the whole load, the parts add up to 19.ms; k6 measured 20.ms/);
});

test('where nothing tells it, the section says which service at which level would', () => {
	const shown = projectSystem(false);
	assert.ok(!shown.includes('class="chart"'));
	assert.match(shown, /edge: how long it had each request it tells at watch: 2 \(in doubletake\.yaml\)/s);
});

test('with a record of the wire each service and each edge has a bar, with what could not be joined', () => {
	const wire = projectWire({
		also: (made, at, index) => {
			if (index === 7) made.call('web store', at + 0.0195, at + 0.024, { protocol: 'redis' });
		},
	});
	const raw = { ...recordOf({ balanced: true, okPerS: REQUESTS / 10 }), wire };
	system({ edge: '', isWatched: false })(raw);
	raw.manifest.system = { title: 'shop', is_followed: true };
	const shown = (timeLedgerSection(resultOf(raw))?.text ?? '').replaceAll('\u00a0', ' ');
	assert.match(shown, /Means over 400 successful requests. The entry service answered after 19 ms on average/);
	for (const name of ['edge', 'web', 'pool', 'store', 'k6 → edge', 'web → pool', 'pool → store'])
		assert.ok(shown.includes(`<span class="target">${name}</span>`), name);
	assert.match(
		shown,
		/web → store: 1 call could not be matched to a request\. It accounted for at most 0\.01\d* ms of the time of a request in web\./,
	);
	assert.match(shown, /Times are those of calls on the network/);
	assert.ok(!shown.includes('left no record'));
});

const EVIL = '<script>alert(1)</script>|';

const plain = (text: string | undefined = '') => text.replaceAll('\u00a0', ' ');

test('the result has the shape of its schema', () => {
	assertFits('result', recordedResult());
});

test('it is the first picture of a run whose networks were recorded, begins with what is to be seen, and is not there else', async () => {
	const result = recordedResult();
	const page = await renderReport(result);
	assert.ok(page.indexOf('<section id="standing"') > page.indexOf('<section id="verdict"'));
	assert.ok(page.indexOf('<section id="standing"') < page.indexOf('<section id="flow"'));
	const text = plain(standingSection(result)?.text);
	assert.match(
		text,
		/<p class="saw">From second 4 to 9 no request succeeded; on average 100 of 100 requests in flight were in mongo\.<\/p>/,
	);
	assert.ok(!(await renderReport(failingResult())).includes('id="standing"'));
});

test('page, terminal and Markdown begin with the stop, from the second at which the picture marks it', () => {
	const result = recordedResult();
	const stop = 'From second 4 to 9 no request succeeded; then requests succeeded again.';
	const begins = '9.1 % of 1,100 requests failed, all from second 8 on, at 3 users; none succeeded from second 4 to 9.';
	assert.ok(plain(verdictSection(result).text).includes(`<h1>${begins}`));
	assert.ok(plain(formatSummary(result, 'report.html')).includes(`\n  ${begins}`));
	assert.ok(plain(formatRunMarkdown({ result, judged: [] })).includes(`\n**${begins}`));
	assert.equal(result.onset?.text, stop);
	const marks = result.wire?.standing?.marks.filter(({ kind, text }) => kind === 'onset' && text.includes('no success')) ?? [];
	assert.deepEqual(
		marks.map(({ t_s }) => t_s),
		[result.onset?.from_s],
	);
});

test('services lie in the order of the way, those of one tier in shades of their own, and each step has its row', () => {
	const { standing, resources } = unfold(carry(recordedResult()));
	const [stood, answers] = standingPanels({ standing, resources });
	assert.deepEqual(
		stood.series.map(({ label, colour }) => [label, colour]),
		[
			['nginx', '--tier-load-balancer'],
			['app-1', '--tier-app'],
			['mongo', '--tier-database'],
		],
	);
	assert.deepEqual(
		answers.series.map(({ label }) => label),
		['successful', 'failed'],
	);
	const { heads, rows } = chartTable(stood);
	assert.deepEqual(heads, ['second', 'nginx', 'app-1', 'mongo']);
	assert.deepEqual(rows[0], ['0', '–', '–', '–']);
	assert.deepEqual(
		rows.find(([second]) => second === '6'),
		['6', '0', '0', '100'],
	);
	const twoOfOne = standing && { ...standing, services: standing.services.map((service) => ({ ...service, name: `web-${service.name}` })) };
	const both = { 'web-app-1': resources['app-1'], 'web-mongo': resources['app-1'] };
	const colours = standingPanels({ standing: twoOfOne, resources: both })[0].series.map(({ colour }) => colour);
	assert.deepEqual(colours, ['--tier-unattributed', '--tier-app', '--tier-app-2']);
});

test('beside it stands who waited for whom, in the worst ten seconds and in the step that is pointed at', () => {
	const result = recordedResult();
	const text = plain(standingSection(result)?.text);
	assert.match(text, /app-1 → mongo:80<\/span><b class="number">[\d.]+<\/b>/);
	assert.match(text, /app-1 gave up 100 calls after 5 s each/);
	const { standing } = unfold(carry(result));
	const [, , last] = waitsAt(standing ?? assert.fail(), 11);
	assert.deepEqual([last.from, last.waiting, last.connections.asking], ['app-1', 100, 100]);
});

test('names cannot break out, on the page and in Markdown', () => {
	const result = recordedResult();
	const { standing } = result.wire ?? {};
	if (!standing) assert.fail();
	standing.services[0].name = EVIL;
	standing.worst.edges[0].from = EVIL;
	standing.marks = [{ t_s: 1, kind: 'event', text: EVIL }];
	standing.text = EVIL;
	assert.doesNotMatch(standingSection(result)?.text ?? '', /<script/);
	assert.doesNotMatch(formatRunMarkdown({ result, judged: [] }), /(^|[^\\])<script/);
});

test('Markdown has a short table of it', () => {
	const text = plain(formatRunMarkdown({ result: recordedResult(), judged: [] }));
	assert.match(text, /### Requests in flight, by service\n\nFrom second .*\n\nMeans over seconds .*:\n\n\| Service \|/);
	assert.match(text, /\| mongo \| .* \| 100 \|/);
	assert.match(text, /\| app\\?-1 → mongo:80 \|/);
});

/** As the analysis writes it of a real run. */
const stored = resultOf(await readStoredRun());

const shown = (result: Result) => bottleneckSection(result)?.text.replaceAll('\u00a0', ' ') ?? '';

/**
 * @param text of a table
 * @returns its cells as text
 */
const rowsIn = (text: string): string[][] =>
	[...text.matchAll(/<tr><th scope="row".*?<\/tr>/gs)].map(([row]) =>
		[...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) =>
			cell
				.replace(/<li>/g, '· ')
				.replace(/<[^>]+>/g, '')
				.trim(),
		),
	);

const rps = (value: number | null) => FORMATS.rps(value).replaceAll('\u00a0', ' ');

test('each stage has what was measured, the bound, what binds and the evidence for it', () => {
	const rows = rowsIn(shown(stored)).slice(0, stored.stages.length);
	for (const [
		index,
		{ target, tier, service, what, evidence, measured_rps: measured, bound_rps: bound },
	] of stored.bottleneck_by_stage.entries()) {
		const [stage, measuredText, boundText, binds, proof] = rows[index];
		assert.deepEqual([stage, measuredText, boundText], [`to ${target.toLocaleString('en-US')} users`, rps(measured), rps(bound)]);
		assert.ok(binds.endsWith(tier === null ? what : `${service}: ${what}`), binds);
		assert.equal(proof, evidence.map((text) => `· ${text}`).join(''));
	}
});

test('below it stands what a request cost every service but the observers, from the user to the data', () => {
	const text = shown(stored);
	const costs = rowsIn(text).slice(stored.stages.length);
	assert.equal(costs.length, stored.stages.length);
	const [{ cpu_ms_per_request: cost }] = stored.stages;
	for (const [index, service] of ['k6', 'nginx', 'app-1', 'app-2', 'mongo'].entries())
		assert.ok(Math.abs(Number.parseFloat(costs[0][index + 1].replaceAll(',', '')) / Number(cost[service]) - 1) < 0.01, service);
	assert.ok(!text.includes('database-observer'));
});

test('a stage that no tier binds says what is known of it', () => {
	const [first, ...others] = stored.bottleneck_by_stage;
	const unknown = {
		...first,
		tier: null,
		service: null,
		what: 'none found: no limit that Doubletake watches explains the low throughput',
		evidence: [],
	};
	const [row] = rowsIn(shown({ ...stored, bottleneck_by_stage: [unknown, ...others] }));
	assert.deepEqual(row.slice(3), ['none found: no limit that Doubletake watches explains the low throughput', '']);
});

test('a load without stages has no such section', () => {
	assert.equal(bottleneckSection(programResult()), null);
});
