/**
 * Whether the machine belonged to the run: other programs, other machines on the same hardware, and the kernel's own work.
 *
 * @import { Machine } from '../measured-system.ts'
 * @import { Doubt, Span } from './grade.ts'
 * @import { ValidityInput } from './validity.ts'
 */
import { QUIET_BUSY_SHARE } from '../../catalog/budgets.ts';
import { present, sum } from '../../stats/numbers.ts';
import { othersBetween } from '../limits/saturation.ts';
import { machineName } from '../measured-system.ts';
import { endsOf, graded, longestGap, NEVER, notRecorded, percent, seconds } from './grade.ts';

/** Observers write once a second. */
const GAP_S = 3;
/** Share of the machine that its hypervisor gave to others. The lab's own choice: a hundredth is what two runs may differ by unnoticed. */
const STOLEN = { suspect: 0.01, invalid: 0.05 };
/**
 * Share of the machine that served the packets of others or stood still for a disk: it is nobody's CPU time, so no quota shows
 * it. The run's own packets are part of what is measured. The lab's own choice.
 */
const KERNEL = { suspect: 0.1, invalid: NEVER };
/** Share of the machine that the engine used, for logs, health checks and what is run in containers: as the kernel's, nobody's by a quota. */
const ENGINE = KERNEL;
/** Share of the time in which some task waited for memory. The lab's own choice: a machine with enough of it reads 0 (measured). */
const MEMORY = { suspect: 0.01, invalid: NEVER };
/**
 * Share of all cores that other programs may use, beside what the quotas leave. least: where these leave nothing, the hundredth that the
 * hypervisor may take too: readings of different moments told of 0.2 % where nothing else ran. The lab's own choice.
 */
const NEIGHBOUR = { suspect: 0.15, suspectWithoutQuotas: 0.05, least: 0.01, invalid: 0.35 };

/** Readings are taken once a second, and rules look for what happened at the time within one second or two of it. */
const CLOCKS_APART_S = { suspect: 1, invalid: NEVER };

/** @type {((input: ValidityInput, span: Span) => Doubt[])[]} */
export const machineRules = [observerGaps, stolen, kernelWork, engineWork, memoryPressure, neighbours].map(onEachMachine);

/**
 * Of a run on several machines each is asked about each, which then stands before the reason.
 * @param {(input: ValidityInput, span: Span) => Doubt[]} rule
 * @returns {(input: ValidityInput, span: Span) => Doubt[]}
 */
