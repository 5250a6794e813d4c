/**
 * What logs say beside a finding: it is quoted where its time bears it out, hints where nothing else told why, and decides nothing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WaitingFinding } from '../../record/types.js';
import { titleOf } from '../ledger/waited.ts';
import { each, MadeStack, reported, SQL, said, ZERO } from './fixtures/made-stack.ts';

const POOL = 'ERROR 12 --- HikariPool-1 - Connection is not available, request timed out after 2001ms (total=10, active=10)';
const POOL_SHOWN = 'ERROR 12 --- HikariPool-n - Connection is not available, request timed out after 2001ms (total=10, active=10)';

/**
 * Requests that stand in `api` for two seconds and fail, one in ten, from a second on.
 * @param write when a request is over
 */
function standing(
	write: (given: { say: (name: string, text: string) => void; at: number; isBad: boolean; index: number }) => void,
	{ begin = -5, from = 5, stack = new MadeStack() }: { begin?: number; from?: number; stack?: MadeStack } = {},
) {
	each(begin, 27, 0.1, (at, index) => {
		const isBad = at >= from && index % 10 === 0;
		const over = at + (isBad ? 2.001 : 0.02);
		stack.call('k6 lb', at, over + 0.001, { status: isBad ? 500 : 200 });
		stack.call('lb api', at + 0.001, over, { status: isBad ? 500 : 200 });
		write({ say: (name, text) => stack.says(name, over - 0.003, text), at: over, isBad, index });
	});
	return stack.follow().findings;
}

const quoted = (findings: WaitingFinding[]) => findings.flatMap(({ evidence }) => evidence.filter((text) => /\bsays?, /.test(text)));

test('a known phrase that comes one for one with the failed requests says why, and is counted', () => {
	const findings = standing(({ say, isBad }) => isBad && say('api', POOL));
	assert.deepEqual(findings.map(said), ['api: pool-full']);
	assert.deepEqual(
		[findings[0].basis, findings[0].why_basis, findings[0].title],
		['counted', 'counted', 'had every connection of its pool in use'],
	);
	assert.deepEqual(quoted(findings), [`Its log says, 22 times for 22 failed requests: “${POOL_SHOWN}”`]);
});

test('where failed requests ended in several ways, a line may come one for one with most of them', () => {
	const stack = new MadeStack();
	each(-5, 24, 0.1, (at, index) => {
		const isBad = at >= 5 && index % 10 === 0;
		const isGivenUp = at >= 5 && index % 20 === 5;
		const over = at + (isBad || isGivenUp ? 2.001 : 0.02);
		stack.call('k6 api', at, over, isGivenUp ? { end: 'given-up', by: 'client' } : { status: isBad ? 500 : 200 });
		if (isBad) stack.says('api', over, POOL);
	});
	const { findings } = stack.follow();
	assert.deepEqual([findings.map(said), findings[0].why_basis], [['api: pool-full'], 'counted']);
	assert.deepEqual(quoted(findings), [`Its log says, 19 times for 19 of the 29 failed requests: “${POOL_SHOWN}”`]);
});

test('a line for each call that failed in a service tells of all, though these ended in several ways', () => {
	const stack = new MadeStack();
	each(-5, 27, 0.1, (at, index) => {
		const isBug = at >= 5 && index % 10 === 5;
		const isLate = at >= 5 && index % 10 === 0;
		const over = at + (isLate ? 2.001 : isBug ? 0.004 : 0.02);
		stack.call('k6 lb', at, over + 0.001, { status: isLate || isBug ? 500 : 200 });
		stack.call('lb api', at + 0.001, over, { status: isLate || isBug ? 500 : 200 });
		if (isLate || isBug) stack.says('api', over, POOL);
	});
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['api: pool-full']);
	assert.ok(
		quoted(findings).every((text) => text.startsWith('Its log says, 44 times for all 44 failed calls to api: ')),
		`${quoted(findings)}`,
	);
});

test('a known phrase with lift alone says why, and is inferred', () => {
	const linesOf = (index: number) => ((index / 10) % 2 === 0 ? [1, 2, 3, 4, 5] : [1]);
	const findings = standing(({ say, isBad, index }) => isBad && linesOf(index).map(() => say('api', POOL)));
	assert.deepEqual([findings.map(said), findings[0].why_basis], [['api: pool-full'], 'inferred']);
	assert.deepEqual(quoted(findings), [
		`Its log says, 66 times while requests failed, and not once in the 10 calm seconds: “${POOL_SHOWN}”`,
	]);
});

