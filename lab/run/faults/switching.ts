/**
 * Switches one change of a system on and off while the load goes on, in turns of random order, and keeps when it really was on. So the requests
 * with it and without it meet the same machine, some seconds apart.
 */

import { writeFile } from 'node:fs/promises';
import type { Service, System } from '../../docker/containers.ts';
import { listServices } from '../../docker/containers.ts';
import { containerById, engineOf } from '../../docker/docker.ts';
import type { Session } from '../../docker/session.ts';
import { openSession } from '../../docker/session.ts';
import { guardPaused } from '../../docker/thaw-guard.ts';
import type { LiveChange, SwitchTurn } from '../../options/trial.ts';
import type { Manifest } from '../components.ts';
import { quotaBefore, quotaOf } from '../quotas.ts';
import type { Clock } from './turn-clock.ts';
import { REAL_CLOCK } from './turn-clock.ts';

/** what came of a turn; seconds since 1970; failed: why it was not as asked */
export type SwitchedTurn = { is_on: boolean; from_s: number; to_s: number; failed: string | null };

/** @throws {Error} when it is not so then */
type Switch = { set: (isOn: boolean) => Promise<void>; close: () => Promise<void> };

/** For a server to start the processes that have the new settings. */
const RELOAD_MS = 1000;
const ASK_MS = 100;

/**
 * Made before the load: a server that is full lets no further session in.
 * @throws {Error} when there is nothing to be switched
 */
export async function openSwitch(change: LiveChange, { system, stack }: { system: System; stack?: Service[] }): Promise<Switch> {
	const containers = (stack ?? (await listServices(system))).filter(({ service }) => service === change.service);
	if (containers.length === 0) throw new Error(`${change.service} has no container`);
	const ids = containers.map(({ id }) => id);
	const ways = { quota: openQuota, pause: openPause, file: openFile, session: openSessions };
	return ways[change.kind](change as never, ids);
}

async function openQuota({ cores }: LiveChange & { kind: 'quota' }, ids: string[]): Promise<Switch> {
	const before = await Promise.all(ids.map(async (id) => (await containerById(id).inspect()).HostConfig));
	const most = await Promise.all(ids.map(async (id) => (await engineOf(id).info()).NCPU as number));
	return {
		set: async (isOn) => {
			await Promise.all(
				ids.map((id, index) =>
					containerById(id).update(isOn ? quotaOf(Math.min(cores, most[index]), before[index]) : quotaBefore(before[index])),
				),
			);
		},
		close: async () => {},
	};
}

async function openPause(_: LiveChange & { kind: 'pause' }, ids: string[]): Promise<Switch> {
	const release = guardPaused(ids);
	return {
		set: async (isOn) => {
			await Promise.all(ids.map((id) => (isOn ? containerById(id).pause() : containerById(id).unpause())));
		},
		close: async () => release(),
	};
}

const openFile = async ({ path, on, off, signal }: LiveChange & { kind: 'file' }, ids: string[]): Promise<Switch> => ({
	set: async (isOn) => {
		// The same file in the same place: a new one would not be the one that is mounted.
		await writeFile(path, isOn ? on : off);
		await Promise.all(
			ids.map(async (id) => {
				const before = await processesOf(id);
				await containerById(id).kill({ signal });
				const until = Date.now() + RELOAD_MS;
				for (;;) {
					const now = await processesOf(id);
					if (now.some((pid) => !before.includes(pid))) return;
					if (Date.now() > until) throw new Error('it started no new process on the signal to read its settings again');
					await REAL_CLOCK.until((Date.now() + ASK_MS) / 1000, new AbortController().signal);
				}
			}),
		);
	},
	close: async () => {},
});

/** as this machine numbers them */
async function processesOf(id: string): Promise<string[]> {
	const { Titles: titles, Processes: processes } = await containerById(id).top();
	const at = titles.indexOf('PID');
	return (processes ?? []).map((one: string[]) => one[at]);
}

async function openSessions({ command, env, set, ask, value }: LiveChange & { kind: 'session' }, ids: string[]): Promise<Switch> {
	const sessions: Session[] = [];
	const close = async () => {
		await Promise.allSettled(sessions.map((session) => session.close()));
	};
	try {
		for (const id of ids) sessions.push(await openSession(id, command, env));
		// What it said once it will say again when it is full.
		await Promise.all(sessions.map((session) => expectValue(session, ask, value.off)));
	} catch (error) {
		await close();
		throw error;
	}
	return {
		set: async (isOn) => {
			await Promise.all(
				sessions.map(async (session) => {
					session.tell(isOn ? set.on : set.off);
					await expectValue(session, ask, isOn ? value.on : value.off);
				}),
			);
		},
		close,
	};
}

async function expectValue(session: Session, ask: string, value: string) {
	const isAnswer = (line: string) => line === value;
	if (!(await session.ask(ask, isAnswer))) throw new Error(`it did not say that the value is ${value}`);
}

/**
 * @param manifest which says when the load began, and gets `switched`
 * @param open what openSwitch gave, or why it gave nothing
 * @returns when the last turn is over, or a signal has aborted; the change is off then. Never rejected
 */
export async function switchInTurns(
	turns: SwitchTurn[],
	manifest: Manifest,
	{ open, signal, over, clock = REAL_CLOCK }: { open: Switch | Error; signal: AbortSignal; over: AbortSignal; clock?: Clock },
): Promise<void> {
	const { nowS, until } = clock;
	const switched: SwitchedTurn[] = [];
	manifest.switched = switched;
	const beganS = Number(manifest.load_began_s);
	const either = AbortSignal.any([signal, over]);
	/** null: not known */
	let isOn: boolean | null = false;
	let failed: string | null = open instanceof Error ? messageOf(open) : null;
	const setTo = async (wanted: boolean) => {
		if (open instanceof Error || wanted === isOn) return;
		try {
			await open.set(wanted);
			failed = null;
			isOn = wanted;
		} catch (error) {
			failed = messageOf(error);
			isOn = null;
		}
	};
	for (const { is_on: wanted, from_s: fromS, to_s: toS } of turns) {
		await until(beganS + fromS, either);
		if (either.aborted) break;
		await setTo(wanted);
		const turn: SwitchedTurn = { is_on: wanted, from_s: nowS(), to_s: 0, failed };
		switched.push(turn);
		await until(beganS + toS, either);
		turn.to_s = nowS();
	}
	await setTo(false);
	if (!(open instanceof Error)) await open.close().catch(() => {});
}

const messageOf = (error: unknown) => String((error as Error).message).split('\n')[0];
