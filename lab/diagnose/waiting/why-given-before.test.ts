/** What had been given before. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, said } from './fixtures/made-stack.ts';

/** Users who log in and then order, each on a connection of its own. */
const USERS = 40;

/** As good as thrown, and the same each time. */
const drawn = (index: number, of: number) => Math.floor(((Math.sin(index + 1) * 10_000) % 1) ** 2 * of * 0.999);

function shop({
	issuer,
	taker = () => 'orders',
	isBad,
	isKept = true,
}: {
	/** that answers the log-in of a user */
	issuer: (index: number, at: number) => string;
	/** that answers the order */
	taker?: (index: number) => string;
	isBad: (about: { index: number; at: number; issuer: string; taker: string }) => boolean;
	/** whether a user keeps a connection */
	isKept?: boolean;
}) {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const on = isKept ? `u${index % USERS}` : '';
		const [from, to] = [issuer(index, at), taker(index)];
		const status = isBad({ index, at, issuer: from, taker: to }) ? 401 : 200;
		const login = { verb: 'POST', template: '/login' };
		stack.call('k6 edge', at, at + 0.01, { on, ...login });
		stack.call(`edge ${from}`, at + 0.001, at + 0.009, { ...login });
		const order = { verb: 'GET', template: '/orders', status, bad: status !== 200 };
		stack.call('k6 edge', at + 0.02, at + 0.03, { on, ...order });
		stack.call(`edge ${to}`, at + 0.021, at + 0.029, { ...order });
	});
	return stack.follow().findings;
}
const issuers = (index: number) => (drawn(index, 10) < 4 ? 'auth-b' : 'auth-a');

test('what one of several had given is reported where it is refused, and inferred to be its doing', () => {
	const [finding, ...others] = shop({ issuer: issuers, isBad: ({ issuer, at }) => at > 3 && issuer === 'auth-b' });
	assert.deepEqual([said(finding), finding.basis, finding.why_basis, others], ['auth-b: given-before', 'inferred', 'counted', []]);
	assert.equal(finding.title, 'had answered POST /login before, to those whom orders answered 401');
	assert.ok(
		finding.evidence.includes(
			'100 % of the failed requests came on a connection whose last POST /login auth-b had answered, of the good ones in the same seconds 0 %.',
		),
		`${finding.evidence}`,
	);
});

test('a session that another container holds is reported by both', () => {
	const webs = (index: number) => (drawn(index, 10) < 4 ? 'web-2' : 'web-1');
	const findings = shop({
		issuer: webs,
		taker: (index) => webs(index + 1000),
		isBad: ({ at, issuer, taker }) => at > 3 && issuer !== taker,
	});
	assert.deepEqual(
		findings.flatMap((finding) => [said(finding), finding.place.service]).filter((text) => text.includes('not-shared')),
		findings.map(({ place }) => `${place.service}: not-shared`),
	);
	assert.deepEqual(findings.flatMap(({ place }) => place.service.split(', ')).sort(), ['web-1', 'web-2']);
	assert.match(findings[0].evidence.join(), /whose last POST \/login web-[12] had answered, of the good ones in the same seconds 0 %/);
});

/** Users who log in, look at a page and order, one after the other, at one of two servers each time. */
function visits({
	ways,
	isBad,
	page = () => '/page',
	after_s = () => 0.01,
}: {
	/** who answers each of the three */
	ways: (index: number, at: number) => string[];
	isBad: (way: string[], at: number) => boolean;
	page?: (index: number) => string;
	/** from the page to the order */
	after_s?: (way: string[]) => number;
}) {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		// Every third is at the second all the while.
		const way = index % 3 === 0 ? ['web-2', 'web-2', 'web-2'] : ways(index, at);
		const status = isBad(way, at) ? 401 : 200;
		const asked = [
			{ verb: 'POST', template: '/login' },
			{ verb: 'GET', template: page(index) },
			{ verb: 'GET', template: '/orders', status, bad: status !== 200 },
		];
		for (const [step, one] of asked.entries()) {
			const began = at + step * 0.01 + (step === 2 ? after_s(way) : 0);
			stack.call('k6 edge', began, began + 0.005, { on: `u${index % USERS}`, ...one });
			stack.call(`edge ${way[step]}`, began + 0.001, began + 0.004, { ...one });
		}
	});
	return stack.follow().findings;
}
const anyWay = (index: number) => [0, 1, 2].map((step) => (drawn(index + 1000 * step, 10) < 5 ? 'web-1' : 'web-2'));
const isElsewhere = ([login, page, order]: string[]) => login !== order || page !== order;
const isBroken = (way: string[], at: number) => isElsewhere(way) && at > 3;