test('a phrase that calm seconds have as often tells nothing', () => {
	const findings = standing(({ say, index }) => index % 10 === 5 && say('api', POOL));
	assert.deepEqual([findings.map(said), quoted(findings)], [['api: stands'], []]);
});

test('a line that every request has tells nothing, though more of them come in failing seconds', () => {
	const stack = new MadeStack();
	const findings = standing(
		({ say, at }) => {
			for (let other = 0; other < (at > 5 ? 4 : 1); other += 1) {
				stack.call('k6 lb', at + other / 100, at + other / 100 + 0.004);
				stack.call('lb api', at + other / 100 + 0.001, at + other / 100 + 0.003);
				say('api', `order ${other} taken, warning: slow`);
			}
		},
		{ stack },
	);
	assert.deepEqual([findings.map(said), quoted(findings)], [['api: stands'], []]);
});

test('words that nobody knows are quoted where they speak of trouble and have lift, and say not why', () => {
	const findings = standing(({ say, at, isBad }) => isBad && say('api', `could not settle basket ${at} of "anna"`));
	assert.deepEqual(
		[findings.map(said), findings[0].title, findings[0].log],
		[['api: stands'], null, { words: 'could not settle basket n of "…"', is_each: true }],
	);
	assert.deepEqual(quoted(findings), ['Its log says, 22 times for 22 failed requests: “could not settle basket n of "…"”']);
});

test('a service that is not on the way is not listened to, whatever it says', () => {
	const findings = standing(({ say, isBad }) => isBad && say('batch', 'java.lang.OutOfMemoryError: Java heap space'));
	assert.deepEqual([findings.map(said), quoted(findings)], [['api: stands'], []]);
});

test('who asked the place may speak of it, and that says not why', () => {
	const findings = standing(
		({ say, isBad }) =>
			isBad &&
			say(
				'lb',
				'2026/11/27 03:20:11 [error] 31#31: *7 upstream timed out (110: Connection timed out) while reading response header from upstream, client: 172.18.0.9, server: , request: "GET / HTTP/1.1"',
			),
	);
	assert.deepEqual(findings.map(said), ['api: stands']);
	assert.deepEqual(quoted(findings), [
		'The log of lb says, 22 times for 22 failed requests: “[error] *7 upstream timed out (110: Connection timed out) while reading response header from upstream”',
	]);
});

test('what failed by itself failed by the limit of its own of which there is a line for each', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const isBad = at > 5 && index % 10 === 0;
		stack.call('k6 web', at, at + (isBad ? 0.004 : 0.008), { status: isBad ? 500 : 200 });
		if (isBad) stack.says('web', at + 0.004, POOL);
	});
	const { findings } = stack.follow();
	assert.deepEqual([findings.map(said), findings[0].why_basis], [['web: pool-full'], 'counted']);
});

test('what took no more connections says for lack of what', () => {
	const stack = new MadeStack();
	each(-5, 28, 0.05, (at, index) => {
		const isOver = at > 5 && index % 3 === 0;
		if (isOver) stack.connect('k6 web', at, { ended_at: ZERO + at + 0.001, outcome: 'closed', by: 'server' });
		else stack.call('k6 web', at, at + 0.02);
		if (isOver && index % 60 === 0) stack.says('web', at, '2026/11/27 03:20:11 [alert] 31#31: 64 worker_connections are not enough');
	});
	assert.deepEqual(reported(stack), ['web: slots-taken']);
});

