/**
 * The variables that an architecture has of its own, read from the environment and checked.
 */
import { architectures } from './architectures.js';
import { NotReadyError } from './errors.js';

/**
 * @param {string} architecture
 * @param {Record<string, string | undefined>} env
 * @returns {Record<string, string>} every variable of the architecture with its value
 * @throws {NotReadyError} naming the variable, what it holds and what it may hold
 */
export function readVariables(architecture, env) {
  const { variables = {} } = architectures[architecture] ?? {};
  return Object.fromEntries(Object.entries(variables).map(([name, variable]) => [name, readOne(name, variable, env[name])]));
}

/** @type {(name: string, variable: import('./architectures.js').Variable, text: string | undefined) => string} */
function readOne(name, { standard, choices, range }, text) {
  if (text === undefined || text === '') return standard;
  if (choices?.includes(text)) return text;
  if (range && /^\d+$/.test(text) && Number(text) >= range[0] && Number(text) <= range[1]) return String(Number(text));
  const wanted = choices ? `one of ${choices.join(', ')}` : `a whole number from ${range?.[0]} to ${range?.[1]}`;
  throw new NotReadyError(`${name}: expected ${wanted}; found "${text}".`, 'correct it, or leave it out.');
}

/**
 * What it is, what it may be and what it is unless given.
 * @param {import('./architectures.js').Variable} variable
 */
export function aboutVariable({ about, standard, choices, range }) {
  const values = choices ? choices.join(', ') : `${range?.[0]} to ${range?.[1]}`;
  return `${about} (${values}; ${standard} unless given)`;
}

/** Names of the variables that any architecture has of its own. */
export const variableNames = () => [...new Set(Object.values(architectures).flatMap(({ variables = {} }) => Object.keys(variables)))];
