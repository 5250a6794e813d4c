/**
 * One side of a comparison of a user's own system, as the command line has it: what it runs in place of the folder as it is. Each
 * text that is given is of one kind: Compose files, variables that they read, or a git revision of the folder.
 *
 * @typedef {object} Side
 * @property {string} option       such as `--a`, for errors
 * @property {string[]} given      its texts, as typed
 * @property {string[] | null} files  Compose files, in their order; null: those of doubletake.yaml
 * @property {Record<string, string>} variables  that Compose is given
 * @property {string | null} revision  of git; null: the folder as it is
 */
import { NotReadyError } from '../define/errors.js';

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
  const side = { option, given, files: null, variables: {}, revision: null };
  for (const text of given) {
    if (text.startsWith(REVISION)) addRevision(side, text);
    else if (VARIABLE.test(text)) addVariables(side, text);
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

/** @param {Side} side @param {string} text */
function addVariables(side, text) {
  for (const part of text.split(BETWEEN_VARIABLES)) {
    const at = part.indexOf('=');
    const name = part.slice(0, at);
    if (Object.hasOwn(side.variables, name))
      throw new NotReadyError(`${side.option}: expected one value of ${name}; found several.`, 'leave the others out.');
    side.variables[name] = part.slice(at + 1);
  }
}

/** @param {Side} side @param {string} text */
function addFiles(side, text) {
  const files = text.split(',').map((file) => file.trim());
  if (files.includes(''))
    throw new NotReadyError(
      `${side.option}: expected Compose files with commas between, NAME=value, or rev:REVISION; found "${text}".`,
      'write it as in compose.tuned.yaml, POOL=32 or rev:v1.2.',
    );
  side.files = [...(side.files ?? []), ...files];
}

/**
 * What a side is called.
 * @param {Side} side
 * @param {string} name of the system, which the folder as it is goes by
 */
export function labelOfSide({ files, variables, revision }, name) {
  const parts = [...(revision === null ? [] : [`${REVISION}${revision}`]), ...(files ? [files.join(',')] : []), ...valuesOf(variables)];
  return parts.length === 0 ? name : parts.join(', ');
}

/**
 * The same in words.
 * @param {Side} side
 * @param {string} name   of the system
 * @param {string | null} commit  of the revision
 */
export function titleOfSide({ files, variables, revision }, name, commit) {
  const values = valuesOf(variables);
  const parts = [
    ...(revision === null ? [] : [`at ${revision} (${commit?.slice(0, COMMIT_SHOWN)})`]),
    ...(files ? [`by ${files.join(', ')}`] : []),
    ...(values.length > 0 ? [`with ${values.join(', ')}`] : []),
  ];
  return `${name} ${parts.length === 0 ? 'as it is' : parts.join(', ')}`;
}

/** @param {Record<string, string>} variables */
const valuesOf = (variables) => Object.entries(variables).map(([name, value]) => `${name}=${value}`);
