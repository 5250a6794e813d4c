import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXIT, NotReadyError } from '../base/errors.ts';
import { metrics } from '../catalog/metrics.ts';
import { formatHosts, readExpect, readHosts } from './expect.ts';

function refusalOf(text: string) {
	try {
		readExpect(text);
	} catch (error) {
		assert.ok(error instanceof NotReadyError, String(error));
		assert.equal(error.exitCode, EXIT.notReady);
		return error.message;
	}
	throw new assert.AssertionError({ message: `"${text}" was taken` });
}

test('nothing given is no threshold', () => {
	for (const text of [undefined, '', '  ']) assert.deepEqual(readExpect(text), []);
});

test('thresholds are read in their order, with any of the four operators', () => {
	assert.deepEqual(readExpect('failure_rate<0.001,latency_ms_p95_ok<=800,goodput_rps>1e3,throughput_rps>=.5'), [
		{ metric: 'failure_rate', operator: '<', limit: 0.001, text: 'failure_rate<0.001' },
		{ metric: 'latency_ms_p95_ok', operator: '<=', limit: 800, text: 'latency_ms_p95_ok<=800' },
		{ metric: 'goodput_rps', operator: '>', limit: 1000, text: 'goodput_rps>1e3' },
		{ metric: 'throughput_rps', operator: '>=', limit: 0.5, text: 'throughput_rps>=.5' },
	]);
});

test('every metric of the table can have a threshold', () => {
	for (const { id } of metrics) assert.equal(readExpect(`${id}<=0`)[0].metric, id);
});

test('spaces do not matter, and the text is kept without them', () => {
	assert.deepEqual(
		readExpect(' failure_rate < 0.01 , goodput_rps > 100 ').map(({ text }) => text),
		['failure_rate<0.01', 'goodput_rps>100'],
	);
});

test('a share may be given in per cent', () => {
	assert.deepEqual(readExpect('failure_rate<0.1%'), [{ metric: 'failure_rate', operator: '<', limit: 0.001, text: 'failure_rate<0.1%' }]);
});

test('a range of one metric is two thresholds', () => {
	assert.deepEqual(
		readExpect('goodput_rps>100,goodput_rps<200').map(({ limit }) => limit),
		[100, 200],
	);
});

test('an unknown metric is refused, and the valid ones are named', () => {
	for (const text of ['latency<800', '<800', 'constructor<1', 'Failure_rate<1']) {
		const message = refusalOf(text);
		assert.match(message, /^EXPECT: expected one of .*; found ".*" in ".*"\.\n {2}To do: /);
		for (const { id } of metrics) assert.ok(message.includes(id), `${id} is named`);
	}
});

test('a missing operator is refused with a word on quotes, as an unquoted one is eaten by the shell', () => {
	assert.match(refusalOf('goodput_rps'), /expected a metric, one of < <= > >= and a number; found "goodput_rps".*\n.*quotes/);
	assert.match(refusalOf('goodput_rps>1,000'), /found "000".*\n.*without commas/);
});

test('any other sign is refused, and the valid ones are named', () => {
	for (const sign of ['=', '==', '!=', '=<', '=>', '<>', '<<']) {
		assert.match(refusalOf(`failure_rate${sign}0.1`), new RegExp(`expected one of < <= > >=; found "${sign}"`));
	}
});

test('a comma too many is refused', () => {
	for (const text of ['failure_rate<0.1,,goodput_rps>1', 'failure_rate<0.1,', ',failure_rate<0.1', ',', 'failure_rate<0.1, ']) {
		assert.match(refusalOf(text), /every comma; found ".*"\.\n.*comma too many/);
	}
});

test('what is not a finite number of 0 or more is refused', () => {
	for (const number of ['', 'fast', 'NaN', 'Infinity', '1e999', '0x10', '-5', '800ms', '1_000', '1.2.3']) {
		assert.match(refusalOf(`latency_ms_p95_ok<${number}`), new RegExp(`finite number of 0 or more after the sign; found "${number}"`));
	}
});

test('a per cent sign is refused where there is no share', () => {
	assert.match(refusalOf('latency_ms_p95_ok<80%'), /a number of ms after latency_ms_p95_ok; found "80%"/);
});

test('a share above all is refused, for it says nothing', () => {
	for (const number of ['5', '1.01', '101%', '500%']) assert.match(refusalOf(`failure_rate<${number}`), /a share from 0 to 1.*\n.*5%/);
	assert.deepEqual(
		readExpect('failure_rate<=1,failure_rate<=100%').map(({ limit }) => limit),
		[1, 1],
	);
});

test('hosts have names and addresses, and are spelt as they were read', () => {
	const text = 'host2=ssh://lab@10.0.0.2:2222 host3=unix:///run/engines/3.sock';
	const hosts = readHosts(`  ${text.replace(' ', '\n ')} `);
	assert.deepEqual(hosts, [
		{ name: 'host2', address: 'ssh://lab@10.0.0.2:2222' },
		{ name: 'host3', address: 'unix:///run/engines/3.sock' },
	]);
	assert.equal(formatHosts(hosts), text);
	assert.deepEqual(readHosts(), []);
});

test('a host that is spelt wrongly, or twice, is told', () => {
	for (const text of [
		'host2',
		'host2=',
		'host2=10.0.0.2',
		'host2=tcp://10.0.0.2:2375',
		'=ssh://lab@x',
		'host2=ssh://',
		'host2=ssh://-oProxyCommand=x/y',
	])
		assert.throws(() => readHosts(text), /HOSTS: expected hosts as in/, text);
	assert.throws(() => readHosts('a=ssh://x a=ssh://y'), /"a" twice/);
});
