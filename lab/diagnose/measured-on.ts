/**
 * What a run was measured on, and what is to be known beside its figures: machine, hosts, versions, notes.
 */

import { grouped } from '../base/values.ts';
import type { HostFacts } from '../catalog/host-facts.ts';
import { scenarios } from '../catalog/scenarios.ts';
import type { PutFault } from '../options/fault-plan.ts';
import type { Generated } from '../record/generated.ts';
import type { HostReport, Result } from '../record/types.js';
import { many } from '../stats/figure-words.ts';
import { rounded } from '../stats/numbers.ts';
import type { Facts } from './ledger/facts.ts';
import type { Restart } from './ledger/lives.ts';
import { APART_MOST, spanOfEnd } from './ledger/lives.ts';
import { busyBetween } from './limits/machine-busy.ts';
import type { Raw } from './read-raw.ts';
import { awayTexts, notBack } from './waiting/absence.ts';

/** Faults after which a container has ended. */
const ENDING = ['kill', 'stop', 'restart'];
/** RFC 6585, 4. */
const TOO_MANY_REQUESTS = 429;

/** @returns hosts: of a run on a Swarm alone */
export function measuredOn(facts: Facts): Pick<Result, 'machine' | 'hosts' | 'versions' | 'notes'> {
	const { manifest } = facts.raw;
	return {
		machine: { ...pick(manifest.machine, ['os', 'kernel', 'cpu_model', 'cores', 'memory_bytes', 'engine']), images: manifest.images_mode },
		...(manifest.hosts ? { hosts: hostsOf(facts) } : {}),
		versions: versionsOf(facts.raw),
		notes: [...manifest.warnings, ...notesOf(facts)],
	};
}

/** The hosts of a run on a Swarm, for the report: what each is, what ran on it and how busy it was. */

/** @returns in their order; none of a run on one engine */
function hostsOf({ raw, window, machines }: Facts): HostReport[] {
	const services = (raw.manifest.services ?? []) as { name: string; host?: string }[];
	return (raw.manifest.hosts ?? []).map((host: HostFacts) => {
		const machine = machines.find(({ hosts }) => hosts.includes(host.name));
		const rows = (machine?.rows ?? []).filter(({ t }) => t > window.from && t <= window.to);
		return {
			name: host.name,
			services: services.filter(({ host: on }) => on === host.name).map(({ name }) => name),
			beside: (machine?.hosts ?? []).filter((name) => name !== host.name),
			cores: host.cores,
			memory_bytes: host.memory_bytes,
			os: host.os,
			kernel: host.kernel,
			engine: host.engine,
			busy_share: rows.length < 2 ? null : (rounded(busyBetween(rows), 4) ?? null),
			clock_offset_s: host.clock === null ? null : rounded(host.clock.offset_s, 4),
			clock_within_s: host.clock === null ? null : rounded(host.clock.within_s, 4),
		};
	});
}

function versionsOf({ manifest, nodes }: Raw): Record<string, string> {
	const started = Object.values(nodes)
		.flat()
		.find(({ event }) => event === 'start');
	return { ...manifest.versions, ...started?.versions, compose: manifest.machine.compose };
}

/** Services that the user's faults ended, which is no doubt about the data. */
const endedByFault = ({ faults = [] }: { faults?: PutFault[] }) =>
	faults.filter(({ kind }) => ENDING.includes(kind)).map(({ service }) => service);

function endedText({ name, to, exitCode, outOfMemory, ...ofFile }: Restart) {
	const code = exitCode === null ? '' : ` (exit code ${exitCode}${outOfMemory ? ', out of memory' : ''})`;
	return `${name} ended by itself during the run${code} and ${Number.isFinite(to) ? 'was started again' : notBack(ofFile)}`;
}

function notesOf({ raw, restarts, generator, window }: Facts) {
	const byFault = endedByFault(raw.manifest);
	const byItself = restarts.filter(({ name }) => !byFault.includes(name));
	const notes = [...grouped(byItself, ({ name }) => name).values()].flatMap((ends) =>
		ends.length > APART_MOST ? awayTexts(ends.map(spanOfEnd), window.from) : ends.map(endedText),
	);
	const turnedAway = generator.status[TOO_MANY_REQUESTS] ?? 0;
	if (turnedAway > 0)
		notes.push(
			`${turnedAway.toLocaleString('en-US')} requests were answered ${TOO_MANY_REQUESTS} (too many requests). ` +
				'To a limit by address all users of the load are one client: raise it for the run; one by user or key refuses them for what they do',
		);
	notes.push(...scriptNotes(raw), ...togetherNotes(raw.manifest));
	if (raw.manifest.hosts)
		notes.push(
			'what passes between services of a Swarm is on no bridge of one machine and was not recorded: an edge is seen from its ends, and from one side where one end keeps no record',
		);
	if (raw.kernel.length === 0) notes.push("the kernel's counters could not be read on this machine");
	return notes;
}

/** Of a load that several generators made. */
function togetherNotes({ generators = [] }: { generators?: Generated[] }) {
	const began = generators.flatMap(({ began_s: at }) => at ?? []);
	if (began.length < 2) return [];
	const apartMs = Math.round((Math.max(...began) - Math.min(...began)) * 1000);
	return [`${generators.length} generators made the load together; they began within ${apartMs} ms of each other`];
}

const pick: (from: any, keys: string[]) => any = (from, keys) => Object.fromEntries(keys.map((key) => [key, from[key]]));

/**
 * What a user's own script says of itself beyond its requests: checks that answers with a good status failed, and thresholds that were not
 * met. No tier lost those answers.
 */
function scriptNotes({ manifest, summary }: Pick<Raw, 'manifest' | 'summary'>): string[] {
	if (!scenarios[manifest.scenario]?.isUserScript || summary === null) return [];
	const counted = (metric: string) => summary.metrics[metric]?.values.count ?? 0;
	const [answers, others] = [counted('lab_check_failed'), counted('lab_check_failed_other')];
	const missed = Object.entries<any>(summary.metrics).flatMap(([metric, { thresholds = {} }]) =>
		Object.entries<any>(thresholds).flatMap(([threshold, { ok }]) => (ok ? [] : [`${metric}: ${threshold}`])),
	);
	return [
		...(answers > 0 ? [`${many(answers, 'answer')} with a good status failed a check of the script; no tier lost them`] : []),
		...(others > 0 ? [`${many(others, 'check')} of something else than an answer failed`] : []),
		...(missed.length > 0 ? [`thresholds of the script that were not met: ${missed.join('; ')}`] : []),
	];
}
