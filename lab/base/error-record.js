/**
 * An error as data, for a program that calls the lab.
 *
 * @typedef {object} ErrorRecord
 * @property {string} message     what is wrong
 * @property {string} [expected]  these three where the error says so
 * @property {string} [found]
 * @property {string} [do]        what to do about it
 */
import { NotReadyError } from './errors.js';

/** As refusals are written: "LOAD: expected a load; found x." */
const SENTENCE = /\bexpected (?<expected>.+?)[;,] found (?<found>.+?)(?:\.\s|\.?$)/is;

/** @param {Error} error @returns {ErrorRecord} */
export function errorRecord(error) {
  if (!(error instanceof NotReadyError)) return { message: error.message };
  const { problem, remedy } = error;
  return { message: problem, ...SENTENCE.exec(problem)?.groups, do: remedy };
}