test('what ended says of what', () => {
	const stack = new MadeStack();
	each(-5, 10, 0.1, (at) => stack.call('k6 web', at, at + 0.01));
	stack.says('web', 10, 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory');
	stack.event('web', 'die', 10.1, 134);
	each(10.2, 28, 0.1, (at) => stack.refused('k6 web', at));
	const [finding] = stack.follow().findings;
	assert.deepEqual([said(finding), finding.title], ['web: heap-full', 'had used up its heap, and ended']);
});

test('a heap that is full keeps its program busy; what it says in calm seconds too does not, nor a request that wants too much memory', () => {
	const busyAnd = (line: string, isSaid: (at: number) => boolean) => {
		const stack = new MadeStack();
		const isBad = (at: number) => at >= 10;
		each(-5, 30, 0.1, (at, index) => {
			stack.call('k6 web', at, at + (isBad(at) ? 5 : 0.02), isBad(at) ? { end: 'given-up', by: 'client' } : {});
			if (!isBad(at)) stack.call('web store', at + 0.001, at + 0.019);
			if (index % 8 === 0 && isSaid(at)) stack.says('web', at, line);
		});
		stack.reads('web', (second) => ({ cores: isBad(second) ? 1 : 0.1, queued: isBad(second) ? 100 : 0 }));
		const [finding] = stack.follow().findings;
		return [said(finding), finding.title, ...finding.doubts.filter((doubt) => doubt.startsWith('whether it was busy'))];
	};
	const full = 'Exception in thread "http-nio-8080-exec-7" java.lang.OutOfMemoryError: Java heap space';
	const late = (at: number) => at >= 12;
	console.log(busyAnd(full, late));
	assert.deepEqual(busyAnd(full, late), [
		'web: heap-full',
		'had used up its heap, and was busy, as it is while it collects garbage',
		'whether it was busy because its heap was full, or its heap filled because it was busy, is not known; a larger heap would tell',
	]);
	assert.equal(busyAnd(full, () => true)[0], 'web: busy');
	const hog = 'PHP Fatal error:  Allowed memory size of 134217728 bytes exhausted (tried to allocate 20480 bytes) in /app/a.php on line 3';
	assert.equal(busyAnd(hog, late)[0], 'web: busy');
});

test('a process that ends with each of them is why, with the error of which it ended; one that ends at other times is not', () => {
	const crashing = (isThen: boolean) => {
		const stack = new MadeStack();
		each(-5, 30, 0.05, (at, index) => {
			const isBad = at > 5 && index % 10 === 0;
			stack.call('k6 web', at, at + (isBad ? 0.013 : 0.008), isBad ? { end: 'closed', by: 'server' } : {});
			if (isBad) stack.says('web', at + 0.013, 'TypeError: Cannot read properties of undefined');
			if (isThen ? isBad : index % 10 === 5) stack.says('web', at + 0.0131, 'Node.js v18.20.4');
		});
		const [finding] = stack.follow().findings;
		return [said(finding), finding.title, finding.log];
	};
	const error = { words: 'TypeError: Cannot read properties of undefined', is_each: true };
	assert.deepEqual(crashing(true), ['web: worker-crashed', 'lost a worker process, which ended of an error', error]);
	assert.deepEqual(crashing(false), ['web: stands', null, error]);
});

test('an error of its own is called by the line that the service writes for each of them', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const isBad = at > 5 && index % 10 === 0;
		stack.call('k6 web', at, at + (isBad ? 0.004 : 0.008), { status: isBad ? 500 : 200 });
		if (isBad) stack.says('web', at + 0.004, `[2026-11-27 03:20:11] ERROR: basket ${index} has a coupon that no shop knows`);
	});
	const [finding] = stack.follow().findings;
	assert.equal(
		titleOf(finding, 'app-error').title,
		'its log says each time: “basket n has a coupon that no shop knows”; it answered 500 by itself',
	);
	assert.match(finding.evidence[0], /^Its log says, 49 times for 49 failed requests: /);
});

test('lines that differ before what was thrown alone are one where they are one for each failed request together', () => {
	const wordsOf = (lineOf: (kind: string) => string, jobs: number) => {
		const stack = new MadeStack();
		each(-5, 30, 0.05, (at, index) => {
			const isBad = at > 5 && index % 10 === 0;
			const kind = index % 20 === 0 ? 'GET' : 'POST';
			stack.call('k6 web', at, at + (isBad ? 0.004 : 0.008), { verb: kind, status: isBad ? 500 : 200 });
			if (isBad) stack.says('web', at + 0.004, lineOf(kind));
		});
		each(5, 30, 1 / Math.max(jobs, 1), (at) => jobs > 0 && stack.says('web', at + 0.1, 'job failed: Store::LoginError: no such user'));
		return String(stack.follow().findings[0].log?.words);
	};
	const lineOf = (kind: string) => `${kind} /items failed: Store::LoginError: no such user`;
	assert.equal(wordsOf(lineOf, 0), 'Store::LoginError: no such user');
	// Another thing was thrown for each.
	assert.equal(
		wordsOf((kind) => `${kind} failed: LoginError: no such ${kind}`, 0),
		'undefined',
	);
	// One line for each is what tells; a job that fails of the same is no other request.
	assert.match(
		wordsOf(() => lineOf('GET'), 10),
		/^GET \S+ failed: Store::LoginError: no such user$/,
	);
	assert.equal(wordsOf(lineOf, 10), 'undefined');
});

