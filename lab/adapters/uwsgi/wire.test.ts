import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Said } from '../../wire/fixtures/converse.ts';
import { BEGAN_AT, converse, converseInPieces } from '../../wire/fixtures/converse.ts';
import { decoder } from './wire.ts';

const sized = (text: string) => String.fromCharCode(text.length & 255, text.length >> 8) + text;
function ask(values: Record<string, string>) {
	const body = Object.entries(values)
		.map(([name, value]) => sized(name) + sized(value))
		.join('');
	return `\0${String.fromCharCode(body.length & 255, body.length >> 8)}\0${body}`;
}
const GET = ask({
	QUERY_STRING: 'canary',
	REQUEST_METHOD: 'GET',
	REQUEST_URI: '/items/17?canary',
	HTTP_X_REQUEST_ID: 'a-1',
	HTTP_COOKIE: 'canary',
});

test('a request has its id, path and status, and its answer ends with the connection, wherever packets are cut', () => {
	const said: Said[] = [
		['client', `${GET}canary`],
		['server', 'HTTP/1.1 503 Busy\r\nContent-Type: text/plain\r\n\r\ncanary'],
		['server', 'canary', 900],
	];
	const whole = converse(decoder, said, { by: 'server' });
	assert.deepEqual(
		whole.calls.map(({ id, verb, template, status, bad, end, first_at, ended_at }) => [
			id,
			verb,
			template,
			status,
			bad,
			end,
			first_at,
			ended_at,
		]),
		[['a-1', 'GET', '/items/:n', 503, true, 'answered', BEGAN_AT + 1, BEGAN_AT + 2]],
	);
	assert.doesNotMatch(JSON.stringify(whole), /canary/);
	for (let split = 1; split <= GET.length; split += 1)
		assert.deepEqual(converse(decoder, said, { by: 'server', split }), whole, `split at ${split}`);
});

test('how an unanswered request ended says who ended it', () => {
	for (const [said, by, how, end] of [
		[[['client', GET]], 'client', 'closed', 'given-up'],
		[[['client', GET.slice(0, 9)]], 'server', 'closed', 'closed'],
		[
			[
				['client', GET],
				['server', 'HTTP/1.1 200 OK\r\n'],
			],
			'server',
			'reset',
			'cut',
		],
	] as [Said[], 'client' | 'server', 'closed' | 'reset', string][]) {
		const { calls } = converse(decoder, said, { by, how });
		assert.deepEqual(
			calls.map((call) => [call.end, call.by]),
			[[end, by]],
		);
	}
});

test('a body that goes on behind the answer was not seen to end', () => {
	const { calls } = converse(
		decoder,
		[
			['client', GET],
			['server', 'HTTP/1.1 413 Large\r\n\r\n'],
			['client', 'canary'],
		],
		{ by: 'server' },
	);
	assert.deepEqual([calls[0].status, calls[0].sent_at, calls[0].ended_at], [413, null, BEGAN_AT + 1]);
});

test('it is recognised by a first variable with a name of CGI', () => {
	const verdict = (client: string) => decoder.recognise(Buffer.from(client, 'latin1'), Buffer.alloc(0), false);
	assert.equal(verdict(GET), 'yes');
	assert.equal(verdict(GET.slice(0, 12)), 'more');
	for (const other of ['GET / HTTP/1.1\r\n', '\0\0\0\x08\x04\xd2\x16\x2f\0\0', '\0\x20\0\0\x05\0hello\0'])
		assert.equal(verdict(other), 'no');
});

test('of connections of a real server, recorded in part, every request has its path and status', () => {
	// Nginx 1.22 and uWSGI 2.0, 400 bytes of each packet.
	const file = new URL('fixtures/wire.json.gz', import.meta.url);
	const whole = converseInPieces(file, decoder, false);
	assert.deepEqual(
		whole.map(({ calls }) => calls.map(({ verb, template, status, end }) => [verb, template, status, end].join(' '))),
		[
			['GET /uw/items/:n 200 answered'],
			['GET /uw/items/:n 503 answered'],
			['GET /uw/items/:n 200 answered'],
			// Nginx gave it up.
			['GET /uw/items/:n  given-up'],
			// The server resets a connection whose body it did not read, here before the whole answer was taken.
			['POST /uw 200 cut'],
		],
	);
});
