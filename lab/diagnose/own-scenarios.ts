/**
 * k6 counts the scenarios of a user's own script apart, by their names. The load is all of them together: their counts and means are added
 * up under the name that the lab's own scenarios have. Percentiles of several cannot be: they are those of all requests that k6 made, where
 * these are the load's and no other, and else left out.
 */

const APART = /^(http_req_duration|http_req_blocked|iteration_duration)\{scenario:([^,}]+)(,expected_response:true)?\}$/;
const OURS = new Set(['load', 'warmup']);

/** @returns the same where the load is the lab's own scenario */
export function withLoadOfAll<Summary extends { metrics: Record<string, any> }>(summary: Summary): Summary {
	const sums: Map<string, { count: number; total: number; only: any }> = new Map();
	for (const [name, metric] of Object.entries(summary.metrics)) {
		const [, base, scenario, good = ''] = APART.exec(name) ?? [];
		if (base === undefined || OURS.has(scenario) || typeof metric.values?.count !== 'number') continue;
		const key = `${base}{scenario:load${good}}`;
		const { count, avg = 0 } = metric.values;
		const known = sums.get(key);
		sums.set(key, {
			count: (known?.count ?? 0) + count,
			total: (known?.total ?? 0) + count * avg,
			// Of one scenario alone every figure stands.
			only: known === undefined ? metric.values : null,
		});
	}
	const added = [...sums].map(([key, { count, total, only }]) => {
		const ofAll = summary.metrics[allNamed(key)]?.values;
		const values = only ?? (ofAll?.count === count ? ofAll : { count, avg: count === 0 ? 0 : total / count });
		return [key, { type: 'trend', contains: 'time', values }];
	});
	return added.length === 0 ? summary : { ...summary, metrics: { ...summary.metrics, ...Object.fromEntries(added) } };
}

/** k6's name of the same over all scenarios, the script's setup included. */
const allNamed = (key: string) => key.replace('{scenario:load}', '').replace('{scenario:load,', '{');
