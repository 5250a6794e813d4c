/**
 * The data of a chart as a table, a row for each second. The page's script writes it, from the data that the page holds already: as markup
 * these tables were two fifths of a report.
 */

import { figure } from './format.ts';
import type { Panel } from './panels.ts';

/** @returns the first cell of each row is its second */
export const chartTable = ({ t_s, series, grid }: Panel): { heads: string[]; rows: string[][] } => ({
	heads: ['second', ...series.map(({ label }) => label)],
	rows: t_s.flatMap((t, index) =>
		isEndOf(t, grid?.step, index === t_s.length - 1) ? [[figure(t), ...series.map(({ text }) => text(index))]] : [],
	),
});

/** What several seconds have together is one row, at the last of them. */
const isEndOf = (t: number, step = 1, isLast: boolean) => step === 1 || isLast || (t > 0 && t % step === 0);
