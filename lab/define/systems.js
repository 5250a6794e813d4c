/**
 * Reads the systems that the lab brings along: each folder below `compose/` with a `system.yaml`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { causes } from './causes.js';
import { NotReadyError } from './errors.js';
import { published } from './published.js';
import { scenarios } from './scenarios.js';

/** @typedef {import('./architectures.js').Architecture} Architecture */

const SYSTEM_FILE = 'system.yaml';

const text = { type: 'string', minLength: 1 };
// Not held against the schema of schemas, which would be compiled first, for 30 ms of each command: a keyword that there is not is told all the same.
const validator = new Ajv({ allErrors: true, validateSchema: false });
const isSystem = validator.compile({
  type: 'object',
  required: ['title', 'question'],
  additionalProperties: false,
  properties: {
    title: text,
    question: { type: 'string', pattern: '\\?$' },
    scenario: text,
    entry: { type: 'string', pattern: '^http://' },
    published: { type: 'string', pattern: '^[^.]+\\.[^.]+$' },
    reliefs: { type: 'array', items: text, minItems: 1 },
    relieves: text,
    relieves_causes: { type: 'array', items: text, minItems: 1 },
    relief: text,
    edges: { type: 'array', items: { type: 'array', items: text, minItems: 2, maxItems: 2 }, minItems: 1 },
    variables: {
      type: 'object',
      propertyNames: { pattern: '^[A-Z_]+$' },
      additionalProperties: {
        type: 'object',
        required: ['about', 'standard'],
        anyOf: [{ required: ['choices'] }, { required: ['range'] }],
        additionalProperties: false,
        properties: {
          about: text,
          standard: text,
          choices: { type: 'array', items: text, minItems: 1 },
          range: { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 },
        },
      },
    },
  },
});

/**
 * @param {string} folder  with a folder for each system
 * @returns {Record<string, Architecture>} by id, the ones that begin with a letter first: `a` is where a newcomer begins
 * @throws {NotReadyError} naming the file at fault
 */
export function readSystems(folder) {
  const fileOf = (/** @type {string} */ id) => join(folder, id, SYSTEM_FILE);
  const ids = readdirSync(folder).filter((id) => existsSync(fileOf(id)));
  const systems = Object.fromEntries(ids.sort(lettersFirst).map((id) => [id, readSystem(fileOf(id))]));
  for (const [id, system] of Object.entries(systems)) {
    const [problem] = unknownNames(system, systems);
    if (problem) throw atFault(fileOf(id), problem);
  }
  return systems;
}

/** @param {string} file @returns {Architecture} */
function readSystem(file) {
  const system = readYaml(file);
  if (isSystem(system)) return /** @type {Architecture} */ (system);
  throw atFault(file, validator.errorsText(isSystem.errors, { dataVar: 'it' }));
}

/** @param {string} file @returns {unknown} */
function readYaml(file) {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    // What follows a first line with the place is the text around it.
    throw atFault(file, String(error instanceof Error ? error.message : error).replace(/:?\n[\s\S]*$/, ''));
  }
}

/**
 * What it names, and is in no table: it would end a run only when that is needed, which may be after the load.
 * @param {Architecture} system
 * @param {Record<string, Architecture>} systems
 * @returns {string[]} clauses
 */
function unknownNames({ scenario = 'documents', published: key, reliefs = [], relieves_causes: own = [] }, systems) {
  const others = reliefs.filter((id) => !Object.hasOwn(systems, id)).map((id) => `reliefs: no system is called ${id}`);
  const [section, run] = key?.split('.') ?? [];
  return [
    ...(Object.hasOwn(scenarios, scenario) ? [] : [`scenario: expected one of ${Object.keys(scenarios).join(', ')}; found "${scenario}"`]),
    ...(key === undefined || published[section]?.runs?.[run] ? [] : [`published: published.json has no ${key}`]),
    ...others,
    ...own.filter((cause) => !Object.hasOwn(causes, cause)).map((cause) => `relieves_causes: no cause is called ${cause}`),
  ];
}

/** @param {string} file @param {string} problem */
const atFault = (file, problem) => new NotReadyError(`${file}: ${problem}.`, 'correct the file.');

/** @type {(one: string, other: string) => number} */
const lettersFirst = (one, other) =>
  Number(/^\d/.test(one)) - Number(/^\d/.test(other)) || one.localeCompare(other, 'en', { numeric: true });
