/**
 * What the process asks of others: how many HTTP calls are on their way, and which calls and connections failed, by code and address. Of
 * a connection that is not HTTP's, such as a database driver's, that it was refused or broke is all that shows.
 */
import { attempt, listen } from './attempt.mjs';

/** Different failures that are told apart; the rest is counted together. */
const KINDS_MOST = 50;
const OTHERS = 'other';

export const outgoing = {
  pending: 0,
  failed: /** @type {Record<string, number>} */ ({}), // since the process began, by "code address"
};

/** One error may be told by several channels. @type {WeakSet<object>} */
const reported = new WeakSet();

export function watchOutgoing() {
  listen('net.client.socket', ({ socket }) => follow(socket));
  listen('http.client.request.start', ({ request }) => {
    outgoing.pending += 1;
    request.once('close', () => {
      outgoing.pending -= 1;
    });
  });
  listen('http.client.request.error', ({ request, error }) => fail(error, `${request.host ?? ''}`));
  listen('undici:request:create', () => {
    outgoing.pending += 1;
  });
  listen('undici:request:trailers', () => {
    outgoing.pending -= 1;
  });
  listen('undici:request:error', ({ request, error }) => {
    outgoing.pending -= 1;
    fail(error, String(request.origin ?? '').replace(/^\w+:\/\//, ''));
  });
}

/**
 * Its address is only there while it is connected.
 * @param {import('node:net').Socket} socket
 */
function follow(socket) {
  let address = '';
  socket.once('connect', () =>
    attempt(() => {
      address = socket.remoteAddress === undefined ? '' : `${socket.remoteAddress}:${socket.remotePort}`;
    }),
  );
  socket.once('close', (hadError) =>
    attempt(() => {
      if (hadError && socket.errored) fail(socket.errored, address);
    }),
  );
}

/**
 * @param {any} error
 * @param {string} otherwise  the address, where the error does not have it
 */
function fail(error, otherwise) {
  if (typeof error !== 'object' || error === null || reported.has(error)) return;
  reported.add(error);
  // Of several addresses that were tried, the first stands for all.
  const [first = error] = error.errors ?? [];
  const { code = error.name, address, hostname, port } = first;
  const host = address ?? hostname;
  const key = `${code} ${host === undefined ? otherwise : port === undefined ? host : `${host}:${port}`}`.trim();
  const known = key in outgoing.failed || Object.keys(outgoing.failed).length < KINDS_MOST ? key : OTHERS;
  outgoing.failed[known] = (outgoing.failed[known] ?? 0) + 1;
}
