/**
 * Asks a container over HTTP from this machine, at its address, as one of its network would ask it by its name.
 *
 * @typedef {{ status: number, location: string, error: string, line?: string, page?: string, isEmpty?: true }} Answer  status: 0 where there was none, and
 *   `error` says why; line: of a refusal, the first line that its text begins with; page: of one that was taken whole, its HTML; isEmpty: of
 *   such a one, it has no byte beside its headers
 */
import http from 'node:http';
import https from 'node:https';
import { BlockList, isIP } from 'node:net';
import os from 'node:os';

const ANSWER_LIMIT_MS = 5000;
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
/** Which a client leaves out of the name. @type {Record<string, number>} */
const USUAL_PORT = { http: 80, https: 443 };

/**
 * Whether this machine is on the container's network: not where the engine runs in a machine of its own, or without the superuser's rights.
 * @param {string} address
 * @param {ReturnType<typeof os.networkInterfaces>} [interfaces]
 */
export function isReachable(address, interfaces = os.networkInterfaces()) {
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

/**
 * @param {object} options
 * @param {string} options.address
 * @param {'http' | 'https'} options.scheme
 * @param {string} options.host   by which others on its network ask it
 * @param {number} options.port
 * @param {string} options.path
 * @param {string} [options.method]
 * @param {Record<string, string>} [options.headers]
 * @param {number} [options.limitMs]
 * @param {boolean} [options.isWhole]  the answer is taken to its end, as far as that comes in time: who breaks off changes what is answered
 * @returns {Promise<Answer>}
 */
export function answerOf({ address, scheme, host, port, path, method = 'GET', headers = {}, limitMs = ANSWER_LIMIT_MS, isWhole = false }) {
  const name = port === USUAL_PORT[scheme] ? host : `${host}:${port}`;
  const options = { host: address, port, path, method, headers: { Host: name, ...CLIENT, ...headers }, timeout: limitMs, agent: false };
  // A service's own certificate is for the name that users know.
  const secured = { ...options, rejectUnauthorized: false, ...(isIP(host) === 0 ? { servername: host } : {}) };
  return new Promise((resolve) => {
    const failed = (/** @type {string} */ error) => resolve({ status: 0, location: '', error });
    const request = scheme === 'https' ? https.request(secured) : http.request(options);
    request.on('response', (response) => {
      const { statusCode: status = 0, headers: given } = response;
      const answer = { status, location: given.location ?? '', error: '' };
      if (status < FIRST_REFUSAL || !IS_TEXT.test(given['content-type'] ?? 'text/plain')) {
        if (isWhole) return takenWhole(response, limitMs).then((taken) => resolve({ ...answer, ...taken }));
        response.destroy();
        return resolve(answer);
      }
      firstLineOf(response).then((line) => resolve(line === '' ? answer : { ...answer, line }));
    });
    request.on('timeout', () => {
      failed(`no answer in ${limitMs / 1000} s`);
      request.destroy();
    });
    request.on('error', (error) => failed(error.message));
    request.end();
  });
}

/**
 * @param {http.IncomingMessage} response
 * @param {number} limitMs
 * @returns {Promise<Pick<Answer, 'page' | 'isEmpty'>>} of a page in HTML, as much as is kept of one
 */
function takenWhole(response, limitMs) {
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

/**
 * Of what comes at once, as far as it can be printed.
 * @param {http.IncomingMessage} response
 * @returns {Promise<string>}
 */
function firstLineOf(response) {
  return new Promise((resolve) => {
    const end = (/** @type {string} */ text) => {
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
