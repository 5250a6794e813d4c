/**
 * What was read beside the wire once a second: each container's CPU, throttling and accept queue, the machine, and the engine's events; by
 * moments, so that what failed is compared with calm seconds and not with the whole run.
 */

import { grouped, ownOf } from '../../base/values.ts';
import { upTo } from '../../stats/numbers.ts';
import { some } from '../joins/grouped.ts';
import type { Raw } from '../read-raw.ts';
import { MOMENTS_MOST, READING_MOST_S, Rows } from './rows.ts';
import { average, middle, spread } from './spread.ts';

type Sampled = {
	/** null where it was not read */
	use: (name: string, moments: number[]) => Use | null;
	/** share of the machine's CPU, 0 to 1 */
	busy: (moments: number[]) => number | null;
	/** connections that wait to be accepted */
	queued: (name: string, moments: number[]) => { middle: number; most: number } | null;
	/** local ports towards one destination, the most */
	ports: (name: string, moments: number[]) => { used: number; range: number } | null;
	/** times in which a container was not there, or paused */
	away: Absence[];
	/** of containers that were read */
	names: string[];
	/** of the machine */
	cores: number;
	/** of each container, in cores; null where it has none */
	quotas: Record<string, number | null>;
};

export type Readings = Sampled & Strains;

/** throttled: share of quota periods, 0 to 1 */
type Use = { cores: number; throttled: number };

/**
 * to: infinite where it did not come back; isRestarted: its file has it started again, which
 * the run did not; restartsMost: it was started again after so many failures and no more; killed: one of its processes, for lack of memory, and the container went on
 */
export type Absence = {
	name: string;
	from: number;
	to: number;
	how: 'ended' | 'paused' | 'killed';
	exitCode: number | null;
	outOfMemory: boolean;
	isRestarted?: boolean;
	restartsMost?: number;
};

/**
 * What a container ran short of, or waited for in the kernel, at moments; and the whole machine, where the kernel counts it for that alone.
 */
/** each null where it was not read */
type Strain = {
	/** share of the time in which one of its tasks waited for a CPU, 0 to 1 */
	cpu_wait: number | null;
	/** … for memory */
	memory_wait: number | null;
	/** … for the disk */
	disk_wait: number | null;
	/** pages a second that had been thrown out of its memory and came back from the disk */
	refaults: number | null;
	/** bytes; null where it has none */
	memory_limit: number | null;
	/** a second that its processes read and wrote there */
	disk_bytes: number | null;
	/** of its queue of connections to be accepted, a second */
	overflows: number | null;
	/** times a second that its kernel sent a packet again, having waited without success to hear of it */
	timeouts: number | null;
	/** of names that waited for an answer, as a middle */
	lookups: number | null;
	/** of its process that has most open, as a middle */
	files: { open: number; limit: number } | null;
	/** its processes and threads; refused: further ones, a second */
	tasks: { most: number; limit: number; refused: number } | null;
};

/** who held a lock that others waited for, as the service itself told once a second */
export type Holder = {
	/** of the client; empty where it came from within the container */
	address: string;
	/** in the service's own words */
	state: string;
	/** mean number of its clients that waited for this one */
	waiting: number;
	/** for which it had been in a transaction, the longest */
	held_s: number;
};

type Strains = {
	strain: (name: string, moments: number[]) => Strain;
	/** how often in that time the kernel let it start no further process or thread; null where it has no limit of them, or that was not read */
	refusedTasks: (name: string, time: { from: number; to: number }) => number | null;
	/** share of the time in which anything on it waited for the disk */
	machineDiskWait: (moments: number[]) => number | null;
	/** who made most wait first */
	holders: (name: string, moments: number[]) => Holder[];
};

