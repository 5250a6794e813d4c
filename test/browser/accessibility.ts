/**
 * What axe-core finds in a page: https://github.com/dequelabs/axe-core.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Of its four; the others are of matters of taste. */
const GRAVE = ['serious', 'critical'];
const SHOWN_MOST = 3;

/** What a theme changes. */
const OF_COLOURS = ['color-contrast'];
/** Of texts that look alike one is asked: on the report of a run 200 of 2,700, which took two thirds of the time. */
const ASKED = 'data-contrast-asked';

/**
 * @param shown all rules are asked in light, in dark those of colours
 * @returns a line for each rule that the page breaks gravely, with where
 */
export async function accessibilityFaults(page: Page, { theme }: { theme: 'light' | 'dark' }): Promise<string[]> {
	// Not as a script of the page, which its policy would refuse.
	await page.evaluate(SOURCE);
	await page.evaluate(markTexts, ASKED);
	const options = { resultTypes: ['violations'], ...(theme === 'dark' ? { runOnly: OF_COLOURS } : {}) };
	const violations = await page.evaluate(
		async ({ asked, contrast, ...given }) => {
			const { axe } = globalThis as any;
			axe.configure({ rules: contrast.map((id) => ({ id, selector: `[${asked}]` })) });
			return (await axe.run(document, given)).violations;
		},
		{ ...options, asked: ASKED, contrast: OF_COLOURS },
	);
	return violations
		.filter(({ impact }: { impact: string }) => GRAVE.includes(impact))
		.map(({ id, help, nodes }: { id: string; help: string; nodes: { target: string[]; failureSummary: string }[] }) => {
			const places = nodes
				.slice(0, SHOWN_MOST)
				.map(({ target, failureSummary }) => `    ${target.join(' ')}: ${failureSummary.replaceAll(/\s+/g, ' ')}`);
			return [`${id}: ${help} (${nodes.length})`, ...places].join('\n');
		});
}

/**
 * Runs in the page. Marks one of all texts that have the same colour, size and weight on the same grounds. What is taken out of the flow may
 * stand on something else than its parents, so that nothing is like it.
 */
function markTexts(mark: string) {
	for (const marked of document.querySelectorAll(`[${mark}]`)) marked.removeAttribute(mark);
	const grounds: Map<Element | null, string> = new Map([[null, '']]);
	const groundOf: (element: Element | null) => string = (element) => {
		const known = grounds.get(element);
		if (known !== undefined || element === null) return known ?? '';
		const style = getComputedStyle(element);
		const own = [style.backgroundColor, style.backgroundImage, style.opacity, style.filter, style.mixBlendMode].join();
		const isPlaced = style.position !== 'static' || style.float !== 'none' || style.transform !== 'none';
		// Their number is new.
		const ground = `${isPlaced ? `${grounds.size} ` : ''}${own} on ${groundOf(element.parentElement)}`;
		grounds.set(element, ground);
		return ground;
	};
	const looks: Set<string> = new Set();
	for (const element of document.body.querySelectorAll('*')) {
		// A field's text is no node of the page.
		const isField = element.matches('input, select, textarea');
		if (!isField && ![...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim())) continue;
		const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element);
		const look = [isField ? element.tagName : '', color, fontSize, fontWeight, textShadow, groundOf(element)].join('; ');
		if (!looks.has(look)) element.setAttribute(mark, '');
		looks.add(look);
	}
}
