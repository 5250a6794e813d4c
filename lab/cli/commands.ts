/**
 * What the command line offers, one function for each command. Each gives the exit code. What measures, analyses and renders is loaded when
 * it is known that it is wanted: a refusal takes half as long without.
 */
import { rm, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { EXIT, NotReadyError } from '../base/errors.ts';
import { makePrivate } from '../base/files.ts';
import { oneOf } from '../base/format-command.ts';
import { PROJECT, REPORTS } from '../base/paths.ts';
import type { Around, Reporter } from '../base/progress.ts';
import { architectures } from '../catalog/architectures.ts';
import type { Asked, Measurable, OnHosts } from '../compare/systems.ts';
import { openSystem } from '../compare/systems.ts';
import { endOrphanedCalls } from '../docker/call-guard.ts';
import { listForeign } from '../docker/containers.ts';
import { docker } from '../docker/docker.ts';
import { ensureImages } from '../docker/images.ts';
import { takeLock, takeLocks } from '../docker/lock.ts';
import { clearScratch } from '../docker/scratch.ts';
import { takeDown } from '../docker/stack.ts';
import type { LiveServer } from '../extras/watch/live-server.ts';
import { readOption } from '../options/accepted-options.ts';
import type { Host } from '../options/expect.ts';
import { clearEarlier } from '../run/capture/scratch.ts';

type Env = Record<string, string | undefined>;

/** Measures, analyses, renders. */
export const run = async (asked: Asked, env: Env, around: Around): Promise<number> =>
	conduct(await openSystem(asked, env, around.reporter), around);

/** The same on a Swarm. */
export async function runOnSwarm(asked: Asked, env: Env, around: Around): Promise<number> {
	const system = await openSystem(asked, env, around.reporter, 'swarm');
	const onHosts = await hostsOf(system.hosts ?? [], { say: around.reporter.progress.say, signal: around.signal });
	return conduct({ ...system, measure: (run) => system.measure({ ...run, onHosts }) }, around);
}

async function hostsOf(others: readonly Host[], { say, signal }: { say: (text: string) => void; signal: AbortSignal }): Promise<OnHosts> {
	const [{ closeEngines, openEngines }, { SwarmDeployment }] = [
		await import('../extras/swarm/engines.ts'),
		await import('../extras/swarm/deployment.ts'),
	];
	return async (use) => {
		const engines = await openEngines(others, signal);
		let release = async () => {};
		try {
			// This machine's own is held already.
			release = await takeLocks(
				engines.filter(({ isHere }) => !isHere).map(({ connection }) => connection),
				say,
			);
			return await use(new SwarmDeployment(engines, { say, signal }));
		} finally {
			await release();
			await closeEngines(engines);
		}
	};
}

async function conduct({ name, expect, strict, measure }: Measurable, { reporter, signal }: Around): Promise<number> {
	const thresholds = { expectations: expect, strict };
	const release = await takeLock(reporter.progress.say);
	let live: LiveServer | null = null;
	try {
		const { LiveServer } = await import('../extras/watch/live-server.ts');
		live = await LiveServer.start(name);
		const { folder, interrupted } = await measure({ progress: live.beside(reporter.progress), watcher: live, signal });
		const { conclude, finishRun, writeIndex } = await import('../report/reports.ts');
		const result = await finishRun(folder, thresholds).catch((error) => {
			// An interruption before the load leaves a record with nothing to analyse; that is no error of its own.
			if (interrupted && error instanceof NotReadyError) return null;
			throw error;
		});
		await writeIndex();
		if (interrupted) {
			const kept = relative(process.cwd(), folder);
			reporter.progress.say(`interrupted; what was measured is in ${kept}`);
			reporter.give({ folder: kept, result });
			return EXIT.interrupted;
		}
		await pointLatest(name, folder);
		const { renderReport } = await import('../report/report.ts');
		await live.end(() => renderReport(result as NonNullable<typeof result>, { files: [], hasIndex: false }));
		return conclude(result as NonNullable<typeof result>, folder, thresholds, reporter);
	} finally {
		await live?.end();
		await release();
	}
}

/**
 * Gets or builds images, and nothing else.
 * @param wanted architectures whose images are meant; none: all of them
 */
export async function images(wanted: string[], env: Env, { reporter, signal }: Around): Promise<number> {
	for (const id of wanted) oneOf('architecture', id, Object.keys(architectures));
	const { progress } = reporter;
	const options = wanted.length > 0 ? { architectures: wanted } : {};
	const { mode, variables } = await ensureImages({ mode: readOption('IMAGES', env), ...options, say: progress.say, signal });
	for (const [variable, image] of Object.entries(variables)) progress.say(`${variable} = ${image} (${mode})`);
	reporter.give({ result: { mode, variables } });
	return EXIT.done;
}

/** The version of the lab, and the commit by which the manifest of a run names it. */
export async function version(reporter: Reporter): Promise<number> {
	const { readLab } = await import('../run/components.ts');
	const { version: ofPackage, git } = await readLab();
	const commit = git === null ? '' : `, commit ${git.commit}${git.changed ? ', changed since' : ''}`;
	reporter.tell(`doubletake ${ofPackage}${commit}\n`);
	reporter.give({ result: { version: ofPackage, git } });
	return EXIT.done;
}

/** Removes every container, network and volume of the lab, and what it had captured; reports and images stay. */
export async function clean(reporter: Reporter): Promise<number> {
	const release = await takeLock(reporter.progress.say);
	try {
		return await cleanAll(reporter);
	} finally {
		await release();
	}
}

async function cleanAll(reporter: Reporter) {
	endOrphanedCalls(reporter.progress.say);
	await clearEarlier(docker);
	await clearScratch();
	const { cleanSwarm } = await import('../extras/swarm/deployment.ts');
	const swarm = await cleanSwarm();
	const left = [swarm.left.length > 0 ? `still there: ${swarm.left.join(', ')}` : null, await takeDown({})].filter((one) => one !== null);
	const foreign = [...(await listForeign()).map(({ what }) => what), ...swarm.foreign];
	if (foreign.length > 0)
		reporter.progress.say(
			`left alone, because nothing of Doubletake's is on it but its name: ${foreign.join(', ')}; if it may go, docker compose -p ${PROJECT} down -v, docker stack rm ${PROJECT}, or docker volume rm`,
		);
	if (left.length === 0) {
		reporter.give({ result: { left } });
		return EXIT.done;
	}
	throw new NotReadyError(
		`Expected nothing of Doubletake to be left; ${left.join('; ')}.`,
		'see whether "docker ps -a" answers, and try again.',
	);
}

async function pointLatest(name: string, folder: string) {
	const link = join(REPORTS, 'latest', name);
	await makePrivate(dirname(link));
	await rm(link, { force: true });
	await symlink(relative(dirname(link), folder), link);
}
