/**
 * doubletake.yaml: written once by the lab with a comment for each entry, corrected by the user, read before each run.
 *
 * @typedef {import('./project-schema.js').Project} Project
 */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isAlias, isCollection, isPair, LineCounter, parseAllDocuments, parseDocument } from 'yaml';
import { NotReadyError } from '../base/errors.js';
import { meaningProblems, schemaProblems, shippedProblems } from './project-problems.js';
import {
  DATA,
  entryUrls,
  isPlaceholder,
  LOAD_DEFAULTS,
  LOAD_SHAPES,
  LOAD_SOURCES,
  PROJECT_FILE,
  PROJECT_SCHEMA,
  SHIPPED_SCHEMA,
} from './project-schema.js';

/*
 * How much a user's YAML becomes when each alias is replaced by what it stands for. Compose replaces them all before it looks at the rest:
 * nine lines with ten aliases of the line before each would take it minutes and all of the memory.
 */

/**
 * Values that aliases may stand for in all files of a system together. Compose 2.26 took 40 us and 1.5 KB for each, so that these are about
 * 4 s and 150 MB (measured on two cores of an AMD EPYC that others used too); two hundred services that share fifty lines have 20,000.
 */
const ADDED_MOST = 100_000;
const FILE_MOST_BYTES = 10 * 2 ** 20;
const FILES_MOST = 500;
/** Of the reader. */
const TOO_DEEP = 'RESOURCE_EXHAUSTION';

/**
 * Of the files that Compose would be given, and of those that they include or extend as far as their names stand there.
 * @param {string} folder  in which Compose is called
 * @param {string[]} files
 * @throws {NotReadyError} naming the file
 */
export function refuseExpansion(folder, files) {
  const waiting = files.map((file) => resolve(folder, file));
  const seen = new Set(waiting);
  let added = 0;
  for (const file of waiting) {
    // Compose says better what is wrong with one that is not there.
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) continue;
    const documents = documentsIn(file);
    for (const document of documents) added += addedByAliases(document.contents);
    if (added > ADDED_MOST) throw tooMuch(file, added);
    for (const named of documents.flatMap(filesNamedIn))
      for (const path of [resolve(dirname(file), named), resolve(folder, named)])
        if (!seen.has(path) && existsSync(path)) {
          seen.add(path);
          waiting.push(path);
        }
    if (waiting.length > FILES_MOST)
      throw new NotReadyError(
        `The Compose file: expected at most ${FILES_MOST} files that it includes or extends; found more.`,
        'leave some out.',
      );
  }
}

/** @param {string} file @returns {import('yaml').Document[]} as far as they can be read; of what is wrong in them Compose tells the line */
function documentsIn(file) {
  if (statSync(file).size > FILE_MOST_BYTES)
    throw new NotReadyError(
      `${file}: expected a Compose file of at most ${FILE_MOST_BYTES / 2 ** 20} MB; found a larger one.`,
      'split it.',
    );
  const found = parseAllDocuments(readFileSync(file, 'utf8'), { prettyErrors: false, logLevel: 'silent', uniqueKeys: false });
  const documents = /** @type {import('yaml').Document[]} */ (Array.isArray(found) ? found : []);
  // What is deeper than the reader goes is left out by it, and could hold anything.
  if (documents.some(({ errors }) => errors.some(({ code }) => code === TOO_DEEP)))
    throw new NotReadyError(`${file}: expected a Compose file; found values within values, deeper than can be read.`, 'correct it.');
  return documents;
}

/**
 * How many values there are more when each alias is replaced.
 * @param {unknown} contents  of a document
 * @returns {number} infinite where an alias is within what it stands for
 */
function addedByAliases(contents) {
  /** @type {Map<string, number>} */
  const sizes = new Map();
  let added = 0;
  /** @type {(node: any) => number} */
  const sizeOf = (node) => {
    if (isAlias(node)) {
      // One that stands for nothing is refused by whoever reads the file.
      const size = sizes.get(node.source) ?? 1;
      added += size - 1;
      return size;
    }
    if (node?.anchor) sizes.set(node.anchor, Number.POSITIVE_INFINITY);
    /** @type {any[]} */
    const parts = isCollection(node) ? node.items.flatMap((item) => (isPair(item) ? [item.key, item.value] : [item])) : [];
    const size = parts.reduce((sum, part) => sum + sizeOf(part), 1);
    if (node?.anchor) sizes.set(node.anchor, size);
    return size;
  };
  sizeOf(contents);
  return added;
}