test('a session that another container replaces in between is reported by both', () => {
	const findings = visits({ ways: anyWay, isBad: isBroken });
	assert.deepEqual(findings.map(said).sort(), ['web-1: not-shared', 'web-2: not-shared']);
	assert.deepEqual(
		[...new Set(findings.map(({ title }) => title))],
		['answered 401 to those who had been at another one since POST /login'],
	);
	assert.match(
		findings[0].evidence[0],
		/^100 % of the failed requests came on a connection on which web-[12] had answered the last POST \/login or something since, of the good ones in the same seconds 0 %: /,
	);
});

test('so is it where few of them are left that were at no other', () => {
	const ways = (index: number) => (index % 50 === 1 ? ['web-1', 'web-1', 'web-1'] : ['web-1', 'web-2', 'web-1']);
	assert.deepEqual(visits({ ways, isBad: isBroken }).map(said), ['web-1: not-shared']);
	const seldom = (index: number) => (index % 200 === 1 ? ['web-1', 'web-1', 'web-1'] : ['web-1', 'web-2', 'web-1']);
	assert.deepEqual(visits({ ways: seldom, isBad: isBroken }).map(said), ['web-1: own-error']);
});

test('who was at another in between is not refused for it where that happens to the others too, or tells something else', () => {
	const moved = (index: number) => (drawn(index, 10) < 4 ? ['web-1', 'web-2', 'web-1'] : ['web-1', 'web-1', 'web-1']);
	assert.deepEqual(visits({ ways: moved, isBad: isBroken }).map(said), ['web-1: not-shared']);
	// As often before good ones.
	assert.deepEqual(visits({ ways: moved, isBad: (way, at) => way[2] === 'web-1' && drawn(Math.round(at * 20) + 500, 10) < 4 }).map(said), [
		'web-1: own-error',
	]);
	// What only the other is asked for ends it: who logs out there would be refused here too.
	const leaves = (index: number) => (moved(index)[1] === 'web-2' ? '/logout' : '/page');
	assert.deepEqual(visits({ ways: moved, isBad: isBroken, page: leaves }).map(said), ['web-1: own-error']);
	// A session that lasts no longer than whoever balances sends its user to one server.
	const late = (way: string[]) => (isElsewhere(way) ? 0.9 : 0.2);
	assert.deepEqual(visits({ ways: moved, isBad: isBroken, after_s: late }).map(said), ['web-1: own-error']);
});

test('of which of those it is not is left where it was', () => {
	const plain = { issuer: issuers, isBad: ({ index }: { index: number }) => drawn(index + 500, 10) < 3 };
	// As often after either, whoever else came or went.
	assert.deepEqual(shop(plain).map(said), ['orders: own-error']);
	// Another issuer took over when they began to fail.
	const over = {
		issuer: (_: number, at: number) => (at > 10 ? 'auth-b' : 'auth-a'),
		isBad: ({ at }: { at: number }) => at > 10,
	};
	assert.deepEqual(shop(over).map(said), ['orders: own-error']);
	// One of two takers is bad, whoever had given what it refuses.
	const bad = {
		...plain,
		taker: (index: number) => (index % 3 ? 'orders-1' : 'orders-2'),
		isBad: ({ taker }: { taker: string }) => taker === 'orders-2',
	};
	assert.deepEqual(shop(bad).map(said), ['orders-2: own-error']);
});

