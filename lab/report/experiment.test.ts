import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExperimentResult } from '../record/types.js';
import { findingSection } from './experiment/finding.ts';
import { formatExperimentMarkdown, renderExperiment } from './experiment.ts';
import { emptyFixture, experimentFixture, hostileFixture, publishedFixture, quickFixture, scaleFixture } from './fixtures/experiments.ts';
import { html } from './html.ts';

const ATTACK = '</script><script>alert(1)</script><img src=x onerror=alert(1)>';
const SECTIONS = ['finding', 'claims', 'arms', 'pairs', 'runs', 'repeat'];

const pageOf = async (result: ExperimentResult) => (await renderExperiment(result)).replaceAll('\u00a0', ' ');

/** What the reader sees. */
const visible = (page: string) => page.slice(page.indexOf('<main>'), page.indexOf('</main>'));

const cardOf: (page: string, id: string) => string = (page, id) =>
	page.match(new RegExp(`<article class="claim [a-z]+" id="claim-${id}".*?</article>`, 's'))?.[0] ?? '';

test('the sections stand in the order of the questions that they answer', async () => {
	const page = await pageOf(experimentFixture());
	const places = SECTIONS.map((id) => page.indexOf(`<section id="${id}"`));
	assert.ok(
		places.every((place) => place > 0),
		String(places),
	);
	assert.deepEqual(
		places,
		places.toSorted((one, other) => one - other),
	);
});

