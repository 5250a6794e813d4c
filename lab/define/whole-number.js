/**
 * A variable that holds a whole number.
 */
import { NotReadyError } from './errors.js';

/** @type {(name: string, text: string | undefined, least: number, most: number) => number | null} null where none is given */
export function whole(name, text, least, most) {
  if (text === undefined || text === '') return null;
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new NotReadyError(`${name}: expected a whole number from ${least} to ${most}; found "${text}".`, `correct it, or leave it out.`);
}