test('of lines that are as frequent the one that names what was thrown comes first, wherever it stands', () => {
	const wordsOf = (lines: string[]) => {
		const stack = new MadeStack();
		each(-5, 30, 0.05, (at, index) => {
			const isBad = at > 5 && index % 10 === 0;
			stack.call('k6 web', at, at + (isBad ? 0.004 : 0.008), { status: isBad ? 500 : 200 });
			if (isBad) for (const [place, line] of lines.entries()) stack.says('web', at + 0.004 + place / 10_000, line);
		});
		return stack.follow().findings[0].log?.words;
	};
	const [wrapper, thrown] = ['ERROR in app: Exception on /basket [POST]', 'TypeError: unsupported operand for *'];
	for (const lines of [
		[wrapper, thrown],
		[thrown, wrapper],
	])
		assert.equal(wordsOf(lines), 'TypeError: unsupported operand for *');
	assert.equal(wordsOf([wrapper, 'request failed with an error']), undefined, 'neither says why');
});

test('what another program wrote is said without who handed it on', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const isBad = at > 5 && index % 10 === 0;
		stack.call('k6 web', at, at + (isBad ? 0.004 : 0.008), { status: isBad ? 500 : 200 });
		if (isBad)
			stack.says('web', at + 0.004, `WARNING: [pool www] child ${index} said into stderr: "PHP message: PHP Fatal error: Class not found"`);
	});
	const [{ log }] = stack.follow().findings;
	assert.equal(log?.words, 'PHP message: PHP Fatal error: Class not found');
});

test('a phrase of others changes no mechanism that was found', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const isBug = at > 5 && index % 10 === 0;
		stack.call('k6 web', at, at + (isBug ? 0.004 : 0.008), { status: isBug ? 500 : 200 });
		if (isBug) stack.says('web', at + 0.004, 'Error: connect ECONNREFUSED 172.18.0.3:6379');
	});
	const { findings } = stack.follow();
	assert.deepEqual([findings.map(said), findings[0].title], [['web: own-error'], 'answered 500 by itself']);
	assert.deepEqual(findings[0].log, { words: 'connect ECONNREFUSED n', is_each: true }, 'it is quoted all the same');
	assert.deepEqual(quoted(findings), ['Its log says, 49 times for 49 failed requests: “Error: connect ECONNREFUSED n”']);
});

test('a single line just before the first failure is quoted as such', () => {
	const findings = standing(({ say, index }) => index === 99 && say('api', 'panic: cache 7 of 9 is corrupt'));
	assert.deepEqual(findings.map(said), ['api: stands']);
	assert.deepEqual(quoted(findings), ['Its log says, once, 84 ms before the first failure began: “panic: cache 7 of 9 is corrupt”']);
});

test('a single line of no trouble, or of long before, is not quoted', () => {
	const findings = standing(({ say, index }) => {
		if (index === 99) say('api', 'catalogue 7 was read');
		if (index === 20) say('api', 'panic: cache 7 of 9 is corrupt');
	});
	assert.deepEqual(quoted(findings), []);
});

test('where no second was calm a known phrase is quoted, and says not why', () => {
	const findings = standing(({ say, index }) => index % 7 === 0 && say('api', POOL), { begin: 0, from: 0 });
	assert.deepEqual(findings.map(said), ['api: stands']);
	assert.ok(quoted(findings)[0].includes('with no calm seconds to compare with'), quoted(findings)[0]);
});

test('containers of one service are heard together', () => {
	const stack = new MadeStack();
	for (const name of ['api-1', 'api-2'])
		stack.wire.services.push({ name, service: 'api', address: name, from: 0, to: Number.POSITIVE_INFINITY } as any);
	each(-5, 27, 0.1, (at, index) => {
		const api = `api-${(index % 2) + 1}`;
		const isBad = at >= 5 && index % 5 === 0;
		const over = at + (isBad ? 2.001 : 0.02);
		stack.call('k6 lb', at, over + 0.001, { status: isBad ? 500 : 200 });
		stack.call(`lb ${api}`, at + 0.001, over, { status: isBad ? 500 : 200 });
		if (isBad) stack.says(api, over, POOL);
	});
	const { findings } = stack.follow();
	assert.deepEqual([findings.map(said), findings[0].why_basis], [['api-1, api-2: pool-full'], 'counted']);
	assert.deepEqual(quoted(findings), [`Their logs say, 44 times for 44 failed requests: “${POOL_SHOWN}”`]);
});