test('where each request has a connection of its own nothing is known of what its user had got', () => {
	const findings = shop({ issuer: issuers, isBad: ({ issuer }) => issuer === 'auth-b', isKept: false });
	assert.deepEqual(findings.map(said), ['orders: own-error']);
});

/** A service that asks two others for each request, of which the first may answer otherwise. */
function orders({
	isBad,
	answer,
	question = () => 90,
}: {
	isBad: (index: number, at: number) => boolean;
	/** bytes of stock's */
	answer: (index: number, at: number) => number;
	question?: (index: number) => number;
}) {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const status = isBad(index, at) ? 500 : 200;
		const [own, of] = [
			{ verb: 'POST', template: '/orders', status, bad: status !== 200 },
			{ verb: 'GET', template: '/reservations' },
		];
		stack.call('k6 shop', at, at + 0.02, own);
		stack.call('shop stock', at + 0.001, at + 0.005, { ...of, sent_bytes: question(index), answered_bytes: answer(index, at) });
		stack.call('shop mail', at + 0.006, at + 0.01, { verb: 'POST', template: '/mails', sent_bytes: 400, answered_bytes: 120 });
	});
	return stack.follow().findings;
}
const isThird = (index: number) => drawn(index + 500, 10) < 3;

test('an error that somebody answers as if it were none is seen by its length, and the service that stumbles over it keeps the place', () => {
	const [finding, ...others] = orders({ isBad: isThird, answer: (index) => (isThird(index) ? 227 : 160 + (index % 20)) });
	assert.deepEqual(
		[said(finding), finding.title, others],
		['shop: own-error', 'answered 500 by itself, after longer answers of stock than for good ones', []],
	);
	assert.ok(
		finding.evidence.includes(
			'stock answered GET /reservations with 227 bytes or more for 100 % of the failed requests, and for 0 % of the good ones of those seconds: what is in its answers is not read.',
		),
		`${finding.evidence}`,
	);
});

test('from one moment on too, where nothing else is there to compare with', () => {
	const isLate = (_: number, at: number) => at > 10;
	const [finding] = orders({ isBad: isLate, answer: (index, at) => (isLate(index, at) ? 81 : 160 + (index % 20)) });
	assert.equal(finding.title, 'answered 500 by itself, after shorter answers of stock than for good ones');
	assert.match(finding.evidence.join(' '), /with 81 bytes or less for 100 % of the failed requests, and for 0 % of the good ones: what/);
});

test('answers that differ for another reason are not reported', () => {
	const plain = 'answered 500 by itself';
	const titles = (given: Parameters<typeof orders>[0]) => orders(given).map(({ title }) => title);
	// As often in good ones.
	assert.deepEqual(titles({ isBad: isThird, answer: (index) => (index % 3 ? 160 : 227) }), [plain]);
	// The question was another.
	assert.deepEqual(
		titles({ isBad: isThird, answer: (index) => (isThird(index) ? 227 : 160), question: (index) => (isThird(index) ? 150 : 90) }),
		[plain],
	);
	// It grew all the time.
	assert.deepEqual(titles({ isBad: (_, at) => at > 10, answer: (_, at) => Math.round(1000 + 40 * at) }), [plain]);
});

/** A service that answers so many calls of each second and turns the rest away, which shop asks five times a second. */
function limited({
	rate,
	most = () => 30,
	isApart = false,
	asker = '',
}: {
	/** calls of another client in the second that begins then */
	rate: (at: number) => number;
	/** that it answers in that second */
	most?: (at: number) => number;
	/** the other client is not counted */
	isApart?: boolean;
	/** that asks the other client */
	asker?: string;
}) {
	const stack = new MadeStack();
	each(-8, 30, 1, (from) => {
		const times = (who: string, count: number) =>
			Array.from({ length: count }, (_, index) => ({ who, at: from + (index + 0.5) / count + (who === 'shop' ? 0.003 : 0) }));
		const [own, others] = [times('shop', 5), times('exporter', rate(from))];
		let answered = 0;
		for (const { who, at } of [...own, ...others].toSorted((one, other) => one.at - other.at)) {
			const isRefused = answered >= most(from) && !(isApart && who === 'exporter');
			if (!(isApart && who === 'exporter')) answered += 1;
			const how = isRefused ? { status: 429, bad: true } : {};
			if (who === 'shop') stack.call('k6 shop', at - 0.002, at + 0.006, { status: isRefused ? 502 : 200 });
			else if (asker !== '') stack.call(`${asker} exporter`, at - 0.002, at + 0.006);
			stack.call(`${who} api`, at, at + 0.004, { on: who, ...how });
		}
	});
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'api: turned-away');
	return finding;
}
const TAKEN = 'turned requests away with 429 (too many requests); exporter, which no service asks, made 92 % of the calls to it';

