/** What the generator wrote of its requests, with fewer of them: a line of a user stays whole or goes. */

import { basename } from 'node:path';
import { RAW } from '../../base/paths.ts';
import { grouped } from '../../base/values.ts';
import { some } from '../../diagnose/joins/grouped.ts';
import { EACH, eachRequest, HEAD } from '../../record/k6-requests.ts';
import type { RecordFiles } from './files.ts';

/** Of what a scenario said of failures, of each status and kind: texts for the reader. */
const SAMPLES_EACH = 3;
/** k6's own times of the requests of the load, and counts of them. */
const OF_LOAD = 'http_req_duration{scenario:load}';
const COUNTED = ['lab_finished', OF_LOAD];

/**
 * @param wanted failed requests that are kept at any rate; about how many good ones beside them
 * @returns the files that changed; what they hold
 */
export function thinLoad(
	files: RecordFiles,
	{ chosen, good }: { chosen: Set<string>; good: number },
): { files: RecordFiles; failed: string[]; good: number; warm: number } {
	const logs = Object.keys(files).filter((name) => basename(name) === RAW.k6Log);
	const changed: RecordFiles = {};
	const reported = { failed: [] as string[], good: 0, warm: 0 };
	for (const name of logs) {
		const lines = files[name].split('\n').filter((line) => line !== '');
		const kept = keptOf(lines, chosen, Math.ceil(good / logs.length));
		changed[name] = kept.lines.map((line) => `${line}\n`).join('');
		reported.failed.push(...kept.failed);
		reported.good += kept.good;
		reported.warm += kept.warm;
		const summary = name.replace(RAW.k6Log, RAW.k6Summary);
		if (files[summary]) changed[summary] = counting(files[summary], kept.failed.length + kept.good);
	}
	return { files: changed, ...reported };
}

type Said = { line: string; said: any };

function keptOf(lines: string[], chosen: Set<string>, good: number) {
	const all = lines.map((line) => ({ line, said: saidIn(line) }));
	const isOf = (name: string) => all.filter(({ said }) => Array.isArray(said[name]) && said[name].length >= HEAD + EACH);
	const load = isOf('requests');
	const bad = load.filter(({ said }) => idsOf(said).some((id) => chosen.has(id)));
	const clean = load.filter(({ said }) => idsOf(said).length === 0);
	const each = clean.reduce((total, one) => total + goodIn(one), 0) / Math.max(1, clean.length);
	const [plain, warm] = [some(clean, Math.ceil(good / Math.max(1, each))), some(isOf('warm'), good)];
	const samples = all.filter(({ said }) => typeof said.kind === 'string' && typeof said.code === 'number');
	const dropped = new Set([...load, ...isOf('warm'), ...samples]);
	for (const one of [...bad, ...plain, ...warm, ...fewOf(samples)]) dropped.delete(one);
	const kept = all.filter((one) => !dropped.has(one));
	return {
		lines: kept.map(({ line }) => line),
		failed: bad.flatMap(({ said }) => idsOf(said)),
		good: [...bad, ...plain].reduce((total, one) => total + goodIn(one), 0),
		warm: warm.reduce((total, { said }) => total + (said.warm.length - HEAD) / EACH, 0),
	};
}

const fewOf = (samples: Said[]) =>
	[...grouped(samples, ({ said: { code, kind } }) => `${code} ${kind}`).values()].flatMap((of) => some(of, SAMPLES_EACH));

/** @param line of k6's log */
function saidIn(line: string) {
	try {
		const { msg } = JSON.parse(line);
		return typeof msg === 'string' && msg.startsWith('{') ? JSON.parse(msg) : {};
	} catch {
		return {};
	}
}

/** @returns of the requests of the line that failed */
const idsOf = ({ failed }: any): string[] => (Array.isArray(failed) ? failed.filter(Array.isArray).map(([id]) => id) : []);

function goodIn({ said }: Said) {
	let good = 0;
	eachRequest(said.requests, ({ isGood }) => {
		if (isGood) good += 1;
	});
	return good;
}

function counting(summary: string, requests: number) {
	const read = JSON.parse(summary);
	for (const name of COUNTED) if (read.metrics?.[name]?.values.count !== undefined) read.metrics[name].values.count = requests;
	return JSON.stringify(onlyRead(read));
}

/** Of k6's metrics, those that no figure comes from; and where the load has metrics of its own, those of all scenarios. */
const UNREAD = /^(http_req_(receiving|tls_handshaking|waiting|connecting|failed)|vus|vus_max|iterations|data_sent|data_received)$/;
const UNREAD_OF_ALL = /^(http_req_(duration|blocked)(\{expected_response:true\})?|http_reqs|iteration_duration)$/;

function onlyRead({ root_group: _, options: __, metrics = {}, ...rest }: any): any {
	const isRead = (name: string) =>
		metrics[name].thresholds !== undefined || !(UNREAD.test(name) || (OF_LOAD in metrics && UNREAD_OF_ALL.test(name)));
	return { ...rest, metrics: Object.fromEntries(Object.entries<any>(metrics).filter(([name]) => isRead(name))) };
}