test('a phrase that good requests of the failing seconds have too is quoted, and says not why', () => {
	const findings = standing(({ say, at }) => at > 5 && say('api', 'Error: connect ECONNREFUSED 172.18.0.3:6379'));
	assert.deepEqual([findings.map(said), findings[0].title], [['api: stands'], null]);
	assert.equal(quoted(findings).length, 1);
});

test('what the warm-up says when it fails is not taken for calm', () => {
	const findings = standing(({ say, isBad }) => isBad && say('api', POOL), { from: -5 });
	assert.deepEqual([findings.map(said), findings[0].why_basis], [['api: pool-full'], 'counted']);
});

test('a code is reported in words', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const isBad = at > 5 && index % 10 === 0;
		stack.call('k6 web', at, at + 0.008, { status: isBad ? 500 : 200 });
		stack.call('web store', at + 0.001, at + 0.007, {
			protocol: 'postgres',
			verb: 'SELECT',
			template: 'SELECT items',
			on: 'a',
			code: isBad ? '53300' : null,
		});
	});
	const [{ place, title, evidence }] = stack.follow().findings;
	assert.equal(place.service, 'store');
	assert.match(title ?? '', /^turned connections away with error 53300 \(too many connections: max_connections, or a limit of the role\)/);
	assert.ok(
		evidence.every((text) => !text.includes('stands for')),
		'once is enough',
	);
});

/**
 * A pool of four that is used until second 5, and of which nothing is asked any more; requests fail after two seconds.
 * @param line of the log, for each that fails
 * @param rest what becomes of its connections
 */
function lostPool(line: string, rest: 'idle' | 'asked') {
	const stack = new MadeStack();
	each(-5, 5, 0.1, (at, index) => {
		stack.call('k6 api', at, at + 0.02);
		stack.call('api db', at + 0.001, at + 0.019, { ...SQL, on: `${index % 4}`, state: 'idle' });
	});
	each(5, 24, 0.2, (at, index) => {
		stack.call('k6 api', at, at + 2.001, { status: 500 });
		stack.says('api', at + 2, line);
		// Somebody else's: no request asks for it.
		if (rest === 'asked')
			for (let own = 0; own < 4; own += 1)
				stack.call('api db', at, at + 0.05, { ...SQL, on: `${(index + own) % 4}`, template: 'SELECT report' });
	});
	return stack.follow().findings[0];
}

test('a pool that has none to give while its connections lie idle is held, not in use', () => {
	const finding = lostPool(POOL, 'idle');
	assert.deepEqual([said(finding), finding.why_basis, finding.place.edge], ['api: pool-held', 'counted', { from: 'api', to: 'db' }]);
	assert.equal(finding.title, 'had none of the 4 connections of its pool to db to give, though nothing was sent on them');
	assert.ok(finding.evidence.includes('4 of 4 connections of api to db were open, and nothing was sent on them.'), `${finding.evidence}`);
});

test('and in use where something is asked on them', () => assert.equal(said(lostPool(POOL, 'asked')), 'api: pool-full'));

test('idle connections alone are no held pool: the program may not have come to ask', () => {
	const finding = lostPool('could not settle the basket', 'idle');
	assert.equal(said(finding), 'api: stands');
	assert.ok(finding.evidence.includes('4 of 4 connections of api to db were open, and nothing was sent on them.'), `${finding.evidence}`);
});

test('but not of few that ended otherwise, where as many lack one as there are of them', () => {
	const stack = new MadeStack();
	each(-5, 27, 0.05, (at, index) => {
		const isLate = at >= 5 && index % 2 === 0;
		const isBug = at >= 5 && index % 20 === 11;
		stack.call('k6 api', at, at + (isLate ? 2.001 : isBug ? 0.004 : 0.02), { status: isLate || isBug ? 500 : 200 });
		if (isLate) stack.says('api', at + 2, POOL);
	});
	assert.deepEqual(reported(stack), ['api: pool-full', 'api: own-error']);
});

const ALARM = '2026-11-27 03:20:11.123456+00:00 [warning] <0.375.0> memory resource limit alarm set on node rabbit@queue.';
const CLEARED = '2026-11-27 03:20:11.123456+00:00 [warning] <0.375.0> memory resource limit alarm cleared on node rabbit@queue.';

