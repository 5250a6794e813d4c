import { published } from '../../lab/catalog/published.ts';
import { testAsPublished } from '../../lab/diagnose/fixtures/published-claims.ts';

testAsPublished('writers', {
	'threads-1': { goodput: 41_000 },
	'threads-2': { goodput: 41_000 },
	...Object.fromEntries(
		Object.entries<any>(published.writers.runs).map(([threads, { throughput_inserts_per_s: goodput }]) => [
			`threads-${threads}`,
			{ goodput },
		]),
	),
	...Object.fromEntries(['2', '4', '8', '10'].map((files) => [`files-${files}`, { goodput: 41_000 * 1.8 }])),
});
