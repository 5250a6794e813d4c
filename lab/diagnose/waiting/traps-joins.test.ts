/**
 * Which call was made for which request, as small records: errors that travel, and calls that only happen to lie there.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, reported, SQL, said } from './fixtures/made-stack.ts';

test('tries again are said, and who answered with the error is the place', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at, index) => {
		const isBad = at >= 5 && index % 3 === 0;
		stack.call('k6 lb', at, at + 0.02, { status: isBad ? 500 : 200 });
		for (let time = 0; time < (isBad ? 3 : 1); time += 1)
			stack.call('lb app', at + 0.001 + time * 0.005, at + 0.005 + time * 0.005, { status: isBad ? 500 : 200 });
	});
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['app: own-error']);
	assert.ok(
		findings[0].evidence.some((text) =>
			/^lb made \d+ calls to app for the \d+ requests that it had while requests failed: 1\.7 for each, and 1 in calm seconds\.$/.test(
				text,
			),
		),
		findings[0].evidence.join('\n'),
	);
});

/** A chain whose last is at its quota from second 10 on, where each before it asks up to so many times. */
function chained(times: number) {
	const stack = new MadeStack();
	each(-5, 28, 0.2, (at, index) => {
		const isLate = at >= 10;
		const tries = isLate ? times : 1;
		const took = isLate ? 0.6 : 0.03;
		const end = isLate ? ({ end: 'given-up', by: 'client' } as const) : {};
		stack.call('k6 front', at, at + tries * tries * took + 0.01, isLate ? { status: 504 } : {});
		for (let one = 0; one < tries; one += 1) {
			const asked = at + 0.001 + one * tries * took;
			stack.call('front orders', asked, asked + tries * took, { ...(isLate ? { status: 504 } : {}), on: `${index % 30}` });
			for (let two = 0; two < tries; two += 1)
				stack.call('orders stock', asked + 0.001 + two * took, asked + (two + 1) * took - 0.001, { ...end, on: `${index % 30} ${two}` });
		}
	});
	stack.reads('stock', (second) => ({ cores: 0.2, throttled: second >= 10 ? 1 : 0 }));
	return stack.follow().findings[0];
}

test('who asks again is told with what is short of something for it, with the calls for each request', () => {
	const finding = chained(3);
	assert.equal(said(finding), 'stock: cpu-throttled');
	assert.match(
		finding.title ?? '',
		/; front and orders asked again, which makes [789](?:\.\d)? calls to it for each request, and 1 in calm seconds$/,
	);
	assert.doesNotMatch(chained(1).title ?? '', /asked again/);
});

/** Of every 30 requests that are good this many make the call, and every third that fails makes it so many times. */
function asked(good: number, times: number) {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at, index) => {
		const isBad = at >= 5 && index % 3 === 0;
		stack.call('k6 web', at, at + 0.02, { status: isBad ? 500 : 200 });
		for (let time = 0; time < (isBad ? times : index % 30 < good ? 1 : 0); time += 1)
			stack.call('web pay', at + 0.001 + time * 0.005, at + 0.005 + time * 0.005, { status: isBad ? 500 : 200 });
	});
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['pay: own-error']);
	return findings[0].evidence.filter((text) => text.includes('calls to pay for the'));
}

test('a call that hardly any but failed requests make is no retry, once for each', () => {
	assert.deepEqual(asked(1, 1), []);
});

test('where so few make it and it is made three times, no figure is zero that is none', () => {
	assert.match(
		asked(1, 3).join(),
		/^web made \d+ calls to pay for the \d+ requests that it had while requests failed: 1(?:\.0)? for each, and fewer than 0\.1 in calm seconds\.$/,
	);
});

test('a status below 500 after which requests fail is a bad call too', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const isBad = at >= 5 && index % 2 === 0;
		stack.call('k6 api', at, at + 0.02, { status: isBad ? 500 : 200 });
		stack.call('api partner', at + 0.002, at + 0.019, { status: isBad ? 429 : 200 });
	});
	assert.deepEqual(reported(stack), ['partner: turned-away']);
});

test('the last call of a failed request may have gone well: a ROLLBACK after an error', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const isBad = at >= 5 && index % 4 === 0;
		stack.call('k6 api', at, at + 0.02, { status: isBad ? 500 : 200 });
		stack.call('api db', at + 0.002, at + 0.008, {
			...SQL,
			on: `${index % 4}`,
			state: isBad ? 'failed-transaction' : 'transaction',
			...(isBad ? { code: '40P01', bad: true } : {}),
		});
		stack.call('api db', at + 0.01, at + 0.019, {
			...SQL,
			verb: isBad ? 'ROLLBACK' : 'COMMIT',
			template: '',
			on: `${index % 4}`,
			state: 'idle',
		});
	});
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['db: own-error']);
	assert.ok(findings[0].chain.at(-1)?.said.includes('40P01'));
});