/** @param {import('yaml').Document} document @returns {string[]} as they are written; those with variables in them are Compose's to find */
function filesNamedIn(document) {
  /** @type {any} */
  let value;
  try {
    value = document.toJS({ maxAliasCount: -1 });
  } catch {
    return [];
  }
  const included = [value?.include ?? []].flat().flatMap((/** @type {any} */ one) => one?.path ?? one);
  const extended = Object.values(value?.services ?? {}).map((/** @type {any} */ service) => service?.extends?.file);
  return [...included, ...extended].filter((name) => typeof name === 'string' && !name.includes('$') && !name.includes('\0'));
}

/** @param {string} file @param {number} added */
const tooMuch = (file, added) =>
  new NotReadyError(
    `${file}: expected aliases (*name) that stand for at most ${ADDED_MOST.toLocaleString('en-US')} values together; found ${
      Number.isFinite(added) ? `some that stand for ${added.toLocaleString('en-US')}` : 'one that stands within itself'
    }.`,
    'write out what aliases of aliases stand for, or leave it out.',
  );

/**
 * The same of a file that the lab reads itself.
 * @param {string} file
 * @param {import('yaml').Document} document
 * @returns {any} what it says
 * @throws {NotReadyError}
 */
function valueIn(file, document) {
  const added = addedByAliases(document.contents);
  if (added > ADDED_MOST) throw tooMuch(file, added);
  try {
    return document.toJS({ maxAliasCount: -1 });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new NotReadyError(`${file}: expected each alias (*name) to stand for something; found: ${error.message}.`, 'correct its name.');
  }
}

/**
 * @param {string} text
 * @param {string} path  as the user knows the file
 * @returns {Project} with everything that the file leaves to a default
 * @throws {NotReadyError} naming each line at fault, what was expected there, what was found and what to do
 */
export const parseProject = (text, path) => withDefaults(parseChecked(text, path, { schema: PROJECT_SCHEMA, meaning: meaningProblems }));

/**
 * The same of a system that the lab brings along.
 * @param {string} text
 * @param {string} path
 * @param {Parameters<typeof shippedProblems>[1]} known
 * @returns {import('./project-schema.js').Shipped}
 * @throws {NotReadyError} as parseProject
 */
export const parseShipped = (text, path, known) =>
  parseChecked(text, path, { schema: SHIPPED_SCHEMA, meaning: (system) => shippedProblems(system, known) });

/**
 * @param {string} text  YAML of a Compose file
 * @param {string} path  as the user knows it
 * @returns {{ problem: string, remedy: string } | null} where it is none, with its line: Compose may give that of the mapping's begin
 */
export function faultOfYaml(text, path) {
  const lines = new LineCounter();
  return faultOf(parseDocument(text, { lineCounter: lines, prettyErrors: false }), path, lines);
}

/** @param {import('yaml').Document.Parsed} document @param {string} path @param {LineCounter} lines */
function faultOf({ errors: [first] }, path, lines) {
  if (first === undefined) return null;
  const line = lines.linePos(first.pos[0]).line;
  const problem = `${path}, line ${line}: expected YAML; found a fault in it: ${first.message.replace(/:$/, '')}.`;
  return { problem, remedy: `correct line ${line}, or the one before it.` };
}

/**
 * @param {string} text  YAML
 * @param {string} path  as the user knows the file
 * @param {{ schema: object, meaning: (value: any) => Problem[] }} rules  meaning: what follows from several entries together, of what the
 *   schema takes
 * @returns {any}
 * @throws {NotReadyError} as parseProject
 */
export function parseChecked(text, path, { schema, meaning }) {
  const lines = new LineCounter();
  // A service may be called 1.0 or null: names are text whatever they look like.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const fault = faultOf(document, path, lines);
  if (fault !== null) throw new NotReadyError(fault.problem, fault.remedy);
  const value = valueIn(path, document);
  const broken = schemaProblems(value, schema);
  const problems = broken.length > 0 ? broken : meaning(value);
  if (problems.length > 0) throw refusal(path, problems, (problem) => lineOf(problem, document, lines));
  return value;
}

