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
