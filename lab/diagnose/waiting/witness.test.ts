/**
 * A line of a service's own log for each call that failed there says why before what was only seen at the time; a line that good calls have too, that
 * another service wrote, or that says no more than that it failed, does not.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { titleOf } from '../ledger/waited.ts';
import { each, MadeStack, SQL, said } from './fixtures/made-stack.ts';

type Written = { say: (text: string, service?: string, late?: number) => void; isBad: boolean; index: number };

/**
 * Uploads that take 1.4 s behind a proxy which answers 500 at once when five are in it.
 * @param write when a request is over
 */
function uploads(write: (written: Written) => void, { status = 500 }: { status?: number } = {}) {
	const stack = new MadeStack(40);
	let open: number[] = [];
	each(-8, 38, 0.25, (at, index) => {
		if (at < 6 && index % 6 !== 0) return;
		open = open.filter((over) => over > at);
		const isBad = open.length >= 5;
		const over = at + (isBad ? 0.004 : 1.4);
		if (!isBad) open.push(over);
		stack.call('k6 edge', at, over, { verb: 'POST', template: '/files', status: isBad ? status : 200 });
		if (!isBad) stack.call('edge api', at + 0.002, over - 0.002, { verb: 'POST', template: '/files', on: `${index % 12}` });
		write({ say: (text, service = 'edge', late = 0) => stack.says(service, over + late, text), isBad, index });
	});
	return stack.follow().findings;
}

const PARTED = /of the failed came to edge when at least 5 such calls were in it/;

test('a number that parts failed from good ones is why where nothing else is on record', () => {
	const [finding] = uploads(() => {});
	assert.deepEqual(
		[said(finding), finding.title, finding.log],
		['edge: turned-away', 'answered 500 when 5 or more of POST /files were in it', undefined],
	);
});

test('where a line for each says why the number is evidence, below it', () => {
	const [known] = uploads(
		({ say, isBad }) => isBad && say('[crit] 31#31: *17 pwrite() "/tmp/body/7" failed (28: No space left on device)'),
	);
	assert.deepEqual([said(known), known.title, known.why_basis], ['edge: disk-full', 'had no space left on its disk', 'counted']);
	assert.match(known.evidence[0], /^Its log says, \d+ times for \d+ failed requests: “\[crit\] \*17 pwrite\(\)/);
	const [unknown] = uploads(({ say, isBad }) => isBad && say('WARN  the scratch area of tenant 7 is at its end'));
	assert.deepEqual(
		[said(unknown), titleOf(unknown, 'app-error').title, unknown.place.edge],
		['edge: own-error', 'its log says each time: “the scratch area of tenant 7 is at its end”; it answered 500 by itself', null],
	);
	for (const { evidence } of [known, unknown])
		assert.ok(
			evidence.slice(1).some((text) => PARTED.test(text)),
			`${evidence}`,
		);
});

test('who answers by its status that it takes no more turned them away, whatever its log calls it', () => {
	const [finding] = uploads(({ say, isBad }) => isBad && say('limiting uploads, excess: 0.5 by zone "files"'), { status: 503 });
	assert.deepEqual(
		[said(finding), titleOf(finding, 'turned-away').title],
		['edge: turned-away', 'its log says each time: “limiting uploads, excess: 0.5 by zone "…"”; it turned requests away with 503'],
	);
});

test('what tells no more than that it failed is passed over for the next line, and alone is no reason', () => {
	const bare = ['500 Internal Server Error for POST /files', 'ERROR Error handling request', 'at Files.create (/srv/files.js:12:7)'];
	const [both] = uploads(({ say, isBad }) => {
		if (isBad) for (const [place, line] of [...bare, 'quarantine is closed'].entries()) say(line, 'edge', place / 10_000);
	});
	assert.equal(both.log?.words, 'quarantine is closed');
	const [alone] = uploads(({ say, isBad }) => isBad && bare.map((line) => say(line)));
	assert.deepEqual([said(alone), alone.log], ['edge: turned-away', undefined]);
});

test('a line of a service beside them is no witness, however often it comes', () => {
	const [finding] = uploads(({ say, isBad }) => isBad && say('OSError: [Errno 28] No space left on device', 'backup'));
	assert.deepEqual([said(finding), finding.log], ['edge: turned-away', undefined]);
});

/** A service that answers one in two with an error from the first request on, so that no second is calm. */
function halved(write: (written: Written) => void) {
	const stack = new MadeStack();
	each(-8, 29, 0.1, (at, index) => {
		const isBad = index % 2 === 0;
		const over = at + (isBad ? 0.006 : 0.008);
		stack.call('k6 web', at, over, { status: isBad ? 500 : 200 });
		write({ say: (text, service = 'web', late = 0.001) => stack.says(service, over + late, text), isBad, index });
	});
	const [finding] = stack.follow().findings;
	return finding;
}

test('a line that good calls have as well, or alone, is no witness', () => {
	assert.equal(halved(({ say }) => say('warning: the price list is old')).log, undefined);
	assert.equal(halved(({ say, isBad }) => !isBad && say('warning: the price list is old')).log, undefined);
	assert.equal(halved(({ say, isBad }) => isBad && say('warning: the price list is old')).log?.words, 'the price list is old');
});

