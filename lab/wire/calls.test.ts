import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerBegins, answered, answeredUnseen, brokenOff, endUnseen, newCall, sentUnseen, wasSent } from './calls.ts';

test('an answer is not before its question, nor its end before its beginning', () => {
	const call = newCall(5);
	// Of a message that began while nothing was asked.
	answerBegins(call, 3);
	answerBegins(call, 7);
	assert.deepEqual([call.first_at, answered(call, 4).ended_at, call.end, call.by], [5, 5, 'answered', 'server']);
	assert.equal(answered(newCall(5), 6).first_at, 6);
});

test('a question that goes on after its answer was not seen to end', () => {
	assert.equal(answered(Object.assign(newCall(5), { sent_at: 9 }), 8).sent_at, null);
	assert.equal(answered(Object.assign(newCall(5), { sent_at: 8 }), 8).sent_at, 8);
});

test('what was sent in a hole, and what was answered in one, is known as unseen', () => {
	const call = Object.assign(newCall(10), { sent_bytes: 5 });
	sentUnseen(call, 7, 11);
	assert.deepEqual([call.sent_at, call.sent_bytes, call.hole, call.end], [11, 12, true, 'open']);
	const { hole, end, by, first_at: firstAt, ended_at: endedAt } = answeredUnseen(newCall(10), 12);
	assert.deepEqual([hole, end, by, firstAt, endedAt], [true, 'answered', 'server', 12, 12]);
});

test('a call that gets no answer is over when it was sent', () => {
	const { role, end, by, sent_at: sentAt, first_at: firstAt, ended_at: endedAt } = wasSent(newCall(5), 6);
	assert.deepEqual([role, end, by, sentAt, firstAt, endedAt], ['send', 'answered', 'client', 6, null, 6]);
});

test('a call that breaks off ends with the last that was seen of it', () => {
	// The client ended to speak at 6, and was answered until 9.
	const half = brokenOff(Object.assign(newCall(5), { sent_at: 5, first_at: 9 }), { at: 6, by: 'client', how: 'closed' });
	assert.deepEqual([half.end, half.ended_at], ['cut', 9]);
	assert.deepEqual(
		[brokenOff(newCall(5), { at: 4, by: 'server', how: 'reset' })].map(({ end, ended_at, raced }) => [end, ended_at, raced]),
		[['reset', 5, true]],
	);
	const unseen = endUnseen(Object.assign(newCall(5), { first_at: 6 }));
	assert.deepEqual([unseen.end, unseen.by, unseen.ended_at, unseen.hole], ['open', null, null, true]);
});
