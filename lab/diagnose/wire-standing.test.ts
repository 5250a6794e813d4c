import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOf } from './fixtures/record.ts';
import { Made, readShop } from './joins/fixtures/made.ts';
import { joinedOf } from './joins/joined.ts';
import { gatherFacts } from './ledger/facts.ts';
import type { Standstill } from './time/standstill.ts';
import { onsetOf } from './time/standstill.ts';
import { windowOf } from './time/window.ts';
import { each, MadeStack, said, ZERO } from './waiting/fixtures/made-stack.ts';
import { wireStanding, worstOf } from './wire-standing.ts';

const NOTHING: Parameters<typeof wireStanding>[2] = { saturations: [], timeline: [], standstill: null, onset: null, findings: [] };

/**
 * @param make from: the load's begin
 * @param rest of the raw record
 */
function stood(make: (made: Made, from: number) => void, rest: object = {}, standstill: Standstill | null = null) {
	const raw = { ...recordOf({ balanced: true }), failures: [], ...rest };
	const window = windowOf(raw) ?? assert.fail();
	const made = new Made();
	make(made, window.from);
	const facts = gatherFacts({ ...raw, wire: made.record }, window);
	const joined = joinedOf(made.record);
	const reached = { ...NOTHING, standstill, onset: onsetOf(standstill, { failures: raw.failures.length }) };
	return { window, facts, joined, reported: wireStanding(facts, joined, reached) };
}

const failure = (id: string, t: number) => ({ id, t, waited_s: 1, status: 500, code: 0, kind: 'status' });

const stoodStill: (kind: Standstill['kind'], from_s: number, to_s: number) => Standstill = (kind, from_s, to_s) => ({
	kind,
	intervals: [{ from_s, to_s }],
	end_s: 10,
});

test('a stop is reported with the second of the headline, and with the place', () => {
	const raw = recordOf({ balanced: true });
	const from = windowOf(raw)?.from ?? assert.fail();
	const to = windowOf(raw)?.to ?? assert.fail();
	const failures = Array.from({ length: 30 }, (_, index) => failure(`f${index}`, to));
	const { reported } = stood(
		(made) => {
			for (let at = 0; at < 2; at += 0.1) made.call('k6 api', from + at, from + at + 0.05);
			for (let index = 0; index < 30; index += 1)
				made.call('k6 api', from + 2, null, { id: `f${index}`, end: 'open', by: null, status: null });
		},
		{ failures },
		stoodStill('stopped', 2, 10),
	);
	assert.match(reported.text, /^From second 2 on no request succeeded; on average 30 of 30 requests in flight were in api\.$/);
	assert.deepEqual(
		reported.marks.map(({ t_s, text }) => [t_s, text]),
		[
			[2, 'from here on no success'],
			[9.5, 'first failure'],
		],
	);
	assert.equal(reported.failed.at(-1), 30);
});

test('a first failure in the second of the stop is one mark with it', () => {
	const raw = recordOf({ balanced: true });
	const from = windowOf(raw)?.from ?? assert.fail();
	const failures = Array.from({ length: 30 }, (_, index) => failure(`f${index}`, from + 2.6 + index / 5));
	const { reported } = stood(() => {}, { failures }, stoodStill('stopped', 2, 10));
	assert.deepEqual(
		reported.marks.map(({ t_s, text }) => [t_s, text]),
		[[2, 'first failure, from here on no success']],
	);
});

test('a standstill after which all were answered is reported with its place too', () => {
	const { reported } = stood(
		(made, from) => {
			for (let at = 0; at < 2; at += 0.1) made.call('k6 api', from + at, from + at + 0.05);
			for (let index = 0; index < 30; index += 1) made.call('k6 api', from + 2, from + 7);
		},
		{},
		stoodStill('came-back', 2, 7),
	);
	assert.match(
		reported.text,
		/^From second 2 to 7 no response came; on average 30 of 30 requests in flight were in api\. All .* requests succeeded in the end\.$/,
	);
	assert.deepEqual(reported.marks, [{ t_s: 2, kind: 'onset', text: 'from here on no success' }]);
});

test('where those that failed were answered at once, nothing is said of where others stood', () => {
	const raw = recordOf({ balanced: true });
	const from = windowOf(raw)?.from ?? assert.fail();
	const saidAfter = (waited_s: number) => {
		const failures = Array.from({ length: 30 }, (_, index) => ({ ...failure(`f${index}`, from + 2 + index / 100), waited_s }));
		const { reported } = stood(
			(made) => {
				for (let index = 0; index < 600; index += 1) made.call('k6 web', from + index / 200, from + index / 200 + 1);
				for (const { id, t } of failures) made.call('k6 web', t - waited_s, t, { id, status: 503, bad: true });
			},
			{ failures },
		);
		return reported.text;
	};
	assert.match(
		saidAfter(0.002),
		/^4\.8 % of 630 requests failed\. Half of the failed requests ended within 2 ms, too soon to be seen in flight\.$/,
	);
	assert.match(
		saidAfter(0.0002),
		/ Half of the failed requests ended at once, too soon to be seen in flight\.$/,
		'a time is not written as none',
	);
});