test('a join by an id is proof of the place, one by order is not', () => {
	const make = (hasId: boolean) => {
		const stack = new MadeStack();
		each(-5, 30, 0.1, (at, index) => {
			const rest = { status: at > 5 && index % 5 === 0 ? 500 : 200, ...(hasId ? { id: `${index}` } : {}) };
			stack.call('k6 lb', at, at + 0.02, rest);
			stack.call('lb api', at + 0.001, at + 0.019, rest);
		});
		return stack.follow().findings.map((finding) => `${said(finding)} ${finding.basis}`);
	};
	assert.deepEqual(make(true), ['api: own-error proved']);
	assert.deepEqual(make(false), ['api: own-error counted']);
});

test('where no request went well, a bad call is no more than inferred to be the cause', () => {
	const stack = new MadeStack();
	each(0, 30, 0.1, (at) => {
		stack.call('k6 api', at, at + 0.02, { status: 500 });
		stack.refused('api cache', at + 0.002);
	});
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'cache: refused');
	assert.equal(finding.basis, 'inferred');
	assert.equal(finding.doubts.length, 1);
});

test('failures by several ways to one place are one finding, which tells the ways', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const [web, status] = [`web-${index % 2}`, at >= 5 && index % 5 === 0 ? 500 : 200];
		stack.call('k6 lb', at, at + 0.02, { status });
		stack.call(`lb ${web}`, at + 0.001, at + 0.019, { status });
		stack.call(`${web} partner`, at + 0.002, at + 0.018, { status });
	});
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['partner: own-error']);
	assert.equal(findings[0].evidence.filter((text) => text.includes('of these failed requests went the way k6 → lb → web-')).length, 2);
});

test('an edge that passes ids on for one URL and not for another is followed for both', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at, index) => {
		const status = at >= 5 && index % 4 === 0 ? 500 : 200;
		stack.call('k6 api', at, at + 0.02, { template: '/a', id: `a${index}` });
		stack.call('api orders', at + 0.001, at + 0.019, { template: '/a', id: `a${index}` });
		stack.call('k6 api', at + 0.05, at + 0.07, { verb: 'POST', template: '/b', id: `b${index}`, status });
		stack.call('api orders', at + 0.051, at + 0.069, { verb: 'POST', template: '/b', status });
	});
	assert.deepEqual(reported(stack), ['orders: own-error']);
});

test('errors that lie in the failed requests one to one are found where many requests mix their calls up', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.01, (at, index) => {
		const isBad = at >= 5 && index % 60 === 0;
		stack.call('k6 api', at, at + 0.06, { status: isBad ? 500 : 200 });
		const on = `${index % 9}`;
		stack.call('api db', at + 0.001, at + 0.012, { ...SQL, on, state: 'transaction' });
		stack.call('api db', at + 0.013, at + 0.02, { ...SQL, verb: 'INSERT', on, state: 'transaction', ...(isBad ? { code: '1062' } : {}) });
		stack.call('api db', at + 0.022, at + 0.055, { ...SQL, verb: isBad ? 'ROLLBACK' : 'COMMIT', template: '', on, state: 'idle' });
	});
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['db: own-error']);
	assert.ok(findings[0].chain.at(-1)?.said.includes('1062'));
});

test('an error of the second of three calls is found behind two services, beside one that requests survive', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.01, (at, index) => {
		const isBad = at >= 5 && index % 30 === 0;
		const status = isBad ? 500 : 200;
		const on = `${index % 12}`;
		stack.call('k6 lb', at, at + 0.07, { status });
		stack.call('lb api', at + 0.001, at + 0.069, { status });
		stack.call('api cache', at + 0.002, at + 0.004, {
			...{ protocol: 'redis', verb: 'SET', template: '', on },
			...(at >= 5 && index % 3 === 0 ? { code: 'OOM', bad: true } : {}),
		});
		stack.call('api db', at + 0.005, at + 0.015, { ...SQL, on, state: 'transaction' });
		stack.call('api db', at + 0.017, at + 0.03, {
			...{ ...SQL, verb: 'UPDATE', template: 'UPDATE stock', on, state: isBad ? 'failed-transaction' : 'transaction' },
			...(isBad ? { code: '40001', bad: true } : {}),
		});
		stack.call('api db', at + 0.035, at + 0.06, { ...SQL, verb: isBad ? 'ROLLBACK' : 'COMMIT', template: '', on, state: 'idle' });
	});
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['db: own-error']);
	assert.deepEqual(
		findings[0].chain.map(({ service }) => service),
		['lb', 'api', 'db'],
	);
});

