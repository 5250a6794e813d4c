/**
 * Asks a container over HTTP from this machine, at its address, as one of its network would ask it by its name.
 *
 * @typedef {{ status: number, location: string, error: string }} Answer  status: 0 where there was none, and `error` says why
 */
import http from 'node:http';
import https from 'node:https';
import { BlockList, isIP } from 'node:net';
import os from 'node:os';

const ANSWER_LIMIT_MS = 5000;
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
 * @param {Record<string, string>} [options.headers]
 * @param {number} [options.limitMs]
 * @returns {Promise<Answer>}
 */
export function answerOf({ address, scheme, host, port, path, headers = {}, limitMs = ANSWER_LIMIT_MS }) {
  const name = port === USUAL_PORT[scheme] ? host : `${host}:${port}`;
  const options = { host: address, port, path, headers: { Host: name, ...headers }, timeout: limitMs, agent: false };
  // A service's own certificate is for the name that users know.
  const secured = { ...options, rejectUnauthorized: false, ...(isIP(host) === 0 ? { servername: host } : {}) };
  return new Promise((resolve) => {
    const failed = (/** @type {string} */ error) => resolve({ status: 0, location: '', error });
    const request = scheme === 'https' ? https.request(secured) : http.request(options);
    request.on('response', (response) => {
      const { statusCode: status = 0, headers: given } = response;
      response.destroy();
      resolve({ status, location: given.location ?? '', error: '' });
    });
    request.on('timeout', () => {
      failed(`no answer in ${limitMs / 1000} s`);
      request.destroy();
    });
    request.on('error', (error) => failed(error.message));
    request.end();
  });
}