test('what ended and came back, and limits that were reached for some seconds, are marked where it happened', () => {
	const raw = recordOf({ balanced: true });
	const from = windowOf(raw)?.from ?? assert.fail();
	const name = raw.manifest.services.find(({ tier }: any) => tier === 'app').name;
	const events = [
		{ t: from + 3.25, name, action: 'die', exit_code: 1 },
		{ t: from + 4, name: 'k6', action: 'die', exit_code: 0 },
		{ t: from + 5, name, action: 'start', exit_code: null },
	];
	const { facts, joined } = stood((made) => made.call('k6 api', from, from + 1), { events });
	const timeline = [1, 2, 3, 4, 5, 6].map((t_s) => ({ t_s })) as any[];
	const saturation = { tier: 'app' as const, service: name, name, what: 'its CPU quota was used up', rank: 1 };
	const reported = wireStanding(facts, joined, {
		...NOTHING,
		timeline,
		saturations: [
			{ ...saturation, reached: [false, true, true, true, null, false] },
			{ ...saturation, name: 'brief', reached: [true, false, true, true, false, false] },
		],
	});
	assert.deepEqual(reported.marks, [
		{ t_s: 1, kind: 'limit', text: `${name}: its CPU quota was used up` },
		{ t_s: 3.3, kind: 'event', text: `${name} ended` },
		{ t_s: 5, kind: 'event', text: `${name} started` },
	]);
});

test('where the entry could not be read the good answers are those of the generator', () => {
	const raw = recordOf({ balanced: true });
	const from = windowOf(raw)?.from ?? assert.fail();
	const { facts, joined } = stood((made) => made.call('web store', from, from + 1));
	const timeline = [0, 1, 2, 3].map((t_s) => ({ t_s, goodput_rps: t_s * 10 })) as any[];
	const reported = wireStanding(facts, joined, { ...NOTHING, timeline });
	assert.deepEqual(reported.good.slice(0, 6), [5, 5, 10, 10, 15, 15]);
});

test('a healthy run says where most of the waiting was', () => {
	const { reported } = stood((made, from) => {
		for (let at = 0; at < 5; at += 0.1) {
			made.call('k6 web', from + at, from + at + 0.1);
			made.call('web store', from + at, from + at + 0.08);
		}
	});
	assert.match(
		reported.text,
		/^All .* requests succeeded\. Requests spent 80\.0 % of their time in store, more than elsewhere\. The highest number in flight was 1, in second /,
	);
});

test('where k6 sent more than it counts as requests, as after a redirect, both totals are named', () => {
	const text = (calls: number, rest: any = {}) => {
		const { reported, facts, window } = stood((made, from) => {
			for (let index = 0; index < calls; index += 1) made.call('k6 web', from + (index / calls) * 8, from + (index / calls) * 8 + 0.01);
		}, rest);
		assert.ok(facts.generator.finished > 0 && window.to - window.from > 8.1);
		return { said: reported.text, asked: facts.generator.finished };
	};
	const { asked } = text(1);
	assert.doesNotMatch(text(asked).said, /calls at the entry/);
	const said = text(asked * 2).said.replaceAll(',', '');
	assert.ok(
		said.startsWith(`All ${asked * 2} calls at the entry for ${asked} requests (some were redirected or sent again) succeeded`),
		said,
	);
	// A load that was cut short: what k6 counted is what came, and its users did not come to write it all down.
	const cut = text(asked * 2, { written: { written: asked, counted: asked * 2 } }).said.replaceAll(',', '');
	assert.ok(cut.startsWith(`All ${asked * 2} calls at the entry (the users wrote ${asked} requests down) succeeded`), cut);
});

test('a real record is kept small, and begins with the entry', async () => {
	const raw = recordOf({ balanced: true });
	const wire = await readShop();
	const begins = wire.calls.map(({ began_at: at }) => at);
	const window = { from: Math.min(...begins), to: Math.max(...begins), warmupFrom: Math.min(...begins) };
	const facts = { ...gatherFacts(raw, windowOf(raw) ?? assert.fail()), window };
	const reported = wireStanding({ ...facts, raw: { ...raw, wire, failures: [] } }, joinedOf(wire), NOTHING);
	assert.deepEqual(reported.services.map(({ name }) => name).slice(0, 1), ['lb']);
	assert.ok(reported.services.every(({ standing }) => standing.length === reported.good.length));
	assert.ok(JSON.stringify(reported).length < 60_000, `${JSON.stringify(reported).length} bytes`);
});

