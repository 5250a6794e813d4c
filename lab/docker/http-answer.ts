/** Asks a container over HTTP from this machine, at its address, as one of its network would ask it by its name. */

import http from 'node:http';
import https from 'node:https';
import { BlockList, isIP } from 'node:net';
import os from 'node:os';
import { routesBy } from '../adapters/found-servers.ts';
import { isRelayed, wayTo } from '../base/relays.ts';
import { jsonIn } from '../base/values.ts';
import { PROJECT_LABEL } from './containers.ts';
import { ANSWER_LIMIT_MS } from './docker.ts';
import type { Kind, Names, Question } from './engine-view-question.ts';
import { askedFor, questionOf } from './engine-view-question.ts';

/**
 * status: 0 where there was none, and
 *   `error` says why; line: of a refusal, the first line that its text begins with; page: of one that was taken whole, its HTML; isEmpty: of
 *   such a one, it has no byte beside its headers
 */
export type Answer = { status: number; location: string; error: string; line?: string; page?: string; isEmpty?: true };

const HTTP_ANSWER_ANSWER_LIMIT_MS = 5000;
/** For the text of a refusal, whose status is known already. */
const TEXT_LIMIT_MS = 500;
const LINE_MOST = 80;
const FIRST_REFUSAL = 400;
/** A page's first line says nothing. */
const IS_TEXT = /^(text\/plain|application\/([\w.+-]*\+)?json)\b/i;
const IS_PAGE = /^text\/html\b/i;
/** Letters; links stand before the end of longer ones. */
const PAGE_MOST = 1 << 20;
/** Some servers refuse a client that does not name itself; the load's own does. */
const CLIENT = { 'User-Agent': 'k6 (https://k6.io/)' };
/** Which a client leaves out of the name. */
const USUAL_PORT: Record<string, number> = { http: 80, https: 443 };

/**
 * Whether this machine, or a relay of the lab's, is on the container's network: not where the engine runs in a machine of its own, or without the superuser's rights.
 */
export function isReachable(address: string, interfaces: ReturnType<typeof os.networkInterfaces> = os.networkInterfaces()) {
	if (isRelayed(address)) return true;
	if (isIP(address) === 0) return false;
	const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
	return Object.values(interfaces)
		.flat()
		.some((one) => {
			if (!one?.cidr || one.internal || one.family.toLowerCase() !== family) return false;
			const [base, bits] = one.cidr.split('/');
			const network = new BlockList();
			network.addSubnet(base, Number(bits), family);
			return network.check(address, family);
		});
}

export function answerOf({
	address,
	scheme,
	host,
	port,
	path,
	method = 'GET',
	headers = {},
	limitMs = HTTP_ANSWER_ANSWER_LIMIT_MS,
	isComplete = false,
}: {
	address: string;
	scheme: 'http' | 'https';
	/** by which others on its network ask it */
	host: string;
	port: number;
	path: string;
	method?: string;
	headers?: Record<string, string>;
	limitMs?: number;
	/** the answer is taken to its end, as far as that comes in time: who breaks off changes what is answered */
	isComplete?: boolean;
}): Promise<Answer> {
	const name = port === USUAL_PORT[scheme] ? host : `${host}:${port}`;
	const options = { host: address, port, path, method, headers: { Host: name, ...CLIENT, ...headers }, timeout: limitMs, agent: false };
	// A service's own certificate is for the name that users know.
	const trusting = { rejectUnauthorized: false, ...(isIP(host) === 0 ? { servername: host } : {}) };
	return new Promise((resolve) => {
		const failed = (error: string) => resolve({ status: 0, location: '', error });
		const request =
			scheme === 'https'
				? https.request({ ...options, ...trusting, ...wayTo(address, port, trusting) })
				: http.request({ ...options, ...wayTo(address, port) });
		const giveUp = () => {
			failed(`no answer in ${limitMs / 1000} s`);
			request.destroy();
		};
		// Node's own limit begins anew with whatever comes, be it one more "103 Early Hints".
		const limit = setTimeout(giveUp, limitMs);
		request.on('close', () => clearTimeout(limit));
		request.on('response', (response) => {
			clearTimeout(limit);
			const { statusCode: status = 0, headers: given } = response;
			const answer = { status, location: given.location ?? '', error: '' };
			if (status < FIRST_REFUSAL || !IS_TEXT.test(given['content-type'] ?? 'text/plain')) {
				if (isComplete) return takenWhole(response, limitMs).then((taken) => resolve({ ...answer, ...taken }));
				response.destroy();
				return resolve(answer);
			}
			firstLineOf(response).then((line) => resolve(line === '' ? answer : { ...answer, line }));
		});
		request.on('timeout', giveUp);
		request.on('error', (error) => failed(error.message));
		request.end();
	});
}

