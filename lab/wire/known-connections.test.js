import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Connection } from './connection.js';
import { Talk } from './fixtures/talk.js';
import { KnownConnections } from './known-connections.js';

/** @param {{ client: string, clientPort: number, server: string, serverPort: number }} ends */
function knownOf({ client, clientPort, server, serverPort }) {
  const about = { id: 1, client, client_port: clientPort, server, server_port: serverPort, at: 1, midway: false };
  return new Connection(about, [], () => {});
}

test('a packet finds the connection of its ends, from whichever side it comes, and no other', () => {
  const known = new KnownConnections();
  const all = [
    { client: '10.0.0.1', clientPort: 65_535, server: '10.0.0.2', serverPort: 65_535 },
    { client: '10.0.0.1', clientPort: 65_535, server: '10.0.0.2', serverPort: 65_534 },
    { client: '10.0.0.2', clientPort: 65_534, server: '10.0.0.1', serverPort: 65_535 },
    { client: 'fd00::1', clientPort: 1, server: '10.0.0.2', serverPort: 80 },
  ].map((ends) => ({ ends, connection: knownOf(ends) }));
  for (const { connection } of all) known.add(connection);
  for (const { ends, connection } of all.slice(0, 1)) {
    const [asked, answered] = new Talk(ends).open();
    assert.equal(known.from(asked), connection);
    assert.equal(known.to(answered), connection);
    assert.equal(known.to(asked), undefined);
  }
  assert.equal(known.from(new Talk(all[1].ends).open()[0]), all[1].connection);
  assert.equal(known.to(new Talk(all[1].ends).open()[0]), all[2].connection);
  assert.equal(known.oldest, all[0].connection);
  known.delete(all[0].connection);
  assert.deepEqual([known.size, known.has(all[0].connection), known.has(all[1].connection)], [3, false, true]);
  assert.equal(known.from(new Talk(all[0].ends).open()[0]), undefined);
  assert.deepEqual(
    [...known.all()],
    all.slice(1).map(({ connection }) => connection),
  );
});
