/** Commands of a record as pages and summaries show them: none but those that this program writes (options/known-command.ts). */

import { knownCommand, knownStep } from '../options/known-command.ts';
import type { Result } from '../record/types.js';
import { html, markdown, markdownCode } from './html.ts';

/** In place of one that it does not. */
export const NO_COMMAND = 'The record has no command that this program would write.';

export function commandHtml(command: string) {
	const known = knownCommand(command);
	return known === null ? html`${NO_COMMAND}` : html`<code class="command">${known}</code>`;
}

/** @param known as knownCommand gives it */
const codeOf = (known: string | null) => (known === null ? markdown`${NO_COMMAND}` : markdownCode(known));

export const commandMarkdown = (command: string) => codeOf(knownCommand(command));

/** What is left of what to try next. */
export const knownSteps = (steps: Result['try_next']): Result['try_next'] =>
	steps.flatMap((step) => {
		const command = knownStep(step.command);
		return command === null ? [] : [{ ...step, command }];
	});

/** Twice as many may decide what these did not. */
const REPETITIONS = /(?<=\bREPEATS=)\d+/;

/** @returns null where the command names no number of them */
export function withMoreRepetitions(command: string): string | null {
	const more = command.replace(REPETITIONS, (number) => String(2 * Number(number)));
	return more === command || knownCommand(more) === null ? null : more;
}
