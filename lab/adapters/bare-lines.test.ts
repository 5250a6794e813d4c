import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskedFigures } from '../diagnose/waiting/template.ts';
import { isBare } from './bare-lines.ts';
import { phrases } from './hop-counts.ts';
import { logWords } from './log-words.ts';

/** As the log is read: without its own time, and with its figures masked. */
function isBareLine(line: string) {
	const [message] = logWords.messagesIn(`2026-11-29T14:00:00Z ${line}\n`, () => true);
	return isBare(maskedFigures(message?.text ?? ''));
}

test('what restates that a request failed, and where it was thrown, is no reason', () => {
	for (const line of [
		'500 Internal Server Error for POST /orders/17',
		'Internal Server Error: /orders/17',
		'Completed 500 Internal Server Error in 12ms (Views: 0.3ms | Store: 4.1ms)',
		'POST /orders/17 503 12.4 ms - 21',
		'level=error msg="request failed" method=POST status=500 duration=12ms',
		'{"level":"error","message":"Error handling request","status":500}',
		'[2026-11-27 03:20:11,123] ERROR in app: Exception on /basket [POST]',
		'ERROR:    Exception in ASGI application',
		'An unhandled exception has occurred while executing the request.',
		'Connection id "0HMVD8", Request id "0HMVD8:00000002": An unhandled exception was thrown by the application.',
		'Servlet.service() for servlet [dispatcherServlet] in context with path [] threw exception',
		'HTTP 429 Too Many Requests returned to client 172.18.0.9',
		'Uncaught exception',
		'InternalServerError',
		'at Object.<anonymous> (/srv/app/server.js:24:11)',
		'File "/srv/app/orders.py", line 12, in create',
		'orders.py:12 in create',
		"from /srv/app/orders.rb:31:in `create'",
		'created by net/http.(*Server).Serve in goroutine 1',
	])
		assert.ok(isBareLine(line), line);
});

test('what gives a reason of any kind, in whatever words, is one', () => {
	for (const line of [
		'could not settle basket 17 of "anna"',
		'ERROR: basket 3 has a coupon that no shop knows',
		'TypeError: unsupported operand for *',
		'Error: the moon is in the wrong house',
		'java.lang.NullPointerException: Cannot invoke "Basket.total()" because "basket" is null',
		'Servlet.service() for servlet [x] in context with path [] threw exception [Request processing failed: java.lang.NullPointerException] with root cause',
		'[crit] 31#31: *17 pwrite() "/var/lib/nginx/body/0000000017" failed (28: No space left on device)',
		'request aborted: quota of tenant used up',
		'limiting requests, excess: 5.5 by zone "a"',
		'in 3 of 4 shards the index is closed',
		'from now on the cache is read-only',
		'at most 5 uploads are taken',
	])
		assert.ok(!isBareLine(line), line);
});

test('no line of a phrase that is known is a bare one', () => {
	assert.deepEqual(
		phrases.filter(({ line }) => isBareLine(line)).map(({ product, line }) => `${product}: ${line}`),
		[],
	);
});
