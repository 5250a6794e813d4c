/** A run in a few lines, for the terminal. */

import type { Judged } from '../diagnose/expectations.ts';
import type { Result } from '../record/types.js';
import { isProgram, scenarioFigures } from './calibration.ts';
import { clientText } from './client-words.ts';
import { knownSteps } from './commands.ts';
import { doubtWords } from './doubts.ts';
import { faultSentence, milliseconds, percent, rate } from './format.ts';

/**
 * @param judged thresholds that were given
 * @param since what is otherwise since the run before
 */
export function formatSummary(result: Result, reportPath: string, judged: Judged[] = [], since: string | null = null): string {
	const { headline, metrics, gone_writes: gone, try_next: tryNext } = result;
	const { throughput_rps: throughput, goodput_rps: goodput, failure_rate: failureRate, latency_ms: latency } = metrics;
	const own = scenarioFigures(result).map(({ label, text }) => `${label} ${text}`);
	return [
		'',
		...doubtLines(result),
		`  ${headline}`,
		...(gone?.to_do ?? []).map((text) => `  so that no write is gone: ${text}`),
		...(result.load_end ? [`  ${result.load_end.text}`] : []),
		'',
		`  throughput ${rate(throughput)}, goodput ${rate(goodput)}, failed ${percent(failureRate)}`,
		...(isProgram(result) ? [] : [`  p95 of all ${milliseconds(latency.all.p95)}, p95 of good answers ${milliseconds(latency.ok.p95)}`]),
		...(since === null ? [] : [`  ${since}`]),
		...(own.length > 0 ? [`  ${own.join(', ')}`] : []),
		...(clientText(result) === null ? [] : [`  ${clientText(result)}`]),
		...result.faults.map((effect) => `  ${faultSentence(effect)}`),
		...judged.flatMap(({ text, verdict, reason, doubts }) => [
			`  ${verdict}: ${text}  (${reason})`,
			...doubts.map((doubt) => `    in doubt: ${doubt}`),
		]),
		...(result.wire?.differs ?? []).map((text) => `  note: ${text}`),
		...knownSteps(tryNext).map(({ command, why, once_valid }) => `  ${once_valid ? 'after a VALID run' : 'next'}: ${command}  (${why})`),
		'',
		`  report: ${reportPath}`,
		'',
	].join('\n');
}

function doubtLines(result: Result) {
	const { word, sentence, gravest, others } = doubtWords(result);
	if (word === 'VALID') return [];
	return [`  ${word}: ${sentence}`, ...[...gravest, ...others].map(({ reason }) => `    ${reason}`)];
}