/** @param behind what api does for a request; after second 15 none is good */
function waitedInApi(behind: (stack: MadeStack, at: number, isGood: boolean) => void) {
	const stack = new MadeStack(30);
	for (const name of ['api', 'broker', 'worker']) stack.reads(name, () => ({ cores: 0.02 }));
	each(-5, 30, 0.1, (at) => {
		const isGood = at < 15;
		stack.call('k6 api', at, at + (isGood ? 0.05 : 3), isGood ? {} : { status: 504 });
		behind(stack, at, isGood);
	});
	const [finding] = stack.follow().findings;
	const raw = recordOf({ balanced: true });
	const window = { ...(windowOf(raw) ?? assert.fail()), from: ZERO, to: ZERO + 30 };
	const facts = { ...gatherFacts(raw, window), failedIds: null, raw: { ...raw, failures: [], program: {} as any } };
	const { text } = wireStanding(facts, joinedOf(stack.wire), { ...NOTHING, findings: [finding] });
	assert.match(text, /on average \d+ of \d+ requests in flight were in api\./);
	return { place: said(finding), added: text.split('requests in flight were in api.')[1] };
}

test('what waited for a message is drawn at who waited, and the picture says for whom', () => {
	const amqp = { protocol: 'amqp', on: 'kept' };
	const messages = (isTaken: boolean) =>
		waitedInApi((stack, at, isGood) => {
			stack.call('api broker', at + 0.004, at + 0.0041, { ...amqp, role: 'send', verb: 'basic.publish' });
			if (isGood || isTaken)
				stack.call('worker broker', at + 0.01, isGood ? at + 0.02 : null, { ...amqp, role: 'push', verb: 'basic.deliver' });
			if (isGood) stack.call('worker broker', at + 0.03, at + 0.0301, { ...amqp, role: 'send', verb: 'basic.publish' });
			if (isGood) stack.call('api broker', at + 0.04, at + 0.04, { ...amqp, role: 'push', verb: 'basic.deliver' });
		});
	assert.deepEqual(messages(true), {
		place: 'worker: deliveries-held',
		added: ' 150 requests that failed waited for worker without an open call to it; the chart shows them at the waiting service.',
	});
	assert.match(messages(false).added, / waited for (worker|broker) without an open call to it/);
});

test('so is what waited at a store for what another client gives it, and a call that was open is where it stood', () => {
	const redis = { protocol: 'redis', template: '', on: 'kept' };
	const list = waitedInApi((stack, at, isGood) => {
		stack.call('api broker', at + 0.001, at + 0.002, { ...redis, on: `${at}`, verb: 'LPUSH' });
		stack.call('api broker', at + 0.003, at + (isGood ? 0.04 : 2.99), { ...redis, on: `${at}`, verb: 'BLPOP', role: 'wait' });
		if (isGood) stack.call('worker broker', at + 0.02, at + 0.021, { ...redis, verb: 'LPUSH' });
	});
	assert.match(list.place, /^worker/);
	assert.match(list.added, / waited for worker without an open call to it/);
	const own = waitedInApi((stack, at) => stack.call('api broker', at + 0.001, at + 0.002, { ...redis, verb: 'GET' }));
	assert.deepEqual([own.place, own.added], ['api: stands', '']);
});

/** @param stood of one service */
const standing = (stood: number[], good: number[], failed: number[]) => ({
	...{ step_s: 1, from_s: 0, services: [{ name: 'web', standing: stood }], edges: [], good, failed },
});

const row = (length: number, at: Record<number, number> = {}) => Array.from({ length }, (_, index) => at[index] ?? 0);

test('the worst ten seconds are those in which most failed, and of these those in which more stood', () => {
	const stood = row(30, { 2: 90, 18: 5, 24: 1 });
	assert.deepEqual(worstOf(standing(stood, row(30, { 1: 100 }), row(30, { 20: 40 }))), { from: 15, to: 25 });
});

test('where hardly any failed the worst are those in which most stood', () => {
	const stood = row(30, { 12: 9, 13: 9 });
	assert.deepEqual(worstOf(standing(stood, row(30, { 1: 1000 }), row(30, { 29: 3 }))), { from: 4, to: 14 });
	assert.deepEqual(worstOf(standing(row(4), row(4), row(4))), { from: 0, to: 4 });
});