/**
 * From second 5 on what the API publishes is given up, and the broker writes a line for each connection; what is read there goes well.
 * @param given well: what goes well; from: when it begins to publish
 */
function published(write: (stack: MadeStack) => void, { well = 'basic.get', from = 5 }: { well?: string; from?: number } = {}) {
	const stack = new MadeStack();
	const amqp = { protocol: 'amqp', status: null };
	each(-5, 27, 0.25, (at, index) => {
		stack.call('poll queue', at + 0.1, at + 0.11, { ...amqp, verb: well, template: well, on: 'own' });
		if (at < from) return;
		const isBad = at >= 5;
		stack.call('k6 api', at, at + (isBad ? 1.003 : 0.01), { status: isBad ? 503 : 200 });
		stack.call('api queue', at + 0.001, at + (isBad ? 1.001 : 0.009), {
			...{ ...amqp, verb: 'basic.publish', template: 'basic.publish', on: `${index}` },
			...(isBad ? { end: 'given-up', by: 'client' } : {}),
		});
		if (isBad) stack.says('queue', at + 1, `accepting AMQP connection ${index}`);
		if (isBad) stack.says('queue', at + 1, `connection ${index}: user authenticated`);
	});
	write(stack);
	return stack;
}

test('what a service said once, before the load, and what holds since tells why it answers nobody', () => {
	const [finding] = published((stack) => stack.says('queue', -30, ALARM)).follow().findings;
	assert.equal(said(finding), 'queue: publishers-blocked');
	assert.equal(
		quoted([finding])[0],
		'Its log says, once, 35.00 s before the first failure began, and nothing since that it is over: “[warning] memory resource limit alarm set on node n”',
	);
});

test('but not where it said that it was over, nor where as much went well in that time', () => {
	const cleared = published((stack) => {
		stack.says('queue', -30, ALARM);
		stack.says('queue', -20, CLEARED);
	});
	assert.deepEqual(reported(cleared).includes('queue: publishers-blocked'), false);
	assert.deepEqual(
		reported(published((stack) => stack.says('queue', -30, ALARM), { well: 'basic.publish' })).includes('queue: publishers-blocked'),
		false,
	);
});

test('one that is said while requests fail is quoted once', () => {
	const [finding] = published((stack) => stack.says('queue', 4.9, ALARM), { from: -5 }).follow().findings;
	assert.equal(said(finding), 'queue: publishers-blocked');
	assert.equal(quoted([finding]).filter((text) => text.includes('alarm set')).length, 1);
});

test('a known line that says what was found is quoted before others that are as frequent as the failed', () => {
	const findings = standing(({ say, isBad }) => {
		if (!isBad) return;
		say('api', 'first unknown thing failed');
		say('api', 'second unknown thing failed');
		for (let line = 0; line < 3; line += 1) say('api', POOL);
	});
	assert.deepEqual(findings.map(said), ['api: pool-full']);
	assert.ok(quoted(findings)[0].includes(POOL_SHOWN));
});

/**
 * Two workers that a server starts anew in turn, which takes 4 s each, and once together.
 * @param queued connections that wait to be accepted meanwhile
 */
function recycled(write: (stack: MadeStack) => void = () => {}, queued: number = 12) {
	const stack = new MadeStack();
	const boots = [-7, -2, 4, 10, 10.5, 17, 22, 27];
	for (const at of boots) stack.says('forms', at, `[2026-11-27 21:19:16 +0000] [14] [INFO] Booting worker with pid: ${14 + at * 2}`);
	each(-10, 28, 0.25, (at) => {
		const isLost = at >= 10.6 && at < 12;
		stack.call('k6 lb', at, at + (isLost ? 2.502 : 0.1), isLost ? { status: 504 } : {});
		stack.call('lb forms', at + 0.001, at + (isLost ? 2.501 : 0.099), isLost ? { end: 'given-up', by: 'client' } : {});
	});
	stack.reads('forms', (second) => ({ cores: 0.05, queued: second >= 10 && second < 15 ? queued : 0 }));
	write(stack);
	return stack.follow().findings;
}

test('workers that are all being started anew are why connections wait, where as many lines seldom come together', () => {
	const findings = recycled();
	assert.deepEqual(findings.map(said), ['forms: workers-restarting']);
	assert.equal(findings[0].why_basis, 'timed');
	assert.ok(
		findings[0].evidence.some((text) => text.includes('Its log has 2 lines or more for each of them')),
		`${findings[0].evidence}`,
	);
});

