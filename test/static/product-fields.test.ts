/**
 * What a product calls its own figures stands in its adapter alone, and nothing else knows an adapter by its product: the engine reads neutral
 * words (lab/adapters/contract.ts). That no product is named anywhere else products.test.js says.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../lab/base/paths.ts';
import { succeed } from './command.ts';

/** Fields, pages and directives that one product alone has. */
const FIELDS_OF: Record<string, string[]> = {
	nginx: ['stub_status', 'worker_connections', 'worker_processes', 'fail_timeout', 'upstream_status', 'upstream_addr', 'request_s'],
	mongo: ['opcounters', 'serverStatus', 'opLatencies', 'wiredTiger', 'globalLock', 'totalTickets', 'concurrentTransactions'],
	node: ['loop_utilisation', 'loop_delay_ms', 'heap_limit_bytes', 'eventLoopUtilization'],
	redis: ['rejected_connections', 'maxclients', 'evicted_keys'],
	postgres: ['pg_stat_activity', 'max_connections', 'wait_event'],
	pgbouncer: ['cl_waiting', 'sv_active', 'query_wait_timeout'],
};
const FIELD = new RegExp(`\\b(?:${Object.values(FIELDS_OF).flat().join('|')})\\b`, 'g');
/** A module of one product's, as a value or as a type. What logs say of many is in the phrases. */
const OF_A_PRODUCT = /(?:from |import\()'[./\w-]*\badapters\/(?!phrases\/)[\w-]+\/[\w./-]+'/g;
/** Before there was a contract for all, what knew the shipped systems' products was gathered beside it. */
const BESIDE_THE_CONTRACT = 'lab/adapters/shipped.ts';

/** Adapters, published claims and the experiments that judge them; tests, and what they read. */
const MAY = /^lab\/adapters\/|^lab\/catalog\/(claims|published|experiments)|\/fixtures\/|\.test\.[jt]s$/;

const all = (await succeed('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'lab'])).split('\n');
const engine = all.filter((file) => /\.([jt]s|json)$/.test(file) && !MAY.test(file));

const foundIn = (wanted: RegExp, isAsked: (file: string) => boolean = () => true): string[] =>
	engine
		.filter(isAsked)
		.flatMap((file) => [...new Set(readFileSync(join(ROOT, file), 'utf8').match(wanted) ?? [])].map((text) => `${file}: ${text}`));

test('a field is known by its whole name, and an import of a product by its folder', () => {
	assert.deepEqual('row.opcounters.insert + max_connections_of'.match(FIELD), ['opcounters']);
	const lines = [
		"import { read } from '../adapters/nginx/read.ts';",
		"import { adapterOf } from '../adapters/registry.ts';",
		"import type { Program } from '../../adapters/tokyo/adapter.ts';",
	];
	assert.deepEqual(
		lines.map((line) => line.match(OF_A_PRODUCT)?.length ?? 0),
		[1, 0, 1],
	);
	assert.ok(engine.length > 100 && engine.includes('lab/cli/main.ts'));
});

test('no file outside the adapters reads a field that one product alone has', () => assert.deepEqual(foundIn(FIELD), []));

test('no file outside the adapters imports a module of one product', () => assert.deepEqual(foundIn(OF_A_PRODUCT), []));

test('the shipped systems’ products have no reader beside the contract', () => assert.ok(!all.includes(BESIDE_THE_CONTRACT)));
