import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkFaults, checkHosts, FORMS, formatFaults, readFaults } from './fault-plan.ts';

test('each form is read as it is spelt in its example', () => {
	for (const { spelt } of Object.values(FORMS)) assert.equal(formatFaults(readFaults(spelt)), spelt);
});

test('faults are put into the order of time, and blanks and the unit may be left out', () => {
	assert.deepEqual(readFaults(' kill app-2@30 ;cpu  mongo 0.4 @ 20s + 10s; '), [
		{
			text: 'cpu mongo 0.4@20s+10s',
			kind: 'cpu',
			service: 'mongo',
			cores: 0.4,
			share: null,
			delay_ms: null,
			other: null,
			at_s: 20,
			lasts_s: 10,
		},
		{
			text: 'kill app-2@30s',
			kind: 'kill',
			service: 'app-2',
			cores: null,
			share: null,
			delay_ms: null,
			other: null,
			at_s: 30,
			lasts_s: null,
		},
	]);
	assert.deepEqual([readFaults(''), readFaults(undefined)], [[], []]);
});

test('a quota may be given as a share of what the container may use', () => {
	const [{ text, cores, share }] = readFaults('cpu mongo 22%@20s+10s');
	assert.deepEqual([text, cores, share], ['cpu mongo 22%@20s+10s', null, 0.22]);
});

test('a way between two has what becomes of its packets', () => {
	const [loss, delay] = readFaults('loss app-1 mongo 2.5%@20s+10s; delay app-2 mongo 80ms@20s+10s');
	assert.deepEqual([loss.other, loss.share, loss.delay_ms], ['mongo', 0.025, null]);
	assert.deepEqual([delay.other, delay.share, delay.delay_ms], ['mongo', null, 80]);
});

test('what is spelt wrongly is reported with what is right', () => {
	for (const [text, expected] of [
		['explode app-1@3s', /such as "kill app-2@30s"/],
		['kill app-1', /such as/],
		['pause mongo@20s', /as in "pause app-1@20s\+5s"; found "pause mongo@20s"/],
		['restart nginx@40s+5s', /as in "restart app-1@40s"/],
		['cpu mongo@20s+5s', /as in "cpu app-1 0.4@20s\+10s"/],
		['cpu mongo half@20s+5s', /at least 0.01 cores/],
		['cpu mongo 0%@20s+5s', /above 0% and below 100%/],
		['cpu mongo 100%@20s+5s', /above 0% and below 100%/],
		['kill app-1 mongo@20s', /as in "kill/],
		['pause mongo@20s+0s', /a length above 0/],
		['cut mongo mongo@20s+3s', /two services/],
		['loss app-1 mongo@20s+3s', /as in "loss app-1 db 5%@20s\+10s"; found/],
		['loss app-1 mongo 100%@20s+3s', /above 0% and below 100% of the packets as in "loss/],
		['loss app-1 mongo 5@20s+3s', /above 0% and below 100% of the packets/],
		['delay app-1 mongo 0ms@20s+3s', /with milliseconds as in "delay app-1 db 100ms@20s\+10s"/],
		['delay app-1 mongo 1s@20s+3s', /with milliseconds/],
	] as [string, RegExp][])
		assert.throws(() => readFaults(text), expected, text);
});

test('two faults at a time on one container are refused, on two they are not', () => {
	assert.throws(() => readFaults('pause mongo@20s+5s; cpu mongo 0.4@24s+5s'), /one fault at a time on mongo/);
	assert.equal(readFaults('pause mongo@20s+5s; pause app-1@22s+5s; cpu mongo 0.4@26s+5s').length, 3);
});

test('a service that is not there and a fault that outlasts the load are refused before the run', () => {
	const given = { services: ['app-1', 'mongo'], durationS: 80 };
	checkFaults(readFaults('pause mongo@20s+5s; cut app-1 mongo@30s+5s'), given);
	assert.throws(() => checkFaults(readFaults('kill nginx@20s'), given), /expected one of app-1, mongo in "kill nginx@20s"; found "nginx"/);
	assert.throws(() => checkFaults(readFaults('cut app-1 redis@20s+1s'), given), /found "redis"/);
	assert.throws(() => checkFaults(readFaults('pause mongo@78s+5s'), given), /which lasts 80 s; found that it ends at 83 s/);
});

test('a drain is of a host that the run has', () => {
	const faults = readFaults('kill app-1@3s; drain host2@20s+15s');
	checkHosts(faults, ['host1', 'host2']);
	assert.throws(() => checkHosts(faults, ['host1']), /expected one of the hosts host1 in "drain host2@20s\+15s"; found "host2"/);
});
