import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Replayed as ReplayedOfReplay } from '../cli/replay.ts';
import { Markdown } from './html.ts';
import type { PlacedRow, Replayed } from './replay-rows.ts';
import { formatReplayed, formatTotal } from './replayed.ts';
import { trustList } from './trust-list.ts';

const placement: PlacedRow = {
	from: 'waiting',
	place: 'web (web → store)',
	why: 'pool-full',
	count: 1412,
	basis: 'where counted; why timed',
};
const { from, place, why } = placement;
const moved = (more?: Partial<Replayed>): ReplayedOfReplay => ({
	record: 'reports/2a/1',
	outcome: 'moved',
	moves: [{ from, place, why, before: placement, now: null }],
	...more,
});

test('of a record that moved each placement is reported before and now', () => {
	assert.equal(formatReplayed(moved()), 'reports/2a/1\n  waiting  web (web → store): pool-full  1,412 (where counted; why timed) → none\n');
});

test('requests of a frozen record are told by where they were and are, and other fields by their names', () => {
	const fields = Array.from({ length: 21 }, (_, index) => `f${index}`);
	const text = formatReplayed(moved({ moves: [], requests: [{ count: 2, from: 'a', to: 'b', text: '2 requests from a to b' }], fields }));
	assert.equal(text, `reports/2a/1\n  2 requests from a to b\n  fields  ${fields.slice(0, 20).join(', ')} and others\n`);
});

test('what has not moved says nothing', () => assert.equal(formatReplayed({ record: 'reports/2a/1', outcome: 'same' }), ''));

test('an analysis that failed says where in the program', () => {
	const text = formatReplayed({ record: 'reports/2a/1', outcome: 'failed', reason: 'TypeError: x\n    at y' });
	assert.equal(text, 'reports/2a/1: the analysis failed: TypeError: x\n    at y\n');
});

test('nothing that a system is called means something to the terminal', () => {
	const text = formatReplayed(moved({ record: 'reports/a\u001b[2J/1', headline: { before: 'a\u0007', now: 'b\u009b1m' } }));
	assert.doesNotMatch(text.replaceAll('\n', ''), /\p{Cc}/u);
});

test('the last line counts records, and apart those of which nothing moved but figures', () => {
	const all = [
		moved(),
		moved({ moves: [], headline: { before: 'a', now: 'b' } }),
		{ record: '', outcome: 'same' as const },
		{ record: '', outcome: 'failed' as const, reason: 'x' },
	];
	assert.equal(
		formatTotal(all, 2),
		'4 records, 1 moved; 1 with other figures alone; 1 could not be analysed; 2 without a result to compare with\n',
	);
	assert.equal(formatTotal(all.slice(2, 3), 0), '1 record, 0 moved\n');
});

test('it says what the self-test, the runs and the machines were', () => {
	const list = trustList({
		selftest: { headline: new Markdown('**3 of 4** known faults.'), commit: 'abc1234' },
		runs: { VALID: 1200, SUSPECT: 29 },
		machines: ['2 cores', '4 cores'],
	}).replaceAll('\u00a0', ' ');
	assert.match(list, /^- \*\*Runs\.\*\* The experiments made 1,229 runs: 1,200 VALID, 29 SUSPECT, 0 INVALID\./);
	assert.match(list, /2 cores; 4 cores\. Generator and system share the CPU\.$/m);
	assert.match(list, /At commit abc1234, \*\*3 of 4\*\* known faults\. \[Each fault\]\(docs\/diagnosis\.md\)/);
});
