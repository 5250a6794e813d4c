/** What has to be done before an INVALID run is made again: by the rules that made it so. */

import { formatProjectCommand } from '../base/format-command.ts';
import { knownCommand, withOption } from '../options/known-command.ts';
import { doubtsAbout, statementsOfFailure, wordOf } from '../record/touches.ts';
import type { Ledger, TryNext, Validity } from '../record/types.js';
import { isScript } from './time/load-end.ts';
import type { Doubts } from './validity/validity.ts';

export const GENERATOR = 'give the generator room: fewer users (USERS), or more generators (GENERATORS)';
const USERS_MORE = 'give the script more users for its arrivals (maxVUs), or fewer arrivals';
const RECORD = 'look for what restarted or was full meanwhile, because two records contradict each other';

/** By the first word of a rule's name. */
export const STEPS: Record<string, string> = {
	incomplete: 'let the load run to its end',
	exhausted: GENERATOR,
	overhead: GENERATOR,
	throttled: GENERATOR,
	'at-quota': GENERATOR,
	dropped: GENERATOR,
	'lost-generator': 'see why a generator made no load',
	neighbours: 'stop the other programs on the machine',
	stolen: 'take a machine whose cores others do not use, or another hour',
	fault: 'see why the fault could not be put in or undone',
};

/**
 * @param doubts of a run that is INVALID
 * @returns clauses, each once
 */
function stepsToValid({ ofRun, ofStages }: Doubts, { shape }: { shape: any }): string[] {
	const invalid = [...ofRun, ...ofStages.flat()].filter(({ grade, rule }) => grade === 'INVALID' && rule !== 'stages');
	const steps = shape.arriving ? { ...STEPS, dropped: USERS_MORE } : STEPS;
	return [...new Set(invalid.map(({ rule }) => steps[ruleName(rule)] ?? RECORD))];
}

/** @returns the command with half the users; null where no option of it sets them */
function withRoom(manifest: any): string | null {
	const { command, shape } = manifest;
	const top = Math.max(0, ...(shape.stages ?? []).map(({ target }: { target: number }) => target));
	if (!command || isScript(manifest) || shape.model === 'open' || top < 2) return null;
	return knownCommand(withOption(command, 'USERS', String(Math.ceil(top / 2))));
}

/** @param rule `stolen host-2` */
export const ruleName = (rule: string) => /^[\w-]+/.exec(rule)?.[0] ?? '';

/**
 * Of an INVALID run: the same again, with what made it so out of the way. What would be tried next is marked where the doubts can move the
 * failures that it is to relieve: it proves nothing until a run without them says the same.
 */
export function afterDoubts(
	advice: TryNext[],
	{
		manifest,
		doubts,
		validity,
		ledger: { failures },
		proving = [],
	}: {
		manifest: { command: string; shape: any };
		doubts: Doubts;
		validity: Validity;
		ledger: Pick<Ledger, 'failures'>;
		/** what would test the accusation: last where doubts can move the failures that it is about */
		proving?: TryNext[];
	},
): TryNext[] {
	if (validity.verdict !== 'INVALID') return [...proving, ...advice];
	const steps = stepsToValid(doubts, manifest);
	const room = steps.includes(GENERATOR) ? withRoom(manifest) : null;
	const left = room === null ? steps : steps.filter((step) => step !== GENERATOR);
	const what = wordOf(validity) === 'INVALID' ? 'because this run says nothing about the system' : 'to remove the doubts';
	const first = left.length === 0 ? '' : `; first ${left.join(', and ')}`;
	const why = `again${room === null ? '' : ' with half the users'}, ${what}${first}`;
	const grave = { doubts: validity.doubts.filter(({ grade }) => grade === 'INVALID') };
	const isMoved = failures.slice(0, 1).some((worst) => doubtsAbout(grave, statementsOfFailure(worst)).length > 0);
	const again: TryNext = { command: room ?? (manifest.command || formatProjectCommand(['run'])), why, again: true };
	return isMoved ? [again, ...onceValid([...advice, ...proving])] : [...proving, again, ...advice];
}

const onceValid = (advice: TryNext[]): TryNext[] => advice.map((one) => ({ ...one, once_valid: true }));
