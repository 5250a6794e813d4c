import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultEffect } from '../record/types.js';
import {
	amount,
	bytes,
	cores,
	count,
	duration,
	FORMATS,
	faultSentence,
	figure,
	MISSING,
	milliseconds,
	moment,
	percent,
	plural,
	rate,
	ratio,
	sentencesOf,
	unsaid,
} from './format.ts';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');

test('a count is written in full with thousands separators', () => {
	assert.equal(count(58012), '58,012');
	assert.equal(count(0), '0');
});

test('a measured figure has three significant digits', () => {
	assert.equal(figure(2193.79), '2,190');
	assert.equal(figure(0.41555), '0.416');
	assert.equal(figure(-13), '-13');
	assert.equal(plain(rate(3638.49)), '3,640 rps');
});

test('a number of things is in full where it is whole, and a mean of them is measured', () => {
	assert.equal(amount(1_333_333), '1,333,333');
	assert.equal(amount(5.312), '5.31');
	assert.equal(amount(1_333_333.5), '1,333,334');
});

test('every unit has its format', () => {
	const written = Object.fromEntries(Object.entries(FORMATS).map(([unit, format]) => [unit, plain(format(0.1664))]));
	assert.deepEqual(written, { rps: '0.166 rps', share: '16.6 %', ms: '0.166 ms', count: '0.166', mb_per_s: '0.166 MB/s' });
	for (const format of Object.values(FORMATS)) assert.equal(format(null), MISSING);
});

test('a missing figure is a dash and never a zero', () => {
	for (const format of [count, figure, rate, cores, milliseconds, duration, percent, bytes]) {
		assert.equal(format(null), MISSING);
		assert.equal(format(undefined), MISSING);
		assert.equal(format(Number.NaN), MISSING);
	}
});

test('latency is in milliseconds below a second and in seconds above', () => {
	assert.equal(plain(milliseconds(0.4167)), '0.417 ms');
	assert.equal(plain(milliseconds(492.81)), '493 ms');
	assert.equal(plain(milliseconds(999.6)), '1 s');
	assert.equal(plain(milliseconds(36000.75)), '36 s');
});

test('a long duration is in minutes', () => {
	assert.equal(plain(duration(82.4)), '82.4 s');
	assert.equal(plain(duration(303)), '5 min 3 s');
	assert.equal(plain(duration(179.7)), '3 min 0 s');
});

test('a share never rounds to none or to all', () => {
	assert.equal(plain(percent(0)), '0 %');
	assert.equal(plain(percent(1)), '100 %');
	assert.equal(plain(percent(0.26571)), '26.6 %');
	assert.equal(plain(percent(0.00646)), '0.646 %');
	assert.equal(plain(percent(0.0000002)), '< 0.001 %');
	assert.equal(plain(percent(0.99999)), '> 99.9 %');
	assert.equal(plain(percent(1.27)), '127 %');
});

test('a ratio needs both figures and a divisor', () => {
	assert.equal(ratio(704, 3638), '0.194×');
	assert.equal(ratio(12, 0), MISSING);
	assert.equal(ratio(null, 3), MISSING);
});

test('memory, cores, moments and plurals carry their units', () => {
	assert.equal(plain(bytes(331 * 2 ** 20)), '331 MiB');
	assert.equal(plain(bytes(8 * 2 ** 30)), '8 GiB');
	assert.equal(plain(cores(1)), '1 core');
	assert.equal(plain(cores(0.284)), '0.284 cores');
	assert.equal(moment('2026-03-14T09:26:53Z'), '2026-03-14 09:26 UTC');
	assert.equal(moment('soon'), 'soon');
	assert.equal(plain(plural(1, 'request')), '1 request');
	assert.equal(plain(plural(1204, 'request')), '1,204 requests');
});

const effect = (given: Partial<FaultEffect> = {}): FaultEffect => ({
	text: 'pause mongo@20s+5s',
	began_s: 20,
	ended_s: 25,
	failed: null,
	before: { seconds: 10, goodput_rps: 912, failure_rate: 0 },
	during: { goodput_rps: 3.1, failure_rate: 0.25 },
	recovered_after_s: 1.9,
	watched_after_s: 55,
	metastable: false,
	loop: null,
	later_rps: null,
	backlog: null,
	...given,
});

test('a fault is reported as it was before it, while it was there and after it', () => {
	assert.equal(
		plain(faultSentence(effect())),
		'pause mongo@20s+5s: 912 rps successful before; 3.1 rps during it, 25 % failed; recovered: after 1.9 s',
	);
});

test('what is not known is reported as such', () => {
	const recoveryText = (given: Parameters<typeof effect>[0]) => / recovered: (.*)$/.exec(plain(faultSentence(effect(given))))?.[1];
	assert.equal(recoveryText({ recovered_after_s: null }), 'not within the 55 s until the load ended');
	assert.equal(
		recoveryText({ recovered_after_s: null, metastable: true }),
		'METASTABLE: not within the 55 s until the load ended, with the arrivals of before',
	);
	assert.equal(recoveryText({ recovered_after_s: 0 }), 'at once');
	assert.equal(recoveryText({ before: null }), 'not known: too few undisturbed seconds before it');
	assert.equal(recoveryText({ failed: 'it went on' }), 'not known: it went on');
	const none = { began_s: null, ended_s: null, before: null, during: null, recovered_after_s: null, watched_after_s: null };
	assert.equal(
		faultSentence(effect({ ...none, failed: 'there is no container x to kill' })),
		'pause mongo@20s+5s: was not injected: there is no container x to kill',
	);
});

test('of a queue it is told what waited in it', () => {
	const backlog = { before: 403, most: 2956, at_end: 1533, recovered_after_s: null };
	assert.match(
		plain(faultSentence(effect({ backlog }))),
		/recovered: after 1\.9 s; queue: at most 403 before, 2,956 since; recovered: not within the 55 s until the load ended, with 1,533 left$/,
	);
	const back = effect({ backlog: { ...backlog, recovered_after_s: 12 } });
	assert.match(plain(faultSentence(back)), /recovered: after 12 s$/);
	assert.match(faultSentence(effect({ backlog: { ...backlog, recovered_after_s: 0 } })), /recovered: at once$/);
});

test('a text is parted into its sentences and its causes, and not within what is quoted', () => {
	const text = 'All 9 failed at api: it waited for 1.50 s (5, 55.6 %); its log says: "no. Giving up" (4, 44.4 %). 2 were waiting.';
	assert.deepEqual(sentencesOf(text), [
		'All 9 failed at api: it waited for 1.50 s (5, 55.6 %);',
		'its log says: "no. Giving up" (4, 44.4 %).',
		'2 were waiting.',
	]);
	const quoted = 'All 9 failed at api: its log says each time: “no. Giving up on "A. B"”; it answered 500 by itself. Where: proved.';
	assert.deepEqual(sentencesOf(quoted), [quoted.slice(0, -' Where: proved.'.length), 'Where: proved.']);
});

test('what a headline has said is not said again below it, unless nothing would be left', () => {
	const headline = '8.2 % of 90 requests failed: all of them GET /a. All 7 failed at api.';
	assert.equal(unsaid('8.2 % of 90 requests failed. Half of them stood in api.', headline), 'Half of them stood in api.');
	assert.equal(unsaid('8.2 % of 90 requests failed.', headline), '8.2 % of 90 requests failed.');
});
