/**
 * A view of the engine: a socket at which a service of a copy can read what the engine knows of that copy, and nothing else but to have a server
 * of it read its configuration again, where one writes that for another. Programs that
 * find their servers by the engine's socket are given it in the place of that one. It is served by this process, and ends with it.
 *
 * @typedef {object} EngineView
 * @property {() => string[]} refused  what was asked and is not to be had through it, each once
 * @property {() => Promise<void>} close  and whoever still listens
 */
import http from 'node:http';
import { shownOf } from './engine-view-answer.js';
import { askedFor, questionOf } from './engine-view-question.js';
import { ANSWER_LIMIT_MS } from './time-limit.js';

/** Of hundreds of containers; the lab's own choice. */
const ANSWER_MOST_BYTES = 32e6;
/** At once; each is one to the engine. The lab's own choice. */
const CONNECTIONS_MOST = 100;
/** Of different questions. */
const REFUSED_MOST = 20;
const [DONE, NOT_FOUND, BAD_GATEWAY] = [200, 404, 502];
/** By which clients learn which version they may speak. */
const OF_PING = ['api-version', 'docker-experimental', 'ostype', 'builder-version', 'server'];

/**
 * @param {object} options
 * @param {string} options.path    of the socket; in a folder that is the lab's alone, because whoever reaches it may ask
 * @param {string} options.engine  path of the engine's own
 * @param {import('./engine-view-question.js').Names} options.names
 * @returns {Promise<EngineView>}
 */
export async function serveEngineView({ path, engine, names }) {
  /** @type {Set<string>} */
  const refused = new Set();
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

/**
 * @typedef {import('./engine-view-question.js').Question} Question
 * @typedef {import('./engine-view-question.js').Names} Names
 * @typedef {Promise<http.IncomingMessage>} Asked
 */

/** Ends when the client does. @type {(engine: string, path: string, response: http.ServerResponse, method?: 'GET' | 'POST') => Asked} */
const askEngine = (engine, path, response, method = 'GET') =>
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

/** @type {(asked: Asked, response: http.ServerResponse, given: { question: Question, names: Names }) => Promise<void>} */
async function passAnswer(asked, response, { question: { kind, path }, names }) {
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

/** Of a container of the project alone. @type {(engine: string, path: string, response: http.ServerResponse, names: Names) => Promise<void>} */
async function reload(engine, path, response, names) {
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

/** @type {(asked: Asked, response: http.ServerResponse, names: Names) => Promise<void>} */
async function passEvents(asked, response, names) {
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
      const shown = shownEvent(line, names);
      if (shown !== undefined) response.write(`${JSON.stringify(shown)}\n`);
    }
  });
  answer.on('end', () => response.end());
  answer.on('error', () => response.destroy());
}

/** @type {(line: string, names: Names) => unknown} */
function shownEvent(line, names) {
  try {
    return shownOf('events', JSON.parse(line), names);
  } catch {
    return undefined;
  }
}

/** @param {http.IncomingMessage} answer @returns {Promise<string>} */
async function textOf(answer) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += chunk.length;
    if (bytes > ANSWER_MOST_BYTES) throw new Error('more than is passed on');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** @type {(response: http.ServerResponse, status: number, body: unknown) => void} */
function sendJson(response, status, body) {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
