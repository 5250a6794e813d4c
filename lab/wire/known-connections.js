/**
 * Connections by both ends. Each packet looks for its own, so that no text is made for it: a pair of addresses has a list by both ports.
 *
 * @typedef {import('./connection.js').Connection} Connection
 * @typedef {import('./packets.js').TcpPacket} TcpPacket
 */

/** Of both ports in one whole number of 32 bits. */
const PORTS = 65_536;

export class KnownConnections {
  /** By the client's address, the server's, and both ports. @type {Map<string, Map<string, Map<number, Connection>>>} */
  #pairs = new Map();
  /** In the order in which they came. @type {Set<Connection>} */
  #all = new Set();

  get size() {
    return this.#all.size;
  }

  /** @returns {Connection | undefined} */
  get oldest() {
    return this.#all.values().next().value;
  }

  /** @param {TcpPacket} packet @returns {Connection | undefined} one whose client sent it */
  from({ source, sourcePort, target, targetPort }) {
    return this.#pairs.get(source)?.get(target)?.get(keyOf(sourcePort, targetPort));
  }

  /** @param {TcpPacket} packet @returns {Connection | undefined} one whose server sent it */
  to({ source, sourcePort, target, targetPort }) {
    return this.#pairs.get(target)?.get(source)?.get(keyOf(targetPort, sourcePort));
  }

  /** @param {Connection} connection  between ends that have none */
  add(connection) {
    const { client, client_port: clientPort, server, server_port: serverPort } = connection.record;
    this.#all.add(connection);
    inMap(inMap(this.#pairs, client), server).set(keyOf(clientPort, serverPort), connection);
  }

  /** @param {Connection} connection */
  has(connection) {
    return this.#all.has(connection);
  }

  /** @param {Connection} connection  that is there */
  delete(connection) {
    const { client, client_port: clientPort, server, server_port: serverPort } = connection.record;
    this.#all.delete(connection);
    const servers = this.#pairs.get(client);
    const ports = servers?.get(server);
    ports?.delete(keyOf(clientPort, serverPort));
    // Whoever makes up addresses has one connection between each two.
    if (ports?.size === 0) servers?.delete(server);
    if (servers?.size === 0) this.#pairs.delete(client);
  }

  /** @returns {Iterable<Connection>} in the order in which they came */
  all() {
    return this.#all;
  }

  clear() {
    this.#all.clear();
    this.#pairs.clear();
  }
}

/** @param {number} clientPort @param {number} serverPort */
const keyOf = (clientPort, serverPort) => (clientPort * PORTS + serverPort) | 0;

/** @template Key, Inner @param {Map<Key, Map<any, Inner>>} maps @param {Key} key @returns {Map<any, Inner>} */
function inMap(maps, key) {
  const known = maps.get(key);
  if (known) return known;
  const made = new Map();
  maps.set(key, made);
  return made;
}
