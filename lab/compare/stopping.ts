/** When a comparison ends: when all blocks are made, or by STOP=early when a look after one finds it clear (../stats/any-look.ts). */

import { NotReadyError } from '../base/errors.ts';
import { readOption } from '../options/accepted-options.ts';
import type { Control, Verdict } from '../record/types.js';
import type { AnyLook } from '../stats/any-look.ts';
import { ANY_LOOK, isFound } from '../stats/any-look.ts';
import { percent } from '../stats/figure-words.ts';
import { LEAST_BLOCKS } from '../stats/ranks.ts';
import { DELTA } from './comparison/metric.ts';

const BLOCKS_MOST = 40;
/** Of the logarithm of a ratio of throughputs within a block: median of 31 stored comparisons at the limit of their systems. */
export const MEASURED_NOISE = 0.097;

export function stoppingIn(env: Record<string, string | undefined>) {
	if (readOption('STOP', env) !== 'early') return null;
	if (!env.BASELINE) return ANY_LOOK;
	throw new NotReadyError('STOP: expected none with BASELINE, whose runs are in no repetition; found early.', 'leave it out.');
}

/** An A/A control's 95 % intervals reach about two standard errors. */
const noiseOf = (control: Control | null) =>
	control?.noise.goodput_rps === undefined ? MEASURED_NOISE : (Math.log(1 + control.noise.goodput_rps) * Math.sqrt(control.blocks)) / 2;

/** That find a loss of 10 % of goodput. */
export function mostBlocks(stopping: AnyLook, control: Control | null) {
	let blocks = LEAST_BLOCKS;
	while (blocks < BLOCKS_MOST && !isFound(0.1, blocks, noiseOf(control), DELTA.ratio, stopping)) blocks += 1;
	return blocks;
}

export function announcedText(stopping: AnyLook, { repeats, control }: { repeats: number; control: Control | null }) {
	const noise = noiseOf(control);
	let loss = 0.01;
	while (loss < 1 && !isFound(loss, repeats, noise, DELTA.ratio, stopping)) loss += 0.01;
	return `STOP=early: at most ${repeats} repetitions, which find a loss of ${percent(loss)} in 80 % of comparisons with a noise of ${percent(noise)}, as ${control ? 'the A/A control has' : 'stored experiments have'}`;
}

export const endedText: (stopping: AnyLook, word: Verdict['word'], made: number, most: number) => string = ({ level }, word, made, most) =>
	`${word === 'INCONCLUSIVE' ? 'Not clear' : 'Clear'} after ${made} of at most ${most} repetitions, by STOP=early: at most ${percent(level)} false alarms at any look.`;

export const testedText: (stopping: AnyLook, metrics: number) => string = ({ level, gates }, metrics) =>
	`${metrics} metrics were tested after each repetition, p by 1/e-value. The checks share ${percent(level * gates)} of false alarms, the others ${percent(level - level * gates)} (Holm 1979). Intervals hold 95 % at any look. Windows within a run are no blocks.`;