function strainsOf({ containers, kernel, host, adapted }: Pick<Raw, 'containers' | 'kernel' | 'host' | 'adapted'>): Strains {
	const [usage, sockets] = [byName(containers), byName(kernel)];
	const reported = new Map(adapted.map(({ service, files }) => [service, new Rows(files.samples)]));
	const machine = new Rows(host);
	return {
		strain(name, moments) {
			const [own, space] = [usage.get(name) ?? NONE, sockets.get(name) ?? NONE];
			const files = own.levels(moments, ({ fds }) => (fds && fds.limit !== null ? fds : null));
			return {
				cpu_wait: own.rate(moments, ({ pressure }) => pressure?.cpu_s),
				memory_wait: own.rate(moments, ({ pressure }) => pressure?.memory_s),
				disk_wait: own.rate(moments, ({ pressure }) => pressure?.io_s),
				refaults: own.rate(moments, ({ refaults }) => refaults),
				memory_limit: middleOf(own.levels(moments, ({ memory_limit_bytes: limit }) => limit)),
				disk_bytes: own.rate(moments, ({ disk_bytes: bytes }) => bytes),
				overflows: space.rate(moments, ({ counters }) => counters?.ListenOverflows),
				timeouts: space.rate(moments, ({ counters }) => counters?.TCPTimeouts),
				lookups: middleOf(space.levels(moments, ({ lookups }) => lookups)),
				tasks: tasksOf(own, moments),
				files: files.length === 0 ? null : { open: middle(files.map(({ open_files: open }) => open)), limit: files[0].limit },
			};
		},
		refusedTasks: (name, time) => (usage.get(name) ?? NONE).growth(time, ({ tasks }) => tasks?.refused),
		machineDiskWait: (moments) => machine.rate(moments, ({ pressure }) => pressure?.io),
		holders: (name, moments) =>
			holdersIn((reported.get(name) ?? NONE).levels(moments, ({ lock_holders: holders = null }) => holders ?? [])),
	};
}
const NONE = new Rows([]);

const byName = (rows: any[]): Map<string, Rows> =>
	new Map([...grouped(rows, ({ name }) => name)].map(([name, own]) => [name, new Rows(own)]));

function tasksOf(own: Rows, moments: number[]): Strain['tasks'] {
	const found = own.levels(moments, ({ tasks }) => tasks);
	const refused = own.rate(moments, ({ tasks }) => tasks?.refused);
	return found.length === 0 || refused === null
		? null
		: { most: Math.max(...found.map(({ count }) => count)), limit: found[0].limit, refused };
}

const middleOf = (values: number[]): number | null => (values.length === 0 ? null : middle(values));

/** @param samples at each moment */
function holdersIn(samples: Holder[][]): Holder[] {
	const groups = grouped(samples.flat(), ({ address, state }) => JSON.stringify([address, state]));
	return [...groups.values()]
		.map((same) => ({
			address: same[0].address ?? '',
			state: same[0].state ?? '',
			waiting: same.reduce((sum, { waiting }) => sum + waiting, 0) / samples.length,
			held_s: same.reduce((longest, { held_s: held }) => Math.max(longest, held ?? 0), 0),
		}))
		.toSorted((one, other) => other.waiting - one.waiting);
}

/** The kernel's message that it killed for lack of memory may come just after the end that it explains. */
const OUT_OF_MEMORY_S = 2;

export function readingsOf(raw: Pick<Raw, 'containers' | 'kernel' | 'host' | 'events' | 'finalStates' | 'manifest' | 'adapted'>): Readings {
	const { containers, kernel, host, events, finalStates, manifest } = raw;
	const use = new Map([...grouped(containers, ({ name }) => name)].map(([name, rows]) => [name, stepsOf(rows)]));
	const sockets = grouped(kernel, ({ name }) => name);
	const queues = new Map([...sockets].map(([name, rows]) => [name, new Rows(rows)]));
	const machine = host.map(({ t }) => t);
	return {
		use(name, moments) {
			const own = use.get(name);
			const found = own ? some(moments, MOMENTS_MOST).flatMap((at) => stepAt(own, at)) : [];
			if (found.length === 0) return null;
			return { cores: average(found.map(({ cores }) => cores)), throttled: average(found.map(({ throttled }) => throttled)) };
		},
		busy(moments) {
			const found = some(moments, MOMENTS_MOST).flatMap((at) => {
				const next = upTo(machine, at);
				const [before, after] = [host[next - 1], host[next]];
				if (!before || !after || after.t - before.t > READING_MOST_S || after.cpu_total_s <= before.cpu_total_s) return [];
				return [(after.cpu_busy_s - before.cpu_busy_s) / (after.cpu_total_s - before.cpu_total_s)];
			});
			return found.length === 0 ? null : average(found);
		},
		queued(name, moments) {
			const found = queues.get(name)?.levels(moments, ({ accept }) => accept && Math.max(...accept.map((one: any) => one.queued))) ?? [];
			return found.length === 0 ? null : { middle: middle(found), most: spread(found, 1) };
		},
		ports(name, moments) {
			const [first, last] = [moments[0], moments.at(-1) ?? moments[0]];
			const found = (sockets.get(name) ?? []).flatMap(({ t, ports }) => {
				if (!ports || t < first - READING_MOST_S || t > last + READING_MOST_S) return [];
				const used = Math.max(0, ...(Object.values(ports.by_destination) as number[]));
				return [{ used, range: ports.range[1] - ports.range[0] + 1 }];
			});
			return found.reduce((most, one) => (most === null || one.used > most.used ? one : most), null as any);
		},
		...strainsOf(raw),
		away: awayOf(events, finalStates, restartedIn(manifest)),
		names: [...use.keys()],
		cores: manifest.machine?.cores ?? 1,
		quotas: Object.fromEntries((manifest.services ?? []).map((one: any) => [one.name, one.cpu_quota_cores ?? null])),
	};
}

