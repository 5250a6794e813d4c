/** Thresholds that the user gives for a run, as EXPECT holds them: `failure_rate<0.001,latency_ms_p95_ok<800`. */

import { NotReadyError } from '../base/errors.ts';
import { instead } from '../base/nearest.ts';
import { comparedMetrics, metricOf, metrics } from '../catalog/metrics.ts';
import type { Metric } from '../stats/metric.ts';

export type Operator = '<' | '<=' | '>' | '>=';

export type Expectation = {
	/** id from the metrics table */
	metric: string;
	operator: Operator;
	/** in the metric's unit; a share is 0 to 1 */
	limit: number;
	/** as given, without spaces */
	text: string;
};

const EXAMPLE = "EXPECT='failure_rate<0.001,latency_ms_p95_ok<800'";
/** Everything up to the first sign of comparison, the signs, and the rest. */
const PARTS = /^([^<>=!]*)([<>=!]+)(.*)$/;
const OPERATORS = ['<', '<=', '>', '>='] as const;
/** What Number() takes besides, such as an empty text, 0x10 or Infinity, is a mistake here. */
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * @returns in the order given; none when the text is empty
 * @throws {NotReadyError} naming what is wrong with which part
 */
export function readExpect(text: string | undefined): Expectation[] {
	const whole = (text ?? '').trim();
	if (whole === '') return [];
	return whole.split(',').map((part) => readPart(part.replace(/\s+/g, ''), whole));
}

function readPart(part: string, whole: string): Expectation {
	if (part === '')
		throw refusal(`a threshold on each side of every comma; found "${whole}"`, `leave out the comma too many, as in ${EXAMPLE}.`);
	const found = PARTS.exec(part);
	if (!found)
		throw refusal(
			`a metric, one of ${OPERATORS.join(' ')} and a number; found "${part}"`,
			// Unquoted, < and > redirect the command's input and output, and what comes after them never gets here.
			`write it in quotes, and numbers without commas: ${EXAMPLE}.`,
		);
	const [, metric, sign, number] = found;
	const ids = metrics.map(({ id }) => id);
	if (!ids.includes(metric))
		throw refusal(`one of ${ids.join(', ')}; found "${metric}" in "${part}"`, instead(metric, ids, 'use one of these metrics.'));
	const operator = OPERATORS.find((candidate) => candidate === sign);
	if (!operator) throw refusal(`one of ${OPERATORS.join(' ')}; found "${sign}" in "${part}"`, `write it as in ${EXAMPLE}.`);
	return { metric, operator, limit: readLimit(number, metricOf(metric), part), text: part };
}

function readLimit(number: string, { id, unit }: Metric, part: string): number {
	const inPercent = number.endsWith('%');
	const digits = inPercent ? number.slice(0, -1) : number;
	const value = DECIMAL.test(digits) ? Number(digits) : Number.NaN;
	if (inPercent && unit !== 'share')
		throw refusal(`a number of ${unit} after ${id}; found "${number}" in "${part}"`, 'leave out the per cent sign: only shares have one.');
	if (!Number.isFinite(value) || value < 0)
		throw refusal(
			`a finite number of 0 or more after the sign; found "${number}" in "${part}"`,
			`write the number alone, in ${unit === 'share' ? 'parts of 1 or in per cent' : unit}, as in ${EXAMPLE}.`,
		);
	if (unit !== 'share') return value;
	const share = inPercent ? value / 100 : value;
	// A share above 1 is never reached, so a threshold there would be met or missed whatever the run does.
	if (share > 1)
		throw refusal(
			`a share from 0 to 1, or from 0% to 100%; found "${number}" in "${part}"`,
			`for 5 per cent write ${id}<0.05 or ${id}<5%.`,
		);
	return share;
}

const refusal: (expectedAndFound: string, remedy: string) => NotReadyError = (expectedAndFound, remedy) =>
	new NotReadyError(`EXPECT: expected ${expectedAndFound}.`, remedy);

/** What of a comparison is a failure, as FAIL_ON holds it: `worse:failure_rate,inconclusive`. */
export type Failing = {
	finding: 'worse' | 'inconclusive';
	/** null: worse on any, and INCONCLUSIVE on the whole */
	metric: string | null;
};

const FINDINGS = ['worse', 'inconclusive'] as const;

/**
 * @returns in the order given
 * @throws {NotReadyError} naming the finding or the metric that there is not
 */
export const readFailOn = (text: string): Failing[] =>
	text.split(',').map((part) => {
		const [word, metric] = part.trim().split(/:(.*)/s);
		const finding = FINDINGS.find((known) => known === word);
		if (!finding) throw failOnRefusal([...FINDINGS], word, part);
		const ids = comparedMetrics.map(({ id }) => id);
		if (metric !== undefined && !ids.includes(metric)) throw failOnRefusal(ids, metric, part);
		return { finding, metric: metric ?? null };
	});

const failOnRefusal: (known: string[], found: string, part: string) => NotReadyError = (known, found, part) =>
	new NotReadyError(
		`FAIL_ON: expected one of ${known.join(', ')}; found "${found}" in "${part}".`,
		instead(found, known, 'write it as in FAIL_ON=worse:failure_rate,inconclusive.'),
	);

/**
 * The hosts of a Swarm that HOSTS names, such as `HOSTS='host2=ssh://lab@10.0.0.2 host3=ssh://lab@10.0.0.3'`: all but the one whose engine
 * the lab uses anyway.
 */
export type Host = {
	/** as `docker node ls` has it */
	name: string;
	/** of its engine: `ssh://user@machine`, or `unix:///path/of/a/socket` of this machine */
	address: string;
};

/** A host's name (RFC 1123), and where its engine answers. */
const HOST = /^(?<name>[A-Za-z0-9][\w.-]*)=(?<address>(?:ssh:\/\/[^\s/@-][^\s/]*|unix:\/\/\/\S+))$/;
const HOSTS_EXAMPLE = "HOSTS='host2=ssh://lab@10.0.0.2 host3=ssh://lab@10.0.0.3'";

/**
 * @returns in their order; none where nothing is given
 * @throws {NotReadyError} naming the host that is spelt wrongly, or twice
 */
export function readHosts(text: string | undefined = ''): Host[] {
	const hosts = text.split(/\s+/).filter(Boolean).map(readOne);
	const twice = hosts.find(({ name }, index) => hosts.findIndex((other) => other.name === name) < index);
	if (twice) throw new NotReadyError(`HOSTS: expected each host once; found "${twice.name}" twice.`, 'leave one of them out.');
	return hosts;
}

function readOne(item: string): Host {
	const found = HOST.exec(item)?.groups;
	if (found) return { name: found.name, address: found.address };
	throw new NotReadyError(
		`HOSTS: expected hosts as in ${HOSTS_EXAMPLE}; found "${item}".`,
		'name each by its name in the Swarm ("docker node ls") and by where its engine answers: ssh://, or unix:// for a socket of this machine.',
	);
}

/** As HOSTS takes them. */
export const formatHosts = (hosts: readonly Host[]) => hosts.map(({ name, address }) => `${name}=${address}`).join(' ');
