/**
 * Opens the page of an experiment as a reader would, wide and narrow, light and dark, and says the first thing that is
 * wrong with it.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { EXPERIMENT_RECORD } from '../../lab/base/paths.ts';
import { onEveryScreen } from './screens.ts';

const COPY_MOST_MS = 60_000;

/**
 * @param htmlPath beside the record of its experiment
 * @throws {Error} naming the screen and what was expected of it
 */
export async function checkExperiment(htmlPath: string) {
	const { claims, curve } = JSON.parse(await readFile(join(dirname(htmlPath), EXPERIMENT_RECORD.result), 'utf8'));
	const expected = { claims: claims.length, hasCurve: Boolean(curve) };
	await onEveryScreen(htmlPath, {
		what: 'experiment',
		faultsOf: async (page) => [
			...(await page.evaluate(faultsOfPage, expected)),
			...(await copyFaults(page)),
			...(await unfoldedFaults(page)),
		],
	});
}

/** Runs in the page. */
function faultsOfPage({ claims, hasCurve }: { claims: number; hasCurve: boolean }): string[] {
	const faults: string[] = [];
	const isOnFirstScreen = (element: Element | null) => {
		const box = element?.getBoundingClientRect();
		return box !== undefined && box.height > 0 && box.bottom <= innerHeight;
	};
	if (!isOnFirstScreen(document.querySelector('h1'))) faults.push('the first screen does not show the headline');
	const stamps = [...document.querySelectorAll('.stamps a')];
	if (stamps.length !== claims) faults.push(`expected ${claims} stamps, found ${stamps.length}`);
	if (!stamps.every(isOnFirstScreen)) faults.push('the first screen does not show all stamps');
	for (const stamp of stamps) {
		const target = stamp.getAttribute('href')?.slice(1) ?? '';
		if (!document.getElementById(target)) faults.push(`a stamp leads to ${target}, which is not there`);
	}

	const drawings = [...document.querySelectorAll('svg.curve')];
	const shown = drawings.filter((svg) => svg.getBoundingClientRect().height > 0);
	if (hasCurve && drawings.length > 0 && shown.length !== 1) faults.push(`expected one visible curve, found ${shown.length}`);
	for (const picture of [...document.querySelectorAll('.test svg.interval'), ...shown]) {
		const { width, height } = picture.getBoundingClientRect();
		if (width < 100 || height < 10) faults.push(`a picture is ${width} by ${height} px: ${picture.getAttribute('aria-label')}`);
	}
	return faults;
}

/**
 * A file has no clipboard in some browsers; the text is then at least selected. Either way the button says what it did. It says so
 * for a moment only, so what it says is noted as it changes: a busy machine may look too late.
 */
async function copyFaults(page: Page) {
	const button = page.locator('button.copy').last();
	const said = await button.evaluateHandle((element) => {
		const words = [element.textContent ?? ''];
		new MutationObserver(() => words.push(element.textContent ?? '')).observe(element, { childList: true });
		return words;
	});
	await button.focus();
	await page.keyboard.press('Enter');
	return page
		.waitForFunction((words) => words.slice(1).some((word) => /Copied|Selected/.test(word)), said, { timeout: COPY_MOST_MS })
		.then(() => [])
		.catch(() => ['the button that copies does nothing']);
}

/** What is folded away must not be wider than the screen either. */
async function unfoldedFaults(page: Page) {
	const wide = await page.evaluate(() => {
		for (const details of document.querySelectorAll('details')) details.open = true;
		return document.documentElement.scrollWidth - innerWidth;
	});
	return wide > 0 ? [`unfolded, the page is ${wide} px wider than the screen`] : [];
}
