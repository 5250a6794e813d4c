/** What this process could not take down. The command that ends says so by its exit code, however many runs were made before and after. */

import { EXIT } from './errors.ts';

/** Sentences, by what was to be taken down. */
const left: Map<string, string> = new Map();

/** @param sentence says what is still there, and why */
export const noteLeft = (project: string, sentence: string) => void left.set(project, sentence);

/**
 * It is gone now.
 * @param project everything of the lab unless given
 */
export function noteGone(project?: string) {
	if (project === undefined) left.clear();
	else left.delete(project);
}

/**
 * A command that did what it was to do, and left something on the engine, is not done.
 * @param exitCode of the command
 * @returns that of the process
 */
export function codeWith(exitCode: number, say: (text: string) => void): number {
	if (exitCode !== EXIT.done || left.size === 0) return exitCode;
	for (const sentence of left.values()) say(`not all is taken down: ${sentence}`);
	return EXIT.notReady;
}
