/**
 * A load whose every request fails says nothing of the system: it is refused before it begins, with the line of doubletake.yaml to edit.
 * What fails in part goes on, and is told.
 *
 * @typedef {import('../../../k6/lib/request-list.js').ListedRequest} ListedRequest
 * @typedef {import('../../docker/http-answer.js').Answer} Answer
 * @typedef {{ request: ListedRequest, answer: Answer }} Probe
 */
import { STATUS_CODES } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { NotReadyError } from '../../base/errors.js';
import { PROJECT_FILE } from '../../catalog/project-schema.js';

/** They change nothing, so that they may be asked before the load (RFC 9110, 9.2.1). */
const SAFE = ['GET', 'HEAD', 'OPTIONS'];
const FIRST_REFUSAL = 400;
/** At once; a system is not to be loaded by the question whether it answers. */
const TOGETHER = 10;
/** A service that has just come up may answer with 503, or without what it fills its caches with: three times in 10 s. */
const TIMES = { triesMost: 3, betweenMs: 5000, limitMs: 30_000 };
const SHOWN_MOST = 5;
export const FIRST_SERVER_ERROR = 500;

/** Every request of the load fails. */
export class FailingLoadError extends NotReadyError {
  /** @param {string} problem @param {string} remedy @param {boolean} isServers  it is the servers that fail, and not what was asked for */
  constructor(problem, remedy, isServers) {
    super(problem, remedy);
    this.isServers = isServers;
  }
}

/** @param {ListedRequest} request */
export const isSafe = ({ method }) => SAFE.includes(method);

/** As the load judges it. @param {Pick<ListedRequest, 'expect'>} request @param {Pick<Answer, 'status'>} answer */
export const isGood = ({ expect }, { status }) => (expect ? expect.includes(status) : status > 0 && status < FIRST_REFUSAL);

/**
 * @param {object} options
 * @param {ListedRequest[]} options.requests  of the load
 * @param {(request: ListedRequest) => Promise<Answer>} options.ask
 * @param {(text: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @param {{ triesMost: number, betweenMs: number, limitMs: number }} [options.times]  limitMs: of each try
 * @returns {Promise<Probe[] | null>} the last answers where every request of the load failed each time; null where one was good, or where
 *   not all could be asked, so that nobody knows
 */
export async function allFailing({ requests, ask, say, signal, times = TIMES }) {
  if (requests.length === 0 || !requests.every(isSafe)) return null;
  for (let tries = 1; ; tries += 1) {
    const failed = await untilGood(requests, ask, Date.now() + times.limitMs);
    if (failed === null || tries === times.triesMost) return failed;
    if (tries === 1) say(`every request of the load fails (${spelt(failed[0])}); asking again, ${times.triesMost} times in all`);
    await wait(times.betweenMs, undefined, { signal });
  }
}

/** @type {(requests: ListedRequest[], ask: (request: ListedRequest) => Promise<Answer>, endsAt: number) => Promise<Probe[] | null>} */
async function untilGood(requests, ask, endsAt) {
  const failed = /** @type {Probe[]} */ ([]);
  for (let from = 0; from < requests.length; from += TOGETHER) {
    if (from > 0 && Date.now() > endsAt) return null;
    const some = requests.slice(from, from + TOGETHER);
    const probes = await Promise.all(some.map(async (request) => ({ request, answer: await ask(request) })));
    if (probes.some(({ request, answer }) => isGood(request, answer))) return null;
    failed.push(...probes);
  }
  return failed;
}

/**
 * @param {object} options
 * @param {Probe[]} options.failed   of every request of the load
 * @param {Answer | null} options.root  what the entry's own address answers; null where that is among them
 * @param {{ source: string, line: number }} options.place  which entry of load they come from, and its line
 * @param {string} options.entry
 * @param {string[]} options.advice  a sentence each
 * @returns {FailingLoadError}
 */
export function refusalOf({ failed, root, place: { source, line }, entry, advice }) {
  const lines = failed.slice(0, SHOWN_MOST).map((probe) => `    ${spelt(probe)}`);
  const more = failed.length > lines.length ? [`    and ${failed.length - lines.length} more`] : [];
  const all = failed.length === 1 ? 'its one request fails' : `each of its ${failed.length} requests fails`;
  const found = `${PROJECT_FILE}:${line}, load.${source}: expected a request that ${entry} answers well; found that ${all}, so the load was not begun:`;
  const hasRoot = root !== null && isGood({}, root);
  const statuses = [...new Set(failed.map(({ answer }) => answer.status))].filter((status) => status > 0).sort((one, other) => one - other);
  const remedies = [
    `edit line ${line} of ${PROJECT_FILE}.`,
    ...advice,
    ...(hasRoot ? [`"GET /" is answered with ${root.status}: urls: ["GET /"] would do.`] : []),
    ...(statuses.length > 0 ? [`To measure just these answers, add "expect: [${statuses.join(', ')}]" under load.`] : []),
  ];
  const isServers = failed.some(({ answer: { status } }) => status === 0 || status >= FIRST_SERVER_ERROR);
  return new FailingLoadError([found, ...lines, ...more].join('\n'), remedies.join(' '), isServers);
}

/** @param {Pick<ListedRequest, 'method' | 'path' | 'target' | 'shown'>} request */
export const whatOf = ({ method, path, target = '', shown = target }) => `${method} ${shown.replace(/\/+$/, '')}${path}`;

/** @param {Probe} probe */
function spelt({ request, answer: { status, error, line } }) {
  const what = whatOf(request);
  if (status === 0) return `${what} is not answered: ${error}`;
  const reason = STATUS_CODES[status];
  return `${what} is answered with ${status}${reason ? ` ${reason}` : ''}${line ? `: ${line}` : ''}`;
}