/**
 * @typedef {import('./project-problems.js').Problem} Problem
 * @type {(path: string, problems: Problem[], lineOf: (problem: Problem) => number) => NotReadyError}
 */
function refusal(path, problems, lineOf) {
  const sorted = problems.map((problem) => ({ ...problem, line: lineOf(problem) })).toSorted((one, other) => one.line - other.line);
  const found = sorted.map(({ line, at, expected, found: what }) => {
    const where = at.length > 0 ? `, ${at.join('.')}` : '';
    return `${path}, line ${line}${where}: expected ${expected}; found ${what}.`;
  });
  const remedies = sorted.map(({ line, remedy }) => (sorted.length > 1 ? `line ${line}: ${remedy}` : remedy));
  return new NotReadyError(found.join('\n  '), `${remedies.join('; ')}.`);
}

/**
 * The line of a name at fault, else of the entry, else of the nearest one around it.
 * @type {(problem: Pick<Problem, 'at' | 'key'>, document: { getIn: (path: string[], keepScalar: boolean) => any }, lines: LineCounter) => number}
 */
function lineOf({ at, key }, document, lines) {
  const within = document.getIn(at, true)?.items ?? [];
  const named = key === undefined ? undefined : within.find((/** @type {any} */ pair) => pair.key?.value === key)?.key;
  if (named?.range) return lines.linePos(named.range[0]).line;
  for (let depth = at.length; depth >= 0; depth -= 1) {
    const node = document.getIn(at.slice(0, depth), true);
    if (node?.range) return Math.max(lines.linePos(node.range[0]).line, 1);
  }
  return 1;
}

/**
 * Where it is said where the load's requests come from.
 * @param {string} text  of a file that is right
 * @returns {number} a line
 */
export function lineOfSource(text) {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const source = LOAD_SOURCES.find((name) => document.hasIn(['load', name]));
  return lineOf({ at: ['load'], key: source }, document, lines);
}

/** @param {Project} project @returns {Project} */
function withDefaults({ edges = [], load, ...project }) {
  return { ...project, edges, load: load.script === undefined ? { ...LOAD_DEFAULTS, ...load } : load };
}

/**
 * @param {Project} project
 * @returns {string} text of the file
 */
export function writeProject({ compose, entry, hosts, services, edges, load, data = {}, capture }) {
  const entries = entryUrls({ entry });
  return `# What Doubletake knows of this system. "doubletake init" wrote it from the Compose file; correct what it took wrongly.

# Compose files, in their order, as seen from this file's folder.
compose: [${compose.map(scalar).join(', ')}]

# Where users' requests enter: a service, and the port on which it listens in its container. Where they enter at several, a list.
entry: ${entries.length > 1 ? `[${entries.map(scalar).join(', ')}]` : scalar(entries[0])}
${hostLines(hosts)}
# What each service is.
#   tier     load-balancer, app, pool, queue, cache or database; other: no request passes it
#   product  what it runs; opaque: nothing that Doubletake can read, so that only its container is watched
#   watch    0: its container alone; 1: its own log too; 2: with a configuration laid over its own; 3: with a preload in its process.
#            2 and 3 change how it runs. Doubletake does that to a service only where you write it here.
services:
${Object.entries(services).map(serviceLine).join('\n')}

# Who asks whom on the way of a request.
edges: [${edges.map((pair) => `[${pair.map(scalar).join(', ')}]`).join(', ')}]

# The load. Its requests come from one of these:
#   urls: ["GET /", "GET /orders"]   users ask one after the other; "GET http://other:80/" asks another entry than the first, or by another host
#   openapi: openapi.yaml            what the file describes and cannot change anything; include: ["POST /orders"] sends that too,
#                                    exclude: ["GET /reports"] leaves that out
#   script: load.js                  a k6 script of yours, with its own options; then leave out the rest
# headers: { Authorization: "Bearer \${TOKEN}" } goes with each; TOKEN is taken from the environment, and is not kept.
load:
${loadLines({ entry, hosts, load }).join('\n')}
${dataLines(data)}
# While a run goes on, what passes its networks is recorded on this machine: who asked whom, when, with which status, and who gave up.
# Nothing of what was said is kept. This leaves it out:
${capture === undefined ? '# capture: off' : `capture: ${capture}`}

# INTEGRITY=1 compares what users were told with what is stored. Then a request of the load has {{request_id}}, and this prints the stored ids, one a line:
# integrity: { service: db, command: [psql, -U, app, -tA, -c, "select ref from orders"] }
`;
}