test('but not where as many come in calm seconds too, nor where no connection waits', () => {
	const often = (stack: MadeStack) =>
		each(-10, 30, 1, (at) => stack.says('forms', at, '[2026-11-27 21:19:16 +0000] [14] [INFO] Booting worker with pid: 9'));
	assert.ok(!recycled(often).map(said).includes('forms: workers-restarting'));
	assert.ok(!recycled(undefined, 0).map(said).includes('forms: workers-restarting'));
});

/**
 * A shop that opens a connection to its bank for each order, which nobody else can read, and fails from second 5 on.
 * @param line that it writes then
 * @param given isAlone: it opens one to nobody else
 */
function unverified(line: string, { isAlone = true }: { isAlone?: boolean } = {}) {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at) => {
		const isBad = at > 5;
		stack.call('k6 shop', at, at + 0.012, { status: isBad ? 502 : 200 });
		for (const to of isAlone ? ['bank'] : ['bank', 'vault'])
			stack.connect(`shop ${to}`, at + 0.002, { hidden_bytes: 900, ended_at: ZERO + at + 0.01, outcome: 'closed', by: 'client' });
		if (isBad) stack.says('shop', at + 0.012, line);
	});
	return stack.follow().findings[0];
}
const VERIFY = 'payment failed: OpenSSL::SSL::SSLError: SSL_connect returned=1 errno=0 state=error: certificate verify failed';

test('a certificate that had expired is its owner’s trouble, to whom a connection was opened for each of the failed', () => {
	const finding = unverified(`${VERIFY} (certificate has expired)`);
	assert.deepEqual(
		[said(finding), finding.title, finding.place.edge, finding.basis],
		['bank: certificate-expired', 'showed shop a certificate that had expired', { from: 'shop', to: 'bank' }, 'inferred'],
	);
});

test('one that is refused for another reason is the trouble of who refuses it', () => {
	const finding = unverified(`${VERIFY} (self-signed certificate)`);
	assert.deepEqual([said(finding), finding.title], ['shop: certificate-refused', 'refused the certificate of bank']);
});

test('whose it was is not said where two may have shown it', () => {
	const finding = unverified(`${VERIFY} (certificate has expired)`, { isAlone: false });
	assert.deepEqual([said(finding), finding.title], ['shop: certificate-expired', 'refused a certificate that had expired']);
});

test('what stood without a mechanism is told by the line that its service writes for each', () => {
	const finding = unverified('order lost: the moon is in the wrong house');
	assert.deepEqual(
		[said(finding), finding.title, finding.log],
		['shop: stands', null, { words: 'order lost: the moon is in the wrong house', is_each: true }],
	);
});

test('what a service says of others explains no kind that is slow, and a lock of its own does', () => {
	const slowWith = (line: string) => {
		const stack = new MadeStack();
		each(-5, 30, 0.05, (at, index) => {
			const isBad = at > 5 && index % 10 === 0;
			stack.call('k6 web', at, at + (isBad ? 2 : 0.008), { template: isBad ? '/write' : '/', status: isBad ? 500 : 200 });
			if (isBad) stack.says('web', at + 2, line);
		});
		return stack.follow().findings.map(said);
	};
	assert.deepEqual(slowWith('Error: connect ECONNREFUSED 172.18.0.3:6379'), ['web: slow-kind']);
	assert.deepEqual(slowWith('sqlite3.OperationalError: database is locked'), ['web: lock']);
});

test('a line whose text is not kept is no news beside one that has it, and else says of what kind it is', () => {
	const detail = '[42] DETAIL:  (its text is not kept)';
	const both = standing(({ say, isBad }) => {
		if (isBad) for (const text of ['could not settle the basket', detail]) say('api', text);
	});
	assert.deepEqual(quoted(both), ['Its log says, 22 times for 22 failed requests: “could not settle the basket”']);
	const alone = standing(({ say, isBad }) => isBad && say('api', detail));
	assert.deepEqual(quoted(alone), ['Its log says, 22 times for 22 failed requests: a line of the kind DETAIL, whose text is not kept']);
	const whole = standing(({ say, isBad }) => isBad && say('api', '(its text is not kept)'));
	assert.deepEqual(quoted(whole), ['Its log says, 22 times for 22 failed requests: a line, whose text is not kept']);
});