test('what was asked on a connection that had been turned away was turned away', () => {
	const stack = new MadeStack();
	const redis = { protocol: 'redis', verb: 'SETEX', template: 'SETEX', status: null };
	each(-5, 10, 0.1, (at, index) => {
		stack.call('k6 api', at, at + 0.01);
		stack.call('api store', at + 0.002, at + 0.003, { ...redis, on: `${index}` });
	});
	each(10, 28, 0.1, (at, index) => {
		stack.call('k6 api', at, at + 0.01, { status: 503 });
		const on = `refused ${index}`;
		stack.call('api store', at + 0.002, at + 0.0021, {
			...redis,
			on,
			role: 'connect',
			verb: 'CONNECT',
			template: '',
			code: 'MAXCLIENTS',
			bad: true,
		});
		stack.call('api store', at + 0.003, at + 0.003, { ...redis, on, end: 'closed', raced: true });
	});
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['store: turned-away']);
	assert.equal(
		findings[0].title,
		'turned connections away with error MAXCLIENTS (max number of clients reached: maxclients), since it had 150 open and takes no more; api uses 150 of its own no more',
	);
});

/**
 * Good ones find what they ask for in a cache; the others ask the store for it.
 * @param beside requests of another kind, which ask the store too
 */
function missed(beside: string = '') {
	const stack = new MadeStack();
	each(-8, 10, 0.05, (at) => stack.call('k6 api', at, at + 0.004));
	each(10, 28, 0.1, (at) => {
		stack.call('k6 api', at, at + 3, { status: 504 });
		if (beside === '') stack.call('api store', at + 0.003, at + 4, SQL);
		else {
			stack.call('k6 api', at, at + 4.005, { template: beside });
			stack.call('api store', at + 0.001, at + 4, SQL);
		}
	});
	stack.reads('api', () => ({ cores: 0.1 }));
	return reported(stack);
}

test('those that a cache does not spare wait for whom they ask instead', () => {
	assert.deepEqual(missed(), ['store: stands']);
});

test('but not for whom others may ask who are there too', () => {
	assert.deepEqual(missed('/report'), ['api: stands']);
});

test('nor for whom it asks for its own sake all the time', () => {
	const stack = new MadeStack();
	each(-8, 28, 0.1, (at) => stack.call('api queue', at + 0.05, at + 4, SQL));
	each(-8, 10, 0.05, (at) => stack.call('k6 api', at, at + 0.004));
	each(10, 28, 0.1, (at) => stack.call('k6 api', at, at + 3, { status: 504 }));
	stack.reads('api', () => ({ cores: 0.1 }));
	assert.deepEqual(reported(stack), ['api: stands']);
});

/**
 * A service that tries a call up to three times, 0.15 s apart, two requests at a time; the callee turns many away.
 * @param refusedOf tries of a request that are turned away
 * @param isBug it fails after a good answer
 */
function trying(refusedOf: (index: number) => number, isBug: boolean = false) {
	const stack = new MadeStack();
	each(-5, 29, 0.1, (at, index) => {
		const refused = refusedOf(index);
		const isLost = at > 3 && (isBug ? index % 3 === 0 : refused === 3);
		const over = at + refused * 0.15 + 0.06;
		stack.call('k6 login', at, over, { verb: 'POST', template: '/code', status: isLost ? 500 : 202 });
		for (let attempt = 0; attempt < Math.min(3, refused + 1); attempt += 1)
			stack.call('login sms', at + 0.001 + attempt * 0.15, at + 0.004 + attempt * 0.15, {
				...{ verb: 'POST', template: '/send', status: attempt < refused ? 429 : 200, on: `${index % 2}` },
			});
	});
	return stack.follow().findings;
}

test('of tries of which each good request has one that goes well, none is left for those that failed', () => {
	const [finding, ...more] = trying((index) => (index < 90 ? index % 2 : index % 3 === 0 ? 3 : 1 + (index % 2)));
	assert.deepEqual([said(finding), more], ['sms: turned-away', []]);
});

test('but not where a good answer is there for each of the failed too', () => {
	const [finding] = trying(() => 1, true);
	assert.notEqual(finding.place.service, 'sms', said(finding));
});