test('the first section counts the verdicts, and each stamp leads to its card', async () => {
	const page = await pageOf(experimentFixture());
	const finding = page.slice(page.indexOf('<section id="finding"'), page.indexOf('<section id="claims"'));
	assert.ok(finding.includes('1 holds, 4 refuted, 0 inconclusive'));
	assert.ok(finding.includes('8 of 8 repetitions complete'));
	assert.ok(finding.includes('1 INVALID run left out'));
	assert.ok(finding.includes('repetition 5: The generator used all of its CPU quota'));
	const targets = [...finding.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
	assert.deepEqual(targets, ['claim-D1b', 'claim-D2', 'claim-D3', 'claim-D4', 'claim-D5c']);
	for (const id of targets) assert.ok(page.includes(`id="${id}"`), id);
});

test('a card says what was claimed and by whom, what was measured, the verdict, the test and the delta', async () => {
	const card = cardOf(await pageOf(experimentFixture()), 'D3');
	for (const expected of [
		'The failures are MongoDB&#39;s: its connections are exhausted.',
		'I Doubled My Servers and Wrecked My Availability',
		'21 HTTP 500s among 93,069 failures',
		'0.02 % (0.00 to 0.11)',
		'against it',
		'<span class="stamp refuted large">',
		'Test, fixed before the run',
		'half of the failures; one request in a hundred',
		'<blockquote>Of the failures of two nodes',
		'href="./pairs/a--2a/compare.html"',
	]) {
		assert.ok(card.includes(expected), expected);
	}
});

test('each part of a test is drawn with its threshold and the published figure, and is said in words', async () => {
	const card = cardOf(await pageOf(experimentFixture()), 'D2');
	assert.equal(card.match(/<svg class="interval (?!ticks)/g)?.length, 2);
	assert.ok(
		card.includes(
			'aria-label="failure rate, 2a less a: +17.7 points, 95 % interval +16.9 to +18.4 points; wanted at least +1 point; HOLDS"',
		),
	);
	assert.equal(card.match(/<text class="threshold"/g)?.length, 2);
	assert.equal(card.match(/<text class="published"/g)?.length, 1);
});

test('the side that is shaded is the one on which the claim holds', async () => {
	const [atLeast = ''] = (await pageOf(experimentFixture())).match(/<rect class="shade"[^>]*>/g) ?? [];
	const result = experimentFixture();
	result.claims[0].tests[0].wanted = 'at most';
	const [atMost = ''] = (await pageOf(result)).match(/<rect class="shade"[^>]*>/g) ?? [];
	const startOf = (rect: string) => Number(rect.match(/x="([\d.]+)%/)?.[1]);
	assert.ok(startOf(atLeast) > 50);
	assert.ok(startOf(atMost) < 10);
});

test('the relief says of accused and rival what became of the failures', async () => {
	const page = await pageOf(experimentFixture());
	const relief = cardOf(page, 'D3').match(/<div class="relief">.*?<\/table>/s)?.[0] ?? '';
	const [accused, rival] = relief.split('</tr>').slice(1);
	assert.match(accused, /suspected.*pool.*maxPoolSize 500.*17\.7 %.*<td class="stay">.*stay.*26\.1 %/s);
	assert.match(rival, /rival.*load balancer.*17\.7 %.*<td class="gone">.*gone.*0 %/s);
	assert.ok(!cardOf(page, 'D1b').includes('class="relief"'));
});

test('a latency of successes never stands without the failed share', async () => {
	const page = await pageOf(experimentFixture());
	const arms = page.slice(page.indexOf('<section id="arms"'), page.indexOf('<section id="pairs"'));
	assert.equal(arms.match(/<span class="service failed">17\.7 % failed<\/span>/g)?.length, 3);
	const result = experimentFixture();
	for (const arm of result.arms) delete arm.metrics.failure_rate;
	assert.ok((await pageOf(result)).includes('failed: not known'));
});

test('an arm says where its failures were lost, which runs count, and leads to its typical run', async () => {
	const page = await pageOf(experimentFixture());
	assert.match(
		page,
		/load balancer:<\/span> its connection table was full, and it closed idle clients <b>127,811<\/b> <span class="share">98\.5 %/,
	);
	assert.ok(page.includes('8 runs count, 1 INVALID left out'));
	assert.ok(page.includes('8 runs count, 1 of 8 runs SUSPECT: k6 and Nginx differ by 41 requests.'));
	assert.ok(page.includes('<a href="./runs/doubling-1-2a/report.html">typical run</a>'));
	assert.ok(page.includes('No request was lost.'));
});

test('every run is there, what does not count is struck through, and every pair leads to its page', async () => {
	const result = experimentFixture();
	const page = visible(await pageOf(result));
	const runs = page.slice(page.indexOf('<section id="runs"'), page.indexOf('<section id="repeat"'));
	for (const { href } of result.arms.flatMap((arm) => arm.all_runs)) assert.ok(runs.includes(`href="./${href}"`), String(href));
	assert.equal(runs.match(/<s>/g)?.length, 1);
	for (const { href, verdict } of result.pairs) {
		assert.ok(page.includes(`href="./${href}"`), href);
		assert.ok(page.includes(verdict.sentence), verdict.sentence);
	}
});

test('a run whose report was not kept has its figures and no link', async () => {
	const result = experimentFixture();
	const [run] = result.arms[0].all_runs;
	assert.doesNotMatch(await pageOf(result), /stored more than once<\/a>/);
	result.arms[0].all_runs = [{ ...run, metrics: { ...run.metrics, writes_lost: 70, writes_duplicated: 0 } }];
	assert.match(await pageOf(result), / failed, 70 writes lost, 0 stored more than once</);
	result.arms[0].all_runs = [{ ...run, href: null }];
	const page = visible(await pageOf(result));
	assert.ok(page.includes('<span class="hidden">a, repetition 1: </span>'));
	assert.ok(!page.includes('href="./null"'));
});

test('the last section repeats the experiment', async () => {
	const page = await pageOf(experimentFixture());
	for (const expected of [
		'make experiment-doubling LOAD=ramp BUDGET=fair REPEATS=8 SEED=1',
		'SHA-256 9f2c41d0',
		'Intel(R) Xeon(R) Processor, 2 cores',
		'6.0.5',
		'The CPU clock of the host changed by 4 %',
		'href="experiment.json"',
		'href="./../../index.html"',
	]) {
		assert.ok(page.includes(expected), expected);
	}
});

test('a curve without claims leads the page, and there is no strip of stamps', async () => {
	const page = await pageOf(scaleFixture());
	assert.ok(page.includes('<section id="curve"'));
	assert.ok(!page.includes('<section id="claims"'));
	assert.ok(!page.includes('class="strip"'));
	assert.ok(page.includes('none were judged'));
});

const publishedOf = (page: string) => page.match(/<section id="published".*?<\/section>/s)?.[0] ?? '';

test('the published table follows the claims, and is not there without any figure', async () => {
	const result = { ...experimentFixture(), published: publishedFixture().published };
	const page = await pageOf(result);
	assert.ok(page.indexOf('<section id="claims"') < page.indexOf('<section id="published"'));
	assert.ok(page.indexOf('<section id="published"') < page.indexOf('<section id="arms"'));
	assert.equal(publishedOf(await pageOf(experimentFixture())), '');
	assert.equal(publishedOf(await pageOf({ ...result, published: { source: '', within: null, arms: [] } })), '');
});

test('the tables of an arm are folded away under its row', async () => {
	const arms = (await pageOf(publishedFixture())).match(/<section id="arms".*?<\/section>/s)?.[0] ?? '';
	assert.equal(arms.match(/<details class="breakdowns">/g)?.length, 2);
	assert.match(arms, /<summary>Breakdowns of 2a<\/summary><p class="lead">Each figure is the median over 8 runs\..*23,205.*41\.2 ms/s);
	assert.ok(!(await pageOf(experimentFixture())).includes('<details class="breakdowns">'));
});

test('two blocks are shown as two, with figures and without a verdict', async () => {
	const page = await pageOf(quickFixture());
	assert.ok(page.includes('2 of 2 repetitions complete'));
	assert.ok(page.includes('A verdict needs 8.'));
	assert.equal(page.match(/<span class="stamp inconclusive large">/g)?.length, 5);
	assert.ok(page.includes('no interval'));
	assert.ok(!page.includes('class="stamp refuted'));
	assert.ok(!(await pageOf(experimentFixture())).includes('A verdict needs'));
});

test('what was not measured is said to be missing', async () => {
	const page = visible(await pageOf(emptyFixture()));
	for (const expected of [
		'Nothing was measured.',
		'No figure was published.',
		'nothing to compare',
		'No point was measured.',
		'0 of 8 repetitions complete',
	]) {
		assert.ok(page.includes(expected), expected);
	}
	assert.doesNotMatch(page, /NaN|\bnull\b|undefined|Infinity/);
});

test('nothing that the experiment says can break out', async () => {
	const page = await renderExperiment(hostileFixture(ATTACK));
	assert.ok(!page.includes('<img'));
	assert.ok(!page.includes('<script>alert'));
	assert.equal(page.split('</script>').length, page.split('<script').length);
	const links = [...visible(page).matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
	assert.ok(
		links.every((href) => /^(?:\.\/|#[\w-]*$|experiment\.|manifest\.)/.test(href)),
		links.join('\n'),
	);
});

test('the page asks nothing of any network', async () => {
	for (const result of [experimentFixture(), scaleFixture(), publishedFixture()]) {
		const page = await renderExperiment(result);
		assert.doesNotMatch(page, /\b(?:src|href)="(?:https?:)?\/\//);
		assert.doesNotMatch(page, /@import|url\((?!["']?#)/);
	}
});

test('every figure has a caption and a table', async () => {
	for (const result of [experimentFixture(), scaleFixture(), quickFixture(), emptyFixture()]) {
		const figures = (await renderExperiment(result)).match(/<figure.*?<\/figure>/gs) ?? [];
		assert.ok(figures.length >= 1);
		for (const figure of figures) assert.match(figure, /<figcaption>.+<details.*<table/s);
	}
});

test('SUSPECT stands beside the name of an arm, its claims and its relief, with what the tests say without it', async () => {
	const result = experimentFixture();
	const doubt = { suspect: 8, runs: 8, text: '8 of 8 runs SUSPECT: k6 was at its quota' };
	const claim = result.claims.find(({ id }) => id === 'D2') ?? result.claims[0];
	claim.doubts = [{ arm: '2a', doubt }];
	claim.without_suspect = {
		verdict: 'INCONCLUSIVE',
		tests: [
			{ ...claim.tests[0], over: 'the stages to 100 and 500 users', estimate: 0.02, low: 0.01, high: 0.03 },
			{ ...claim.tests[1], over: null, why: 'no stage is VALID in every run', estimate: null, low: null, high: null },
		],
	};
	const page = await pageOf(result);
	const card = cardOf(page, 'D2');
	assert.ok(card.includes('<li><b>2a</b>: 8 of 8 runs SUSPECT: k6 was at its quota</li>'));
	assert.match(
		card,
		/Without what was SUSPECT: <span class="stamp inconclusive.*\+2 points.*over the stages to 100 and 500 users.*no stage is VALID in every run/s,
	);
	assert.ok(!cardOf(page, 'D1b').includes('In doubt'));
	assert.match(page, /<b class="name">a-lb<\/b>.*?>1 of 8 SUSPECT<\/span>/s);
});

test('a figure of the published file is said to be one', async () => {
	const result = experimentFixture();
	Object.assign(result.claims[0].tests[0], { basis: 'published', blocks: 0 });
	const card = cardOf(await pageOf(result), 'D1b');
	assert.ok(card.includes('<span class="spread">in the published file</span>'));
});

const textOf = (result: ExperimentResult) => formatExperimentMarkdown(result).replaceAll('\u00a0', ' ');

test('it begins with the finding and ends with the command', () => {
	const lines = textOf(experimentFixture()).split('\n');
	assert.equal(lines[0], '## Two servers instead of one');
	assert.match(lines[4], /^\*\*The failures came from the load balancer, not from the pool: 0 % failed in 2a-tuned, 26\.1 % in /);
	assert.ok(lines.includes('- Repeat this experiment: `make experiment-doubling LOAD=ramp BUDGET=fair REPEATS=8 SEED=1`'));
});

test('a claim has id, claim, published, measured, verdict and quote', () => {
	const row = textOf(experimentFixture())
		.split('\n')
		.find((line) => line.startsWith('| D2 |'));
	assert.match(
		row ?? '',
		/The second node costs availability\. \| failed with one node: 0 %; .* \| failure rate, 2a less a: \+17\.7 percentage points .* \| \*\*REFUTED\*\* \| Two nodes behind/,
	);
});

test('an arm has its medians with ranges, and the failed share with each latency of successes', () => {
	const row = textOf(experimentFixture())
		.split('\n')
		.find((line) => line.startsWith('| **2a** '));
	assert.match(
		row ?? '',
		/8 runs count, 1 INVALID left out \| 934 rps \(910 to 952 rps\) .* 1\.05 s \(1\.02 to 1\.07 s\), 17\.7 % failed .* load balancer: its connection table was full/,
	);
});

test('a curve has a row for each point, and no claims stand where none are', () => {
	const text = textOf(scaleFixture());
	assert.match(text, /\| 4 \| 1,480 rps \| .* \| 65\.7 % \| 0\.04 % \|/);
	assert.ok(!text.includes('### Claims'));
});

test('published figures stand beside the measured ones in a row for each arm, and below it why they are not near', () => {
	const text = textOf(publishedFixture());
	assert.ok(text.includes('| Variant | goodput | throughput, failures included | journal written | p95 of successes |\n'));
	assert.ok(text.includes('| **a** (0 % failed) | 559 rps (published 548, 1.02×, near) | 559 rps (published 917, 0.61×, not near) |'));
	assert.ok(text.includes('| – (published 0.5 MB/s) | – |'));
	assert.ok(text.includes('| 1.05 s (published 2.1, 0.5×) |'));
	assert.ok(text.includes('\n- **a**: throughput, failures included not near: It has two cores here, and had eight there.\n'));
	assert.ok(text.includes('\n- **2a**: goodput not near: not explained\n'));
	assert.ok(!textOf(experimentFixture()).includes('### Published'));
});

test('too few blocks are said to be too few', () => {
	assert.ok(textOf(quickFixture()).includes('A verdict needs 8.'));
});

test('what is missing is a dash', () => {
	assert.doesNotMatch(textOf(emptyFixture()), /NaN|\bnull\b|undefined|Infinity/);
});

test('what an experiment says is text, and no table is broken by it', () => {
	const text = formatExperimentMarkdown(hostileFixture('<script>|\n# [x](y) `z` **b** @everyone'));
	const outside = text.replace(/`+[^\n]*`+/g, '');
	assert.doesNotMatch(outside, /(?<!\\)<script/);
	assert.doesNotMatch(text, /^# /m);
	assert.doesNotMatch(outside, /@everyone/);
	for (const table of text.split('\n\n').filter((part) => part.startsWith('|'))) {
		const widths = table
			.trimEnd()
			.split('\n')
			.map((row) => row.replaceAll('\\|', '').split('|').length);
		assert.equal(new Set(widths).size, 1, table);
	}
});

test('where arms take different containers their price stands in a table of its own', () => {
	const result = experimentFixture();
	const price = { containers: 5, database_connections: 104, backlog: 2956, drained_after_s: 5.7, stale_share: null };
	const withPrices = (containersOf: (index: number) => number) =>
		textOf({ ...result, arms: result.arms.map((arm, index) => ({ ...arm, price: { ...price, containers: containersOf(index) } })) });
	const priced = withPrices((index) => 3 + index);
	const [, table] = priced.split('### The price\n');
	assert.match(table, /\| Variant \| p95 of successes \| CPU per 1,000 done \| Containers \| Database connections \| Left for later \|/);
	assert.match(table, /\| 2a \| .* \| \d \| 104 \| 2,956 writes queued, 5\.7 s to drain \|/);
	for (const text of [textOf(result), withPrices(() => 5)]) assert.ok(!text.includes('### The price'));
});

test('the first screen names each claim, says what to trust and what to do, and nothing twice', async () => {
	const result = { ...experimentFixture(), headline: '2 claims: 1 HOLDS, 1 REFUTED. It is so in every block. SUSPECT runs: a 2 of 8.' };
	const text = findingSection(result, []).text.replaceAll('\u00a0', ' ');
	for (const { statement } of result.claims) assert.ok(text.includes(html`<span>${statement}</span>`.text), statement);
	assert.match(text, /<h1>The failures came from the load balancer, not from the pool: 0 % failed in 2a-tuned, 26\.1 % in /);
	assert.match(text, /<b>Trust the verdicts in this list\.<\/b> All 8 repetitions are complete/);
	assert.match(text, /Next<\/span> Change the load balancer as in <b>.* This ended the failures\./);
	const changed = [{ ...result.claims[0], registered: result.claims[0].verdict, verdict: 'HOLDS', sentence: '', changed: null }] as any;
	assert.match(findingSection(result, changed).text, /1 of [\w\s]+ changed with rules.*✓<\/span> HOLDS<\/span> <span>[^<]+<\/span>/s);
});
