/** The command `export`: the timeline and the series of a finished run, in the files of other programs. */

import { resolve } from 'node:path';
import { EXIT, NotReadyError } from '../../base/errors.ts';
import { recordAt } from '../../base/files.ts';
import { formatCommand, formatProjectCommand } from '../../base/format-command.ts';
import { RECORD } from '../../base/paths.ts';
import type { Reporter } from '../../base/progress.ts';
import { writeFileAtomic } from '../../base/whole-file.ts';
import { readRecord } from '../../record/excerpt-file.ts';
import type { Result, TimelineRow } from '../../record/types.js';
import { formatCsv } from './csv.ts';
import { formatOtlp } from './otlp.ts';

/** The timeline and the series of a run, one beside the other on the same seconds, for programs that draw or store them. */
export type RunSeries = {
	/** such as `latency_ms_p95` */
	name: string;
	/** in words */
	about: string;
	/** empty where it is of the whole system, as its users see it */
	tier: string;
	/** empty where it is of no single one */
	service: string;
	/** as https://ucum.org writes it, which OpenTelemetry does too */
	unit: string;
	/** on the seconds of the timeline; null where nothing was recorded */
	values: (number | null)[];
};

/** A request is no unit of measurement; UCUM has such words in braces. */
const PER_SECOND = '{request}/s';
const SHARE = '1';

/** Every figure of a row of the timeline. */
const TIMELINE: Record<Exclude<keyof TimelineRow, 't_s' | 'warmup'>, { about: string; unit: string }> = {
	vus: { about: 'users', unit: '{user}' },
	throughput_rps: { about: 'finished requests', unit: PER_SECOND },
	goodput_rps: { about: 'good answers', unit: PER_SECOND },
	failures_per_s: { about: 'failed requests', unit: PER_SECOND },
	latency_ms_p50: { about: 'latency of all requests, median', unit: 'ms' },
	latency_ms_p95: { about: 'latency of all requests, 95th percentile', unit: 'ms' },
	latency_ms_p99: { about: 'latency of all requests, 99th percentile', unit: 'ms' },
	latency_ms_p50_ok: { about: 'latency of good answers, median', unit: 'ms' },
	latency_ms_p95_ok: { about: 'latency of good answers, 95th percentile', unit: 'ms' },
	latency_ms_p99_ok: { about: 'latency of good answers, 99th percentile', unit: 'ms' },
};

/** What a limit is counted in that is no thing. */
const UNITS: Record<string, string> = { 'busy share': SHARE, 'share of the time': SHARE, MB: 'MBy' };

/** @returns those without a single value left out */
function runSeries(result: Result): RunSeries[] {
	return [...timelineSeries(result), ...failureSeries(result), ...cpuSeries(result), ...limitSeries(result), boundSeries(result)].filter(
		({ values }) => values.some((value) => value !== null),
	);
}

const timelineSeries = ({ timeline }: Result): RunSeries[] =>
	Object.entries(TIMELINE).map(([name, { about, unit }]) => ({
		name,
		about,
		tier: '',
		service: '',
		unit,
		values: timeline.map((row) => row[name as keyof typeof TIMELINE]),
	}));

const failureSeries = ({ series }: Result): RunSeries[] =>
	Object.entries(series.failures_by_tier).map(([tier, values]) => ({
		name: 'failures_by_tier',
		about: 'failed requests that were placed on the tier',
		tier,
		service: '',
		unit: PER_SECOND,
		values,
	}));

const cpuSeries = ({ series, resources }: Result): RunSeries[] =>
	Object.entries(series.cpu_share).map(([service, values]) => ({
		name: 'cpu_share',
		about: 'CPU that the service used, of its quota or of the machine',
		tier: resources[service]?.tier ?? '',
		service,
		unit: SHARE,
		values,
	}));

/** What is used of each limited resource. Those of one kind have one name, whosever they are. */
const limitSeries = ({ series, resources }: Result): RunSeries[] =>
	series.limits.map(({ id, label, tier, unit, values }) => {
		const service = serviceOf(id, tier, resources);
		const [words, what] = service === '' ? [id, label] : [withoutName(id, service), label.replace(` of ${service}`, '')];
		return {
			name: `used.${words.replaceAll(' ', '-')}`,
			about: what,
			tier,
			service,
			unit: UNITS[unit] ?? `{${unit.replaceAll(' ', '_')}}`,
			values,
		};
	});

const withoutName = (id: string, service: string) => id.replace(new RegExp(`^${service}[- ]|[- ]${service}(?=[- ]|$)`), '');

const boundSeries = ({ series }: Result): RunSeries => ({
	name: 'bound_rps',
	about: 'finished requests that users and CPU allow at most',
	tier: '',
	service: '',
	unit: PER_SECOND,
	values: series.bound_rps,
});

/** The id of a limit has the name of its service in it where there could be several. */
function serviceOf(id: string, tier: string, resources: Result['resources']) {
	const named = Object.keys(resources).filter((name) => new RegExp(`(^|[- ])${name}([- ]|$)`).test(id));
	if (named.length > 0) return named.toSorted((one, other) => other.length - one.length)[0];
	const alike = Object.keys(resources).filter((name) => resources[name].tier === tier);
	return alike.length === 1 ? alike[0] : '';
}

const FORMATS: Record<string, (series: RunSeries[], seconds: number[], result: Result) => string> = { csv: formatCsv, otlp: formatOtlp };
const EXAMPLE = formatProjectCommand(['export', 'reports/latest/2a', '--csv', 'run.csv', '--otlp', 'run.json']);

/**
 * @param path of the run's folder
 * @param files by format; those without a name are not written
 * @returns exit code
 * @throws {NotReadyError} when there is no such run, or no file is wanted
 */
export async function exportRun(path: string | undefined, files: Record<string, string | undefined>, reporter: Reporter): Promise<number> {
	const wanted = Object.keys(FORMATS).flatMap((format) => {
		const file = files[format];
		return file ? [{ format, file }] : [];
	});
	if (!path) throw new NotReadyError('export: expected the folder of a run; found none.', `say which: ${EXAMPLE}`);
	if (wanted.length === 0)
		throw new NotReadyError('export: expected a file to write, after --csv or --otlp or both; found none.', `say which: ${EXAMPLE}`);
	const result = await readResult(path);
	const seconds = result.timeline.map(({ t_s: second }) => second);
	const series = runSeries(result);
	const values = series.reduce((sum, one) => sum + one.values.filter((value) => value !== null).length, 0);
	for (const { format, file } of wanted) {
		await writeFileAtomic(resolve(file), FORMATS[format](series, seconds, result));
		reporter.tell(`  ${file}: ${values.toLocaleString('en-US')} values of ${series.length} series\n`);
	}
	reporter.give({ result: { run: result.run, files: wanted, series: series.length, values } });
	return EXIT.done;
}

async function readResult(path: string): Promise<Result> {
	const result = await readRecord(recordAt('export', path), RECORD.result);
	if (result !== null) return result;
	throw new NotReadyError(
		`export: expected the folder of a run that ended, with its ${RECORD.result}; found none in ${path}.`,
		`"${formatCommand(['list'])}" names the runs that there are; those of an experiment lie in its folder, below runs/.`,
	);
}
