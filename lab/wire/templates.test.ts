import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pathTemplate, plainId, statementTemplate, traceId } from './templates.ts';

test('a path keeps its words, and nothing of who asked', () => {
	for (const [target, template] of [
		['/', '/'],
		['/items/123?token=canary#x', '/items/:n'],
		['http://shop.example/items/123?a=b', '/items/:n'],
		['/users/7b1c3a52-9d0e-4f6a-8c11-1234567890ab/cart', '/users/:uuid/cart'],
		['/commit/9fceb02d0ae598e95dc970b74767f19372d61af8', '/commit/:id'],
		['/t/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ', '/t/:id'],
		['/u/canary@example.com', '/u/:id'],
		['/s/a%20canary', '/s/:id'],
		['/static/app.3f2a9c1b.js', '/static/:id.js'],
		['/static/site.css', '/static/site.css'],
		['/api/v2/health-check', '/api/v2/health-check'],
		['/page;jsessionid=canary', '/page'],
		['*', '*'],
	])
		assert.equal(pathTemplate(target), template, target);
	assert.ok(pathTemplate(`/${'word/'.repeat(500)}`).length < 210);
});

test('a statement keeps its verb and its tables', () => {
	for (const [text, verb, template] of [
		["select id, name from users where name = 'canary' and n = 5", 'SELECT', 'SELECT users'],
		["INSERT INTO orders (a) VALUES ('copied from secret', 'x')", 'INSERT', 'INSERT orders'],
		['SELECT * FROM a.orders o JOIN users u ON u.id = o.id', 'SELECT', 'SELECT a.orders, users'],
		['-- name: GetAuthor :one\nSELECT * FROM authors', 'SELECT', 'SELECT authors'],
		['/* canary */ UPDATE items_2024 SET a = 1', 'UPDATE', 'UPDATE items_:n'],
		['  ( SELECT 1 )', 'SELECT', 'SELECT'],
		['ROLLBACK', 'ROLLBACK', 'ROLLBACK'],
		['flush tables canary with read lock', 'FLUSH', 'FLUSH TABLES WITH READ LOCK'],
		['flush tables', 'FLUSH', 'FLUSH'],
		["SELECT GET_LOCK('canary', 10)", 'SELECT', 'SELECT get_lock()'],
		['select pg_advisory_unlock(4711)', 'SELECT', 'SELECT pg_advisory_unlock()'],
		['canary from secret', '', ''],
		['', '', ''],
	])
		assert.deepEqual(statementTemplate(text), { verb, template }, text);
	assert.equal(statementTemplate('DELETE FROM "Order Items" USING "users"', '"').template, 'DELETE');
	assert.equal(statementTemplate('DELETE FROM "orders"', '"').template, 'DELETE orders');
	assert.equal(statementTemplate('UPDATE `orders` SET a = "from secret"', '`').template, 'UPDATE orders');
});

test('no value is taken for a table, whichever quotes and escapes it is written in', () => {
	for (const text of [
		"INSERT INTO t VALUES ('C:\\', 'from secret')",
		"INSERT INTO t VALUES ('it''s from', 'x') -- from secret",
		'INSERT INTO t VALUES ("copied from secret")',
		'SELECT a FROM t WHERE b = $$copied from secret$$',
		'SELECT a FROM t WHERE b = $x$copied from secret$x$',
		"SELECT a FROM t WHERE b = 'cut from secret",
		'SELECT trim(leading "x" from "secret") FROM t',
		"SELECT a #> 'x\nfrom secret' FROM t",
		'SELECT a /* from secret */ FROM t',
	])
		for (const quote of ['', '`'] as const) assert.doesNotMatch(statementTemplate(text, quote).template, /secret/i, `${quote} ${text}`);
});

test('an id is kept where it looks like one, and of a trace its id alone', () => {
	assert.equal(plainId('abc-1.2:3_x', 64), 'abc-1.2:3_x');
	assert.equal(plainId('a canary', 64), undefined);
	assert.equal(plainId('a'.repeat(65), 64), undefined);
	assert.equal(traceId('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'), '4bf92f3577b34da6a3ce929d0e0e4736');
	assert.equal(traceId('canary'), undefined);
});

test('what is kept of a head does not keep the head in memory', () => {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc');
	const head = 'x'.repeat(20_000);
	const kept = [];
	collect();
	const before = process.memoryUsage().heapUsed;
	for (let index = 0; index < 500; index += 1) {
		const id = `request-${String(index).padStart(10, '0')}`;
		const [, found, path] = /^(\S+) (\S+) /.exec(Buffer.from(`${id} /${'word/'.repeat(60)}${index} ${head}`).toString()) ?? [];
		kept.push(plainId(found, 64), pathTemplate(path));
	}
	collect();
	const grown = process.memoryUsage().heapUsed - before;
	assert.equal(kept.length, 1000);
	assert.ok(grown < 2_000_000, `${grown} bytes for ids and paths of 200 each`);
});

test('a path of short words is its template, as it would be if each were looked at', () => {
	for (const path of ['/', '/a', '/items', '/items/new', '/abcdefg/abcdef/a']) assert.equal(pathTemplate(path), path);
	for (const [path, template] of [
		['/deadbeef', '/:id'],
		['/a/deadbeef/b', '/a/:id/b'],
		['/items?q=canary', '/items'],
		['/items/', '/items/'],
		['/items\n', pathTemplate('http://shop/items\n')],
		[`/a${'/abcdefg'.repeat(40)}`, `/a${'/abcdefg'.repeat(24)}/…`],
	])
		assert.equal(pathTemplate(path), template);
});
