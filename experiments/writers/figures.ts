/**
 * What a program that inserts leaves of itself: which file took how many inserts in what time, and whether they are all in it.
 */

import type { Program } from '../../lab/adapters/contract.ts';
import type { ScenarioFigures } from '../../lab/diagnose/scenario-figures.ts';
import type { Breakdown } from '../../lab/record/types.js';
import { ratio, sum } from '../../lab/stats/numbers.ts';

const BREAKDOWN = {
	title: 'By file',
	caption: 'Every file has a process of its own; all of them insert at the same time.',
	rows_label: 'file',
} as const;

const COLUMNS: Breakdown['columns'] = [
	{ id: 'threads', label: 'threads', unit: 'count' },
	{ id: 'inserts', label: 'inserts', unit: 'count' },
	{ id: 'stored', label: 'stored', unit: 'count' },
	{ id: 'duration_ms', label: 'time', unit: 'ms' },
	{ id: 'throughput_rps', label: 'inserts a second', unit: 'rps' },
];

/** @returns without a table or a check when the program left no record */
export function figuresOf({ raw: { program } }: { raw: { program: Program | null } }): ScenarioFigures {
	if (program === null) return { figures: {}, breakdowns: [], checks: [] };
	const { writers } = program;
	const rows = writers.map(({ file, threads, inserts, stored, seconds }) => ({
		name: file,
		values: [threads, inserts, stored, seconds === null ? null : seconds * 1000, ratio(inserts, seconds)],
	}));
	const inserted = sum(writers.map(({ inserts }) => inserts));
	// A file that cannot be read has none of its inserts.
	const stored = sum(writers.map((writer) => writer.stored ?? 0));
	return {
		figures: {},
		breakdowns: [{ ...BREAKDOWN, columns: COLUMNS, rows }],
		checks: [{ statement: 'every insert is in its file', left: stored, right: inserted, holds: stored === inserted, exact: true }],
	};
}
