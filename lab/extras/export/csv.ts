/** The series of a run in long form, a line for each second and series, as RFC 4180 has it. */

import { stringify } from 'csv-stringify/sync';
import type { RunSeries } from './export.ts';

const COLUMNS = ['t_s', 'series', 'tier', 'service', 'value', 'unit'];

/** @param seconds from the start of the load, negative in the warm-up */
export const formatCsv = (series: RunSeries[], seconds: number[]): string =>
	stringify([COLUMNS, ...series.flatMap((one) => rowsOf(one, seconds))]);

const rowsOf: (series: RunSeries, seconds: number[]) => (string | number)[][] = ({ name, tier, service, unit, values }, seconds) =>
	values.flatMap((value, index) => (value === null ? [] : [[seconds[index], name, tier, service, value, unit]]));
