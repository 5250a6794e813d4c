import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, SQL, said } from './fixtures/made-stack.ts';

/** Two of a kind read bills; one asks for a column that is not there, or as a user who is not. */
function reading(isUnfit: (at: number) => boolean, code: string = '42703') {
	const stack = new MadeStack();
	each(-8, 30, 0.1, (at, index) => {
		const web = `web-${(index % 2) + 1}`;
		const isBad = web === 'web-2' && isUnfit(at);
		stack.call('k6 lb', at, at + 0.012, { status: isBad ? 500 : 200 });
		stack.call(`lb ${web}`, at + 0.001, at + 0.011, { status: isBad ? 500 : 200 });
		stack.call(`${web} db`, at + 0.002, at + 0.003, {
			...SQL,
			protocol: 'postgres',
			code: isBad ? code : null,
			bad: isBad,
			on: `${web} ${index % 4}`,
		});
	});
	return stack;
}

test('a statement that does not fit is the asker’s, of whom none went well', () => {
	const [finding] = reading(() => true).follow().findings;
	assert.deepEqual(
		[said(finding), finding.place.edge, finding.title],
		['web-2: statement-unfit', { from: 'web-2', to: 'db' }, 'asked db for what that does not have'],
	);
	assert.ok(
		finding.evidence.some((text) => /calls of that kind by web-1 went well/.test(text)),
		`${finding.evidence}`,
	);
});

test('but the database is the place where such calls had gone well before', () => {
	const [finding] = reading((at) => at > 10).follow().findings;
	assert.deepEqual([said(finding), finding.title], ['db: statement-unfit', 'no longer had what web-2 asks it for']);
});

/**
 * What api asks goes to db through a pooler, on any of two connections for its six.
 * @param code of what goes badly from second 5 on
 */
function pooled(code: string) {
	const stack = new MadeStack();
	each(-8, 30, 0.1, (at, index) => {
		const isBad = at > 5 && index % 3 === 0;
		const answer = { ...SQL, protocol: 'postgres', code: isBad ? code : null, bad: isBad };
		stack.call('k6 api', at, at + 0.012, { status: isBad ? 500 : 200 });
		stack.call('api pooler', at + 0.001, at + 0.009, { ...answer, template: isBad ? 'BIND' : 'SELECT', on: `api ${index % 6}` });
		stack.call('pooler db', at + 0.002, at + 0.008, { ...answer, template: isBad ? 'BIND' : 'SELECT', on: `pooler ${index % 2}` });
	});
	return stack;
}

test('who hands statements on to connections that did not prepare them is the pooler', () => {
	const [finding] = pooled('26000').follow().findings;
	assert.deepEqual([said(finding), finding.place.edge], ['pooler: statement-elsewhere', { from: 'pooler', to: 'db' }]);
	assert.ok(finding.evidence.includes('api had 6 connections to pooler, and pooler 2 connections to db.'), `${finding.evidence}`);
});

test('and without one it is who asked', () => {
	const stack = new MadeStack();
	each(-8, 30, 0.1, (at, index) => {
		const isBad = at > 5 && index % 3 === 0;
		stack.call('k6 api', at, at + 0.012, { status: isBad ? 500 : 200 });
		stack.call('api db', at + 0.001, at + 0.009, {
			...SQL,
			...{ protocol: 'postgres', code: isBad ? '42P05' : null, bad: isBad, on: `api ${index % 6}` },
		});
	});
	const [finding] = stack.follow().findings;
	assert.deepEqual(
		[said(finding), finding.title],
		['api: statement-elsewhere', 'asked for a prepared statement on a connection that did not have it'],
	);
});

test('a statement that does not fit is not the pooler’s, who only hands it on', () => {
	const [finding] = pooled('42P01').follow().findings;
	assert.deepEqual([said(finding), finding.place.edge], ['api: statement-unfit', { from: 'api', to: 'pooler' }]);
});

test('who asks with a password that the other does not know is the place, unless that let it in before', () => {
	const [wrong] = reading(() => true, '28P01').follow().findings;
	assert.deepEqual([said(wrong), wrong.title], ['web-2: login-refused', 'asked db as a user, or with a password, that it does not let in']);
	const [changed] = reading((at) => at > 10, '28P01').follow().findings;
	assert.deepEqual([said(changed), changed.title], ['db: login-refused', 'no longer let web-2 in as before']);
});

