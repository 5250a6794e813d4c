/** Whether the machine belonged to the run: other programs, other machines on the same hardware, and the kernel's own work. */
import { QUIET_BUSY_SHARE } from '../../catalog/budgets.ts';
import { present, sum } from '../../stats/numbers.ts';
import { othersBetween } from '../limits/saturation.ts';
import type { Machine } from '../measured-system.ts';
import { machineName } from '../measured-system.ts';
import type { Doubt, Span } from './grade.ts';
import { graded, NEVER, notRecorded, percent, seconds } from './grade.ts';
import { endsOf, longestGap } from './span.ts';
import type { ValidityInput } from './validity.ts';

/** Observers write once a second. */
const GAP_S = 3;
/** Share of the machine that its hypervisor gave to others. The lab's own choice: a hundredth is what two runs may differ by unnoticed. */
const STOLEN = { suspect: 0.01, invalid: 0.05 };
/**
 * Share of the machine that served the packets of others or stood still for a disk: it is nobody's CPU time, so no quota shows
 * it. The run's own packets are part of what is measured.
 */
const KERNEL = { suspect: 0.1, invalid: NEVER };
/** Share of the machine that the engine used, for logs, health checks and what is run in containers: as the kernel's, nobody's by a quota. */
const ENGINE = KERNEL;
/** Share of the time in which some task waited for memory. The lab's own choice: a machine with enough of it reads 0 (measured). */
const MEMORY = { suspect: 0.01, invalid: NEVER };
/**
 * Share of all cores that other programs may use, beside what the quotas leave. least: where these leave nothing, the hundredth that the
 * hypervisor may take too: readings of different moments told of 0.2 % where nothing else ran.
 */
const NEIGHBOUR = { suspect: 0.15, suspectWithoutQuotas: 0.05, least: 0.01, invalid: 0.35 };

/** Readings are taken once a second, and rules look for what happened at the time within one second or two of it. */
const CLOCKS_APART_S = { suspect: 1, invalid: NEVER };

export const machineRules: ((input: ValidityInput, span: Span) => Doubt[])[] = [
	observerGaps,
	stolen,
	kernelWork,
	engineWork,
	memoryPressure,
	neighbours,
].map(onEachMachine);

/** Of a run on several machines each is asked about each, which then stands before the reason. */
function onEachMachine(rule: (input: ValidityInput, span: Span) => Doubt[]): (input: ValidityInput, span: Span) => Doubt[] {
	return (input, span) => {
		const { raw, machines } = input.facts;
		return machines.flatMap((machine) => {
			const doubts = rule({ ...input, facts: { ...input.facts, raw: ofMachine(raw, machine) } }, span);
			if (machines.length === 1) return doubts;
			const name = machineName(machine, machines);
			return doubts.map((doubt) => ({ ...doubt, rule: `${doubt.rule} ${name}`, reason: `on ${name}, ${doubt.reason}` }));
		});
	};
}

/** What of a record is one machine's. */
function ofMachine(raw: ValidityInput['facts']['raw'], { holds, rows, cores }: Machine): ValidityInput['facts']['raw'] {
	const held = ({ name }: { name: string }) => holds(name);
	const { manifest } = raw;
	return {
		...raw,
		host: rows,
		containers: raw.containers.filter(held),
		kernel: raw.kernel.filter(held),
		manifest: { ...manifest, services: (manifest.services ?? []).filter(held), machine: { ...manifest.machine, cores } },
	};
}

/** @returns of the whole run */
export function busyBefore({ facts }: ValidityInput): Doubt[] {
	const share = facts.raw.manifest.machine.busy_share_before;
	if (typeof share !== 'number') return notRecorded('busy-before', 'how busy the machine was before the run', 'whether it was quiet');
	return graded(
		'busy-before',
		share,
		{ suspect: QUIET_BUSY_SHARE, invalid: NEVER },
		`the machine was ${percent(share)} busy before the run`,
	);
}

/** @returns of the whole run */
export function clocksApart({ facts }: ValidityInput): Doubt[] {
	const { machine, hosts = [] } = facts.raw.manifest;
	return [...engineClock(machine.clock_offset_s), ...hosts.flatMap(hostClock)];
}

function hostClock({ name, clock }: { name: string; clock: { offset_s: number; within_s: number } | null }): Doubt[] {
	if (clock === null) return [];
	const apart = Math.abs(clock.offset_s) + clock.within_s;
	const reason = `the clock of ${name} was ${seconds(Math.abs(clock.offset_s))} ${clock.offset_s > 0 ? 'ahead of' : 'behind'} this machine's, give or take ${seconds(clock.within_s)}, so that what was recorded there and here lies apart in time`;
	return graded('clocks', apart, CLOCKS_APART_S, reason, seconds);
}

function engineClock(offset: unknown): Doubt[] {
	if (typeof offset !== 'number') return [];
	const which = offset > 0 ? 'ahead of' : 'behind';
	const reason = `the engine's clock was ${seconds(Math.abs(offset))} ${which} this machine's, so that what containers recorded and what was read from outside them lie apart in time`;
	return graded('clocks', Math.abs(offset), CLOCKS_APART_S, reason, seconds);
}

