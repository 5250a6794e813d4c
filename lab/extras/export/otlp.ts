/**
 * The series of a run as OpenTelemetry metrics, in the JSON encoding of OTLP (https://opentelemetry.io/docs/specs/otlp/): what a collector
 * takes at /v1/metrics. Each value was read in its second, so all are gauges.
 */

import type { Result } from '../../record/types.js';
import type { RunSeries } from './export.ts';

const NAME = 'doubletake';
const NS_PER_MS = 1_000_000n;
const MS_PER_S = 1000;

/** @param seconds from the start of the load, negative in the warm-up */
export function formatOtlp(
	series: RunSeries[],
	seconds: number[],
	{ run, architecture, load, budget, started }: Pick<Result, 'run' | 'architecture' | 'load' | 'budget' | 'started'>,
): string {
	const times = seconds.map((second) => nanoseconds(Date.parse(started) + second * MS_PER_S));
	const names = [...new Set(series.map(({ name }) => name))];
	const metrics = names.map((name) => {
		const own = series.filter((one) => one.name === name);
		const description = [...new Set(own.map(({ about }) => about))].join('; ');
		return {
			name: `${NAME}.${name}`,
			description,
			unit: own[0].unit,
			gauge: { dataPoints: own.flatMap((one) => pointsOf(one, times, run)) },
		};
	});
	const of = { 'service.name': NAME, [`${NAME}.architecture`]: architecture, [`${NAME}.load`]: load, [`${NAME}.budget`]: budget };
	const resourceMetrics = [{ resource: { attributes: attributes(of) }, scopeMetrics: [{ scope: { name: NAME }, metrics }] }];
	return `${JSON.stringify({ resourceMetrics })}\n`;
}

const pointsOf: (series: RunSeries, times: string[], run: string) => object[] = ({ tier, service, values }, times, run) =>
	values.flatMap((value, index) =>
		value === null ? [] : [{ attributes: attributes({ run, tier, service }), timeUnixNano: times[index], asDouble: value }],
	);

/** One that is empty is none. */
const attributes = (values: Record<string, string>) =>
	Object.entries(values)
		.filter(([, value]) => value !== '')
		.map(([key, value]) => ({ key, value: { stringValue: value } }));

/**
 * 64-bit numbers are strings in this encoding: JSON's own end at 2^53.
 * @param ms since 1970
 */
const nanoseconds = (ms: number) => String(BigInt(Math.round(ms)) * NS_PER_MS);
