/**
 * Moves all constants at once, by lot, and finds which of them decide: of a run that changed what a record or a made test says, the vector is halved,
 * and each half that changes it again, until one constant is left.
 */

import { pickBy } from '../fuzz/mutate.ts';
import type { Constant } from './constants.ts';
import type { Decided, Moved } from './report.ts';

/** what moved, by target; of what did not, nothing */
type TryOut = (vector: Moved[], targets: string[]) => Promise<Map<string, string>>;

/**
 * @param how isOver: nothing more is searched, and what is left
 * is said to be not told apart
 * @returns changed: in how many runs, by target; runs: that were made
 */
export async function mutate(
	{
		constants,
		targets,
		tryOut,
	}: {
		constants: Constant[];
		targets: string[];
		tryOut: TryOut;
	},
	{ seed, runs, isOver, say }: { seed: string; runs: number; isOver: () => boolean; say: (text: string) => void },
): Promise<{ decided: Decided[]; changed: Map<string, number>; runs: number }> {
	const decided: Decided[] = [];
	const changed: Map<string, number> = new Map();
	let run = 0;
	for (; run < runs && !(run > 0 && isOver()); run += 1) {
		const pick = pickBy(`${seed} ${run}`);
		const vector = constants.map((constant) => ({ constant, isUp: pick(2) === 0 }));
		const moved = await tryOut(vector, targets);
		for (const target of moved.keys()) changed.set(target, (changed.get(target) ?? 0) + 1);
		// What is known to decide would be found again, by a dozen tries for each.
		const known = new Set(decided.flatMap(({ by }) => (by.length === 1 ? [keyOf(by[0])] : [])));
		const rest = vector.filter((one) => !known.has(keyOf(one)));
		const still = known.size === 0 || moved.size === 0 ? moved : await tryOut(rest, [...moved.keys()]);
		const found = await decidersOf(rest, still, { tryOut, isOver });
		decided.push(...found);
		say(`run ${run + 1}: ${moved.size} moved; ${still.size} by what was not known to decide; ${found.length} found`);
	}
	return { decided, changed, runs: run };
}

const keyOf = ({ constant: { file, start }, isUp }: Moved) => `${file} ${start} ${isUp}`;

/**
 * @param vector that moves the targets
 * @param moved what it moves
 */
async function decidersOf(
	vector: Moved[],
	moved: Map<string, string>,
	{ tryOut, isOver }: { tryOut: TryOut; isOver: () => boolean },
): Promise<Decided[]> {
	if (moved.size === 0) return [];
	const left = (all: Map<string, string>) => [...all].map(([target, said]) => ({ target, said, by: vector }));
	if (vector.length === 1 || isOver()) return left(moved);
	const middle = Math.ceil(vector.length / 2);
	const halves = [vector.slice(0, middle), vector.slice(middle)];
	const tried = await Promise.all(halves.map((half) => tryOut(half, [...moved.keys()])));
	const found = await Promise.all(halves.map((half, at) => decidersOf(half, tried[at], { tryOut, isOver })));
	return [...found.flat(), ...left(new Map([...moved].filter(([target]) => !tried.some((one) => one.has(target)))))];
}
