/**
 * Errors that the command line turns into a message and an exit code, the exit codes themselves, an error as data, and what was left behind.
 */

/** @readonly */
export const EXIT = Object.freeze({ done: 0, invalidRun: 1, notReady: 2, thresholdNotMet: 3, interrupted: 130 });

/** An error that the command line shows as a message, without a trace. */
export class LabError extends Error {
  exitCode = EXIT.notReady;
}

/** A run that began and could not be brought to its end; the message says what ended it. */
export class RunFailedError extends LabError {
  name = 'RunFailedError';
}

/** Something the user or the machine has to put right: the message says what was expected, what was found and what to do. */
export class NotReadyError extends LabError {
  name = 'NotReadyError';

  /**
   * @param {string} problem what was expected and what was found
   * @param {string} remedy  what to do
   */
  constructor(problem, remedy) {
    super(`${problem}\n  To do: ${remedy}`);
    this.problem = problem;
    this.remedy = remedy;
  }
}

/** The machine itself is not ready, whatever was to be run on it: no run can be made until something is done about it. */
export class UnreadyMachineError extends NotReadyError {}

/** The container engine did not answer, or a command in a container did not end; the message is a sentence that says in what time. */
export class UnansweredError extends LabError {
  name = 'UnansweredError';
}

/** A fault that cannot be put into a system of a user's own; the message is a clause that says why. */
export class NotInjectedError extends Error {
  name = 'NotInjectedError';
}

/**
 * What is not ready though it was without the fault is so because of it.
 * @template T
 * @param {{ fault: object | null }} injection
 * @param {Promise<T>} prepared
 * @returns {Promise<T>}
 * @throws {NotInjectedError} that says so
 */
export async function becauseOf({ fault }, prepared) {
  try {
    return await prepared;
  } catch (error) {
    if (fault === null || !(error instanceof NotReadyError)) throw error;
    throw new NotInjectedError(`the system does not come up with it: ${error.message.split('\n')[0]}`);
  }
}

/** No space on the disk, or none left for this user. */
const FULL_DISK = new Set(['ENOSPC', 'EDQUOT']);

/**
 * What ended a command, as its user is told it. A full disk may be met wherever something is written.
 * @param {unknown} error
 * @returns {LabError | null} null for a mistake of the lab's own, which is shown with its trace
 */
export function toUserError(error) {
  if (error instanceof LabError) return error;
  const { code = '', message } = /** @type {NodeJS.ErrnoException} */ (error instanceof Error ? error : {});
  if (!FULL_DISK.has(code)) return null;
  return new UnreadyMachineError(`The disk is full: ${message}.`, 'free some space, then go on as said above, or run this again.');
}

/**
 * An error as data, for a program that calls the lab.
 *
 * @typedef {object} ErrorRecord
 * @property {string} message     what is wrong
 * @property {string} [expected]  these three where the error says so
 * @property {string} [found]
 * @property {string} [do]        what to do about it
 */

/** As refusals are written: "LOAD: expected a load; found x." */
const SENTENCE = /\bexpected (?<expected>.+?)[;,] found (?<found>.+?)(?:\.\s|\.?$)/is;

/** @param {Error} error @returns {ErrorRecord} */
export function errorRecord(error) {
  if (!(error instanceof NotReadyError)) return { message: error.message };
  const { problem, remedy } = error;
  return { message: problem, ...SENTENCE.exec(problem)?.groups, do: remedy };
}

/*
 * What this process could not take down. The command that ends says so by its exit code, however many runs were made before and after.
 */

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
