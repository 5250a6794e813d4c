import assert from 'node:assert/strict';
import { request } from 'node:http';
import { afterEach, beforeEach, test } from 'node:test';
import { LiveServer } from './live-server.ts';

const STATUS = { stage: 'to 100 users', users: 40, rps: 700, p95Ms: 12, failureRate: 0, leftS: 70 };
let live: LiveServer;

beforeEach(async () => {
	live = await LiveServer.start('<2a> smoke');
});
afterEach(() => live.end());

/** Events, one after the other. */
async function* eventsOf(body: ReadableStream<Uint8Array>) {
	let text = '';
	for await (const piece of body) {
		text += Buffer.from(piece).toString('utf8');
		for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
			const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(text.slice(0, end)) ?? [];
			yield { event, data: JSON.parse(data) };
			text = text.slice(end + 2);
		}
	}
}

test('it is on this machine alone, and its page escapes what it shows', async () => {
	assert.match(live.url, /^http:\/\/127\.0\.0\.1:\d+\/$/);
	const page = await (await fetch(live.url)).text();
	assert.ok(page.includes('&lt;2a&gt; smoke') && !page.includes('<2a>'));
});

test('who comes later gets the seconds that passed, then each as it comes, then the end', async () => {
	live.load(STATUS);
	const { body } = await fetch(new URL('/seconds', live.url));
	assert.ok(body);
	const events = eventsOf(body);
	const { value: passed } = await events.next();
	assert.deepEqual([passed?.event, passed?.data.length], ['passed', 1]);
	live.load({ ...STATUS, rps: 800 });
	const { value: second } = await events.next();
	assert.deepEqual([second?.event, second?.data.rps], ['second', 800]);
	await live.end();
	const { value: end } = await events.next();
	assert.deepEqual(end, { event: 'end', data: { report: false } });
});

test('at the end a browser that watches gets the report, and is waited for', async () => {
	const { body } = await fetch(new URL('/seconds', live.url));
	const events = eventsOf(body as ReadableStream<Uint8Array>);
	await events.next();
	const ended = live.end(async () => 'the report');
	assert.equal((await events.next()).value?.data.report, true);
	assert.equal(await (await fetch(new URL('/report', live.url))).text(), 'the report');
	await ended;
});

test('who asks by another name, or for something else, is refused', async () => {
	const statusOf = (host: string, path: string) =>
		new Promise((resolve) => {
			request(new URL(path, live.url), { headers: { host } }, ({ statusCode }) => resolve(statusCode)).end();
		});
	const { host } = new URL(live.url);
	assert.equal(await statusOf('evil.example', '/'), 403);
	assert.equal(await statusOf(host, '/../etc/passwd'), 404);
	assert.equal(await statusOf(host, '/report'), 404);
});
