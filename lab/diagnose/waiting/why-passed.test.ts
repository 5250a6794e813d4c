/**
 * An api asks a broker, which passes each question on to one of three workers with the mark of the question, and back what that one replies. Who is
 * given up is told nothing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, reported } from './fixtures/made-stack.ts';

const BROKER = { protocol: 'broker', template: 'price', status: null };
const BROKEN_S = 15;
const GIVE_UP_S = 1.5;
const WORKERS = ['worker-1', 'worker-2', 'worker-3'];

function passing({
	takes,
	passes = () => 0.0002,
	asked = () => 1,
	subscribed = () => WORKERS,
	also = () => {},
}: {
	/** seconds until it replies; null: never */
	takes: (worker: string, at: number, index: number) => number | null;
	/** seconds until the broker passes a question on */
	passes?: (at: number) => number;
	/** questions at a time */
	asked?: (at: number) => number;
	/** workers; of none it says so at once */
	subscribed?: (at: number) => string[];
	also?: (stack: MadeStack, at: number, index: number) => void;
}) {
	const stack = new MadeStack(30);
	for (const name of ['api', 'broker', ...WORKERS]) stack.reads(name, () => ({ cores: 0.01 }));
	const ask = (at: number, index: number) => {
		const workers = subscribed(at);
		const worker = workers[(index >> 1) % workers.length];
		const [given, took] = [at + 0.002 + passes(at), worker === undefined ? 0 : takes(worker, at, index)];
		const replied = took === null ? null : given + took;
		const isBad = worker === undefined || replied === null || replied > at + GIVE_UP_S;
		const over = worker === undefined ? at + 0.005 : isBad ? at + GIVE_UP_S + 0.003 : Number(replied) + 0.002;
		stack.call('k6 api', at, over, { template: '/quote/:n', status: isBad ? 504 : 200 });
		const question = { ...BROKER, verb: 'PUB', id: `m${index}`, on: 'own', ...(worker === undefined ? { code: '503', bad: true } : {}) };
		stack.call('api broker', at + 0.002, worker === undefined ? at + 0.003 : replied === null ? null : replied + 0.0002, question);
		if (worker !== undefined)
			stack.call(`${worker} broker`, given, replied, { ...BROKER, verb: 'MSG', role: 'push', id: `m${index}`, on: 'own', by: 'client' });
		also(stack, given, index);
	};
	each(-5, 30, 0.07, (at, tick) => {
		for (let one = 0; one < asked(at); one += 1) ask(at + one * 0.001, tick * 2 + one);
	});
	return stack;
}

const quick = (index: number) => 0.012 + (index % 5) / 1000;

test('of three that are given the questions in turn, the one that replies to none any more is the place', () => {
	const [finding, ...more] = passing({
		takes: (worker, at, index) => (worker === 'worker-2' && at >= BROKEN_S ? null : quick(index)),
	}).follow().findings;
	assert.deepEqual([finding.place.service, finding.mechanism, finding.why_basis, more], ['worker-2', 'hung', 'counted', []]);
	assert.match(finding.title ?? '', /^was given \d+ messages of broker from second 1[56] on and replied to none$/);
	const text = finding.evidence.join(' ');
	assert.match(text, /broker passed 100 % of the failed calls on to worker-2, which never replied to them\./);
	assert.match(text, /Meanwhile worker-1 replied to \d+, worker-3 replied to \d+ of the good ones\./);
});

test('one that never replies to some is the place of these, and another that is given a copy of each and replies to none is not', () => {
	const stack = passing({
		takes: (_, __, index) => (index % 14 === 0 ? null : quick(index)),
		also: (made, at, index) =>
			made.call('audit broker', at, null, { ...BROKER, verb: 'MSG', role: 'push', id: `m${index}`, on: 'own', by: 'client' }),
	});
	const [finding, ...more] = stack.follow().findings;
	assert.equal(finding.place.service, WORKERS.join(', '));
	assert.deepEqual([finding.mechanism, more], ['deliveries-held', []]);
});

/**
 * A worker that takes as long for each, and from second 5 on is asked more than it can.
 * @param width how many it works on at a time
 */
function overrun(width: number) {
	const free = Array(width).fill(-10);
	return passing({
		subscribed: () => ['worker-1'],
		asked: (at) => (at < 5 ? 1 : 2),
		takes(_, at) {
			const own = free.indexOf(Math.min(...free));
			free[own] = Math.max(free[own], at) + 0.055 * width;
			return free[own] - at;
		},
	}).follow().findings;
}

for (const width of [1, 3])
	test(`a worker that is asked more than it can do, ${width} at a time, is the place of what it replies to too late`, () => {
		const [finding, ...more] = overrun(width);
		assert.deepEqual([finding.place.service, finding.mechanism, finding.why_basis, more], ['worker-1', 'workers-taken', 'inferred', []]);
		assert.match(
			finding.title ?? '',
			new RegExp(`^worked on ${width} messages? at a time, ${width * 55} ms for each, while \\d+ had come$`),
		);
	});

test('of one that takes longer for each of any number nothing is counted', () => {
	const [finding] = passing({ takes: (_, at, index) => (at < BROKEN_S ? quick(index) : 2 + (index % 7) / 10) }).follow().findings;
	assert.deepEqual([finding.place.service, finding.mechanism], [WORKERS.join(', '), null]);
});

test('a broker that passes questions on late is not what its workers are accused of', () => {
	const stack = passing({ takes: (_, __, index) => quick(index), passes: (at) => (at < BROKEN_S ? 0.0002 : 1.49) });
	assert.deepEqual(
		stack.follow().findings.map(({ place }) => place.service),
		['broker'],
	);
});

test('where the broker says that nobody takes it, the worker that hung up is gone', () => {
	const stack = passing({ takes: (_, __, index) => quick(index), subscribed: (at) => (at < BROKEN_S ? ['worker-1'] : []) });
	for (const connection of stack.wire.connections)
		if (connection.client === 'worker-1') Object.assign(connection, { ended_at: 1_000_000 + BROKEN_S, outcome: 'closed', by: 'client' });
	assert.deepEqual(reported(stack), ['worker-1: gone']);
});
