/**
 * Opens the page of a comparison as a reader would, wide and narrow, light and dark, and says the first thing that is wrong
 * with it.
 */

import type { Page } from 'playwright-core';
import { onEveryScreen } from './screens.ts';

/** Along the axis, 0 to 1. */
const CURSOR_PLACE = 0.5;

/** @throws {Error} naming the screen and what was expected of it */
export const checkCompare = (htmlPath: string) =>
	onEveryScreen(htmlPath, {
		what: 'comparison',
		faultsOf: async (page) => [
			...(await page.evaluate(faultsOfFirstScreen)),
			...(await page.evaluate(faultsOfIntervals)),
			...(await page.evaluate(faultsOfFlows)),
			...(await dotFaults(page)),
			...(await cursorFaults(page)),
			...(await cardFaults(page)),
		],
	});

/** Runs in the page. A reader who does not scroll has to see the verdict as a word and as a sentence. */
function faultsOfFirstScreen(): string[] {
	return ['#verdict h1', '#verdict .stamp'].flatMap((selector) => {
		const box = document.querySelector(selector)?.getBoundingClientRect();
		return box && box.height > 0 && box.bottom <= innerHeight ? [] : [`the first screen does not show all of ${selector}`];
	});
}

/** Runs in the page. Every metric has its interval beside it, on an axis that can be seen. */
function faultsOfIntervals(): string[] {
	return [...document.querySelectorAll('table.metrics tbody')].flatMap((body) => {
		const box = body.querySelector('svg.interval')?.getBoundingClientRect();
		return box && box.width >= 150 && box.right <= innerWidth
			? []
			: [`no interval can be seen beside ${body.querySelector('th')?.textContent}`];
	});
}

/** Runs in the page. The two flows share their rows, and in none of them two things stand on each other. */
function faultsOfFlows(): string[] {
	return [...document.querySelectorAll('.flow-of')].flatMap((flow) => {
		const boxes = [...flow.children].map((child) => child.getBoundingClientRect());
		return boxes.some((box, index) => index > 0 && box.top < boxes[index - 1].bottom - 1)
			? [`parts of "${flow.getAttribute('aria-label')}" stand on each other`]
			: [];
	});
}

/** Keys lead from dot to dot, and the run that is focused is named in the other pictures too. */
async function dotFaults(page: Page) {
	const dots = page.locator('.dot-strip').first().locator('.dot');
	if ((await dots.count()) === 0) return [];
	await dots.first().focus();
	await page.keyboard.press('ArrowRight');
	const { named, focused } = await page.evaluate(() => ({
		named: [...document.querySelectorAll('.dot-strip:has(.dot.on) .readout')].map(
			(readout) => readout.querySelector('a')?.getAttribute('href') ?? '',
		),
		focused: document.activeElement?.getAttribute('href') ?? '',
	}));
	if (named.length === 0) return ['a focused dot is not named'];
	return new Set([...named, focused]).size === 1 ? [] : [`the pictures do not name one run: ${named.join(' | ')}`];
}

/** Pointing at one panel has to move the cursor in all of them. */
async function cursorFaults(page: Page) {
	const plot = page.locator('#timeline .plot .u-over').first();
	if ((await plot.count()) === 0) return [];
	await plot.scrollIntoViewIfNeeded();
	const box = await plot.boundingBox();
	if (!box) return ['the first panel of the time axis is not there'];
	await page.mouse.move(box.x + box.width * CURSOR_PLACE, box.y + box.height / 2);
	const seconds = await page.evaluate(() =>
		[...document.querySelectorAll('#timeline figure:has(.plot) .legend .at')].map(({ textContent }) => textContent ?? ''),
	);
	return new Set(seconds).size === 1 && seconds[0].startsWith('at ') ? [] : [`the panels do not show one second: ${seconds.join(' | ')}`];
}

/** A focused tier has to say what became of its requests, in each of the flows and inside the screen. */
async function cardFaults(page: Page) {
	const faults: string[] = [];
	// Out of the way: what the mouse is at would be shown instead.
	await page.mouse.move(0, 0);
	for (const stage of await page.locator('.flow-figure .stage').all()) {
		const node = stage.locator('g[data-node]').first();
		await node.scrollIntoViewIfNeeded();
		await node.focus();
		const card = await stage.locator('.card:not([hidden])').boundingBox();
		const width = page.viewportSize()?.width ?? 0;
		if (!card) faults.push('a focused tier says nothing');
		else if (card.x < 0 || card.x + card.width > width) faults.push('what is said of a tier leaves the screen');
	}
	return faults;
}
