/** What has to be done before an INVALID run is made again: by the rules that made it so. */

import { formatProjectCommand } from '../base/format-command.ts';
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
function stepsToValid({ ofRun, ofStages }: Doubts, manifest: any): string[] {
	const { shape } = manifest;
	const invalid = [...ofRun, ...ofStages.flat()].filter(({ grade, rule }) => grade === 'INVALID' && rule !== 'stages');
	const steps = shape.arriving ? { ...STEPS, dropped: USERS_MORE } : STEPS;
	const asked = [...new Set(invalid.map(({ rule }) => steps[ruleName(rule)] ?? RECORD))];
	return asked.map((step) => (step === GENERATOR && !isScript(manifest) ? roomFor(shape) : step));
}

/** With the value, where the load is one whose users an option sets. */
function roomFor({ model, stages }: { model?: string; stages?: { target: number }[] }): string {
	const top = Math.max(0, ...(stages ?? []).map(({ target }) => target));
	return model !== 'open' && top > 1
		? `give the generator room: add USERS=${Math.ceil(top / 2)} to the command, which halves the users`
		: GENERATOR;
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
	const first = `first ${stepsToValid(doubts, manifest).join(', and ')}`;
	const isAll = wordOf(validity) === 'INVALID';
	const why = isAll ? `again, because this run says nothing about the system; ${first}` : `again, to remove the doubts; ${first}`;
	const grave = { doubts: validity.doubts.filter(({ grade }) => grade === 'INVALID') };
	const isMoved = failures.slice(0, 1).some((worst) => doubtsAbout(grave, statementsOfFailure(worst)).length > 0);
	const again = { command: manifest.command || formatProjectCommand(['run']), why };
	return isMoved ? [again, ...onceValid([...advice, ...proving])] : [...proving, again, ...advice];
}

const onceValid = (advice: TryNext[]): TryNext[] => advice.map((one) => ({ ...one, once_valid: true }));
