import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { ask, CJS, ESM, startPreloaded } from './fixtures/preloaded.ts';

/** For which a client waits that leaves, and a program until it has written: more than its 200 ms. */
const A_WHILE_MS = 400;

/** A program with a preload, taken away after the test. */
function started(context: TestContext, ...given: Parameters<typeof startPreloaded>) {
	const program = startPreloaded(...given);
	context.after(() => {
		program.child.kill('SIGKILL');
		program.remove();
	});
	return program;
}

/** Without the times, which are no two times alike. */
const timeless = (lines: string[]) => lines.map((line) => line.replace(/^#\d+$/, '#').replace(/^(\S+) \d+/, '$1'));

for (const [ending, text] of [
	['mjs', ESM],
	['cjs', CJS],
] as const)
	test(`what became of each request is on record, and its end is as ever: ${ending}`, async (context) => {
		const program = started(context, text, { ending });
		const port = await program.port();
		assert.equal(await ask(port, '/good', { id: '1-1' }), 200);
		assert.equal(await ask(port, '/bad', { id: '1-2' }), 500);
		assert.equal(await ask(port, '/slow', { id: '1-3', giveUpMs: A_WHILE_MS }), 0);
		assert.equal(await ask(port, '/nameless'), 200);
		assert.equal(await ask(port, '/strange', { id: 'two words' }), 200);
		await ask(port, '/leave', { id: '1-4' });
		const { code, error } = await program.ended;
		assert.deepEqual([code, error], [3, '']);
		assert.deepEqual(timeless(program.lines()).slice(0, 7), ['#', '+1-1', '-1-1 200', '+1-2', '-1-2 500', '+1-3', 'x1-3']);
		const [first, last] = [program.rows()[0], program.rows().at(-1)];
		assert.deepEqual([first.event, first.received, first.versions], ['start', 0, { node: process.versions.node }]);
		assert.deepEqual([last.event, last.code, last.received, last.aborted, last.logged], ['stop', 3, 6, 1, 4]);
		assert.deepEqual([last.answered['5xx'], last.answered['2xx'] >= 3], [1, true]);
		assert.ok(last.heap_bytes > 0 && last.heap_bytes < first.heap_limit_bytes);
	});

test('an answer that broke off is no answer', async (context) => {
	const program = started(context, ESM);
	const port = await program.port();
	assert.equal(await ask(port, '/beginning', { id: '1-1', giveUpMs: A_WHILE_MS }), 0);
	await ask(port, '/leave');
	await program.ended;
	assert.deepEqual(timeless(program.lines()), ['#', '+1-1', 'x1-1']);
});

test('options that the program has already stay', async (context) => {
	const program = started(context, `${CJS};console.log(process.env.NODE_OPTIONS.split(' ')[0], Error.stackTraceLimit);`, {
		ending: 'cjs',
		before: '--stack-trace-limit=7',
	});
	await program.port();
	program.child.kill('SIGTERM');
	const { out, signal } = await program.ended;
	assert.match(out, /--stack-trace-limit=7 7/);
	// It has no handler of SIGTERM, and gets none.
	assert.equal(signal, 'SIGTERM');
});

test('each second has a line, until the process is killed: what it had gathered by then is lost', async (context) => {
	const program = started(context, ESM);
	const port = await program.port();
	await ask(port, '/good', { id: '1-1' });
	await wait(1500);
	program.child.kill('SIGKILL');
	await program.ended;
	assert.deepEqual(
		program.rows().map(({ event }) => event),
		['start', 'tick'],
	);
	const [, tick] = program.rows();
	assert.deepEqual([tick.received, tick.in_flight, tick.logged], [1, 0, 1]);
	assert.ok(tick.loop_utilisation < 0.5 && tick.loop_delay_ms.max < 500);
});

test('each process of a cluster has a record of its own, and who only starts them none', async (context) => {
	const program = started(
		context,
		`import cluster from 'node:cluster';
if (cluster.isPrimary) {
  for (let count = 0; count < 2; count += 1) cluster.fork({ PORT: process.env.PORT ?? '0' });
  cluster.on('exit', () => { if (Object.keys(cluster.workers).length === 0) process.exit(0); });
} else {
  const { default: http } = await import('node:http');
  const server = http.createServer((request, response) => {
    if (request.url === '/leave') setImmediate(() => process.exit(0));
    response.setHeader('Connection', 'close');
    response.end(String(process.pid));
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
}`,
	);
	const port = await program.port();
	// Both have to listen, or one would have all of them.
	await wait(A_WHILE_MS);
	for (let number = 1; number <= 8; number += 1) assert.equal(await ask(port, '/', { id: `1-${number}` }), 200);
	await ask(port, '/leave');
	await wait(A_WHILE_MS);
	await ask(port, '/leave');
	assert.equal((await program.ended).code, 0);
	assert.deepEqual([program.rows(3), program.rows(1).length > 0, program.rows(2).length > 0], [[], true, true]);
	assert.notEqual(program.rows(1)[0].pid, program.rows(2)[0].pid);
	const logged = [1, 2].map((number) => program.rows(number).at(-1).logged);
	assert.equal(logged[0] + logged[1], 8);
	assert.equal([1, 2].flatMap((number) => program.lines(number).filter((line) => line.startsWith('+'))).length, 8);
});

test('a server in a thread has a record, a thread and a child without one have none', async (context) => {
	const thread = `import http from 'node:http'; import { parentPort } from 'node:worker_threads';
const server = http.createServer((_, response) => response.end());
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;
	const program = started(
		context,
		`import { execFileSync } from 'node:child_process'; import { Worker } from 'node:worker_threads';
execFileSync(process.execPath, ['-e', '1']);
new Worker('1', { eval: true });
const worker = new Worker(new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(thread)})));
worker.on('message', (port) => console.log(port));
setTimeout(() => process.exit(0), 2000);`,
	);
	const port = await program.port();
	assert.equal(await ask(port, '/', { id: '1-1' }), 200);
	assert.equal((await program.ended).code, 0);
	assert.deepEqual([program.rows(1)[0].thread > 0, program.rows(2)], [true, []]);
	assert.deepEqual(timeless(program.lines()), ['#', '+1-1', '-1-1 200']);
});

test('a program that has done its work ends, and leaves no record', async (context) => {
	const program = started(
		context,
		`console.log(['uncaughtException', 'unhandledRejection', 'SIGTERM'].map((name) => process.listenerCount(name)).join());`,
	);
	const { code, out, error } = await program.ended;
	assert.deepEqual([code, out, error, program.rows()], [0, '0,0,0\n', '', []]);
});

test('an error that nobody catches ends the program as ever, and the record says with which code', async (context) => {
	const program = started(context, ESM);
	await ask(await program.port(), '/throw', { id: '1-1' });
	const { code, error } = await program.ended;
	assert.equal(code, 1);
	assert.match(error, /nobody catches this/);
	assert.deepEqual([program.rows().at(-1).event, program.rows().at(-1).code], ['stop', 1]);
});

test('where there is no folder that it could write to, the program runs as ever', async (context) => {
	const program = started(context, ESM, { hasFolder: false });
	const port = await program.port();
	assert.deepEqual([await ask(port, '/good', { id: '1-1' }), await ask(port, '/bad', { id: '1-2' })], [200, 500]);
	await ask(port, '/leave');
	const { code, error } = await program.ended;
	assert.deepEqual([code, error], [3, '']);
});
