/**
 * Changes that can be switched on and off while the load goes on, and what the requests of each turn showed. Pure.
 *
 * Which turn of a pair has the change is drawn by lot. If it had no effect, what fails in a turn would not depend on the lot, whatever the machine
 * or the load did meanwhile and however alike neighbouring turns are: all pairs agree by chance in at most one of 2^pairs draws. (A randomisation
 * test: Fisher, The Design of Experiments (1935), chapter 3.)
 */

import { LIVE_WAYS } from '../adapters/known-settings.ts';
import type { LiveChange, SwitchTurn } from '../options/trial.ts';
import type { FinishedRequest } from '../record/k6-requests.ts';
import type { ProofSwitched, ProofWindow } from '../record/types.js';
import type { SwitchedTurn } from '../run/faults/switching.ts';
import { createRandom } from '../stats/random.ts';
import type { ImageView, Knob } from './knobs.ts';

export type Pair = ProofSwitched['pairs'][number];
/** what a copy showed in which a change was switched on and off; run: its folder below reports/ */
export type Switched = Pick<ProofSwitched, 'run' | 'pairs'>;

const LIVE = Object.freeze({
	/** Of each turn that is left out: what was asked before may still be under way. */
	settle_s: 1,
	/** Failed requests that a turn without the change needs, so that one with it can show fewer. The rule's own choice. */
	failed_least: 8,
	/** Seconds of a turn that are looked at. */
	least_s: 2,
	most_s: 5,
});

/**
 * @param knob of a service
 * @param service as Compose has resolved it
 * @returns null where it takes effect only with a start
 */
export function liveKnob(
	{ name, from, to, kind, file, changes }: Pick<Knob, 'name' | 'from' | 'to' | 'kind' | 'file' | 'changes'>,
	service: string,
	{ found, product, image }: { found: any; product: string; image: Pick<ImageView, 'entrypoint' | 'command'> },
): LiveChange | null {
	if (kind === 'limit' && name === 'cpus') return { kind: 'quota', service, cores: Number(to) };
	if (kind !== 'setting') return null;
	const bare = name.replace(/^-+/, '');
	const words: string[] = [...image.entrypoint, ...(found.entrypoint ?? []), ...(found.command ?? image.command)].map(String);
	const way = LIVE_WAYS.find(
		(one) => (one.product.test(product) || one.product.test(found.image ?? '')) && (one.names === undefined || one.names.includes(bare)),
	);
	if (way === undefined) return null;
	if ('signal' in way) {
		const isMaster = !/^(\/(usr\/)?bin\/)?(ba|da)?sh$/.test((found.entrypoint ?? found.command ?? [])[0] ?? '');
		const isReady = isMaster && (way.needs === undefined || words.some((word) => way.needs?.test(word)));
		return file !== undefined && isReady ? { kind: 'file', service, path: '', on: file.text, off: file.was, signal: way.signal } : null;
	}
	if (file === undefined && Object.keys(changes).length === 0) return null;
	const { flag, variable } = way.password;
	const password = words[words.indexOf(flag) + 1];
	return {
		...{ kind: 'session', service, command: way.program, ask: way.ask(bare) },
		env: words.includes(flag) && password !== undefined ? [`${variable}=${password}`] : [],
		set: { on: way.set(bare, to), off: way.set(bare, from) },
		value: { on: to, off: from },
	};
}

/**
 * @param given failedRps: failed requests a second of the run; leadS: of the load, before the first turn
 * @returns null where too few fail for turns that are short; seconds: of all turns
 */
export function liveTurns({ failedRps, pairs, leadS, seed }: { failedRps: number; pairs: number; leadS: number; seed: number }): {
	turns: SwitchTurn[];
	seconds: number;
} | null {
	const looked = Math.max(LIVE.least_s, Math.ceil(LIVE.failed_least / failedRps));
	if (!(looked <= LIVE.most_s)) return null;
	const random = createRandom(seed);
	const each = looked + LIVE.settle_s;
	const order = Array.from({ length: pairs }, () => random.shuffle([false, true])).flat();
	const turns = order.map((isOn, index) => ({ is_on: isOn, from_s: leadS + index * each, to_s: leadS + (index + 1) * each }));
	return { turns, seconds: order.length * each };
}

/**
 * @param each calls back for every request of the load
 * @returns of the turns that were as asked; pairs of which one was not are left out
 */
export function pairsOf(turns: SwitchedTurn[], each: (take: (request: FinishedRequest) => void) => void): Pair[] {
	const windows = turns.map(({ from_s: from, to_s: to }) => ({ from: from + LIVE.settle_s, to, failed: 0, requests: 0, good: 0 }));
	each(({ isGood, ended, waitedMs }) => {
		const began = ended - waitedMs / 1000;
		const window = windows.find(({ from, to }) => began >= from && began < to);
		if (window === undefined) return;
		window.requests += 1;
		if (isGood) window.good += 1;
		else window.failed += 1;
	});
	const pairs: Pair[] = [];
	for (let at = 0; at + 1 < turns.length; at += 2) {
		const two = [at, at + 1];
		if (two.some((index) => turns[index].failed !== null || turns[index].to_s <= turns[index].from_s + LIVE.settle_s)) continue;
		const windowOf = (isOn: boolean): ProofWindow => {
			const { failed, requests, good, from, to } = windows[two.find((index) => turns[index].is_on === isOn) ?? at];
			return { failed, requests, good_rps: Math.round((10 * good) / (to - from)) / 10 };
		};
		pairs.push({ off: windowOf(false), on: windowOf(true) });
	}
	return pairs;
}
