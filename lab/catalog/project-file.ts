/** doubletake.yaml: written once by the lab with a comment for each entry, corrected by the user, read before each run. */

import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Document } from 'yaml';
import { LineCounter, parseDocument } from 'yaml';
import { readText } from '../base/bounded-file.ts';
import { NotReadyError } from '../base/errors.ts';
import { refuseLed } from '../base/files.ts';
import { withCodes } from '../base/hidden-characters.ts';
import { withoutAssigned } from '../base/secret-names.ts';
import { secrets } from '../base/secrets.ts';
import { valueIn } from './alias-expansion.ts';
import type { Problem } from './project-problems.ts';
import { meaningProblems, schemaProblems, shippedProblems } from './project-problems.ts';
import type { Project, ProjectService, Shipped } from './project-schema.ts';
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
} from './project-schema.ts';

/**
 * @param path as the user knows the file
 * @returns with everything that the file leaves to a default
 * @throws {NotReadyError} naming each line at fault, what was expected there, what was found and what to do
 */
export const parseProject = (text: string, path: string): Project =>
	withDefaults(parseChecked(text, path, { schema: PROJECT_SCHEMA, meaning: meaningProblems }));

/**
 * The same of a system that the lab brings along.
 * @throws {NotReadyError} as parseProject
 */
export const parseShipped = (text: string, path: string, known: Parameters<typeof shippedProblems>[1]): Shipped =>
	parseChecked(text, path, { schema: SHIPPED_SCHEMA, meaning: (system) => shippedProblems(system, known) });

/**
 * @param text YAML of a Compose file
 * @param path as the user knows it
 * @returns where it is none, with its line: Compose may give that of the mapping's begin
 */
export function faultOfYaml(text: string, path: string): { problem: string; remedy: string } | null {
	const lines = new LineCounter();
	return faultOf(parseDocument(text, { lineCounter: lines, prettyErrors: false }), path, lines);
}

function faultOf({ errors: [first] }: Document.Parsed, path: string, lines: LineCounter) {
	if (first === undefined) return null;
	const line = lines.linePos(first.pos[0]).line;
	const problem = `${path}, line ${line}: expected YAML; found a fault in it: ${first.message.replace(/:$/, '')}.`;
	return { problem, remedy: `correct line ${line}, or the one before it.` };
}

/**
 * @param text YAML
 * @param path as the user knows the file
 * @param rules meaning: what follows from several entries together, of what the
 * schema takes
 * @throws {NotReadyError} as parseProject
 */