/** @returns of a page in HTML, as much as is kept of one */
function takenWhole(response: http.IncomingMessage, limitMs: number): Promise<Pick<Answer, 'page' | 'isEmpty'>> {
	const isPage = IS_PAGE.test(response.headers['content-type'] ?? '');
	let page = '';
	let isEmpty = true;
	return new Promise((resolve) => {
		const timer = setTimeout(() => response.destroy(), limitMs);
		response.on('error', () => {});
		response.on('close', () => {
			clearTimeout(timer);
			resolve({ ...(page !== '' && { page }), ...(isEmpty && { isEmpty }) });
		});
		response.on('data', (piece) => {
			isEmpty = false;
			if (isPage && page.length < PAGE_MOST) page += String(piece);
		});
	});
}

/** Of what comes at once, as far as it can be printed. */
function firstLineOf(response: http.IncomingMessage): Promise<string> {
	return new Promise((resolve) => {
		const end = (text: string) => {
			clearTimeout(timer);
			response.destroy();
			const line = text
				.trimStart()
				.split(/[\r\n]/, 1)[0]
				.replaceAll(/[\p{C}\s]+/gu, ' ')
				.trim();
			resolve(line.length > LINE_MOST ? `${line.slice(0, LINE_MOST)}…` : line);
		};
		const timer = setTimeout(() => end(''), TEXT_LIMIT_MS);
		response.on('data', (piece) => end(String(piece)));
		response.on('end', () => end(''));
		response.on('error', () => end(''));
	});
}

/**
 * What the engine answers, as a view of it lets through: what is of one project, without what may be a secret, under the names that its
 * owner knows. Pure.
 *
 */

/** By which the lab marks its own container in a copy. */
const TIER_LABEL = 'doubletake.tier';
/** Of the machine as much as says which engine it is. A copy is no Swarm's, whatever the engine is besides. */
const INFO = ['ID', 'Name', 'ServerVersion', 'OperatingSystem', 'OSType', 'Architecture', 'KernelVersion', 'NCPU', 'MemTotal', 'Driver'];
const NO_SWARM = { NodeID: '', NodeAddr: '', LocalNodeState: 'inactive', ControlAvailable: false, Error: '', RemoteManagers: null };
/** Of the commands of health checks and of people. */
const OF_EXEC = /^exec_/;

/** @returns undefined where it is none of the project's */
function shownOf(kind: Kind, answer: any, names: Names): unknown {
	const shown = SHOWN[kind]?.(answer, (labels) => isOfProject(labels, names.project)) ?? (kind in SHOWN ? undefined : answer);
	return shown === undefined ? undefined : renamed(shown, names);
}

type IsOfProject = (labels: Record<string, string> | null | undefined) => boolean;

const SHOWN: Partial<Record<Kind, (answer: any, isOurs: IsOfProject) => unknown>> = {
	info: (answer) => ({ ...Object.fromEntries(INFO.map((name) => [name, answer[name]])), Swarm: NO_SWARM }),
	containers: (answer, isOurs) => listOf(answer, ({ Labels: labels }) => isOurs(labels)).map((one) => ({ ...one, Command: '' })),
	container: (answer, isOurs) => (isOurs(answer.Config?.Labels) ? withoutSecrets(answer) : undefined),
	events: (answer, isOurs) => (isOurs(answer.Actor?.Attributes) && !OF_EXEC.test(answer.Action ?? '') ? answer : undefined),
	networks: (answer, isOurs) => listOf(answer, ({ Labels: labels }) => isOurs(labels)),
	network: (answer, isOurs) => (isOurs(answer.Labels) ? answer : undefined),
	services: (answer, isOurs) => listOf(answer, ({ Spec: { Labels: labels } = {} }) => isOurs(labels)),
	tasks: (answer, isOurs) => listOf(answer, ({ Labels: labels, Spec: spec }) => isOurs(labels) || isOurs(spec?.ContainerSpec?.Labels)),
};

