import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { Said } from '../wire/fixtures/converse.ts';
import { converse } from '../wire/fixtures/converse.ts';
import { ENDS, ROLES } from '../wire/fixtures/listening.ts';
import { decoders } from './registry.ts';

const ROUNDS = 200;

test('every protocol has a name of its own', () => {
	assert.ok(decoders.length > 0);
	assert.equal(new Set(decoders.map(({ protocol }) => protocol)).size, decoders.length);
	for (const { protocol, title } of decoders) assert.match(`${protocol} ${title}`, /^[a-z0-9-]+ \S/);
});

for (const decoder of decoders) {
	test(`${decoder.title} is not taken for noise, and noise does not break it`, () => {
		for (let round = 0; round < ROUNDS; round += 1) {
			const noise = randomBytes(round * 3 + 1);
			for (const midway of [false, true]) assert.notEqual(decoder.recognise(noise, Buffer.alloc(0), midway), 'yes', noise.toString('hex'));
			const said: Said[] = [
				['client', noise, round % 7],
				['server', randomBytes(round + 1), round % 3],
				['client', randomBytes(64)],
				['server', noise],
			];
			const { calls } = converse(decoder, said, {
				split: (round % 50) + 1,
				by: round % 2 ? 'client' : 'server',
				how: round % 3 ? 'closed' : 'reset',
			});
			for (const { end, role = 'call' } of calls) assert.ok(ENDS.includes(end) && ROLES.includes(role));
		}
	});
}
