/**
 * What the questions narrowly miss. Where nothing says why, a reading that is close to what would say it is told as such, with what it had and what it
 * would take: silence would look as if nothing of the kind had been there.
 */

import type { Step } from './step.ts';
import { nearlyThrottled } from './why-cpu.ts';
import { nearlyFull } from './why-full.ts';
import { nearlyRaced } from './why-gone.ts';
import { nearlyUnanswered } from './why-name.ts';
import { nearlyIdle } from './why-workers.ts';
import type { Said } from './writing.ts';
import { tell } from './writing.ts';

/** Each says null where what it looks at is far from enough, or enough. */
const ASKED: ((step: Step) => Said | null)[] = [nearlyThrottled, nearlyFull, nearlyRaced, nearlyUnanswered, nearlyIdle];

/** @returns clauses */
export const nearMisses = (step: Step): Said[] => ASKED.flatMap((ask) => ask(step) ?? []).map((said) => tell('any', 'nearly', { said }));