function observerGaps({ facts: { raw, window } }: ValidityInput, span: Span): Doubt[] {
	if (!endsOf(raw.host, window, span)) return notRecorded('observers', "the machine's own record", 'what else it did');
	const longest = longestGap(raw.host, window, span);
	return graded('observers', longest, { suspect: GAP_S, invalid: NEVER }, `the observers have a gap of ${seconds(longest)}`, seconds);
}

/** What other machines on the same hardware took. */
export function stolen({ facts: { raw, window } }: { facts: Pick<ValidityInput['facts'], 'raw' | 'window'> }, span: Span): Doubt[] {
	const ends = endsOf(raw.host, window, span);
	if (!ends) return [];
	const share = shareOf(ends, ({ steal }) => steal);
	if (share === null) return notRecorded('stolen', 'time stolen by other machines', 'whether this one had its cores to itself');
	return graded('stolen', share, STOLEN, `other virtual machines on the same hardware took ${percent(share)} of this machine's CPU time`);
}

function kernelWork({ facts: { raw, window } }: ValidityInput, span: Span): Doubt[] {
	const ends = endsOf(raw.host, window, span);
	const [softirq, iowait] = [ends && shareOf(ends, (stat) => stat.softirq), ends && shareOf(ends, (stat) => stat.iowait)];
	// That they are missing is told of the time that was stolen: they stand in the same line of the record.
	if (softirq === null || iowait === null) return [];
	const foreign = foreignPackets(raw, window, span);
	const whose = foreign === null ? 'whose they were was not recorded' : `${percent(foreign)} of them were not the run's`;
	const reason = `the kernel's packets took ${percent(softirq)} of the machine (${whose}) and waiting for its disk ${percent(iowait)}`;
	return graded('kernel', softirq * (foreign ?? 1) + iowait, KERNEL, reason);
}

/**
 * Share of the packets on the host's interfaces that went neither into a container of the run nor out of one. Each is taken to
 * cost the kernel the same.
 * @returns null where they were not counted
 */
function foreignPackets(
	{ host, kernel }: ValidityInput['facts']['raw'],
	window: ValidityInput['facts']['window'],
	span: Span,
): number | null {
	const all = gainedPackets(host, window, span);
	const names = [...new Set(kernel.map(({ name }) => name))];
	const own = present(
		names.map((name) =>
			gainedPackets(
				kernel.filter((row) => row.name === name),
				window,
				span,
			),
		),
	);
	if (all === null || own.length === 0) return null;
	return all === 0 ? 0 : Math.max(0, 1 - sum(own) / all);
}

/**
 * A container that started again counts from 0.
 * @param rows of one counter
 */
function gainedPackets(rows: { t: number; packets?: number }[], window: ValidityInput['facts']['window'], span: Span) {
	const ends = endsOf(rows, window, span);
	if (!ends) return null;
	const read = rows.flatMap(({ t, packets }) => (t >= ends.first.t && t <= ends.last.t && packets !== undefined ? [packets] : []));
	return read.length < 2 ? null : sum(read.slice(1).map((packets, index) => Math.max(0, packets - read[index])));
}

function engineWork({ facts: { raw, window } }: ValidityInput, span: Span): Doubt[] {
	const ends = endsOf(raw.host, window, span);
	// Records from before it was read have none; it is among other programs there.
	if (!ends || ends.first.engine_cpu_s === undefined || ends.last.engine_cpu_s === undefined) return [];
	const share = (ends.last.engine_cpu_s - ends.first.engine_cpu_s) / (ends.last.cpu_total_s - ends.first.cpu_total_s);
	return graded('engine', share, ENGINE, `the container engine itself used ${percent(share)} of the machine`);
}

function memoryPressure({ facts: { raw, window } }: ValidityInput, span: Span): Doubt[] {
	const ends = endsOf(raw.host, window, span);
	const [before, after] = [ends?.first.pressure?.memory, ends?.last.pressure?.memory];
	// Many kernels do not count it.
	if (!ends || before === undefined || after === undefined) return [];
	const share = (after - before) / ends.elapsed;
	return graded('memory', share, MEMORY, `programs waited for memory in ${percent(share)} of the time`);
}

function neighbours({ facts: { raw, window } }: ValidityInput, span: Span): Doubt[] {
	const ends = endsOf(raw.host, window, span);
	if (!ends) return [];
	const others = othersBetween(raw.containers, ends);
	if (others === null) return notRecorded('neighbours', "the containers' CPU", 'what other programs used');
	const limits = { suspect: headroomOf(raw.manifest), invalid: NEIGHBOUR.invalid };
	return graded('neighbours', others, limits, `other programs used ${percent(others)} of the machine`);
}

/** What the quotas leave of the machine; more than that is taken from a tier. */
function headroomOf({ services, machine }: any) {
	const quotas = sum((services ?? []).map(({ cpu_quota_cores: quota }: { cpu_quota_cores: number | null }) => quota));
	if (quotas === 0) return NEIGHBOUR.suspectWithoutQuotas;
	return Math.min(NEIGHBOUR.suspect, Math.max(NEIGHBOUR.least, 1 - quotas / machine.cores));
}

/** A state's share of all cores' time. */
function shareOf({ first, last }: { first: any; last: any }, of: (stat: Record<string, number>) => number): number | null {
	if (!first.stat || !last.stat) return null;
	const gained = sum(Object.keys(last.stat).map((state) => last.stat[state] - first.stat[state]));
	return gained > 0 ? (of(last.stat) - of(first.stat)) / gained : null;
}