const listOf: (answer: unknown, isOurs: (one: any) => boolean) => any[] = (answer, isOurs) =>
	Array.isArray(answer) ? answer.filter(isOurs) : [];

const isOfProject: (labels: Record<string, string> | null | undefined, project: string) => boolean = (labels, project) =>
	labels?.[PROJECT_LABEL] === project && labels[TIER_LABEL] !== 'generator';

/** Whom to send what stands in labels, and in few variables; all else that a program was given may be a secret. */
function withoutSecrets({ Config: { Env: environment, Healthcheck: _, ...config }, State: state, ...container }: any) {
	return {
		...container,
		...{ Path: '', Args: [] },
		State: state?.Health ? { ...state, Health: { ...state.Health, Log: [] } } : state,
		Config: { ...config, Cmd: null, Entrypoint: null, Env: (environment ?? []).map(withoutValue) },
	};
}

function withoutValue(variable: string) {
	const name = variable.split('=', 1)[0];
	return routesBy(name) ? variable : `${name}=`;
}

/** Keys are names too: of networks, in what a container says of its own. */
function renamed(value: any, names: Names): unknown {
	if (typeof value === 'string') return ownName(value, names);
	if (Array.isArray(value)) return value.map((one) => renamed(one, names));
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(Object.entries<any>(value).map(([key, one]) => [ownName(key, names), renamed(one, names)]));
}

function ownName(text: string, { project, own, known }: Names) {
	const slash = text.startsWith('/') ? '/' : '';
	const name = text.slice(slash.length);
	return Object.hasOwn(known, name) ? `${slash}${known[name]}` : text.replaceAll(project, () => own);
}

/**
 * A view of the engine: a socket at which a service of a copy can read what the engine knows of that copy, and nothing else but to have a server
 * of it read its configuration again, where one writes that for another. Programs that
 * find their servers by the engine's socket are given it in the place of that one. It is served by this process, and ends with it.
 */
export type EngineView = {
	/** what was asked and is not to be had through it, each once */
	refused: () => string[];
	/** and whoever still listens */
	close: () => Promise<void>;
};

/** Of hundreds of containers. */
const ANSWER_MOST_BYTES = 32e6;
/** At once; each is one to the engine. */
const CONNECTIONS_MOST = 100;
/** Of different questions. */
const REFUSED_MOST = 20;
const [DONE, NOT_FOUND, BAD_GATEWAY] = [200, 404, 502];
/** By which clients learn which version they may speak. */
const OF_PING = ['api-version', 'docker-experimental', 'ostype', 'builder-version', 'server'];

