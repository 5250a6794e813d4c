import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceModel } from '../contract.ts';
import { containerOf } from '../fixtures/hop-files.ts';
import { serviceModel } from '../fixtures/service-model.ts';
import { commandWithSettings } from './overlay.ts';
import { sampleState } from './state.ts';

const commandOf = (service: Partial<ServiceModel>) => commandWithSettings(serviceModel(service));

test("an image's own command is named, because Compose would replace it", () => {
	const command = commandOf({ image: 'postgres:15' });
	assert.equal(command?.[0], 'postgres');
	assert.deepEqual(command?.slice(1, 3), ['-c', 'log_min_duration_statement=100']);
});

test("the user's command stays, and the lab's settings come after it", () => {
	const own = ['postgres', '-c', 'max_connections=20', '-c', 'log_line_prefix=%t '];
	const command = commandOf({ image: 'postgres:15', command: own });
	assert.deepEqual(command?.slice(0, own.length), own);
	assert.ok(command?.includes('log_line_prefix=%m [%p] '));
});

test('options alone are for the entrypoint, which puts the program before them', () => {
	assert.deepEqual(commandOf({ image: 'postgres:15', command: ['-c', 'fsync=off'] })?.slice(0, 2), ['-c', 'fsync=off']);
});

test('an entrypoint script is not part of the command', () => {
	const command = commandOf({ command: ['docker-entrypoint.sh', 'postgres', '-D', '/data'] });
	assert.deepEqual(command?.slice(0, 3), ['postgres', '-D', '/data']);
});

test('a command that a shell runs, or that is not known, is left alone', () => {
	for (const service of [
		{ image: 'postgres:15', command: ['sh', '-c', 'postgres -D /data'] },
		{ image: 'postgres:15', command: ['gosu', 'postgres', 'postgres'] },
		{ image: 'bitnami/postgresql:15' },
		{ image: '', command: [] },
		{ image: '', command: ['/start.sh'] },
	])
		assert.equal(commandOf(service), null, JSON.stringify(service));
});

test('a version that does not know a setting is not given it', () => {
	const hides = 'log_parameter_max_length=0';
	assert.ok(commandOf({ image: 'postgres:15' })?.includes(hides));
	assert.ok(commandOf({ image: 'postgres' })?.includes(hides));
	assert.ok(!commandOf({ image: 'postgres:12-alpine' })?.includes(hides));
	assert.ok(!commandOf({ command: ['postgres'] })?.includes(hides));
	const images = ['postgres:9.6', 'timescale/timescaledb:2.11.1-pg15', 'postgis/postgis:16-3.4', 'shop/db:15'];
	assert.deepEqual(
		images.map((image) => commandOf({ image, command: ['postgres'] })?.includes(hides)),
		[false, true, true, false],
	);
});

test('one line of JSON is the sample, whatever psql says before it', async () => {
	const { container, asked } = containerOf('WARNING:  database "postgres" has a collation version mismatch\n{"connections" : 3}\n');
	assert.deepEqual(await sampleState(container), { connections: 3 });
	assert.ok(asked[0].limitMs < 1000);
});

test('a refusal for lack of a connection is a sample of its own', async () => {
	for (const message of [
		'sorry, too many clients already',
		'remaining connection slots are reserved for non-replication superuser connections',
	])
		assert.deepEqual(await sampleState(containerOf(`psql: error: FATAL:  ${message}\n`, 2).container), { refused: true });
});

test('that it was not let in, or its question ended, is on record, because the server logs it like a client', async () => {
	const message = 'ERROR:  canceling statement due to statement timeout';
	assert.deepEqual(await sampleState(containerOf(`psql: error: ${message}\n`, 2).container), { failed: true });
});

test('that it will not be let in at any time is a sample of its own', async () => {
	for (const message of [
		'FATAL:  Peer authentication failed for user "postgres"',
		'FATAL:  password authentication failed for user "app"',
		'FATAL:  role "postgres" does not exist',
		'fe_sendauth: no password supplied',
	])
		assert.deepEqual(await sampleState(containerOf(`psql: error: ${message}\n`, 2).container), { failed: true, lockedOut: true }, message);
});

test('where it cannot be asked there is no sample', async () => {
	assert.equal(await sampleState(containerOf('sh: 5: exec: psql: not found\n', 127).container), null);
	assert.equal(await sampleState(containerOf('', 0).container), null);
	assert.equal(await sampleState(containerOf('{"connections" : ', 0).container), null);
});

test('the statement is one line, and asks for no text of a statement', async () => {
	const { container, asked } = containerOf('{}');
	await sampleState(container);
	const statement = String(asked[0].command.at(-1));
	assert.match(statement, /^select json_build_object\(.+\)$/);
	assert.ok(!/\bquery\b|usename|datname|application_name/.test(statement));
});