test('who uses up a limit that is for all is named beside those that are turned away', () => {
	const finding = limited({ rate: (at) => (at >= 10 ? 60 : 1) });
	assert.equal(finding.title, TAKEN);
	assert.match(
		finding.evidence[0],
		/^exporter, which no service asks, made 92 % of the calls to api around these: 59 a second, and 1 in calm seconds\.$/,
	);
	assert.ok(
		finding.evidence.some((text) => /^api gave the same answer to \d+ of [\d,]+ calls of exporter\.$/.test(text)),
		`${finding.evidence}`,
	);
	// Now and then, with calm seconds between.
	assert.equal(limited({ rate: (at) => (at >= 10 && at % 2 === 0 ? 60 : 1) }).title?.slice(0, 70), TAKEN.slice(0, 70));
});

test('but not who asks as much all the while, has a limit of its own, is asked itself, or asks more for being turned away', () => {
	const plain = 'turned requests away with 429 (too many requests)';
	const late = (at: number) => (at >= 10 ? 60 : 1);
	assert.equal(limited({ rate: () => 20, most: () => 22 }).title, plain);
	// A limit was made smaller.
	const lowered = (at: number) => (at >= 10 ? 4 : 30);
	assert.equal(limited({ rate: () => 20, most: lowered }).title, plain);
	assert.equal(limited({ rate: (at) => (at >= 11 ? 60 : 1), most: lowered }).title, plain);
	assert.equal(limited({ rate: (at) => (at >= 8 ? 60 : 1), most: (at) => (at >= 10 ? 3 : 30), isApart: true }).title, plain);
	assert.equal(limited({ rate: late, asker: 'k6' }).title, plain);
	// Less than half, but for the first second.
	assert.equal(limited({ rate: (at) => (at === 10 ? 40 : at > 10 ? 1 : 0), most: (at) => (at === 10 ? 40 : 2) }).title, plain);
});

test('how much it had open is said of who turns away where that differs', () => {
	const make = (took: number) => {
		const stack = new MadeStack();
		each(-5, 30, 0.05, (at, index) => {
			const isFull = at >= 10 && index % 4 === 0;
			stack.call('k6 gate', at, at + (isFull ? 0.002 : took + 0.004), { status: isFull ? 503 : 200 });
			if (!isFull) stack.call('gate render', at + 0.002, at + 0.002 + (at >= 10 ? took : 0.03));
		});
		return stack.follow().findings.flatMap(({ evidence }) => evidence.filter((text) => text.startsWith('When these came')));
	};
	assert.deepEqual(make(0.4).length, 1);
	assert.deepEqual(make(0.02), []);
});

/**
 * A proxy before a program, which answers some pages with 503 by itself from second 5 on.
 * @param how asks: one in so many good requests is asked of the program; isFirst: the program had answered 503
 * before
 */
function cached({ asks, isFirst = true }: { asks: number; isFirst?: boolean }) {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const isBad = at >= 5 && index % 4 === 0;
		const isAsked = isBad ? isFirst && index % 40 === 0 : index % asks === 0;
		stack.call('k6 edge', at, at + 0.004, { status: isBad ? 503 : 200 });
		if (isAsked) stack.call('edge texts', at + 0.001, at + 0.003, { status: isBad ? 503 : 200 });
	});
	return stack.follow().findings[0];
}

