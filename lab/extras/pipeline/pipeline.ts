/** A pipeline job: it measures the system of a folder as the job's inputs say, and hands what was found to whoever reads it there. */

import { existsSync } from 'node:fs';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { readIfThere } from '../../base/bounded-file.ts';
import { EXIT } from '../../base/errors.ts';
import { refuseLed } from '../../base/files.ts';
import { EXPERIMENT_RECORD, RECORD } from '../../base/paths.ts';
import { rewriteFile } from '../../base/whole-file.ts';
import { LOAD_SOURCES, PROJECT_FILE } from '../../catalog/project-schema.ts';
import { wordOf } from '../../record/touches.ts';
import { markdown } from '../../report/html.ts';
import type { Env } from './hosts.ts';
import { comment, hostOf } from './hosts.ts';

export type { Env };

/** found: the one object of --json */
export type Measured = { exitCode: number; found: any };

/** a command of doubletake */
export type Measure = (words: string[], given: { folder: string; env: Env }) => Promise<Measured>;

/** of one measurement */
type Finding = {
	exitCode: number;
	/** in capitals */
	verdict: string;
	/** what was found */
	sentence: string;
	markdown: string;
	/** path of the page, as seen from the workspace; empty where there is none */
	report: string;
	figures: Record<string, number | null | undefined>;
};

const OWN = /^PIPELINE_/;
/** What each of the two takes, and the other refuses. */
const OF_RUN = ['EXPECT', 'STRICT'];
const OF_COMPARISON = ['FAIL_ON', 'REPEATS', 'BASELINE'];

/**
 * @param env options of doubletake by their names; PIPELINE_FOLDER, PIPELINE_COMPOSE, PIPELINE_URLS, PIPELINE_SCRIPT,
 * PIPELINE_COMPARE_WITH, PIPELINE_ALLOW, PIPELINE_ALLOW_VARIABLE, PIPELINE_COMMENT, PIPELINE_NAME, PIPELINE_TOKEN; and what the host sets
 * @param by print: into the job's log
 * @returns exit code: of the first measurement that failed
 */
export async function pipeline(env: Env, { measure, print }: { measure: Measure; print: (line: string) => void }): Promise<number> {
	const host = hostOf(env, print);
	const folder = resolve(host.workspace, env.PIPELINE_FOLDER || '.');
	const inputs = { folder, env: Object.fromEntries(Object.entries(env).filter(([name]) => !OWN.test(name))) };
	if (env.BASELINE) {
		const stored = resolve(host.workspace, env.BASELINE);
		inputs.env.BASELINE = existsSync(stored) ? relative(folder, stored) : '';
		if (!existsSync(stored))
			host.annotate(
				'notice',
				`There is no baseline at ${env.BASELINE} yet: the system is measured against itself, and these runs can be one.`,
			);
	}
	const findings = await host.quoting(() => measureAll(env, inputs, measure));
	const all = findings.map((one) => ({ ...one, report: one.report && relative(host.workspace, one.report) }));
	const decided = all.find(({ exitCode }) => exitCode !== EXIT.done) ?? all[all.length - 1];
	const { exitCode, verdict, sentence, report, figures } = decided;
	const figure = (name: string) => String(figures[name] ?? '');
	host.output({
		...{ report, verdict, 'exit-code': String(exitCode) },
		...{ 'failure-rate': figure('failure_rate'), 'p95-ms': figure('latency_ms_p95_ok'), 'throughput-rps': figure('throughput_rps') },
		folders: all.flatMap((one) => (one.report ? [posix.dirname(one.report)] : [])).join('\n'),
	});
	const text = all.map((one) => one.markdown).join('\n');
	host.summarize(text);
	if (exitCode !== EXIT.done) host.annotate('error', `${verdict}: ${sentence}`);
	if (env.PIPELINE_COMMENT === 'true' && host.comments !== null)
		await comment(host.comments, [host.job, env.PIPELINE_NAME, env.PIPELINE_FOLDER].join('/'), text).catch((error) =>
			// Of a fork's pull request the token may only read.
			host.annotate('notice', `There is no comment: ${error.message}. The job needs a token that may write to pull requests.`),
		);
	return exitCode;
}