/** Three of a kind ask a tax office over HTTP. */
function taxed(isRefused: (web: string, index: number) => boolean, status: string = '401') {
	const stack = new MadeStack();
	each(-8, 30, 0.1, (at, index) => {
		const web = `web-${(index % 3) + 1}`;
		const isBad = isRefused(web, index);
		stack.call('k6 lb', at, at + 0.012, { status: isBad ? 502 : 200 });
		stack.call(`lb ${web}`, at + 0.001, at + 0.011, { status: isBad ? 502 : 200 });
		stack.call(`${web} tax`, at + 0.002, at + 0.003, { template: '/rate', status: isBad ? Number(status) : 200 });
	});
	return stack.follow().findings[0];
}

test('one of several that alone is not let in over HTTP asks as somebody who is not', () => {
	const finding = taxed((web) => web === 'web-3');
	assert.deepEqual([said(finding), finding.place.edge], ['web-3: login-refused', { from: 'web-3', to: 'tax' }]);
	assert.ok(
		finding.evidence.some((text) => /calls of that kind by web-1, web-2 went well/.test(text)),
		`${finding.evidence}`,
	);
});

test('but who refuses some of what each asks does so by itself', () => {
	assert.equal(said(taxed((_, index) => index % 5 === 0)), 'tax: own-error');
});

test('who let all in until a moment, and nobody since, no longer does', () => {
	const finding = taxed((_, index) => index >= 200);
	assert.equal(said(finding), 'tax: login-refused');
	assert.match(finding.title ?? '', /^no longer let web-\d in as before$/);
	assert.notEqual(said(taxed((_, index) => index >= 200, '500')), 'tax: login-refused');
});

test('a store that says that it recovers is not asked for more', () => {
	const [finding] = reading((at) => at > 10, '57P03').follow().findings;
	assert.deepEqual([said(finding), finding.why_basis], ['db: not-ready', 'counted']);
});

test('of transactions that met in a circle it is said in which order each took its locks', () => {
	const stack = new MadeStack();
	const sql = { protocol: 'postgres', status: null };
	each(-5, 29, 0.05, (at, index) => {
		const isBad = at >= 5 && index % 5 === 0;
		const [first, second] = index % 2 ? ['stock', 'shelf'] : ['shelf', 'stock'];
		const on = `${index % 8}`;
		stack.call('k6 api', at, at + 0.04, { status: isBad ? 500 : 200 });
		stack.call('api db', at + 0.002, at + 0.003, { ...sql, on, verb: 'BEGIN', template: '', state: 'transaction' });
		stack.call('api db', at + 0.004, at + 0.009, { ...sql, on, verb: 'UPDATE', template: first, state: 'transaction' });
		const end = isBad ? { code: '40P01', bad: true, state: 'failed-transaction' as const } : { state: 'transaction' as const };
		stack.call('api db', at + 0.01, at + 0.03, { ...sql, on, verb: 'UPDATE', template: second, ...end });
		stack.call('api db', at + 0.031, at + 0.032, { ...sql, on, verb: isBad ? 'ROLLBACK' : 'COMMIT', template: '', state: 'idle' });
	});
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'db: deadlock');
	assert.deepEqual(finding.evidence.slice(1, 4), [
		'48 of these were broken off at UPDATE stock, after UPDATE shelf in the same transaction.',
		'48 of these were broken off at UPDATE shelf, after UPDATE stock in the same transaction.',
		'340 transactions sent UPDATE shelf before UPDATE stock, and 340 the other way round: two that each hold what the other asks for next wait for each other.',
	]);
});

test('of a store that is short of memory it is said who sent it most of what it holds', () => {
	for (const bytes of [4000, 60]) {
		const stack = new MadeStack();
		each(-8, 29, 0.1, (at) => stack.call('tracker store', at, at + 0.001, { ...PUSHED, sent_bytes: bytes, on: 'tracker' }));
		each(-5, 29, 0.05, (at, index) => {
			const isFull = at >= 12 && index % 2 === 0;
			stack.call('k6 web', at, at + 0.02, { status: isFull ? 500 : 200 });
			const refused = isFull ? { code: 'OOM', bad: true } : {};
			stack.call('web store', at + 0.002, at + 0.003, { ...PUSHED, sent_bytes: 60, on: `${index % 3}`, ...refused });
		});
		const [finding] = stack.follow().findings;
		assert.equal(said(finding), 'store: memory-short');
		const sender = finding.evidence.filter((text) => text.startsWith('Of the '));
		assert.deepEqual(
			sender,
			bytes === 60 ? [] : ['Of the 1.5 MiB that store was sent in calls until then tracker sent 97 %, most of it in the command RPUSH.'],
		);
	}
});
const PUSHED = { protocol: 'redis', status: null, verb: 'RPUSH', template: '' } as const;
