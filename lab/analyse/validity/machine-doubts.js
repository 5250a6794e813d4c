/**
 * Whether the machine belonged to the run: other programs, other machines on the same hardware, and the kernel's own work.
 */
import { QUIET_BUSY_SHARE } from '../../define/quiet.js';
import { sum } from '../numbers.js';
import { graded, NEVER, notRecorded, percent, seconds } from './grade.js';
import { endsOf, longestGap } from './span.js';

/** @typedef {import('./validity.js').ValidityInput} ValidityInput */
/** @typedef {import('./span.js').Span} Span */
/** @typedef {import('./grade.js').Doubt} Doubt */

/** Observers write once a second. */
const GAP_S = 3;
/** Share of the machine that its hypervisor gave to others. The lab's own choice: a hundredth is what two runs may differ by unnoticed. */
const STOLEN = { suspect: 0.01, invalid: 0.05 };
/** Share of the machine that served packets or stood still for a disk: it is nobody's CPU time, so no quota shows it. The lab's own choice. */
const KERNEL = { suspect: 0.1, invalid: NEVER };
/** Share of the time in which some task waited for memory. The lab's own choice: a machine with enough of it reads 0 (measured). */
const MEMORY = { suspect: 0.01, invalid: NEVER };
/** Share of all cores that other programs may use, beside what the quotas leave. The lab's own choice. */
const NEIGHBOUR = { suspect: 0.15, suspectWithoutQuotas: 0.05, invalid: 0.35 };

/** @type {((input: ValidityInput, span: Span) => Doubt[])[]} */
export const machineRules = [observerGaps, stolen, kernelWork, memoryPressure, neighbours];

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

/** @type {(input: ValidityInput, span: Span) => Doubt[]} */
function observerGaps({ facts: { raw, window } }, span) {
  if (!endsOf(raw.host, window, span)) return notRecorded('observers', "the machine's own record", 'what else it did');
  const longest = longestGap(raw.host, window, span);
  return graded('observers', longest, { suspect: GAP_S, invalid: NEVER }, `the observers have a gap of ${seconds(longest)}`, seconds);
}

/** @type {(input: ValidityInput, span: Span) => Doubt[]} */
function stolen({ facts: { raw, window } }, span) {
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
  const reason = `the kernel's packets took ${percent(softirq)} of the machine and waiting for its disk ${percent(iowait)}`;
  return graded('kernel', softirq + iowait, KERNEL, reason);
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
  const containers = containersCpu(raw.containers, ends.first.t, ends.last.t);
  if (containers === null) return notRecorded('neighbours', "the containers' CPU", 'what other programs used');
  const gain = (/** @type {(row: any) => number} */ of) => of(ends.last) - of(ends.first);
  // Packets are served by the kernel for everybody, mostly for the run itself: no program's time.
  const busy = gain((row) => row.cpu_busy_s - (row.stat?.softirq ?? 0));
  const others = (busy - containers - gain((row) => row.lab_cpu_s)) / gain((row) => row.cpu_total_s);
  const limits = { suspect: headroomOf(raw.manifest), invalid: NEIGHBOUR.invalid };
  return graded('neighbours', others, limits, `other programs used ${percent(others)} of the machine`);
}

/** What the quotas leave of the machine; more than that is taken from a tier. @param {any} manifest */
function headroomOf({ services, machine }) {
  const quotas = sum((services ?? []).map((/** @type {{ cpu_quota_cores: number | null }} */ { cpu_quota_cores: quota }) => quota));
  if (quotas === 0) return NEIGHBOUR.suspectWithoutQuotas;
  return Math.min(NEIGHBOUR.suspect, Math.max(0, 1 - quotas / machine.cores));
}

/**
 * Containers are read at moments of their own; what they used is taken for the part of it that is in the host's time.
 * @param {any[]} rows @param {number} from @param {number} to @returns {number | null} seconds
 */
function containersCpu(rows, from, to) {
  const used = /** @type {Map<string, { first: any, last: any }>} */ (new Map());
  for (const row of rows) {
    if (row.t < from - 1 || row.t > to + 1) continue;
    const seen = used.get(row.name) ?? { first: row, last: row };
    used.set(row.name, { first: seen.first, last: row });
  }
  if (used.size === 0) return null;
  return sum(
    [...used.values()]
      .filter(({ first, last }) => last.t > first.t)
      .map(({ first, last }) => {
        const shared = Math.min(last.t, to) - Math.max(first.t, from);
        return ((last.cpu_s - first.cpu_s) / (last.t - first.t)) * shared;
      }),
  );
}

/** A state's share of all cores' time. @type {(ends: { first: any, last: any }, of: (stat: Record<string, number>) => number) => number | null} */
function shareOf({ first, last }, of) {
  if (!first.stat || !last.stat) return null;
  const gained = sum(Object.keys(last.stat).map((state) => last.stat[state] - first.stat[state]));
  return gained > 0 ? (of(last.stat) - of(first.stat)) / gained : null;
}