function onEachMachine(rule) {
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

/** What of a record is one machine's. @type {(raw: ValidityInput['facts']['raw'], machine: Machine) => ValidityInput['facts']['raw']} */
function ofMachine(raw, { holds, rows, cores }) {
	const held = (/** @type {{ name: string }} */ { name }) => holds(name);
	const { manifest } = raw;
	return {
		...raw,
		host: rows,
		containers: raw.containers.filter(held),
		kernel: raw.kernel.filter(held),
		manifest: { ...manifest, services: (manifest.services ?? []).filter(held), machine: { ...manifest.machine, cores } },
	};
}

/** @param {ValidityInput} input @returns {Doubt[]} of the whole run */
export function busyBefore({ facts }) {
	const share = facts.raw.manifest.machine.busy_share_before;
	if (typeof share !== 'number') return notRecorded('busy-before', 'how busy the machine was before the run', 'whether it was quiet');
	return graded(
		'busy-before',
		share,
		{ suspect: QUIET_BUSY_SHARE, invalid: NEVER },
		`the machine was ${percent(share)} busy before the run`,
	);
}

/** @param {ValidityInput} input @returns {Doubt[]} of the whole run */
export function clocksApart({ facts }) {
	const { machine, hosts = [] } = facts.raw.manifest;
	return [...engineClock(machine.clock_offset_s), ...hosts.flatMap(hostClock)];
}

/** @param {{ name: string, clock: { offset_s: number, within_s: number } | null }} host @returns {Doubt[]} */
function hostClock({ name, clock }) {
	if (clock === null) return [];
	const apart = Math.abs(clock.offset_s) + clock.within_s;
	const reason = `the clock of ${name} was ${seconds(Math.abs(clock.offset_s))} ${clock.offset_s > 0 ? 'ahead of' : 'behind'} this machine's, give or take ${seconds(clock.within_s)}, so that what was recorded there and here lies apart in time`;
	return graded('clocks', apart, CLOCKS_APART_S, reason, seconds);
}

/** @param {unknown} offset @returns {Doubt[]} */
function engineClock(offset) {
	if (typeof offset !== 'number') return [];
	const which = offset > 0 ? 'ahead of' : 'behind';
	const reason = `the engine's clock was ${seconds(Math.abs(offset))} ${which} this machine's, so that what containers recorded and what was read from outside them lie apart in time`;
	return graded('clocks', Math.abs(offset), CLOCKS_APART_S, reason, seconds);
}

/** @type {(input: ValidityInput, span: Span) => Doubt[]} */
function observerGaps({ facts: { raw, window } }, span) {
	if (!endsOf(raw.host, window, span)) return notRecorded('observers', "the machine's own record", 'what else it did');
	const longest = longestGap(raw.host, window, span);
	return graded('observers', longest, { suspect: GAP_S, invalid: NEVER }, `the observers have a gap of ${seconds(longest)}`, seconds);
}

/**
 * What other machines on the same hardware took.
 * @param {{ facts: Pick<ValidityInput['facts'], 'raw' | 'window'> }} input @param {Span} span @returns {Doubt[]}
 */
export function stolen({ facts: { raw, window } }, span) {
	const ends = endsOf(raw.host, window, span);
	if (!ends) return [];
	const share = shareOf(ends, ({ steal }) => steal);
	if (share === null) return notRecorded('stolen', 'time stolen by other machines', 'whether this one had its cores to itself');
	return graded('stolen', share, STOLEN, `other machines on the same hardware took ${percent(share)} of this one's CPU time`);
}

/** @type {(input: ValidityInput, span: Span) => Doubt[]} */
function kernelWork({ facts: { raw, window } }, span) {
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
 * @param {ValidityInput['facts']['raw']} raw @param {ValidityInput['facts']['window']} window @param {Span} span
 * @returns {number | null} null where they were not counted
 */
function foreignPackets({ host, kernel }, window, span) {
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
 * @param {{ t: number, packets?: number }[]} rows of one counter @param {ValidityInput['facts']['window']} window @param {Span} span
 */
function gainedPackets(rows, window, span) {
	const ends = endsOf(rows, window, span);
	if (!ends) return null;
	const read = rows.flatMap(({ t, packets }) => (t >= ends.first.t && t <= ends.last.t && packets !== undefined ? [packets] : []));
	return read.length < 2 ? null : sum(read.slice(1).map((packets, index) => Math.max(0, packets - read[index])));
}

/** @type {(input: ValidityInput, span: Span) => Doubt[]} */
function engineWork({ facts: { raw, window } }, span) {
	const ends = endsOf(raw.host, window, span);
	// Records from before it was read have none; it is among other programs there.
	if (!ends || ends.first.engine_cpu_s === undefined || ends.last.engine_cpu_s === undefined) return [];
	const share = (ends.last.engine_cpu_s - ends.first.engine_cpu_s) / (ends.last.cpu_total_s - ends.first.cpu_total_s);
	return graded('engine', share, ENGINE, `the container engine itself used ${percent(share)} of the machine`);
}

/** @type {(input: ValidityInput, span: Span) => Doubt[]} */
function memoryPressure({ facts: { raw, window } }, span) {
	const ends = endsOf(raw.host, window, span);
	const [before, after] = [ends?.first.pressure?.memory, ends?.last.pressure?.memory];
	// Many kernels do not count it.
	if (!ends || before === undefined || after === undefined) return [];
	const share = (after - before) / ends.elapsed;
	return graded('memory', share, MEMORY, `programs waited for memory in ${percent(share)} of the time`);
}

/** @type {(input: ValidityInput, span: Span) => Doubt[]} */
function neighbours({ facts: { raw, window } }, span) {
	const ends = endsOf(raw.host, window, span);
	if (!ends) return [];
	const others = othersBetween(raw.containers, ends);
	if (others === null) return notRecorded('neighbours', "the containers' CPU", 'what other programs used');
	const limits = { suspect: headroomOf(raw.manifest), invalid: NEIGHBOUR.invalid };
	return graded('neighbours', others, limits, `other programs used ${percent(others)} of the machine`);
}

/** What the quotas leave of the machine; more than that is taken from a tier. @param {any} manifest */
function headroomOf({ services, machine }) {
	const quotas = sum((services ?? []).map((/** @type {{ cpu_quota_cores: number | null }} */ { cpu_quota_cores: quota }) => quota));
	if (quotas === 0) return NEIGHBOUR.suspectWithoutQuotas;
	return Math.min(NEIGHBOUR.suspect, Math.max(NEIGHBOUR.least, 1 - quotas / machine.cores));
}

/** A state's share of all cores' time. @type {(ends: { first: any, last: any }, of: (stat: Record<string, number>) => number) => number | null} */
function shareOf({ first, last }, of) {
	if (!first.stat || !last.stat) return null;
	const gained = sum(Object.keys(last.stat).map((state) => last.stat[state] - first.stat[state]));
	return gained > 0 ? (of(last.stat) - of(first.stat)) / gained : null;
}
