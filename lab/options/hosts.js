/**
 * The hosts of a Swarm that HOSTS names, such as `HOSTS='host2=ssh://lab@10.0.0.2 host3=ssh://lab@10.0.0.3'`: all but the one whose engine
 * the lab uses anyway.
 *
 * @typedef {object} Host
 * @property {string} name     as `docker node ls` has it
 * @property {string} address  of its engine: `ssh://user@machine`, or `unix:///path/of/a/socket` of this machine
 */
import { NotReadyError } from '../base/errors.js';

/** A host's name (RFC 1123), and where its engine answers. */
const HOST = /^(?<name>[A-Za-z0-9][\w.-]*)=(?<address>(?:ssh:\/\/[^\s/@-][^\s/]*|unix:\/\/\/\S+))$/;
const EXAMPLE = "HOSTS='host2=ssh://lab@10.0.0.2 host3=ssh://lab@10.0.0.3'";

/**
 * @param {string | undefined} text
 * @returns {Host[]} in their order; none where nothing is given
 * @throws {NotReadyError} naming the host that is spelt wrongly, or twice
 */
export function readHosts(text = '') {
  const hosts = text.split(/\s+/).filter(Boolean).map(readOne);
  const twice = hosts.find(({ name }, index) => hosts.findIndex((other) => other.name === name) < index);
  if (twice) throw new NotReadyError(`HOSTS: expected each host once; found "${twice.name}" twice.`, 'leave one of them out.');
  return hosts;
}

/** @param {string} item @returns {Host} */
function readOne(item) {
  const found = HOST.exec(item)?.groups;
  if (found) return { name: found.name, address: found.address };
  throw new NotReadyError(
    `HOSTS: expected hosts as in ${EXAMPLE}; found "${item}".`,
    'name each by its name in the Swarm ("docker node ls") and by where its engine answers: ssh://, or unix:// for a socket of this machine.',
  );
}

/** As HOSTS takes them. @param {readonly Host[]} hosts */
export const spellHosts = (hosts) => hosts.map(({ name, address }) => `${name}=${address}`).join(' ');
