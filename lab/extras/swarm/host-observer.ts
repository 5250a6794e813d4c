/**
 * The program of an observer on another host: it reads the kernel's files there, as the lab does on its own, and writes each line of the
 * record to its output. Bundled, it runs in a container without the lab's files.
 */
import { findCgroup } from '../../docker/cgroup.ts';
import { observeCgroups } from '../../run/observe/observe-cgroups.ts';
import type { Watched } from '../../run/observe/observe-kernel.ts';
import { observeKernel } from '../../run/observe/observe-kernel.ts';

const { watched, lastsS }: { watched: Watched[]; lastsS: number } = JSON.parse(process.env.OBSERVED ?? '');

const linesOf = (record: string) => ({
	write: (line: object) => {
		process.stdout.write(`${JSON.stringify([record, line])}\n`);
	},
});

const readable = watched.flatMap((one) => {
	const cgroup = findCgroup(one);
	return cgroup ? [{ name: one.name, cgroup }] : [];
});
observeCgroups(readable, linesOf('containers'));
observeKernel(watched, { kernel: linesOf('kernel'), host: linesOf('host') });
process.on('SIGTERM', () => process.exit(0));
setTimeout(() => process.exit(0), lastsS * 1000);
