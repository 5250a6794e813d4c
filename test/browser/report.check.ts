/**
 * Opens a report as a reader would, wide and narrow, light and dark, and says the first thing that is wrong with it.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { RECORD } from '../../lab/base/paths.ts';
import { onEveryScreen } from './screens.ts';

/** Along the axis, 0 to 1. */
const CURSOR_PLACES = [0.3, 0.42, 0.55, 0.68, 0.8, 0.92];

/**
 * @param htmlPath beside the result of its run
 * @throws {Error} naming the screen and what was expected of it
 */
export async function checkReport(htmlPath: string) {
	const { flow } = JSON.parse(await readFile(join(dirname(htmlPath), RECORD.result), 'utf8'));
	await onEveryScreen(htmlPath, { what: 'report', faultsOf: (page) => faultsOf(page, flow.nodes.length) });
}

/** @param nodes of the flow */
async function faultsOf(page: Page, nodes: number) {
	const faults = [...(await page.evaluate(faultsOfPage, nodes)), ...(await page.evaluate(doubtedTileFaults))];
	// Without its charts a page cannot be pointed at; what is wrong is known by now.
	if (faults.length > 0) return faults;
	// A program's load has no users and no seconds, so its report has no time axis.
	const isTimed = (await page.locator('#timeline').count()) > 0;
	return [...(isTimed ? await cursorFaults(page) : []), ...(await standingFaults(page)), ...(await cardFaults(page))];
}

/** Runs in the page. */
function faultsOfPage(nodes: number): string[] {
	const visible = [...document.querySelectorAll('svg.flow')].filter((svg) => svg.getBoundingClientRect().height > 0);
	const groups = visible[0]?.querySelectorAll('g[data-node]').length;
	return [
		...(visible.length === 1 ? [] : [`expected one visible flow picture, found ${visible.length}`]),
		...(groups === nodes ? [] : [`expected ${nodes} nodes in the flow picture, found ${groups}`]),
	];
}

/** Runs in the page: on a machine that others use every figure may be in doubt, and its mark has to fit beside it. */
function doubtedTileFaults(): string[] {
	return [...document.querySelectorAll('.tile .measured')].flatMap((figure) => {
		const mark = Object.assign(document.createElement('a'), { className: 'in-doubt', textContent: 'in doubt' });
		const isMarked = figure.querySelector('.in-doubt') !== null;
		if (!isMarked) figure.append(' ', mark);
		const tile = figure.closest('.tile') as HTMLElement;
		const fault = tile.scrollWidth > tile.clientWidth ? [`a figure in doubt is wider than its tile: ${tile.textContent}`] : [];
		mark.remove();
		return fault;
	});
}

/**
 * Pointing at one panel has to move the cursor in all of them, and put values into all legends. A second may be missing
 * in one of them, so several are pointed at.
 */
async function cursorFaults(page: Page) {
	// The run of a program has no seconds to point at.
	if ((await page.locator('#timeline').count()) === 0) return [];
	const plot = page.locator('#timeline .plot .u-over').nth(1);
	await plot.scrollIntoViewIfNeeded();
	const box = await plot.boundingBox();
	if (!box) return ['the second panel of the time axis is not there'];
	const spoke: Set<string> = new Set();
	const faults: string[] = [];
	let panels = 0;
	for (const place of CURSOR_PLACES) {
		await page.mouse.move(box.x + box.width * place, box.y + box.height / 2);
		const legends = await page.evaluate(readLegends);
		panels = legends.length;
		if (new Set(legends.map(({ second }) => second)).size !== 1 || !legends[0].second.startsWith('at ')) {
			faults.push(`the panels do not show one second: ${legends.map(({ second }) => second).join(' | ')}`);
		}
		if (legends.some(({ hasCursor }) => !hasCursor)) faults.push('a panel shows no cursor');
		for (const { panel, hasValue } of legends) if (hasValue) spoke.add(panel);
	}
	if (spoke.size < panels) faults.push(`only ${[...spoke].join(', ')} show values at the cursor`);
	return faults;
}

/** Runs in the page. */
function readLegends() {
	const figures = [...document.querySelectorAll('#timeline figure')].filter((figure) => figure.querySelector('.plot'));
	return figures.map((figure) => ({
		panel: figure.getAttribute('data-panel') ?? '',
		second: figure.querySelector('.at')?.textContent ?? '',
		hasValue: [...figure.querySelectorAll('.legend .value')].some((value) => /\d/.test(value.textContent ?? '')),
		hasCursor: figure.querySelector('.u-cursor-x:not(.u-off)') !== null,
	}));
}

/** Pointing at a second of where requests stood has to say who waited for whom then, by mouse and by keyboard. */
async function standingFaults(page: Page) {
	const plot = page.locator('#standing figure[data-panel="standing"] .plot');
	if ((await plot.count()) === 0) return [];
	const said = () => page.locator('.waits .at').textContent();
	// What the mouse is at is reported in all panels.
	await page.mouse.move(0, 0);
	const worst = await said();
	await plot.scrollIntoViewIfNeeded();
	await plot.hover();
	const pointed = await said();
	await page.mouse.move(0, 0);
	await plot.focus();
	await page.keyboard.press('Home');
	await page.keyboard.press('ArrowRight');
	const first = await said();
	await page.keyboard.press('Escape');
	return [
		...(pointed?.startsWith('Second ') ? [] : [`pointing at a second says "${pointed}" of who waited for whom`]),
		...(first?.startsWith('Second 0 ') ? [] : [`the keyboard says "${first}" of who waited for whom in the first step`]),
		...((await said()) === worst ? [] : ['who waited for whom does not go back to the worst seconds']),
	];
}

/** A focused tier has to show its evidence, inside the screen. */
async function cardFaults(page: Page) {
	const node = page.locator('svg.flow:visible g[data-node]').nth(1);
	// Out of the way: what the mouse is at would be shown instead.
	await page.mouse.move(0, 0);
	await node.scrollIntoViewIfNeeded();
	await node.focus();
	const card = await page.locator('.card:not([hidden])').boundingBox();
	if (!card) return ['a focused tier shows no evidence'];
	const width = page.viewportSize()?.width ?? 0;
	return card.x < 0 || card.x + card.width > width ? ['the evidence of a tier leaves the screen'] : [];
}
