/**
 * One side of a comparison of a user's own system, as the command line has it: what it runs in place of the folder as it is. Each
 * text that is given is of one kind: Compose files, variables that they read, a git revision of the folder, or options of the lab.
 *
 * @typedef {object} Side
 * @property {string} option       such as `--a`, for errors
 * @property {string[]} given      its texts, as typed
 * @property {string[] | null} files  Compose files, in their order; null: those of doubletake.yaml
 * @property {Record<string, string>} variables  that Compose is given
 * @property {string | null} revision  of git; null: the folder as it is
 * @property {Record<string, string>} options  of the lab, for this side alone
 */
import { NotReadyError } from '../base/errors.js';
import { isSideOptions, sideOptionsIn } from './run-options.js';

const REVISION = 'rev:';
const VARIABLE = /^[A-Za-z_]\w*=/;
/** A comma begins another variable where a name follows; elsewhere it is part of the value. */
const BETWEEN_VARIABLES = /,(?=[A-Za-z_]\w*=)/;
const COMMIT_SHOWN = 7;

/**
 * @param {string} option
 * @param {string[]} given
 * @returns {Side}
 * @throws {NotReadyError} naming the text that says nothing, or the same thing twice
 */
export function readSide(option, given) {
  /** @type {Side} */
  const side = { option, given, files: null, variables: {}, revision: null, options: {} };
  for (const text of given) {
    if (text.startsWith(REVISION)) addRevision(side, text);
    else if (isSideOptions(text)) addValues(side, side.options, sideOptionsIn(option, text));
    else if (VARIABLE.test(text)) addValues(side, side.variables, variablesIn(text));
    else addFiles(side, text);
  }
  return side;
}

/** @param {Side} side @param {string} text */
function addRevision(side, text) {
  const revision = text.slice(REVISION.length).trim();
  if (side.revision !== null)
    throw new NotReadyError(`${side.option}: expected one revision; found "${side.revision}" and "${revision}".`, 'leave one out.');
  // What begins with a dash git takes for an option.
  if (revision === '' || revision.startsWith('-'))
    throw new NotReadyError(
      `${side.option}: expected a git revision after "${REVISION}"; found "${revision}".`,
      'write it as in rev:v1.2 or rev:HEAD~1.',
    );
  side.revision = revision;
}

/** @param {string} text @returns {[string, string][]} */
const variablesIn = (text) =>
  text.split(BETWEEN_VARIABLES).map((part) => {
    const at = part.indexOf('=');
    return [part.slice(0, at), part.slice(at + 1)];
  });

/** @type {(side: Side, known: Record<string, string>, values: [string, string][]) => void} */
function addValues({ option }, known, values) {
  for (const [name, value] of values) {
    if (Object.hasOwn(known, name))
      throw new NotReadyError(`${option}: expected one value of ${name}; found several.`, 'leave the others out.');
    known[name] = value;
  }
}

/** @param {Side} side @param {string} text */
function addFiles(side, text) {
  const files = text.split(',').map((file) => file.trim());
  if (files.includes(''))
    throw new NotReadyError(
      `${side.option}: expected Compose files with commas between, NAME=value, rev:REVISION, or .:OPTION=value; found "${text}".`,
      'write it as in compose.tuned.yaml, POOL=32, rev:v1.2 or .:RETRIES=2.',
    );
  side.files = [...(side.files ?? []), ...files];
}

/**
 * What a side is called.
 * @param {Side} side
 * @param {string} name of the system, which the folder as it is goes by
 */
export function labelOfSide({ files, variables, revision, options }, name) {
  const ofFiles = [...(revision === null ? [] : [`${REVISION}${revision}`]), ...(files ? [files.join(',')] : []), ...valuesOf(variables)];
  const parts = [...ofFiles, ...valuesOf(options)];
  return parts.length === 0 ? name : parts.join(', ');
}

/**
 * The same in words.
 * @param {Side} side
 * @param {string} name   of the system
 * @param {string | null} commit  of the revision
 */
export function titleOfSide({ files, variables, revision, options }, name, commit) {
  const values = [...valuesOf(variables), ...valuesOf(options)];
  const parts = [
    ...(revision === null ? [] : [`at ${revision} (${commit?.slice(0, COMMIT_SHOWN)})`]),
    ...(files ? [`by ${files.join(', ')}`] : []),
    ...(values.length > 0 ? [`with ${values.join(', ')}`] : []),
  ];
  return `${name} ${parts.length === 0 ? 'as it is' : parts.join(', ')}`;
}

/** @param {Record<string, string>} variables */
const valuesOf = (variables) => Object.entries(variables).map(([name, value]) => `${name}=${value}`);