test('as many lines for each are one for each: an error logged twice, or once for each try', () => {
	const twice = halved(({ say, isBad }) => isBad && [0.001, 0.002].map((late) => say('the price list is gone', 'web', late)));
	assert.equal(twice.log?.words, 'the price list is gone');
	assert.match(twice.evidence[0], /^Its log says, 29\d times for 145 failed requests: /);
	const stack = new MadeStack();
	each(-8, 25, 0.1, (at, index) => {
		const isBad = at > 5 && index % 30 === 0;
		stack.call('k6 web', at, at + (isBad ? 2.1 : 0.02), { status: isBad ? 500 : 200 });
		if (isBad) for (const after of [0.1, 1, 2]) stack.says('web', at + after, 'warning: ledger is sealed, trying again');
	});
	assert.equal(stack.follow().findings[0].log?.words, 'ledger is sealed, trying again');
});

test('lines that come as often as such, but in no step with the failed, are no witness', () => {
	const stack = new MadeStack();
	each(-8, 25, 0.1, (at, index) => {
		const isBad = at > 5 && index % 10 === 0;
		stack.call('k6 web', at, at + (isBad ? 0.006 : 0.02), { status: isBad ? 500 : 200 });
	});
	each(5.2, 25, 0.5, (at, index) => stack.says('web', at + (index % 7) / 20, 'warning: the price list is old'));
	assert.equal(stack.follow().findings[0].log, undefined);
});

/**
 * Five at a time wait 6 s for a carrier; whoever comes meanwhile is failed after 5 s.
 * @param write of one that failed
 */
function delivered(write: (stack: MadeStack, over: number) => void) {
	const stack = new MadeStack(40);
	each(-9, -1, 2, (at) => {
		stack.call('k6 api', at, at + 6.02);
		stack.call('api carrier', at + 0.01, at + 6);
	});
	each(5, 33, 6, (at) => {
		for (let one = 0; one < 5; one += 1) {
			stack.call('k6 api', at + one / 100, at + 6.02);
			stack.call('api carrier', at + 0.01 + one / 100, at + 6);
		}
		for (let one = 0; one < 5; one += 1) {
			const over = at + 5.1 + one / 100;
			stack.call('k6 api', over - 5, over, { status: 500 });
			write(stack, over - 0.002);
		}
	});
	stack.reads('api', () => ({ cores: 0.05, queued: 3 }));
	return stack.follow().findings[0];
}

test('a pool that says of each that it had none to give is why, before workers that are all taken', () => {
	assert.equal(said(delivered(() => {})), 'api: workers-taken');
	const finding = delivered((stack, over) =>
		stack.says(
			'api',
			over,
			'ActiveRecord::ConnectionTimeoutError (could not obtain a connection from the pool within 5.000 seconds (waited 5.001 seconds); all pooled connections were in use)',
		),
	);
	assert.deepEqual([said(finding), finding.why_basis], ['api: pool-full', 'counted']);
	assert.match(finding.evidence[0], /^Its log says, \d+ times for \d+ failed requests: /);
});

test('a code on the wire says why, whatever the log of its place says of each', () => {
	const stack = new MadeStack();
	each(-8, 29, 0.1, (at, index) => {
		const isBad = at > 5 && index % 5 === 0;
		stack.call('k6 web', at, at + 0.01, { status: isBad ? 500 : 200 });
		stack.call('web store', at + 0.002, at + 0.008, { ...SQL, protocol: 'postgres', on: 'a', code: isBad ? '42P01' : null, bad: isBad });
		if (isBad) stack.says('store', at + 0.008, 'ERROR:  could not write to file "base/pgsql_tmp/7": No space left on device');
	});
	const [finding] = stack.follow().findings;
	assert.deepEqual([finding.mechanism, finding.log?.words ?? ''], ['statement-unfit', '']);
});

test('a line that came first with the first of them, and few times since, is quoted; one of before, or of another service, is not', () => {
	const opened = (says: [at: number, service?: string][]) => {
		const stack = new MadeStack();
		each(-5, 30, 0.1, (at) => {
			const isBad = at >= 8 && at % 9 > 1;
			stack.call('k6 shop', at, at + 0.004, { status: isBad ? 503 : 200 });
			if (!isBad) stack.call('shop stock', at + 0.001, at + 0.003);
		});
		for (const [at, service = 'shop'] of says) stack.says(service, at, 'WARN breaker of stock is open after 5 failures');
		return stack.follow().findings[0];
	};
	const finding = opened([[7.95], [10.05]]);
	const quoted = 'its log says from the first failure on: “breaker of stock is open after 5 failures”';
	assert.equal(titleOf(finding, 'turned-away').title, `${quoted}; it turned requests away with 503`);
	for (const says of [[[2], [7.95]], [[7.95, 'stock']], [[12]]] as [number, string?][][])
		assert.equal(opened(says).log, undefined, `${says}`);
});

test('that a request failed is no news from another service', () => {
	const [finding] = uploads(({ say, isBad }) => isBad && say('error handled request', 'api'));
	assert.ok(finding.evidence.every((text) => !text.includes('handled request')));
});
