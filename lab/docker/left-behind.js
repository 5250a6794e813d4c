/**
 * What this process could not take down. The command that ends says so by its exit code, however many runs were made before and after.
 */
import { EXIT } from '../base/errors.js';

/** Sentences, by what was to be taken down. @type {Map<string, string>} */
const left = new Map();

/** @param {string} project @param {string} sentence  says what is still there, and why */
export const noteLeft = (project, sentence) => void left.set(project, sentence);

/** It is gone now. @param {string} [project]  everything of the lab unless given */
export function noteGone(project) {
  if (project === undefined) left.clear();
  else left.delete(project);
}

/**
 * A command that did what it was to do, and left something on the engine, is not done.
 * @param {number} exitCode  of the command
 * @param {(text: string) => void} say
 * @returns {number} that of the process
 */
export function codeWith(exitCode, say) {
  if (exitCode !== EXIT.done || left.size === 0) return exitCode;
  for (const sentence of left.values()) say(`not all is taken down: ${sentence}`);
  return EXIT.notReady;
}
