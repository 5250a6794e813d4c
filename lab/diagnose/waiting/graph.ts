/**
 * What explains what at one place. Where an answer of one family and one of another are both supported there, and the first explains the second, the
 * second is only how the first shows. The relation is transitive and has no circle.
 */

import { grouped } from '../../base/values.ts';
import type { Mechanism } from '../../record/causes.ts';
import { mechanisms } from '../../record/causes.ts';

/** Causes by family. A question may say that its answers are of another one (questions.ts). */
export const FAMILIES = grouped(Object.keys(mechanisms) as Mechanism[], (cause) => mechanisms[cause].family);

/** Families that only some questions answer with. */
export const OF_QUESTIONS = ['kept', 'names-unread', 'overrun', 'stopped', 'throughout'] as const;

/** What shows where a service is in trouble by itself: all that it has is taken. */
const TAKEN = ['pool-full', 'workers', 'slots', 'turned-away', 'workers-ended'];

export const EXPLAINS: Record<string, string[]> = {
	absent: [...TAKEN, 'names', 'remembers'],
	outside: TAKEN,
	names: [...TAKEN, 'outside', 'remembers', 'names-unread'],
	'names-unread': TAKEN,
	lacks: [...TAKEN, 'workers-idle', 'absent', 'disk'],
	heap: [...TAKEN, 'absent', 'disk', 'busy', 'starved'],
	disk: ['absent'],
	starved: ['busy', 'names-unread', 'pool-held', ...TAKEN],
	busy: [],
	memory: [...TAKEN, 'disk-wait'],
	'disk-wait': TAKEN,
	lost: TAKEN,
	'not-read': ['lost'],
	held: [...TAKEN, 'starved', 'serial'],
	kept: ['serial'],
	polled: TAKEN,
	ports: TAKEN,
	remembers: TAKEN,
	'pool-held': TAKEN,
	'turned-away': ['pool-full', 'workers'],
	'pool-full': ['workers'],
	slots: ['workers'],
	workers: ['serial', 'overrun'],
	limit: ['serial'],
	serial: ['busy'],
	statement: ['code'],
};

/** Families that tell how failures show, and never why: all others explain them, and the earlier of these the later. */
export const SYMPTOMS = ['unconnected', 'outcome', 'slow', 'hung', 'throughout'];

/** What would be tried to tell one family from another that looks like it. */
export const DECIDED_BY: Record<string, string> = {
	starved: 'more CPU for it',
	busy: 'a second container of it',
	memory: 'more memory for it',
	lacks: 'a higher limit',
	heap: 'a larger heap',
	names: 'an address in the place of the name',
	'names-unread': 'an address in the place of the name',
	held: 'the load without the client that held it',
	kept: 'the load without the client that held it',
	'pool-held': 'more connections in its pool',
	'pool-full': 'more connections in its pool',
	workers: 'more workers',
	'workers-idle': 'a shorter time for idle connections',
	slots: 'more connection slots',
	ports: 'more local ports',
	remembers: 'a restart of it',
	serial: 'the load without that kind of call',
	limit: 'a longer time limit',
	'turned-away': 'a higher limit',
};

/** @param cause null: it stood there, and why is not known */
export const familyOf = (cause: Mechanism | null): string => (cause === null ? 'slow' : mechanisms[cause].family);

const reached: Map<string, Set<string>> = new Map();

/** @returns all that it explains, but for the symptoms */
function reachOf(family: string): Set<string> {
	const known = reached.get(family);
	if (known) return known;
	const found: Set<string> = new Set();
	const left = [...(EXPLAINS[family] ?? [])];
	while (left.length > 0) {
		const next = left.pop() as string;
		if (found.has(next)) continue;
		found.add(next);
		left.push(...(EXPLAINS[next] ?? []));
	}
	reached.set(family, found);
	return found;
}

/** @param other families */
export const explains = (one: string, other: string): boolean =>
	one !== other && (SYMPTOMS.includes(other) ? SYMPTOMS.indexOf(one) < SYMPTOMS.indexOf(other) : reachOf(one).has(other));

/** @returns whether it tells how failures show, and not why */
export const isSymptom = (cause: Mechanism | null): boolean => SYMPTOMS.includes(familyOf(cause));