/** times: when each begins */
type Steps = { steps: ({ to: number } & Use)[]; times: number[] };

/** @param rows of a container, counters */
function stepsOf(rows: any[]): Steps {
	const steps = rows.slice(1).flatMap((row, index) => {
		const before = rows[index];
		const [seconds, periods] = [row.t - before.t, row.periods - before.periods];
		// One that was started again counts from zero again.
		if (seconds <= 0 || seconds > READING_MOST_S || row.cpu_s < before.cpu_s) return [];
		const throttled = periods > 0 ? (row.throttled_periods - before.throttled_periods) / periods : 0;
		return [{ from: before.t, to: row.t, cores: (row.cpu_s - before.cpu_s) / seconds, throttled }];
	});
	return { steps, times: steps.map(({ from }) => from) };
}

/** @returns none or one */
function stepAt({ steps, times }: Steps, at: number): Use[] {
	const step = steps[upTo(times, at) - 1];
	return step && at <= step.to ? [step] : [];
}

/** What the files say of an end, as far as it tells why one did not come back. */
export function restartedIn({
	services = [],
	restarts = {},
	restart_policies: policies = {},
}: any): (name: string, exitCode: number | null) => Pick<Absence, 'isRestarted' | 'restartsMost'> {
	const serviceOf = new Map<any, any>(services.map(({ name, service }: any) => [name, service]));
	return (name, exitCode) => {
		const service = serviceOf.get(name);
		const after = ownOf<any>(restarts, service) ?? 'never';
		const isRestarted = after === 'always' || (after === 'failure' && exitCode !== 0);
		const most = exitCode !== 0 && Object.hasOwn(policies, service) ? Number(/:(\d+)$/.exec(policies[service])?.[1]) : Number.NaN;
		return { ...(isRestarted ? { isRestarted } : {}), ...(most > 0 ? { restartsMost: most } : {}) };
	};
}

function awayOf(events: any[], finalStates: any[], ofFile: ReturnType<typeof restartedIn>): Absence[] {
	return [...grouped(events, ({ name }) => name)].flatMap(([name, own]) => {
		const isOut = finalStates.find((state) => state.name === name)?.out_of_memory === true;
		const ended = own.filter(({ action }) => action === 'die');
		const isNearOom = (at: number) => own.some(({ action, t }) => action === 'oom' && Math.abs(t - at) < OUT_OF_MEMORY_S);
		const backAt = (at: number, by: string) => own.find(({ action, t }) => action === by && t > at)?.t ?? Number.POSITIVE_INFINITY;
		return [
			...ended.map(({ t: from, exit_code: exitCode }) => {
				const to = backAt(from, 'start');
				return {
					name,
					from,
					to,
					exitCode,
					how: 'ended' as const,
					...ofFile(name, exitCode),
					outOfMemory: isNearOom(from) || (isOut && !Number.isFinite(to)),
				};
			}),
			...own
				.filter(({ action }) => action === 'pause')
				.map(({ t: from }) => ({
					name,
					from,
					to: backAt(from, 'unpause'),
					exitCode: null,
					how: 'paused' as const,
					outOfMemory: false,
				})),
			...own
				.filter(({ action, t }) => action === 'oom' && !ended.some((end) => Math.abs(end.t - t) < OUT_OF_MEMORY_S))
				.map(({ t: from }) => ({
					name,
					from,
					to: from + OUT_OF_MEMORY_S,
					exitCode: null,
					how: 'killed' as const,
					outOfMemory: true,
				})),
		];
	});
}
