/**
 * Errors that the command line turns into a message and an exit code, and the exit codes themselves.
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
  }
}

/** A fault that cannot be put into a system of a user's own; the message is a clause that says why. */
export class NotInjectedError extends Error {
  name = 'NotInjectedError';
}
