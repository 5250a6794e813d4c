import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack } from './fixtures/made-stack.ts';

/**
 * lb refuses some requests at once, and passes the others on.
 * @param bytesOf of a question
 * @param about every: so many are refused
 */
function refusing(
	status: number,
	bytesOf: (index: number, isBad: boolean) => number,
	{ verb = 'GET', every = 3 }: { verb?: string; every?: number } = {},
) {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at, index) => {
		const isBad = at > 5 && index % every === 0;
		const rest = { verb, template: '/items', sent_bytes: bytesOf(index, isBad) };
		stack.call('k6 lb', at, at + (isBad ? 0.001 : 0.02), { ...rest, status: isBad ? status : 200, ...(isBad ? { bad: true } : {}) });
		if (!isBad) stack.call('lb api', at + 0.002, at + 0.018, rest);
	});
	const [{ place, mechanism, title, evidence }] = stack.follow().findings;
	assert.deepEqual([place.service, mechanism], ['lb', 'own-error']);
	return { title, evidence };
}
const HEADS = (index: number, isBad: boolean) => (isBad ? 8_300 : 300) + (index % 20) * 380;

test('where all that were refused are longer than all that went well, the lengths are told', () => {
	const { title, evidence } = refusing(400, HEADS);
	assert.equal(title, 'answered 400 by itself to requests with a line and headers of 8,300 bytes and more');
	assert.deepEqual(evidence.slice(0, 2), [
		'lb answered 400 to 83 of 83 requests with a line and headers of 8,300 bytes and more. The longest of 217 that it answered well had 7,520.',
		'If it has a limit for their length, that lies between 7,520 and 8,300 bytes.',
	]);
});

test('a status that says that something is too long is told with its words, and of a body the length of the whole', () => {
	assert.equal(
		refusing(413, (index, isBad) => (isBad ? 1_200_000 : 20_000) + index, { verb: 'POST' }).title,
		'answered 413 (content too large) by itself to requests of 1,200,102 bytes and more',
	);
	assert.match(refusing(414, HEADS).title ?? '', /^answered 414 \(URI too long\) by itself to requests with a line and headers of 8,300 /);
	assert.match(refusing(431, HEADS).title ?? '', /^answered 431 \(request header fields too large\) by itself to requests with /);
	// Refused before it had been sent as a whole: how long it was to be is not on record.
	assert.equal(refusing(413, () => 500, { verb: 'POST' }).title, 'answered 413 (content too large) by itself');
});

test('nothing is told of a length where longer ones went well, where all are short, or of a few alone', () => {
	const plain = 'answered 400 by itself';
	assert.equal(refusing(400, (index, isBad) => (isBad ? 8_300 : index === 100 ? 9_000 : 300)).title, plain);
	assert.equal(refusing(400, (_, isBad) => (isBad ? 320 : 300)).title, plain);
	assert.equal(refusing(400, (_, isBad) => (isBad ? 8_300 : 300), { every: 40 }).title, plain);
	assert.equal(refusing(422, HEADS).title, 'answered 422 by itself');
});
