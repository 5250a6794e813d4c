/**
 * The whole way from packets to the file, for every protocol at once: what real clients and servers said is in no part of it.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Connections } from '../wire/connections.ts';
import { readConversations } from '../wire/fixtures/conversations.ts';
import { Talk } from '../wire/fixtures/talk.ts';
import { WireWriter } from '../wire/record.ts';
import { decoders } from './registry.ts';

const streams = decoders.filter(({ transport }) => transport !== 'udp');

test('no key, value, literal, header or body of any protocol is in a record as it is written', async () => {
	const folder = mkdtempSync(join(os.tmpdir(), 'wire-private-'));
	try {
		const path = join(folder, 'wire.ndjson.gz');
		const writer = new WireWriter(path, 900);
		const seen = new Set();
		const said = new Set();
		const connections = new Connections(streams, {
			call: (call, connection) => writer.call(call, connection),
			connection: (connection) => {
				seen.add(connection.protocol);
				writer.connection(connection);
			},
		});
		let clientPort = 1024;
		for (const { protocol } of streams) {
			const conversations = readConversations()[protocol === 'mongodb' ? 'mongo' : protocol];
			for (const packets of conversations) {
				clientPort += 1;
				const talk = new Talk({ clientPort });
				for (const packet of talk.open()) connections.take(packet);
				for (const { side, bytes, hole } of packets) {
					const text = bytes.toString('latin1');
					if (/canary/i.test(text)) said.add(protocol);
					connections.take(talk.say(side, 'A', text + 'x'.repeat(hole), { recorded: bytes.length }));
				}
			}
		}
		connections.end();
		await writer.close();
		const text = String(gunzipSync(readFileSync(path)));
		for (const { protocol } of streams) assert.ok(seen.has(protocol), `${protocol} was read`);
		for (const protocol of ['http', 'redis', 'postgres', 'mongodb', 'mysql', 'amqp', 'memcached', 'nats'])
			assert.ok(said.has(protocol), `a canary was said in ${protocol}`);
		assert.equal(/.{0,60}canary.{0,60}/i.exec(text), null);
	} finally {
		rmSync(folder, { recursive: true });
	}
});
