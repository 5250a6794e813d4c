import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceModel } from '../contract.ts';
import { serviceModel } from '../fixtures/service-model.ts';
import { adapter } from './adapter.ts';
import { commandWithSettings } from './overlay.ts';

const faultsOf = (service: ServiceModel) => adapter.faults?.(service) ?? [];

test('images, commands and, of a built image, the port say that a service is PostgreSQL', () => {
	for (const image of [
		'postgres',
		'postgres:15-alpine',
		'postgis/postgis:15-3.3',
		'timescale/timescaledb:latest-pg15',
		'timescale/timescaledb-ha:pg15',
		'bitnami/postgresql:15',
		'pgvector/pgvector:pg16',
		'supabase/postgres:15',
	])
		assert.deepEqual(adapter.detect(serviceModel({ image })), { tier: 'database', reason: `image ${image}` });
	const command = ['/usr/lib/postgresql/15/bin/postgres', '-D', '/data'];
	assert.equal(adapter.detect(serviceModel({ command }))?.reason, 'command postgres');
	assert.equal(adapter.detect(serviceModel({ ports: [5432] }))?.reason, 'port 5432');
});

test('what only speaks with PostgreSQL is not it', () => {
	for (const image of ['prometheuscommunity/postgres-exporter', 'postgrest/postgrest', 'edoburu/pgbouncer', 'dpage/pgadmin4'])
		assert.equal(adapter.detect(serviceModel({ image, ports: [5432] })), null, image);
	assert.equal(adapter.detect(serviceModel({ image: 'postgres:15', command: ['psql', '-f', 'seed.sql'] })), null);
});

test('level 2 is offered where the command can be added to, and laid over with consent alone', () => {
	const official = serviceModel({ image: 'postgres:15' });
	assert.deepEqual(
		adapter.watches(official).map(({ level }) => level),
		[0, 1, 2],
	);
	assert.deepEqual(
		adapter.watches(serviceModel({ image: 'bitnami/postgresql:15' })).map(({ level }) => level),
		[0, 1],
	);
	assert.deepEqual(adapter.overlay(official, 1), {});
	assert.equal(adapter.overlay(official, 2).command?.[0], 'postgres');
	assert.deepEqual(adapter.overlay(serviceModel({ image: 'bitnami/postgresql:15' }), 2), {});
});

test('its version is read from the server', () => {
	assert.equal(adapter.version?.pattern.exec('postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)')?.[1], '15.14');
});

function faultOf(id: string, service: Partial<ServiceModel> = { image: 'postgres:15', command: ['postgres', '-c', 'max_connections=60'] }) {
	const found = faultsOf(serviceModel(service)).find((fault) => fault.id === id);
	assert.ok(found);
	return found;
}

/** The value that holds: the last. */
const connectionsIn = (command: string[] | null | undefined) => command?.findLast((word) => word.startsWith('max_connections='));

test('the few connections come after the user’s own and after what the lab adds', () => {
	const { command } = faultOf('connections-taken');
	assert.equal(connectionsIn(command?.(undefined)), 'max_connections=4');
	assert.deepEqual(command?.(undefined)?.slice(0, 3), ['postgres', '-c', 'max_connections=60']);
	const ofLab = commandWithSettings(serviceModel({ image: 'postgres:15', command: ['postgres'] })) ?? [];
	assert.deepEqual(command?.(ofLab)?.slice(0, ofLab.length), ofLab);
	assert.equal(connectionsIn(command?.(ofLab)), 'max_connections=4');
});

test('a command that a shell runs is not changed', () => {
	const { command } = faultOf('connections-taken', { image: '', command: ['sh', '-c', 'postgres -D /data'] });
	assert.equal(command?.(undefined), null);
});

test('as many sessions are held as there are connections, from before the load', () => {
	const [{ at, command }] = faultOf('connections-taken').actions ?? [];
	const [, , script, , , seconds] = command?.(7.2) ?? [];
	assert.deepEqual([at, seconds], ['up', '8']);
	assert.match(script, /for slot in 1 2 3 4; do hold & done/);
});

test('the lock is held for the time that is asked for, and given back', () => {
	const [{ command }] = faultOf('locked-table').actions ?? [];
	const statement = command?.(8).at(-1) ?? '';
	assert.match(statement, /^begin;.*lock table .* access exclusive mode.*select pg_sleep\(8\);\ncommit$/s);
});

test('both ask first whether they may', () => {
	for (const id of ['connections-taken', 'locked-table']) assert.match(String(faultOf(id).needs?.command.at(-1)), /^select 1/);
});
