import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExperimentResult } from '../../record/types.js';
import { publishedFixture } from '../fixtures/experiments.ts';
import { publishedSection } from './published.ts';

const sectionOf = (result: ExperimentResult) => String(publishedSection(result)).replaceAll('\u00a0', ' ');

/** The rows under the head. */
const rowsOf: (section: string) => string[] = (section) => section.match(/<tr.*?<\/tr>/gs)?.slice(1) ?? [];

const cellsOf: (row: string) => string[] = (row) => row.match(/<td.*?<\/td>/gs) ?? [];

test('an arm has a row and a figure a column, and the table scrolls in a region of its own', () => {
	const section = sectionOf(publishedFixture());
	const heads = [...section.matchAll(/<th scope="col"[^>]*>(.*?)<\/th>/g)].map(([, title]) => title);
	assert.deepEqual(heads, ['Variant', 'goodput', 'throughput, failures included', 'journal written', 'p95 of successes']);
	assert.deepEqual(
		rowsOf(section).map((row) => row.match(/<b class="name">(.*?)<\/b>/)?.[1]),
		['a', undefined, '2a', undefined],
	);
	assert.ok(section.includes('<div class="scroll" tabindex="0" role="region" aria-label="Published beside measured">'));
});

test('a cell has the measured median, the published figure, their ratio, and whether they are near', () => {
	const [row] = rowsOf(sectionOf(publishedFixture()));
	const [near, apart] = cellsOf(row);
	assert.match(near, /title="[\d.]+ to [\d.]+ rps"><b>559 rps<\/b><span class="service">published 548<\/span>.*1\.02×.*✓<\/span> near/);
	assert.match(apart, /<b>559 rps<\/b>.*0\.61×.*✕<\/span> not near/);
});

test('a published figure has its unit where the measured one has another', () => {
	const latency = cellsOf(rowsOf(sectionOf(publishedFixture()))[2])[3];
	assert.match(latency, /<b>1\.05 s<\/b><span class="service">published 2\.1<\/span>/);
	const result = publishedFixture();
	Object.assign(result.published?.arms[1].figures[1] ?? {}, { published: 910 });
	assert.match(cellsOf(rowsOf(sectionOf(result))[2])[3], /<b>1\.05 s<\/b><span class="service">published 910 ms<\/span>/);
});

test('what was not measured has no ratio, and what the source does not give is a dash', () => {
	const [row, , other] = rowsOf(sectionOf(publishedFixture()));
	assert.equal(cellsOf(row)[2], '<td class="number"><b>–</b><span class="service">published 0.5 MB/s</span></td>');
	assert.equal(cellsOf(row)[3], '<td class="number">–</td>');
	assert.equal(cellsOf(other)[1], '<td class="number">–</td>');
});

test('the failed share stands once with its arm', () => {
	const section = sectionOf(publishedFixture());
	assert.equal(section.match(/17\.7 % failed/g)?.length, 1);
	assert.match(rowsOf(section)[2], /<b class="name">2a<\/b><span class="service">17\.7 % failed<\/span>/);
});

test('why a figure is not near stands under its arm, once for all figures that have the same reason', () => {
	const result = publishedFixture();
	const [, explained, , open] = rowsOf(sectionOf(result));
	assert.match(explained, /colspan="5".*throughput, failures included not near: It has two cores here, and had eight there\./);
	assert.match(open, /goodput not near: not explained/);
	for (const figure of result.published?.arms[0].figures ?? []) Object.assign(figure, { near: false, reason: 'It rained.' });
	const rows = rowsOf(sectionOf(result));
	assert.equal(rows[1].match(/<li>/g)?.length, 1);
	assert.match(rows[1], /goodput, throughput, failures included, journal written not near: It rained\./);
});

test('where nothing is expected to be near, no mark says that it is not', () => {
	const result = publishedFixture();
	const figures = result.published?.arms.flatMap((arm) => arm.figures) ?? [];
	for (const figure of figures) Object.assign(figure, { near: null, reason: null });
	if (result.published) result.published.within = null;
	const section = sectionOf(result);
	assert.ok(section.includes('1.02×'));
	assert.doesNotMatch(section, /\bnear\b|expected|not explained/);
});