export async function serveEngineView({
	path,
	engine,
	names,
}: {
	/** of the socket; in a folder that is the lab's alone, because whoever reaches it may ask */
	path: string;
	/** path of the engine's own */
	engine: string;
	names: Names;
}): Promise<EngineView> {
	const refused: Set<string> = new Set();
	const server = http.createServer((request, response) => {
		const { method = '', url = '' } = request;
		const question = questionOf(method, url, names);
		if ('status' in question) {
			if (refused.size < REFUSED_MOST) refused.add(`${method} ${askedFor(url)}`);
			return sendJson(response, question.status, { message: question.message });
		}
		if (question.kind === 'reload') return reload(engine, question.path, response, names);
		const asked = askEngine(engine, question.path, response);
		return question.kind === 'events' ? passEvents(asked, response, names) : passAnswer(asked, response, { question, names });
	});
	server.maxConnections = CONNECTIONS_MOST;
	await new Promise((resolve, reject) => {
		server.once('error', reject);
		// Whoever a service runs as.
		server.listen({ path, readableAll: true, writableAll: true }, () => resolve(undefined));
	});
	return {
		refused: () => [...refused],
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

type Asked = Promise<http.IncomingMessage>;

/** Ends when the client does. */
const askEngine: (engine: string, path: string, response: http.ServerResponse, method?: 'GET' | 'POST') => Asked = (
	engine,
	path,
	response,
	method = 'GET',
) =>
	new Promise((resolve, reject) => {
		const question = http.request({ socketPath: engine, path, method, headers: { Host: 'docker' }, agent: false });
		response.on('close', () => question.destroy());
		question.on('response', resolve);
		question.on('error', reject);
		question.setTimeout(ANSWER_LIMIT_MS, () => question.destroy(new Error('no answer')));
		// Between two events there may be hours.
		question.on('response', () => question.setTimeout(0));
		question.end();
	});

async function passAnswer(
	asked: Asked,
	response: http.ServerResponse,
	{ question: { kind, path }, names }: { question: Question; names: Names },
): Promise<void> {
	try {
		const answer = await asked;
		const text = await textOf(answer);
		const { statusCode: status = BAD_GATEWAY, headers } = answer;
		if (kind === 'ping') {
			for (const name of OF_PING) if (headers[name]) response.setHeader(name, String(headers[name]));
			response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(text);
			return;
		}
		// What the engine says of what it does not have, or was asked wrongly, has no names but those that were asked for.
		if (status !== DONE) return sendJson(response, status, { message: String(JSON.parse(text).message) });
		const shown = shownOf(kind, JSON.parse(text), names);
		if (shown === undefined)
			return sendJson(response, NOT_FOUND, { message: `No such ${kind}: ${path.split('/').at(kind === 'container' ? -2 : -1)}` });
		sendJson(response, status, shown);
	} catch (error) {
		sendJson(response, BAD_GATEWAY, { message: `the engine did not answer: ${error instanceof Error ? error.message : error}` });
	}
}

/** Of a container of the project alone. */
async function reload(engine: string, path: string, response: http.ServerResponse, names: Names): Promise<void> {
	try {
		const found = await askEngine(engine, `${path}/json`, response);
		const text = await textOf(found);
		const isOurs = found.statusCode === DONE && shownOf('container', JSON.parse(text), names) !== undefined;
		if (!isOurs) return sendJson(response, NOT_FOUND, { message: 'No such container' });
		const done = await askEngine(engine, `${path}/kill?signal=HUP`, response, 'POST');
		done.resume();
		response.writeHead(done.statusCode ?? BAD_GATEWAY).end();
	} catch (error) {
		sendJson(response, BAD_GATEWAY, { message: `the engine did not answer: ${error instanceof Error ? error.message : error}` });
	}
}

async function passEvents(asked: Asked, response: http.ServerResponse, names: Names): Promise<void> {
	const answer = await asked.catch(() => null);
	if (answer?.statusCode !== DONE) return sendJson(response, BAD_GATEWAY, { message: 'the engine gave no events' });
	response.writeHead(DONE, { 'Content-Type': 'application/json' });
	response.flushHeaders();
	let begun = '';
	answer.setEncoding('utf8');
	answer.on('data', (piece) => {
		const lines = `${begun}${piece}`.split('\n');
		begun = lines.pop() ?? '';
		for (const line of lines) {
			const event = jsonIn(line);
			const shown = event === null ? undefined : shownOf('events', event, names);
			if (shown !== undefined) response.write(`${JSON.stringify(shown)}\n`);
		}
	});
	answer.on('end', () => response.end());
	answer.on('error', () => response.destroy());
}

async function textOf(answer: http.IncomingMessage): Promise<string> {
	const chunks = [];
	let bytes = 0;
	for await (const chunk of answer) {
		bytes += chunk.length;
		if (bytes > ANSWER_MOST_BYTES) throw new Error('more than is passed on');
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString('utf8');
}

function sendJson(response: http.ServerResponse, status: number, body: unknown): void {
	if (response.headersSent) return void response.destroy();
	response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
