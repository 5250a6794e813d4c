/**
 * CPU, throttling, memory, pressure, disk and open files of every container, once a second: from the kernel's files where the lab can read them, else
 * from the Docker API's stream of statistics. Nothing is asked of the containers themselves.
 */

import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { jsonIn } from '../../base/values.ts';
import { findCgroup, type Usage } from '../../docker/cgroup.ts';
import type { Lines, Service } from '../../docker/containers.ts';
import { containerById } from '../../docker/docker.ts';
import { observeCgroups } from './observe-cgroups.ts';

const NANOSECONDS = 1e9;

/** @returns stops watching */
export async function observeContainers(services: Service[], record: Lines): Promise<() => void> {
	const readable = services.flatMap((service) => {
		const cgroup = findCgroup(service);
		return cgroup ? [{ name: service.name, cgroup }] : [];
	});
	return readable.length === services.length ? observeCgroups(readable, record) : watchStreams(services, record);
}

async function watchStreams(services: Service[], record: Lines): Promise<() => void> {
	const streams = await Promise.all(
		services.map(async ({ id, name }) => {
			const stream = await containerById(id).stats({ stream: true });
			const lines = createInterface({ input: stream as NodeJS.ReadableStream });
			lines.on('line', (line) => {
				const statistics = jsonIn(line);
				// A container that has ended goes on sending empty statistics.
				if (!statistics?.cpu_stats?.system_cpu_usage || statistics.read.startsWith('0001')) return;
				record.write({ name, ...digest(statistics) });
			});
			return stream as Readable;
		}),
	);
	return () => {
		for (const stream of streams) stream.destroy();
	};
}

/** @param statistics one answer of GET /containers/{id}/stats */
function digest(statistics: any): { t: number } & Usage {
	const { cpu_stats: cpu, memory_stats: memory } = statistics;
	return {
		t: Date.parse(statistics.read) / 1000,
		cpu_s: cpu.cpu_usage.total_usage / NANOSECONDS,
		periods: cpu.throttling_data.periods,
		throttled_periods: cpu.throttling_data.throttled_periods,
		throttled_s: cpu.throttling_data.throttled_time / NANOSECONDS,
		memory_bytes: Math.max(0, (memory.usage ?? 0) - (memory.stats?.inactive_file ?? memory.stats?.total_inactive_file ?? 0)),
	};
}
