/**
 * Every decoder on questions that are longer than what is recorded of a packet, on packets that end anywhere, and on answers that come before
 * the question has ended: there are as many calls as there were questions, and each has its own answer.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call, Decoder } from '../wire/contract.ts';
import type { Said } from '../wire/fixtures/converse.ts';
import { converse } from '../wire/fixtures/converse.ts';
import { pickFrom } from '../wire/fixtures/mutations.ts';
import { LONG_TALKS } from './fixtures/long-questions.ts';
import { decoders } from './registry.ts';

/** Bytes of each packet that are recorded: all, as a run does, and fewer. */
const SNAPS = [Number.MAX_SAFE_INTEGER, 2048, 512];
const SIZES = [Number.MAX_SAFE_INTEGER, 16_384, 1448, 700];
const ROUNDS = 20;
/** Bytes of a question: nobody answers what it cannot tell yet. */
const LEAST = 40;

function packetsOf([side, given]: Said, sizeOf: (left: number) => number, snap: number): Said[] {
	const bytes = typeof given === 'string' ? Buffer.from(given, 'latin1') : given;
	const packets: Said[] = [];
	for (let from = 0; from < bytes.length; ) {
		const packet = bytes.subarray(from, from + Math.max(1, sizeOf(bytes.length - from)));
		packets.push([side, packet.subarray(0, snap), Math.max(0, packet.length - snap)]);
		from += packet.length;
	}
	return packets;
}

/** @param calls without what sets the connection up */
const signsOf = (calls: Call[]) =>
	calls
		.filter(({ role = 'call', verb }) => role !== 'connect' && verb !== 'confirm.select')
		.toSorted((one, other) => one.began_at - other.began_at)
		.map(({ role = 'call', status, code, end }) => [role, status ?? code ?? '', end]);
const buffer = (given: string | Buffer) => (typeof given === 'string' ? Buffer.from(given, 'latin1') : given);

for (const [name, talk] of Object.entries(LONG_TALKS)) {
	const decoder = decoders.find(({ protocol }) => protocol === name.split(' ')[0]) as Decoder;
	const {
		login = [],
		ask,
		answer,
		long,
		refuse,
		signs,
		early,
		earlySign,
		late = '',
		from = LEAST,
		left = 1,
		isOnce = false,
		ends = false,
	} = talk;
	const [good, refused] = signs.map((sign) => ['call', sign, 'answered']);
	const exchange = (number: number): Said[] =>
		isOnce
			? []
			: [
					['client', ask(number)],
					['server', answer(number)],
				];
	const [before, after] = [exchange(1), exchange(3)];
	const expected = isOnce ? [refused] : [good, refused, good];

	test(`${name}: a long question is one call with its answer, wherever packets end and however little of them is recorded`, () => {
		const said: Said[] = [...login, ...before, ['client', long(2)], ['server', refuse(2)], ...after];
		const pick = pickFrom(55);
		const sizes = [...SIZES.map((size) => () => size), ...Array.from({ length: ROUNDS }, () => (left: number) => 1 + pick(left))];
		for (const snap of SNAPS)
			for (const [index, sizeOf] of sizes.entries()) {
				const packets = said.flatMap((one) => packetsOf(one, sizeOf, snap));
				assert.deepEqual(
					signsOf(converse(decoder, packets, { by: 'server' }).calls),
					expected,
					`size ${SIZES[index] ?? 'any'}, ${snap} recorded`,
				);
			}
	});

	test(`${name}: an answer that comes before the question has ended is its answer, and what follows of the question is none`, () => {
		const whole = buffer(long(2));
		const pick = pickFrom(56);
		const refusedSo = ['call', earlySign ?? signs[1], 'answered'];
		const cuts = [
			from,
			600,
			1448,
			5000,
			whole.length >> 1,
			whole.length - left,
			...Array.from({ length: ROUNDS }, () => from + pick(whole.length - from - left)),
		];
		for (const snap of SNAPS)
			for (const size of SIZES)
				for (const cut of cuts) {
					// Who closes is sent some more, until its client knows.
					const rest = ends ? whole.subarray(cut, cut + 3000) : whole.subarray(cut);
					const said: Said[] = [
						...login,
						...before,
						['client', whole.subarray(0, cut)],
						['server', early ?? refuse(2)],
						['client', rest],
						['server', late],
						...(ends ? [] : after),
					];
					const packets = said.flatMap((one) => packetsOf(one, () => size, snap));
					const { calls } = converse(decoder, packets, { by: 'server' });
					assert.deepEqual(
						signsOf(calls),
						isOnce ? [refusedSo] : ends ? [good, refusedSo] : [good, refusedSo, good],
						`cut at ${cut}, size ${size}, ${snap} recorded`,
					);
				}
	});
}

test('all protocols of connections that have answers are among them', () => {
	const tried = new Set(Object.keys(LONG_TALKS).map((name) => name.split(' ')[0]));
	const left = decoders
		.filter(({ protocol, transport }) => transport === undefined && !tried.has(protocol))
		.map(({ protocol }) => protocol);
	// A publisher is answered by whoever is subscribed, on another connection.
	assert.deepEqual(left, ['nats']);
});
