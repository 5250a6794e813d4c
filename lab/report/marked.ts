/** Parts of a page that people write which are made by the lab, each between two marks. */

export const startOf = (name: string) => `<!-- ${name}: made by "make docs" -->`;
export const endOf = (name: string) => `<!-- end of ${name} -->`;

/**
 * @param name of the part
 * @returns the page with the text between the marks
 * @throws {Error} when a mark is missing
 */
export function withPart(page: string, name: string, text: string): string {
	const [start, end] = [startOf(name), endOf(name)];
	const [from, to] = [page.indexOf(start), page.indexOf(end)];
	if (from < 0 || to < from) throw new Error(`expected the lines ${start} and ${end}`);
	return `${page.slice(0, from + start.length)}\n\n${text.trimEnd()}\n\n${page.slice(to)}`;
}
