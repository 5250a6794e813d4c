import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import { test } from 'node:test';
import { answerOf, isReachable } from './http-answer.ts';

const address = '127.0.0.1';

async function withServer(answer: RequestListener, use: (port: number) => Promise<void>) {
	const server = http.createServer(answer).listen(0, address);
	await once(server, 'listening');
	try {
		await use((server.address() as AddressInfo).port);
	} finally {
		server.close();
	}
}

const ask: (port: number, more?: object) => ReturnType<typeof answerOf> = (port, more = {}) =>
	answerOf({ address, scheme: 'http', host: 'web_1', port, path: '/items?all=1', ...more });

test('it is asked as its network asks it, and what it answers is told', async () => {
	await withServer(
		({ url, headers }, response) => {
			assert.deepEqual([url, headers['x-team']], ['/items?all=1', 'shop']);
			assert.match(String(headers.host), /^web_1:\d+$/);
			response.writeHead(302, { location: 'https://shop.example.com/' }).end('gone');
		},
		async (port) => {
			const answer = await ask(port, { headers: { 'X-Team': 'shop' } });
			assert.deepEqual(answer, { status: 302, location: 'https://shop.example.com/', error: '' });
		},
	);
});

test('an answer is taken to its end where that is asked for', async () => {
	for (const isComplete of [false, true]) {
		let isEnded = false;
		await withServer(
			(_, response) => {
				response.writeHead(200).flushHeaders();
				setTimeout(() => {
					isEnded = true;
					response.end('late');
				}, 50);
			},
			async (port) => assert.deepEqual([(await ask(port, { isComplete })).status, isEnded], [200, isComplete]),
		);
	}
});

test('of a refusal the first line is reported, where it is one to be read', async () => {
	const lines = [
		['text/plain', '\n404 page \u0007not found\nmore', '404 page not found'],
		['application/problem+json; charset=utf-8', `{"title":"${'no '.repeat(50)}"}`, `{"title":"${'no '.repeat(23)}n…`],
		['text/html', '<!DOCTYPE html>', undefined],
		['text/plain', '', undefined],
	];
	for (const [type, text, line] of lines)
		await withServer(
			(_, response) => response.writeHead(404, { 'content-type': type }).end(text),
			async (port) => assert.equal((await ask(port)).line, line),
		);
});

test('a refusal whose text never comes is one all the same', async () => {
	await withServer(
		(_, response) => response.writeHead(503, { 'content-type': 'text/plain' }).flushHeaders(),
		async (port) => assert.deepEqual(await ask(port), { status: 503, location: '', error: '' }),
	);
});

test('where nothing listens, and where nothing is said in time, the answer says so', async () => {
	let free = 0;
	await withServer(
		() => {},
		async (port) => {
			free = port;
			assert.deepEqual(await ask(port, { limitMs: 50 }), { status: 0, location: '', error: 'no answer in 0.05 s' });
		},
	);
	const { status, error } = await ask(free);
	assert.equal(status, 0);
	assert.match(error, /ECONNREFUSED/);
});

test('what speaks another protocol is no answer', async () => {
	const server = net.createServer((socket) => socket.end('SSH-2.0-x\r\n')).listen(0, address);
	await once(server, 'listening');
	const { status, error } = await ask((server.address() as AddressInfo).port);
	server.close();
	assert.equal(status, 0);
	assert.match(error, /Parse Error/);
});

test('an address is reached where this machine is on its network', () => {
	const one = { netmask: '', mac: '', internal: false } as const;
	const interfaces = {
		lo: [{ ...one, family: 'IPv4' as const, address: '127.0.0.1', cidr: '127.0.0.1/8', internal: true }],
		'br-1': [{ ...one, family: 'IPv4' as const, address: '172.18.0.1', cidr: '172.18.0.1/16' }],
	};
	assert.deepEqual(
		['172.18.4.7', '172.19.0.2', '127.0.0.2', ''].map((address) => isReachable(address, interfaces)),
		[true, false, false, false],
	);
});

test('who answers that an answer comes, again and again, has given none', { timeout: 10_000 }, async () => {
	const early = ({ socket }: http.IncomingMessage) => {
		const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 5);
		socket.on('close', () => clearInterval(timer)).on('error', () => {});
	};
	await withServer(early, async (port) => {
		assert.deepEqual(await ask(port, { limitMs: 60 }), { status: 0, location: '', error: 'no answer in 0.06 s' });
	});
});
