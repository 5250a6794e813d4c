/**
 * Several generators' summaries as one. Counts add up, and so do means by their counts; the least and the largest value stay what they
 * are. Percentiles of several cannot be had from theirs and are left out: those that matter are of the requests themselves.
 */

import type { Metric, Summary } from './read-generators.ts';

/** @returns null of none */
export function summaryOfAll(summaries: Summary[]): Summary | null {
	if (summaries.length < 2) return summaries[0] ?? null;
	const names = [...new Set(summaries.flatMap(({ metrics }) => Object.keys(metrics)))];
	const joined = names.map((name) => [name, joinedMetric(summaries.flatMap(({ metrics }) => metrics[name] ?? []))]);
	const testRunDurationMs = Math.max(...summaries.map(({ state }) => state.testRunDurationMs));
	return { ...summaries[0], state: { ...summaries[0].state, testRunDurationMs }, metrics: Object.fromEntries(joined) };
}

/** @param metrics of one name */
function joinedMetric(metrics: Metric[]): Metric {
	const { type, contains } = metrics[0];
	const values = metrics.map((metric) => metric.values);
	return { type, ...(contains === undefined ? {} : { contains }), values: (JOINED[type] ?? added)(values) };
}

/** k6's values of one metric, by their names */
type Joined = (values: Record<string, number>[]) => Record<string, number>;

/** By k6's types of metrics (https://grafana.com/docs/k6/latest/using-k6/metrics/). */
const JOINED: Record<string, Joined> = {
	counter: (values) => ({ count: sumOf(values, 'count') }),
	gauge: (values) => added(values),
	rate: (values) => {
		const [passes, fails] = [sumOf(values, 'passes'), sumOf(values, 'fails')];
		return { passes, fails, rate: passes + fails === 0 ? 0 : passes / (passes + fails) };
	},
	trend: joinedTrend,
};

function joinedTrend(values: Parameters<Joined>[0]): ReturnType<Joined> {
	const some = values.filter(({ count }) => count > 0);
	const count = sumOf(some, 'count');
	if (count === 0) return { count };
	return {
		count,
		avg: some.reduce((sum, value) => sum + value.avg * value.count, 0) / count,
		min: Math.min(...some.map(({ min }) => min)),
		max: Math.max(...some.map(({ max }) => max)),
	};
}

function added(values: Parameters<Joined>[0]): ReturnType<Joined> {
	const names = [...new Set(values.flatMap(Object.keys))];
	return Object.fromEntries(names.map((name) => [name, sumOf(values, name)]));
}

const sumOf = (values: Record<string, number>[], name: string) => values.reduce((sum, value) => sum + (value[name] ?? 0), 0);
