/**
 * The engine names no product: what knows one is its adapter.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../lab/base/paths.ts';
import { succeed } from './command.ts';

/** In names, texts and comments. k6 is none of them: it is the lab's own generator, and the only one. */
const PRODUCT =
	/nginx|haproxy|envoy|caddy|mongo|redis(?!t|cover)|postgres|pgbouncer|tokyo|gunicorn|piscina|fastify|\bexpress(?!ed|es|i|ly)/gi;

/** What may name them: adapters, published claims and the experiments that judge them; tests, and what they read. */
const MAY_NAME = /^lab\/adapters\/|^lab\/catalog\/(claims|published|experiments)|\/fixtures\/|\.test\.[jt]s$/;

const timesIn = (text: string) => text.match(PRODUCT)?.length ?? 0;

const files = (await succeed('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'lab']))
	.split('\n')
	.filter((file) => file !== '' && !MAY_NAME.test(file));
/** The name of a file counts too. */
const found = new Map(files.map((file) => [file, timesIn(`${file}\n${readFileSync(join(ROOT, file), 'utf8')}`)]));

test('a product is known by its name, and no other word is taken for one', () => {
	for (const text of ['const mongoUrl', 'nginx.conf', 'MongoServerError', 'one Express node', 'expressApp', 'REDIS_URL', 'redis7'])
		assert.equal(timesIn(text), 1, text);
	for (const text of ['an expression', 'expressed', 'redistribute', 'k6']) assert.equal(timesIn(text), 0, text);
	assert.ok(files.length > 100 && files.includes('lab/cli/main.ts') && files.includes('lab/doubletake'));
});

test('no file of the engine names a product', () => {
	const others = [...found].filter(([, times]) => times > 0).map(([file, times]) => `${file}: ${times}`);
	assert.deepEqual(others, [], 'what knows a product belongs into its adapter');
});
