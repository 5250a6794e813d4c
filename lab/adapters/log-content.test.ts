import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutContent } from './log-content.ts';

function assertKept(lines: Record<string, string>): void {
	for (const [line, kept] of Object.entries(lines)) assert.equal(withoutContent(line), kept);
}

test('the words and figures of a program stay', () => {
	for (const line of [
		'HikariPool-1 - Connection is not available, request timed out after 30000ms.',
		'sqlalchemy.exc.TimeoutError: QueuePool limit of size 10 overflow 5 reached, connection timed out, timeout 30.00',
		'[2026-11-21 20:00:02 +0000] [1] [CRITICAL] WORKER TIMEOUT (pid:7)',
		'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
		'dial tcp 172.18.0.5:3000: connect: cannot assign requested address',
		"Error: connect ECONNREFUSED 172.18.0.5:3000, it can't be reached and won't be",
		'    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1555:16)',
		'level=error status=502 took=1.20s retries=3 pool timeout',
		'1:M 21 Nov 2026 20:00:00.999 # Server initialized on x86_64-pc-linux-gnu',
		'2026-11-21T20:00:01.000000Z WARN server reached pm.max_children setting (5), consider raising it',
		'',
	])
		assert.equal(withoutContent(line), line);
});

test('values are taken away, whatever they stand in', () => {
	assertKept({
		"KeyError: 'canary'": "KeyError: '?'",
		'psycopg2.errors.UniqueViolation: duplicate key value violates unique constraint "users_email_key"':
			'psycopg2.errors.UniqueViolation: duplicate key value violates unique constraint "?"',
		'DETAIL:  Key (email)=(canary) already exists.': 'DETAIL:  ?',
		'Key (email)=(canary) already exists.': 'Key (email)=(?) already exists.',
		"[SQL: INSERT INTO cards (pin) VALUES (canary, 'canary')]": '[SQL: INSERT cards ?',
		'rejected update cards set pin = 4111 where owner = canary': 'rejected UPDATE cards ?',
		"(1062, \"Duplicate entry 'canary' for key 'users.email'\")": '(1062, "?")',
		'E11000 duplicate key error collection: shop.users index: email_1 dup key: { email: "canary" }':
			'E11000 duplicate key error collection: shop.users index: email_1 dup key: { email: "?" }',
		'login of user=canary by 172.18.0.9:41000 took=12ms': 'login of user=? by 172.18.0.9:41000 took=12ms',
		'Cookie: session=canary; a=canary': 'Cookie: ?',
		'{ authorization: Bearer canary }': '{ authorization: ?',
		'mail to alice.canary@example.org of 4111111111111111 and 7f3a9c2e-51b0-4c1d-9e77-0a1b2c3d4e5f': 'mail to ? of ? and ?',
		'GET /orders/canary17?token=canary 200 12ms': 'GET /orders/:id 200 12ms',
		'asking http://me:canary@partner:8080/pay/17?card=canary failed': 'asking http://partner:8080/pay/:n failed',
		'cannot serve /files/a?token=canary': 'cannot serve /files/a?',
		'an unended "canary': 'an unended "?"',
	});
});

test('of a line in colour the same is kept as of one without', () => {
	const red = (text: string) => `\x1b[31m\x1b[1m${text}\x1b[0m`;
	assertKept({
		[`10:57 DBG proxy.go:121 > 504 Gateway Timeout \x1b[36merror=\x1b[0m${red('"net/http: timeout awaiting response headers"')}`]:
			'10:57 DBG proxy.go:121 > 504 Gateway Timeout error="net/http: timeout awaiting response headers"',
		[`${red('password')}: canary of two`]: 'password: ?',
	});
});

test('what another program wrote is kept as its own line would be', () => {
	const fatal =
		'PHP message: PHP Fatal error:  Allowed memory size of 16777216 bytes exhausted (tried to allocate 20480 bytes) in /app/index.php on line 17';
	for (const line of [
		`[28-Nov-2026 14:33:40] WARNING: [pool www] child 12 said into stderr: "${fatal}"`,
		`2026/11/28 14:33:40 [error] 7#7: *26 FastCGI sent in stderr: "${fatal}" while reading response header from upstream`,
		`[proxy_fcgi:error] [pid 9] AH01071: Got error '${fatal}'`,
	])
		assert.equal(withoutContent(line), line);
	const secret = 'said into stderr: "PHP Warning: no basket of \'anna\' (anna@example.org)"';
	assert.equal(withoutContent(secret), 'said into stderr: "PHP Warning: no basket of \'?\' (?)"');
});

test('an access log keeps who answered what how', () => {
	assertKept({
		'172.18.0.3 - alice [21/Nov/2026:20:00:01 +0000] "GET /items/9?pin=canary HTTP/1.1" 200 512 "http://canary/?a=canary" "canary/0.54" 0.012':
			'172.18.0.3 - - [21/Nov/2026:20:00:01 +0000] "GET /items/:n HTTP/1.1" 200 512 "?" "?" 0.012',
		'172.18.0.3 - - [21/Nov/2026:20:00:01 +0000] "GET / HTTP/1.1" 200 193 "-" "canary"':
			'172.18.0.3 - - [21/Nov/2026:20:00:01 +0000] "GET / HTTP/1.1" 200 193 "-" "?"',
		'INFO:     172.18.0.3:41000 - "GET /items?pin=canary HTTP/1.1" 200 OK': 'INFO:     172.18.0.3:41000 - "GET /items HTTP/1.1" 200 OK',
	});
});

test('of JSON and of named fields the text stays where it is the program’s', () => {
	assertKept({
		'time=20:00:01 level=error msg="pool timeout after 30s of \\"canary\\"" user="canary"':
			'time=20:00:01 level=error msg="pool timeout after 30s of \\"?\\"" user="?"',
		'{"level":50,"time":1795291201000,"msg":"pool timeout","req":{"url":"/a/17?token=canary","headers":{"cookie":"canary","x-request-id":"1-1"}},"card":4111111111111111,"user":"canary","took":12}':
			'{"level":50,"time":1795291201000,"msg":"pool timeout","req":{"url":"/a/:n","headers":{"cookie":"?","x-request-id":"1-1"}},"card":null,"user":"?","took":12}',
	});
});

test('a long line takes no long time', () => {
	for (const piece of ['select ', '"\\', "'a'b", 'a=', 'http://', '(=(', 'x1'])
		assert.ok(withoutContent(piece.repeat(100_000)).length < 20_000);
});