test('who answers most without asking gives out again what it was given once; who asks for good ones turns away', () => {
	assert.match(
		cached({ asks: 10 }).title ?? '',
		/^repeated the 503 that texts had answered \d+ times: it answers good requests without asking too, as a cache does$/,
	);
	assert.match(cached({ asks: 1 }).title ?? '', /^turned requests away with 503/);
	assert.match(cached({ asks: 10, isFirst: false }).title ?? '', /^turned requests away with 503/);
});

/**
 * A program that reads a session from a store for each request; from second 10 on it finds none for half of them, and answers 500.
 * @param how isMissing: the store has nothing for these; isGoodToo: nor for good
 * ones; isEmptied: another client sent the store a command before
 */
function signedOut({
	isMissing = true,
	isGoodToo = false,
	isEmptied = true,
}: {
	isMissing?: boolean;
	isGoodToo?: boolean;
	isEmptied?: boolean;
} = {}) {
	const redis = { protocol: 'redis', verb: 'GET', template: 'session' };
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const isBad = at >= 10 && index % 2 === 0;
		const isNothing = (isBad && isMissing) || (isGoodToo && at >= 10);
		stack.call('k6 office', at, at + 0.004, { status: isBad ? 500 : 200 });
		stack.call('office store', at + 0.001, at + 0.002, { ...redis, answered_bytes: isNothing ? 5 : 60, on: `${index % 2}` });
	});
	each(-5, 30, 1, (at) => stack.call('deploy store', at, at + 0.001, { ...redis, verb: 'PING', template: '', on: 'deploy' }));
	if (isEmptied) stack.call('deploy store', 9.5, 9.501, { ...redis, verb: 'FLUSHDB', template: '', on: 'deploy' });
	return stack.follow().findings[0];
}

test('who does not find in a store what it finds there as a rule says so, with who had sent the store something else just before', () => {
	const finding = signedOut();
	assert.deepEqual([said(finding), finding.title], ['office: own-error', 'answered 500 by itself, as store had nothing for them']);
	assert.equal(finding.evidence[0], 'store had nothing for 100 % of the failed requests in office, and for 0 % of the good ones.');
	assert.match(finding.evidence[1], /^deploy, which no service asks, sent store the command FLUSHDB \d+ ms before the first of them\.$/);
	assert.ok(signedOut({ isEmptied: false }).evidence.every((text) => !text.includes('deploy')));
	for (const how of [{ isMissing: false }, { isGoodToo: true }])
		assert.equal(signedOut(how).title, 'answered 500 by itself', JSON.stringify(how));
});

test('where no such request went well, it is so of a store that keeps nothing and is asked last', () => {
	const lost = ({ isKept = true, asksOn = false } = {}) => {
		const redis = { protocol: 'redis', verb: 'GET', template: 'session', answered_bytes: 5 };
		const stack = new MadeStack();
		each(-5, 30, 0.05, (at, index) => {
			stack.call('k6 office', at, at + 0.004, { verb: 'GET', template: '/', status: 200 });
			if (isKept) stack.call('office store', at + 0.001, at + 0.002, { ...redis, verb: 'SET', sent_bytes: 900, on: 'set' });
			if (at < 10 || index % 2 === 1) return;
			stack.call('k6 office', at + 0.01, at + 0.016, { verb: 'GET', template: '/cart', status: 500 });
			stack.call('office store', at + 0.011, at + 0.012, { ...redis, on: 'get' });
			if (asksOn) stack.call('office db', at + 0.013, at + 0.014, { on: 'db' });
		});
		return stack.follow().findings[0];
	};
	assert.equal(lost().title, 'answered 500 by itself, as store had nothing for them');
	assert.match(lost().evidence[1], /^store took [\d,]+ values of office, and had nothing for any of its calls\.$/);
	for (const how of [{ isKept: false }, { asksOn: true }]) assert.equal(lost(how).title, 'answered 500 by itself', JSON.stringify(how));
});
