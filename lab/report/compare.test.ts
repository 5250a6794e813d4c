import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Comparison } from '../record/types.js';
import { dotStrips, unfoldComparison } from './compare/arms.ts';
import { formatCompareMarkdown, renderCompare } from './compare.ts';
import { armDoubtSentence, armDoubts } from './doubts.ts';
import {
	comparisonFixture,
	emptyFixture,
	hostileFixture,
	inconclusiveFixture,
	sameFixture,
	survivorshipFixture,
} from './fixtures/comparisons.ts';
import { programResult } from './fixtures/results.ts';
import { jsonText } from './html.ts';

const SECTIONS = ['verdict', 'gates', 'flows', 'metrics', 'dots', 'timeline', 'runs', 'repeat'];
const ALL = [comparisonFixture, sameFixture, inconclusiveFixture, survivorshipFixture, emptyFixture, hostileFixture];

/** Without the script and the data, which are not shown. */
async function shown(comparison: Comparison) {
	const page = await renderCompare(comparison);
	return page.slice(page.indexOf('<body'), page.indexOf('<script type="application/json"')).replaceAll('\u00a0', ' ');
}

const asCarried = (data: unknown) => JSON.parse(String(jsonText(data)));

const sectionOf: (page: string, id: string) => string = (page, id) =>
	page.match(new RegExp(`<section id="${id}".*?</section>`, 's'))?.[0] ?? '';