export function parseChecked(text: string, path: string, { schema, meaning }: { schema: object; meaning: (value: any) => Problem[] }): any {
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

function refusal(path: string, problems: Problem[], lineOf: (problem: Problem) => number): NotReadyError {
	const sorted = problems.map((problem) => ({ ...problem, line: lineOf(problem) })).toSorted((one, other) => one.line - other.line);
	const found = sorted.map(({ line, at, expected, found: what }) => {
		const where = at.length > 0 ? `, ${at.join('.')}` : '';
		return `${path}, line ${line}${where}: expected ${expected}; found ${withoutAssigned(what)}.`;
	});
	const remedies = sorted.map(({ line, remedy }) => withoutAssigned(sorted.length > 1 ? `line ${line}: ${remedy}` : remedy));
	return new NotReadyError(found.join('\n  '), `${remedies.join('; ')}.`);
}

/** The line of a name at fault, else of the entry, else of the nearest one around it. */
function lineOf(
	{ at, key }: Pick<Problem, 'at' | 'key'>,
	document: { getIn: (path: string[], keepScalar: boolean) => any },
	lines: LineCounter,
): number {
	const within = document.getIn(at, true)?.items ?? [];
	const named = key === undefined ? undefined : within.find((pair: any) => pair.key?.value === key)?.key;
	if (named?.range) return lines.linePos(named.range[0]).line;
	for (let depth = at.length; depth >= 0; depth -= 1) {
		const node = document.getIn(at.slice(0, depth), true);
		if (node?.range) return Math.max(lines.linePos(node.range[0]).line, 1);
	}
	return 1;
}

/**
 * Where it is said where the load's requests come from.
 * @param text of a file that is right
 * @returns a line
 */
export function lineOfSource(text: string): number {
	const lines = new LineCounter();
	const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
	const source = LOAD_SOURCES.find((name) => document.hasIn(['load', name]));
	return lineOf({ at: ['load'], key: source }, document, lines);
}

function withDefaults({ edges = [], load, ...project }: Project): Project {
	return { ...project, edges, load: load.script === undefined ? { ...LOAD_DEFAULTS, ...load } : load };
}

/** @returns text of the file */
export function writeProject({ compose, entry, hosts, services, edges, load, data = {}, capture }: Project): string {
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

function hostLines(hosts: Project['hosts']) {
	if (hosts === undefined) return '';
	const lines = Object.entries(hosts).map(([host, entry]) => `  ${scalar(host)}: ${scalar(entry)}`);
	return `
# Names by which users ask, each with the entry that sends requests on by it. A URL of the load may begin with one (http://${Object.keys(hosts)[0]}/);
# what names none is asked by the first of its entry.
hosts:
${lines.join('\n')}
`;
}

function dataLines(data: NonNullable<Project['data']>) {
	const lines = Object.entries(data).map(([name, choice]) => `  ${scalar(name)}: ${choice}`);
	if (lines.length === 0) return '';
	const said = Object.entries(DATA).map(([choice, what]) => `#   ${choice.padEnd(5)}  ${what}`);
	return `\n# Folders and files of yours into which services may write. Each run has in their place:\n${said.join('\n')}\ndata:\n${lines.join('\n')}\n`;
}

const serviceLine = ([name, { tier, product, watch, reason }]: [string, ProjectService]) =>
	`  ${scalar(name)}: { tier: ${tier}, product: ${scalar(product)}, watch: ${watch} }${reason ? ` # ${oneLine(secrets.without(reason))}` : ''}`;

function loadLines(project: Pick<Project, 'entry' | 'hosts' | 'load'>) {
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

export const scalar = (text: string) => (PLAIN.test(text) && !TAKEN_FOR_OTHERS.test(text) ? text : withCodes(JSON.stringify(text)));

/** A comment ends with its line. */
const oneLine = (text: string) => withCodes(text.replace(/[\s\p{Cc}]+/gu, ' ').trim());

/** Nobody writes so much by hand. */
const FILE_MOST_BYTES = 4e6;

/** Whether the folder has a doubletake.yaml, or something else by that name. */
export const hasProject = (folder: string) => lstatSync(join(folder, PROJECT_FILE), { throwIfNoEntry: false }) !== undefined;

/**
 * @returns null where there is no doubletake.yaml
 * @throws {NotReadyError} when it is at fault
 */
export async function projectIn(folder: string): Promise<Project | null> {
	refuseLed(folder, PROJECT_FILE);
	const text = readText(join(folder, PROJECT_FILE), { mostBytes: FILE_MOST_BYTES });
	if (text === null && hasProject(folder))
		throw new NotReadyError(`${PROJECT_FILE}: expected a regular file; found a link that leads nowhere.`, 'remove the link.');
	return text === null ? null : parseProject(text, PROJECT_FILE);
}

/**
 * @param asked by which command, and what it would take instead, for the error
 * @throws {NotReadyError} when there is none, or it is at fault
 */
export async function readProject(
	folder: string,
	{ command, or }: { command: string; or: string } = { command: 'run', or: 'the name of an architecture' },
): Promise<Project> {
	const project = await projectIn(folder);
	if (project === null)
		throw new NotReadyError(
			`${command}: expected ${PROJECT_FILE} in ${folder}, or ${or}; found neither.`,
			'"doubletake init" writes it from a Compose file; "doubletake list" names the architectures.',
		);
	return project;
}
