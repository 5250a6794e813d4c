/**
 * Opens the page of the findings as a reader would, wide and narrow, light and dark, and says the first thing that is wrong
 * with it.
 */
import { onEveryScreen } from './screens.ts';

/** @throws {Error} naming the screen and what was expected of it */
export const checkFindings = (htmlPath: string) =>
	onEveryScreen(htmlPath, { what: 'findings', faultsOf: (page) => page.evaluate(faultsOfPage) });

/**
 * Runs in the page. The counts are to be seen without scrolling, and every claim has a verdict, and evidence where it was
 * measured.
 */
function faultsOfPage(): string[] {
	const isOnFirstScreen = (element: Element | null) => {
		const box = element?.getBoundingClientRect();
		return box !== undefined && box.height > 0 && box.bottom <= innerHeight;
	};
	const hidden = ['#finding h1', '#finding .counts', '.group .title'].filter(
		(selector) => !isOnFirstScreen(document.querySelector(selector)),
	);
	const rows = [...document.querySelectorAll('tr.claim')];
	const bare = rows.filter((row) => !row.querySelector('.stamp.other') && !row.querySelector('a[href*="#claim-"]'));
	const wide = [...document.querySelectorAll('.findings :is(th, td)')].filter((cell) => cell.scrollWidth > cell.clientWidth + 1);
	return [
		...hidden.map((selector) => `the first screen does not show all of ${selector}`),
		...(rows.length === 0 ? ['there is no claim'] : []),
		...rows.filter((row) => !row.querySelector('.stamp')).map((row) => `${row.id} has no verdict`),
		...bare.map((row) => `${row.id} has no link to its evidence`),
		...wide.map((cell) => `a cell is wider than its column: ${cell.textContent?.slice(0, 60)}`),
	];
}
