/**
 * Commands of a record as pages and summaries show them: none but those that this program writes (options/known-command.ts).
 *
 * @import { Result } from '../record/types.js'
 */

import { knownCommand, knownStep } from '../options/known-command.ts';
import { html, markdown, markdownCode } from './html.ts';

/** In place of one that it does not. */
export const NO_COMMAND = 'The record has no command that this program would write.';

/** @param {string} command */
export function commandHtml(command) {
	const known = knownCommand(command);
	return known === null ? html`${NO_COMMAND}` : html`<code class="command">${known}</code>`;
}

/** @param {string | null} known  as knownCommand gives it */
const codeOf = (known) => (known === null ? markdown`${NO_COMMAND}` : markdownCode(known));

/** @param {string} command */
export const commandMarkdown = (command) => codeOf(knownCommand(command));

/** What is left of what to try next. @param {Result['try_next']} steps @returns {Result['try_next']} */
export const knownSteps = (steps) =>
	steps.flatMap((step) => {
		const command = knownStep(step.command);
		return command === null ? [] : [{ ...step, command }];
	});