async function measureAll(env: Env, inputs: { folder: string; env: Env }, measure: Measure): Promise<Finding[]> {
	const { PIPELINE_COMPARE_WITH: revision } = env;
	const described = await describe(env, inputs, measure);
	if (described.exitCode !== EXIT.done) return [refusalOf(described)];
	const allowed = [
		...linesOf(env.PIPELINE_ALLOW).map((path) => `--allow=${path}`),
		...linesOf(env.PIPELINE_ALLOW_VARIABLE).map((name) => `--allow-variable=${name}`),
	];
	const isCompared = Boolean(revision || env.BASELINE);
	const findings: Finding[] = [];
	if (env.EXPECT || !isCompared)
		findings.push(findingOfRun(await measure(['run', ...allowed], { ...inputs, env: without(OF_COMPARISON, inputs.env) }), inputs));
	if (isCompared && findings.every(({ exitCode }) => ![EXIT.notReady, EXIT.interrupted].some((code) => code === exitCode))) {
		const sides = revision ? ['--a', `rev:${revision}`] : ['--b', '.'];
		findings.push(
			findingOfComparison(await measure(['compare', ...sides, ...allowed], { ...inputs, env: without(OF_RUN, inputs.env) }), inputs),
		);
	}
	return findings;
}

const linesOf = (text: string | undefined = ''): string[] =>
	text
		.split('\n')
		.map((line) => line.trim())
		.filter(Boolean);

const without: (names: string[], env: Env) => Env = (names, env) =>
	Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));

/** The folder has its doubletake.yaml, with the load of the inputs. */
async function describe(
	{ PIPELINE_COMPOSE, PIPELINE_URLS, PIPELINE_SCRIPT }: Env,
	inputs: { folder: string; env: Env },
	measure: Measure,
): Promise<Measured> {
	try {
		refuseLed(inputs.folder, PROJECT_FILE);
	} catch {
		// The measurement tells it.
		return { exitCode: EXIT.done, found: {} };
	}
	const file = join(inputs.folder, PROJECT_FILE);
	if (readIfThere(file) === null) {
		const described = await measure(['init', ...linesOf(PIPELINE_COMPOSE)], inputs);
		if (described.exitCode !== EXIT.done) return described;
	}
	const load = PIPELINE_SCRIPT ? { script: PIPELINE_SCRIPT } : PIPELINE_URLS && { urls: linesOf(PIPELINE_URLS) };
	if (load) {
		const document = parseDocument(String(readIfThere(file)));
		for (const source of LOAD_SOURCES) document.deleteIn(['load', source]);
		// A script says its users and their pauses itself.
		if ('script' in load) document.set('load', document.createNode(load));
		else document.setIn(['load', 'urls'], load.urls);
		await rewriteFile(file, String(document));
	}
	return { exitCode: EXIT.done, found: {} };
}

function refusalOf({ exitCode, found: { error } }: Measured): Finding {
	const { message = 'it ended without a result', do: remedy = 'look at what the job printed' } = error ?? {};
	return {
		...{
			exitCode: exitCode === EXIT.done ? EXIT.failed : exitCode,
			verdict: 'NOT MEASURED',
			sentence: message.split('\n')[0],
			report: '',
			figures: {},
		},
		markdown: markdown`## Doubletake: not measured\n\n${message}\n\nTo do: ${remedy}\n`.text,
	};
}

function findingOfRun({ exitCode, found }: Measured, { folder }: { folder: string }): Finding {
	const { result, thresholds = [], report } = found;
	if (!result || !report) return refusalOf({ exitCode, found });
	const unmet = thresholds.filter(({ met }: any) => !met);
	const isInDoubt = exitCode === EXIT.inDoubt;
	const met = isInDoubt ? 'IN DOUBT' : 'MET';
	return {
		exitCode,
		verdict: thresholds.length === 0 ? wordOf(result.validity) : unmet.length > 0 ? 'NOT MET' : met,
		sentence: [...unmet.map(({ reason }: any) => reason), ...(isInDoubt ? result.validity.reasons : [])].join('; ') || result.headline,
		...written(folder, report, RECORD.summary),
		figures: {
			failure_rate: result.metrics.failure_rate,
			latency_ms_p95_ok: result.metrics.latency_ms.ok.p95,
			throughput_rps: result.metrics.throughput_rps,
		},
	};
}

function findingOfComparison({ exitCode, found }: Measured, { folder }: { folder: string }): Finding {
	const { result, report, sentence } = found;
	if (!result || !report) return refusalOf({ exitCode, found });
	const worse = result.metrics.filter(({ verdict }: any) => exitCode === EXIT.worse && verdict === 'worse');
	return {
		exitCode,
		verdict: result.verdict.word.toUpperCase(),
		sentence: worse.map((metric: any) => metric.sentence).join(' ') || sentence,
		...written(folder, report, EXPERIMENT_RECORD.comparisonMarkdown),
		figures: Object.fromEntries(result.metrics.map(({ id, other }: any) => [id, other.median])),
	};
}

function written(folder: string, report: string, summary: string): Pick<Finding, 'report' | 'markdown'> {
	const page = resolve(folder, report);
	return { report: page, markdown: readIfThere(join(dirname(page), summary)) ?? '' };
}
