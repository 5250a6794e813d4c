/**
 * Keeps what is sent to a port, byte by byte, in a file.
 */
import { createWriteStream } from 'node:fs';
import net from 'node:net';

/**
 * @param {object} options
 * @param {number} options.port   0: any that is free
 * @param {string} options.path   of the file, which is added to
 * @returns {Promise<{ port: number, close: () => Promise<void> }>} when it listens; close: waits until the senders have left and all that
 *   they sent is written
 */
export async function keepStream({ port, path }) {
  const file = createWriteStream(path, { flags: 'a' });
  const server = net.createServer((socket) => {
    // A sender that is killed may reset its connection; what it had sent until then is there.
    socket.on('error', () => {});
    socket.pipe(file, { end: false });
  });
  await new Promise((resolve) => server.listen(port, () => resolve(undefined)));
  return {
    port: /** @type {net.AddressInfo} */ (server.address()).port,
    close: async () => {
      await new Promise((resolve) => server.close(resolve));
      await new Promise((resolve) => file.end(() => resolve(undefined)));
    },
  };
}
