/** Requests that wait in a blocking read of a store for what a worker puts there, which takes its work from a broker. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack } from './fixtures/made-stack.ts';

const READ = { protocol: 'redis', role: 'wait' as const, verb: 'BLPOP', template: 'BLPOP' };
const PUT = { protocol: 'redis', verb: 'RPUSH', template: 'RPUSH' };
const SEND = { protocol: 'amqp', role: 'send' as const, verb: 'basic.publish', template: 'basic.publish' };
const DELIVERED = { protocol: 'amqp', role: 'push' as const, verb: 'basic.deliver', template: 'basic.deliver', by: 'client' as const };
const BROKEN_S = 15;
const GIVE_UP_S = 4;

/** @param given isAsked: the api still sends its messages; isBack: the worker gives back what is delivered; others: puts of others go on */
function stacked({ isAsked = true, isBack = true, others = false } = {}) {
	const stack = new MadeStack(40);
	for (const name of ['api', 'store', 'broker', 'worker']) stack.reads(name, () => ({ cores: 0.02 }));
	each(-5, 36, 0.1, (at, index) => {
		const isWell = at < BROKEN_S;
		const over = at + (isWell ? 0.03 : GIVE_UP_S + 0.02);
		stack.call('k6 api', at, over, isWell ? {} : { status: 503 });
		if (isWell || isAsked) stack.call('api broker', at + 0.001, at + 0.0011, { ...SEND, on: `${index % 50}` });
		stack.call('api store', at + 0.002, over - 0.005, { ...READ, on: `${index % 50}` });
		if (isWell) {
			stack.call('worker broker', at + 0.003, at + 0.02, { ...DELIVERED, on: 'worker' });
			stack.call('worker store', over - 0.006, over - 0.005, { ...PUT, on: 'worker' });
		} else if (isBack) stack.call('worker broker', at, at + 0.015, { ...DELIVERED, code: 'NACK', on: 'worker' });
		if (others) stack.call('other store', at + 0.0115, at + 0.012, { ...PUT, on: 'other' });
	});
	return stack;
}

test('who gives back what is delivered to it, and so gives nothing that others read, is the place', () => {
	const [finding, ...more] = stacked().follow().findings;
	assert.deepEqual([finding.place.service, finding.mechanism, finding.basis, more], ['worker', 'deliveries-returned', 'inferred', []]);
	assert.match(finding.title ?? '', /gave back \d+ of the \d+ messages that broker delivered to it from second 15 on/);
});

test('who gives nothing more for another reason is the place too', () => {
	const [finding] = stacked({ isBack: false }).follow().findings;
	assert.equal(finding.place.service, 'worker');
	assert.match(finding.title ?? '', /gave store nothing for which these requests waited/);
});

test('who was asked for nothing more has nothing to give, and another that puts something beside it is none either', () => {
	for (const given of [
		{ isAsked: false, isBack: false },
		{ isAsked: false, isBack: false, others: true },
	]) {
		const [finding] = stacked(given).follow().findings;
		assert.notEqual(finding?.place.service, 'worker', JSON.stringify(given));
		assert.notEqual(finding?.place.service, 'other', JSON.stringify(given));
	}
});
