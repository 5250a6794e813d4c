/**
 * Where a command's words and its result go. For people the words are on standard output, and the result is in them. With --json standard
 * output has one JSON object, the result or the error, and nothing else; the words are on standard error.
 *
 * @typedef {object} Reporter
 * @property {import('./progress.js').Progress} progress  lines on the way
 * @property {(text: string) => void} tell     words, as they are
 * @property {(found: object) => void} give    what the command found, as far as it got; what is given last counts
 * @property {(error: Error) => void} fail     what ended the command
 * @property {(exitCode: number) => void} end  the last call, once
 *
 * @typedef {{ reporter: Reporter, signal: AbortSignal }} Around  what a command that measures is handed; signal: aborts when its user interrupts
 * @typedef {{ isTTY?: boolean, write: (text: string) => unknown }} Output
 */
import { errorRecord } from '../base/error-record.js';
import { EXIT, LabError } from '../base/errors.js';
import { createProgress } from './progress.js';

const INTERRUPTED = { error: { message: 'interrupted' } };

/**
 * @param {{ json: boolean, out: Output, err: Output }} given
 * @returns {Reporter}
 */
export function createReporter({ json, out, err }) {
  const words = json ? err : out;
  /** @type {object | null} */
  let result = null;
  return {
    progress: createProgress(words),
    tell: (text) => void words.write(text),
    give(found) {
      result = found;
    },
    fail(error) {
      // Any other is shown by whoever made it.
      if (error instanceof LabError) err.write(`error: ${error.message}\n`);
      result = { error: errorRecord(error) };
    },
    end(exitCode) {
      if (json) out.write(`${JSON.stringify(result ?? (exitCode === EXIT.interrupted ? INTERRUPTED : {}))}\n`);
    },
  };
}

/** That of this process. Whether JSON is wanted is known before its command line is taken apart, which may fail. */
export const processReporter = () => createReporter({ json: process.argv.includes('--json'), out: process.stdout, err: process.stderr });