/** @param {Project['hosts']} hosts */
function hostLines(hosts) {
  if (hosts === undefined) return '';
  const lines = Object.entries(hosts).map(([host, entry]) => `  ${scalar(host)}: ${scalar(entry)}`);
  return `
# Names by which users ask, each with the entry that sends requests on by it. A URL of the load may begin with one (http://${Object.keys(hosts)[0]}/);
# what names none is asked by the first of its entry.
hosts:
${lines.join('\n')}
`;
}

/** @param {NonNullable<Project['data']>} data */
function dataLines(data) {
  const lines = Object.entries(data).map(([name, choice]) => `  ${scalar(name)}: ${choice}`);
  if (lines.length === 0) return '';
  const said = Object.entries(DATA).map(([choice, what]) => `#   ${choice.padEnd(5)}  ${what}`);
  return `\n# Folders and files of yours into which services may write. Each run has in their place:\n${said.join('\n')}\ndata:\n${lines.join('\n')}\n`;
}

/** @param {[string, import('./project-schema.js').ProjectService]} entry */
const serviceLine = ([name, { tier, product, watch, reason }]) =>
  `  ${scalar(name)}: { tier: ${tier}, product: ${scalar(product)}, watch: ${watch} }${reason ? ` # ${oneLine(reason)}` : ''}`;

/** @param {Pick<Project, 'entry' | 'hosts' | 'load'>} project */
function loadLines(project) {
  const { load } = project;
  const { urls, openapi, script, headers = {}, ...given } = load;
  if (script !== undefined) return [`  script: ${scalar(script)}`];
  const { shape, users, think_ms } = { ...LOAD_DEFAULTS, ...given };
  const sent = Object.entries(headers).map(([name, value]) => `${scalar(name)}: ${scalar(value)}`);
  return [
    urls === undefined
      ? `  openapi: ${scalar(openapi ?? '')}`
      : `  urls: [${urls.map(scalar).join(', ')}]${isPlaceholder(project) ? ' # a placeholder: write what your users ask' : ''}`,
    ...(sent.length > 0 ? [`  headers: { ${sent.join(', ')} }`] : []),
    `  shape: ${shape} # ${LOAD_SHAPES[shape]}`,
    `  users: ${users} # at the top`,
    `  think_ms: ${think_ms} # milliseconds that a user waits after each answer`,
  ];
}

/** What every reader of YAML takes for this text and for nothing else, without quotes. */
const PLAIN = /^[A-Za-z][\w./-]*(:[\w./-]+)*$/;
const TAKEN_FOR_OTHERS = /^(null|true|false|yes|no|on|off|y|n)$/i;

/** @param {string} text */
export const scalar = (text) => (PLAIN.test(text) && !TAKEN_FOR_OTHERS.test(text) ? text : JSON.stringify(text));

/** A comment ends with its line. @param {string} text */
const oneLine = (text) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

/** Whether the folder has a doubletake.yaml. @param {string} folder */
export const hasProject = (folder) => existsSync(join(folder, PROJECT_FILE));

/**
 * @param {string} folder
 * @returns {Promise<Project | null>} null where there is no doubletake.yaml
 * @throws {NotReadyError} when it is at fault
 */
export async function projectIn(folder) {
  const text = await readFile(join(folder, PROJECT_FILE), 'utf8').catch(() => null);
  return text === null ? null : parseProject(text, PROJECT_FILE);
}

/**
 * @param {string} folder
 * @param {{ command: string, or: string }} [asked]  by which command, and what it would take instead, for the error
 * @returns {Promise<Project>}
 * @throws {NotReadyError} when there is none, or it is at fault
 */
export async function readProject(folder, { command, or } = { command: 'run', or: 'the name of an architecture' }) {
  const project = await projectIn(folder);
  if (project === null)
    throw new NotReadyError(
      `${command}: expected ${PROJECT_FILE} in ${folder}, or ${or}; found neither.`,
      '"doubletake init" writes it from a Compose file; "doubletake list" names the architectures.',
    );
  return project;
}