test('the sections stand in the order of the questions that they answer', async () => {
	const page = await shown(comparisonFixture());
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

test('the page asks nothing of any network', async () => {
	const page = await renderCompare(comparisonFixture());
	assert.match(page, /Content-Security-Policy" content="default-src 'none'/);
	assert.doesNotMatch(page, /\b(?:src|href)="(?:https?:)?\/\//);
	assert.doesNotMatch(page, /@import|url\((?!["']?#)/);
});

test('the verdict is a sentence and a stamp, with its blocks and what was left out and why', async () => {
	const verdict = sectionOf(await shown(comparisonFixture()), 'verdict');
	assert.match(verdict, /<h1>2a-tuned serves 1\.10 times/);
	assert.match(verdict, /class="stamp better large"/);
	assert.ok(verdict.includes('<b>Trust the verdict.</b> All 8 repetitions are complete, 1 INVALID run left out.'));
	assert.ok(verdict.includes('Next</span> Use <b>2a-tuned</b> under this load: it is better, and no worse in any figure that was judged.'));
	assert.ok(verdict.includes('1 INVALID run left out'));
	assert.ok(verdict.includes('<b>2a-tuned</b>, repetition 3: The generator used all of its CPU quota'));
	assert.match(verdict, /load <b>ramp<\/b>.*budget <b>fair<\/b>/);
});

test('each verdict has its own stamp', async () => {
	const words = ['better', 'worse', 'same', 'mixed', 'INCONCLUSIVE'] as const;
	for (const word of words) {
		const page = await shown(comparisonFixture({ verdict: { word, sentence: 'One.', reasons: [] } }));
		assert.ok(sectionOf(page, 'verdict').includes(`class="stamp ${word.toLowerCase()} large"`), word);
	}
});

test('the gates show both medians, the estimate with its interval, and a verdict', async () => {
	const gates = sectionOf(await shown(comparisonFixture()), 'gates');
	const cards = gates.match(/<article.*?<\/article>/gs) ?? [];
	assert.equal(cards.length, 2);
	assert.match(String(cards[0]), /937 rps.*→.*1,010 rps/s);
	assert.match(
		String(cards[0]),
		/1\.08×, 95 % interval 1\.05 to 1\.11×, 8 repetitions.*middle of the ratios within repetitions; smallest difference that matters/,
	);
	assert.match(String(cards[1]), /20\.2 %.*→.*0 %/s);
	assert.match(String(cards[1]), /−20\.2 points, 95 % interval/);
	for (const card of cards) assert.match(card, /class="stamp better small".*svg class="interval better"/s);
});

test('survivorship is reported in its own box, and only where there is any', async () => {
	const page = await shown(survivorshipFixture());
	const box = page.match(/<aside class="survivorship".*?<\/aside>/s)?.[0] ?? '';
	assert.match(box, /Survivorship:<\/b> the p95 of successes of 2a is 1\.05 s/);
	assert.match(box, /2\.72 s.*1\.05 s.*19\.9 %.*p76\.1/s);
	assert.ok(!(await shown(sameFixture())).includes('<aside'));
});

test('both flows are drawn with their headline, their link and where each arm lost its requests', async () => {
	const flows = sectionOf(await shown(comparisonFixture()), 'flows');
	const [base, other] = [...flows.matchAll(/<article.*?<\/article>/gs)].map(([article]) => article);
	assert.match(base, /connection table \(1,024\) was full.*href="\.\/01-2a\/report\.html"/s);
	assert.match(base, /svg class="flow narrow".*class="lost"/s);
	assert.match(base, /load balancer.*connection table full.*115,604.*78\.3 %/s);
	assert.match(other, /All 80,032 requests were answered well.*svg class="flow narrow".*No request failed in 8 runs/s);
	const hatches = [...flows.matchAll(/<pattern id="([^"]+)"/g)].map(([, id]) => id);
	assert.equal(new Set(hatches).size, 2);
});

test('every metric has a row with its figures and its interval, on one axis for all ratios', async () => {
	const comparison = comparisonFixture();
	const rows = sectionOf(await shown(comparison), 'metrics').match(/<tbody>.*?<\/tbody>/gs) ?? [];
	assert.deepEqual(
		rows.map((row) => row.match(/<th scope="row"><b>(.*?)<\/b>/)?.[1]),
		comparison.metrics.map(({ label }) => label),
	);
	const axes = rows.map((row) => [...row.matchAll(/<text[^>]*>([^<]*×)<\/text>/g)].map(([, text]) => text).join(' '));
	assert.deepEqual([...new Set(axes)].sort(), ['', '0.33× 0.6× 1× 1.7× 3×']);
	assert.match(String(rows[0]), /937 rps.*1,010 rps.*1\.08×.*1\.05 to 1\.11×.*>8<.*\+1\.00.*0\.0156.*better/s);
});

test('a latency of successes never stands without the failed share of both arms', async () => {
	for (const make of ALL) {
		const comparison = make();
		const rows = sectionOf(await shown(comparison), 'metrics').match(/<tbody>.*?<\/tbody>/gs) ?? [];
		for (const [index, { failed_share: share }] of comparison.metrics.entries())
			assert.equal(rows[index].match(/% failed|failed: not known/g)?.length ?? 0, share ? 2 : 0);
	}
});

test('why a better value is not called better is said once for the rows that it holds for', async () => {
	const metrics = sectionOf(await shown(survivorshipFixture()), 'metrics');
	assert.equal(metrics.match(/Held back:/g)?.length, 1);
	assert.equal(metrics.match(/held back, as above/g)?.length, 4);
});

test('the correction, the deltas and the control are named', async () => {
	const metrics = sectionOf(await shown(comparisonFixture()), 'metrics');
	assert.ok(metrics.includes('Holm 1979'));
	assert.match(metrics, /Smallest difference that matters ±8\.3 %<\/b> for p99 of successes: the machine/);
	assert.match(metrics, /Smallest difference that matters ±0\.1 points<\/b> for failure rate/);
	assert.match(metrics, /A\/A control of 8 repetitions.*make compare A=a B=a/s);
	assert.ok(sectionOf(await shown(inconclusiveFixture()), 'metrics').includes('No A/A control was measured here'));
});

test('every run is a dot that leads to its report, and one that is INVALID is hollow and crossed', () => {
	const comparison = comparisonFixture();
	const strips = String(dotStrips(comparison)).match(/<div class="dot-strip">.*?<\/svg><\/div>/gs) ?? [];
	assert.equal(strips.length, comparison.metrics.length);
	for (const strip of strips) {
		assert.equal(strip.match(/class="dot /g)?.length, comparison.base.runs.length + comparison.other.runs.length);
		assert.equal(strip.match(/class="pair"/g)?.length, 8);
		assert.equal(strip.match(/tabindex="0"/g)?.length, 1);
		const hollow = strip.match(/<a class="dot other hollow".*?<\/a>/s)?.[0] ?? '';
		assert.match(hollow, /repetition 3, 2a-tuned: .*INVALID" .*href="\.\/03-2a-tuned-invalid\/report\.html".*class="cross"/s);
		assert.equal(strip.match(/class="cross"/g)?.length, 1);
	}
});

test('a run whose report is not kept is shown without a link', async () => {
	const comparison = comparisonFixture();
	for (const { runs } of [comparison.base, comparison.other]) for (const run of runs) run.href = null;
	comparison.base.typical_run = null;
	comparison.other.typical_run = null;
	const page = await shown(comparison);
	assert.doesNotMatch(page, /href="\.\/(?!\.\.\/\.\.\/index)/);
	assert.match(String(dotStrips(comparison)), /<g class="dot base"/);
	assert.match(sectionOf(page, 'runs'), /repetition 1: <\/span>\d+ rps/);
});

test('both arms are on one time axis, told apart by their stroke', async () => {
	const timeline = sectionOf(await shown(comparisonFixture()), 'timeline');
	assert.deepEqual(
		[...timeline.matchAll(/data-panel="(\w+)"/g)].map(([, id]) => id),
		['goodput_rps', 'failures_per_s', 'latency_ms_p95_ok', 'vus'],
	);
	assert.equal(timeline.match(/swatch line dashed/g)?.length, 4);
	assert.equal(timeline.match(/swatch line solid/g)?.length, 4);
});

test('arms that a program drives, with no tier between it and the store, have flows and no time axis', async () => {
	const made = sameFixture();
	const { flow } = programResult();
	const page = await shown({ ...made, base: { ...made.base, flow, timeline: [] }, other: { ...made.other, flow, timeline: [] } });
	assert.ok(!page.includes('id="timeline"'));
	assert.equal(sectionOf(page, 'flows').match(/data-node="tokyo"/g)?.length, 2);
});

test('one arm that was measured over time is enough for the time axis', async () => {
	const made = sameFixture();
	assert.ok((await shown({ ...made, base: { ...made.base, timeline: [] } })).includes('id="timeline"'));
});

test('all runs stand by block with their validity, then seed, machine, command and doubts', async () => {
	const page = await shown(comparisonFixture());
	const runs = sectionOf(page, 'runs');
	assert.equal(runs.match(/<tr><th scope="row"/g)?.length, 8);
	assert.equal(runs.match(/class="badge/g)?.length, 17);
	assert.match(runs, /<s>734 rps.*?<\/s>.*INVALID.*The generator used all/s);
	const repeat = sectionOf(page, 'repeat');
	for (const text of ['make compare A=2a B=2a-tuned', '1, of the order', 'Intel(R) Xeon(R)', 'one of the runs began while another'])
		assert.ok(repeat.includes(text), text);
});

test('with too few blocks the page says so, and draws no interval', async () => {
	const page = await shown(inconclusiveFixture());
	assert.match(sectionOf(page, 'verdict'), /Do not trust a winner yet.*2 of 8 repetitions are complete.*A verdict needs 8.*REPEATS=16/s);
	assert.ok(!page.includes('class="reach"'));
	assert.ok(sectionOf(page, 'gates').includes('no interval'));
});

test('with nothing measured every section says so, and no figure is made up', async () => {
	const page = await shown(emptyFixture());
	assert.ok(page.includes('No runs that could be compared'));
	assert.ok(sectionOf(page, 'flows').includes('No run counts'));
	assert.ok(!page.includes('id="timeline"'));
	assert.ok(sectionOf(page, 'runs').includes('There are none.'));
	assert.ok(!page.includes('<circle class="estimate'));
});

test('no page shows a figure that is none', async () => {
	for (const make of ALL) assert.doesNotMatch(await shown(make()), /NaN|\bnull\b|undefined|Infinity/);
});

test('text from outside cannot break out, wherever it is shown', async () => {
	const page = await renderCompare(hostileFixture());
	assert.ok(!page.includes('<script>alert'));
	// Theme, data and program are the only scripts.
	assert.equal(page.split('<script').length, 4);
	assert.equal(page.split('</script>').length, 4);
	assert.ok(page.includes('&lt;script&gt;alert(1)&lt;/script&gt;'));
	assert.doesNotMatch(page, /href="(?!\.\/|(?:\.\.\/)+index\.html|data:|compare\.|#)/);
	const dots = String(dotStrips(hostileFixture()));
	assert.ok(dots.includes('&lt;script&gt;alert(1)&lt;/script&gt;') && !dots.includes('<script'));
	assert.doesNotMatch(dots, /href="(?!\.\/)/);
});

test('the data block reads back as what the charts need', async () => {
	const comparison = hostileFixture();
	const block = (await renderCompare(comparison)).match(/<script type="application\/json" id="result">(.*?)<\/script>/s)?.[1];
	assert.deepEqual(unfoldComparison(JSON.parse(block ?? '')).other.timeline, asCarried(comparison.other.timeline));
});

test('every figure has a caption, and a table or the place where the script writes it', async () => {
	for (const make of [comparisonFixture, sameFixture, survivorshipFixture]) {
		const figures = (await shown(make())).match(/<figure.*?<\/figure>/gs) ?? [];
		assert.equal(figures.length, 8);
		for (const figure of figures) assert.match(figure, /<figcaption>.+(?:<table|JavaScript fills this table)/s);
	}
});

test('a page leads to the list of everything and to its experiment, where there are any', async () => {
	const alone = await shown(comparisonFixture());
	assert.ok(alone.includes('href="./../../index.html"') && !alone.includes('experiment.html'));
	const pair = await shown(comparisonFixture({ links: { index: null, experiment: '../../experiment.html' } }));
	assert.ok(pair.includes('href="./../../experiment.html"') && !pair.includes('index.html'));
});

test('what is in doubt is folded below the headline', async () => {
	const comparison = comparisonFixture();
	const doubt = { ...comparison.base.doubt, text: '1 of 8 runs SUSPECT: <b>' };
	for (const arm of [comparison.base, comparison.other]) Object.assign(arm, { doubt });
	comparison.verdict.sentence = `2a is better. ${armDoubtSentence(armDoubts([comparison.base, comparison.other]))}`;
	const page = await shown(comparison);
	assert.match(page, /<h1>2a is better\.<\/h1>/);
	assert.match(sectionOf(page, 'verdict'), /What is in doubt<\/summary><ul><li>[^<]*: 1 of 8 runs SUSPECT: &lt;b&gt;/);
});

test('how many runs of an arm were SUSPECT stands beside its figures, and of all beside the verdict', async () => {
	const page = await shown(comparisonFixture());
	for (const id of ['gates', 'metrics']) assert.ok(sectionOf(page, id).includes('1 of 8 SUSPECT'), id);
	assert.match(sectionOf(page, 'verdict'), /\d runs? ha(?:s|ve) small doubts \(SUSPECT\)/);
	assert.match(sectionOf(page, 'flows'), /In doubt: 1 of 8 runs SUSPECT: 3 failures/);
	const certain = comparisonFixture();
	certain.base.doubt = null;
	certain.other.doubt = null;
	const calm = await shown(certain);
	for (const id of ['verdict', 'gates', 'metrics', 'flows']) assert.ok(!sectionOf(calm, id).includes('SUSPECT'), id);
});

const textOf = (comparison: Comparison) => formatCompareMarkdown(comparison).replaceAll('\u00a0', ' ');

test('the verdict comes first, with its blocks and what was left out', () => {
	const text = textOf(comparisonFixture());
	assert.match(text, /^## 2a-tuned against 2a: BETTER\n\n\*\*2a-tuned serves 1\.10 times/);
	assert.ok(text.includes('8 of 8 repetitions complete · 1 INVALID run left out · load ramp · budget fair'));
});

test('the gates stand before the metrics, each with its interval', () => {
	const text = textOf(comparisonFixture());
	assert.ok(text.includes('- goodput: **better**, 937 rps → 1,010 rps (1.08×, 95 % interval 1.05 to 1.11×, 8 repetitions)\n'));
	assert.ok(text.indexOf('### Goodput and failure rate') < text.indexOf('### Metrics'));
});

test('every metric has a row, a latency of successes with the failed share', () => {
	const comparison = survivorshipFixture();
	const text = textOf(comparison);
	for (const { label } of comparison.metrics) assert.ok(text.includes(`\n| ${label} |`), label);
	assert.match(
		text,
		/\| p95 of successes \| 2\.72 s, 0 % failed \| 1\.06 s, 19\.9 % failed \| 0\.392× \|.*\*\*INCONCLUSIVE\*\*: 2a looks better, but/,
	);
	assert.ok(text.includes('> **Survivorship:** the p95 of successes of 2a'));
});

test('with too few blocks it says how many are needed, and shows no interval', () => {
	const text = textOf(inconclusiveFixture());
	assert.match(text, /^## 2a-tuned against 2a: INCONCLUSIVE\n/);
	assert.ok(text.includes('A verdict needs 8.'));
	assert.match(text, /\| goodput \| [^|]+ \| [^|]+ \| [\d.]+× \| – \| \*\*INCONCLUSIVE\*\* \|/);
});

test('the command, the doubts and the folder end it', () => {
	const text = textOf(comparisonFixture());
	assert.ok(text.includes('- Doubt: one of the runs began while another'));
	assert.ok(text.includes('- Repeat this comparison: `make compare A=2a B=2a-tuned LOAD=ramp BUDGET=fair REPEATS=8 SEED=1`\n'));
	assert.ok(textOf(sameFixture()).includes('no run was INVALID'));
});

test('no figure is made up where none was measured', () => {
	for (const make of [emptyFixture, inconclusiveFixture, hostileFixture])
		assert.doesNotMatch(textOf(make()), /NaN|\bnull\b|undefined|Infinity/);
});

test('text from outside stays text, wherever it is shown', () => {
	const attack = '| **zz** <img src=x> [l](u)\n# h `c`';
	const comparison = comparisonFixture({ title: attack, command: attack, notes: [attack], correction: attack });
	comparison.verdict.sentence = attack;
	comparison.base.id = attack;
	comparison.metrics[0].label = attack;
	comparison.metrics[2].held_back = attack;
	comparison.survivorship = {
		...survivorshipFixture().survivorship,
		sentence: attack,
		arm: attack,
		failed_share: 0,
		latency_ms_p95_ok: { base: 1, other: 1 },
		rank: 1,
	};
	const text = textOf(comparison);
	// What is escaped or in code is text; nothing of the attack may be left besides.
	const markup = text.replace(/\\[!-/:-@[-`{-~]/g, '').replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, '');
	assert.doesNotMatch(markup, /[<[`]|\*\*zz|^# h/m);
	const widths = text
		.split('\n')
		.filter((line) => line.startsWith('| '))
		.map((line) => line.match(/(?<!\\)\|/g)?.length);
	assert.deepEqual([...new Set(widths)], [7]);
});

test('the head of an arm says how many of its runs were SUSPECT', () => {
	assert.ok(textOf(comparisonFixture()).includes('| 2a (1 of 8 SUSPECT) | 2a-tuned (1 of 8 SUSPECT) |'));
});
