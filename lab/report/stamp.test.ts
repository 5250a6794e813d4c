import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CapacityPlan } from '../record/types.js';
import { formatCapacityPlan } from './capacity-terminal.ts';
import { beyondPlan, doubtfulPlan, refutedPlan } from './fixtures/capacity-plans.ts';
import { renderCapacityPlan } from './stamp.ts';

const textOf = (plan: CapacityPlan) => renderCapacityPlan(plan).replaceAll('\u00a0', ' ');

test('the page says how many nodes, whether to trust it, what saturates next, and what is assumed', () => {
	const plan = beyondPlan();
	const text = textOf(plan);
	for (const expected of [plan.headline, plan.hold_out.sentence, 'HOLDS', ...plan.assumptions, plan.law.method, plan.command])
		assert.ok(text.includes(expected.replaceAll("'", '&#39;')), expected);
	assert.match(text, /<h1>560 requests a second with a p95 of at most 400 ms want 5 nodes/);
	assert.match(text, /The second: <b>database, at 752 rps<\/b>/);
	assert.doesNotMatch(text.slice(text.indexOf('<main>')), /NaN|undefined|Infinity|null/);
});

test('the curve has every run, the fit within and beyond the data, the target, the planned number and the held out interval', () => {
	const text = textOf(beyondPlan());
	const inBoth = (mark: string) => text.split(mark).length - 1;
	assert.equal(inBoth('<circle class="run"'), 2 * 4 * 8);
	for (const mark of [
		'<polygon class="band"',
		'class="fit"',
		'class="fit beyond"',
		'class="target"',
		'class="planned"',
		'class="held-out"',
	])
		assert.ok(inBoth(mark) >= 2, mark);
	assert.ok(text.includes('target: 560 rps') && text.includes('planned: 5 nodes'));
});

test('a number of nodes that would serve more than another tier bears says so, and how much that is', () => {
	const text = textOf(beyondPlan());
	assert.match(text, /<td>752 rps<\/td>.*extrapolated, up to the 752 rps that the database bears/s);
});

test('every figure says whether it was measured, fitted or extrapolated', () => {
	const text = textOf(beyondPlan());
	for (const basis of ['fitted', 'extrapolated']) assert.ok(text.includes(`<td class="text">${basis}</td>`), basis);
	assert.ok(text.includes('Measured service demands') && text.includes('measured: one run'));
});

test('a plan whose hold-out check fails says so first, on the page and in the terminal', () => {
	const plan = refutedPlan();
	assert.match(textOf(plan), /<h1>Not to be trusted\. Fitted on 1 to 3 nodes/);
	assert.match(textOf(plan), /stamp refuted large/);
	assert.match(
		formatCapacityPlan(plan, 'plan.html').replaceAll('\u00a0', ' '),
		/\n {2}Not to be trusted\. .*\n[\s\S]*hold-out check REFUTED: .* 0 of its 8/,
	);
});

test('a plan on SUSPECT runs says so first, and why, on the page and in the terminal', () => {
	const plan = doubtfulPlan('other machines took 2 % of <its> CPU time');
	assert.match(textOf(plan), /<h1>In doubt: 20 of 32 runs are SUSPECT\./);
	assert.match(
		textOf(plan),
		/<b>In doubt\.<\/b> 20 of 32 runs SUSPECT: other machines took 2 % of &lt;its&gt; CPU time\. VALID runs alone cannot/,
	);
	// Its SUSPECT runs are among those that the demands were measured with.
	assert.match(textOf(plan), /CPU of each tier for a good request, .* over the runs that are not INVALID,/);
	assert.match(formatCapacityPlan(plan, 'plan.html'), /\n {2}in doubt: 20 of 32 runs SUSPECT: other machines/);
	assert.ok(!textOf(beyondPlan()).includes('In doubt'));
});

test('what an experiment is called is text, not markup', () => {
	const plan = beyondPlan();
	plan.experiment.title = '<img src=x onerror=alert(1)>';
	assert.ok(!textOf(plan).includes('<img'));
});

test('the terminal has the planned number and its neighbours, the tiers, and where the page is', () => {
	const text = formatCapacityPlan(beyondPlan(), 'reports/scale/x/plans/560rps/plan.html').replaceAll('\u00a0', ' ');
	for (const expected of [/^ {2}4 nodes: .* not enough$/m, /^ {2}5 nodes: .*, extrapolated; p95 .*; enough$/m, /^ {2}6 nodes: .* enough$/m])
		assert.match(text, expected);
	assert.match(text, /^ {2}database: one, 74\.5 % busy at the target; nobody measured more of them; full at 752 rps$/m);
	assert.match(text, /plan: reports\/scale\/x\/plans\/560rps\/plan\.html\n$/);
});
