/**
 * Every decoder on what may become of a conversation before it is read. What it says may be wrong then, but it stands in its contract, and
 * nothing of what was said is in it.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { begun } from '../wire/fixtures/begun-calls.ts';
import { readConversations } from '../wire/fixtures/conversations.ts';
import type { Cost } from '../wire/fixtures/floods.ts';
import { listen, recogniseAll } from '../wire/fixtures/listening.ts';
import type { Packet } from '../wire/fixtures/mutations.ts';
import { MUTATIONS, pickFrom } from '../wire/fixtures/mutations.ts';

// After the set that they count in.
/** Of streams; what is said in datagrams has each message whole. */
const decoders = (await import('./registry.ts')).decoders.filter(({ transport }) => transport !== 'udp');

/** Of each mutation of each conversation. */
const ROUNDS = 4;
/** No word that a template would keep: it has digits. */
const CANARY = 'c4n4ry';
const HOWS = ['closed', 'reset', 'open'] as const;
const NAMES = Object.keys(MUTATIONS);
const BYS = ['client', 'server'] as const;

const all = readConversations();
/** Names of folders are those of products. */
const FOLDERS: Record<string, string> = { mongodb: 'mongo' };
const conversationsOf = (protocol: string) => all[FOLDERS[protocol] ?? protocol];

/** Texts somewhere in the packets become a canary, but those that a call of it keeps. */
function withCanary(packets: Packet[], kept: string, pick: (most: number) => number): Packet[] {
	return packets.map((packet) => {
		const places = [...packet.bytes.toString('latin1').matchAll(/[A-Za-z_]{6,}/g)].filter(([word]) => !kept.includes(word.toLowerCase()));
		if (places.length === 0) return packet;
		const bytes = Buffer.from(packet.bytes);
		for (let times = 1 + pick(3); times > 0; times -= 1) bytes.write(CANARY, places[pick(places.length)].index, 'latin1');
		return { ...packet, bytes };
	});
}

for (const decoder of decoders) {
	const conversations = conversationsOf(decoder.protocol);
	const others = decoders.flatMap(({ protocol }) => (protocol === decoder.protocol ? [] : (conversationsOf(protocol) ?? [])));

	test(`${decoder.title}: whatever becomes of a conversation, its calls are as the contract has them, and without anything that was said`, () => {
		assert.ok(conversations?.length > 0, 'it has conversations of a real product');
		const pick = pickFrom(38);
		for (const packets of conversations) {
			const whole = listen(decoder, packets);
			const kept = JSON.stringify(whole.calls).toLowerCase();
			for (const [name, mutate] of Object.entries(MUTATIONS))
				for (let round = 0; round < ROUNDS; round += 1) {
					const changed = mutate(withCanary(packets, kept, pick), pick, others[pick(others.length)]);
					const again = pick(3) === 0 ? NAMES[pick(NAMES.length)] : null;
					const twice = again === null ? changed : MUTATIONS[again](changed, pick, others[pick(others.length)]);
					const isFlipped = [name, again].includes('bytes are flipped');
					const { calls, problems } = listen(decoder, twice, {
						midway: pick(4) === 0,
						how: HOWS[pick(3)],
						by: BYS[pick(2)],
						finishes: pick(3) === 0,
						begun,
					});
					assert.deepEqual(problems, [], `${name}, round ${round}`);
					// A flipped bracket makes a value part of a name; on a real wire a checksum keeps it from being one.
					if (!isFlipped) assert.doesNotMatch(JSON.stringify(calls), /c4n4ry|canary/i, `${name}, round ${round}`);
				}
		}
	});
}

test('no two decoders take the same bytes, whatever became of them', () => {
	const pick = pickFrom(39);
	const every = Object.values(all).flat();
	for (const packets of every)
		for (const [name, mutate] of Object.entries(MUTATIONS))
			for (let round = 0; round < ROUNDS; round += 1) {
				const changed = mutate(packets, pick, every[pick(every.length)]).slice(0, 4 + pick(6));
				assert.deepEqual(recogniseAll(decoders, changed, { midway: pick(2) === 0 }).problems, [], `${name}, round ${round}`);
			}
});

test('a real conversation is taken by its own decoder, which stands by it, byte by byte', () => {
	for (const { protocol } of decoders)
		for (const packets of conversationsOf(protocol)) {
			const { taker, problems } = recogniseAll(decoders, packets, { isComplete: true });
			assert.deepEqual([taker, problems], [protocol, []]);
			for (let from = 0; from < packets.length; from += 1) {
				const midway = recogniseAll(decoders, packets.slice(from), { midway: true, isComplete: packets[from].side === 'client' });
				assert.deepEqual(midway.problems, [], `${protocol} from packet ${from}`);
				assert.ok(['', protocol].includes(midway.taker), `${protocol} from packet ${from} is taken for ${midway.taker}`);
			}
		}
});

const FLOODS = fileURLToPath(new URL('../wire/fixtures/floods.ts', import.meta.url));
/** Of floods: large enough that what grows with its square is seen, small enough for a test. */
const OWN_BYTES = 100_000;
const COMMON_BYTES = 12_000;
const CPU_MS_MOST = 600;
const MEMORY_MB_MOST = 48;

test('a connection that does not end costs no more time than its bytes, and no more memory than is set', async () => {
	// A heap of its own, so that what is held too long ends it.
	const { stdout } = await promisify(execFile)(process.execPath, [
		'--max-old-space-size=128',
		'--expose-gc',
		FLOODS,
		`${OWN_BYTES}`,
		`${COMMON_BYTES}`,
	]);
	const costs = stdout
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line) as Cost);
	assert.ok(costs.length > 20 * decoders.length);
	assert.deepEqual(
		costs.filter(({ cpu_ms: cpu, memory_mb: memory }) => cpu > CPU_MS_MOST || memory > MEMORY_MB_MOST),
		[],
	);
});
