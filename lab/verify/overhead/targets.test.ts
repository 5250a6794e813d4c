import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PROJECT_FILE } from '../../catalog/project-schema.ts';
import { listen } from '../../fixtures/reporter.ts';
import { NO_PERMISSION } from '../../options/allowed.ts';
import { refuseUnlike } from './bench.ts';
import { bench } from './targets.ts';

const folder = mkdtempSync(join(os.tmpdir(), 'bench-'));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, PROJECT_FILE), 'compose: []\n');

const started = (env: Record<string, string>) => bench(folder, env, { permission: NO_PERMISSION, ...listen().around });

test('a variable that changes nothing about it is refused by name, before anything is looked at', async () => {
	for (const name of ['LOAD', 'BUDGET', 'RATE', 'THINK', 'DELAY', 'INTEGRITY', 'DASHBOARD', 'EXPECT', 'PARTS', 'FAULTS', 'ARMS'])
		await assert.rejects(
			started({ [name]: '3' }),
			new RegExp(`^NotReadyError: ${name}: expected none, because it changes nothing about bench-overhead of your own system; found "3"`),
		);
});

test('pairs, seed and a busy machine are taken, and so is what the Compose files may read', async () => {
	// Then it reads doubletake.yaml.
	await assert.rejects(
		started({ REPEATS: '2', SEED: '7', BUSY: 'allow', IMAGES: 'local', WORKERS: '4', CAPTURE: '1' }),
		/doubletake\.yaml, line 1, compose: expected/,
	);
	await assert.rejects(started({ BUSY: 'often' }), /BUSY: expected one of refuse, wait, allow; found "often"/);
});

test('a script whose thresholds may end it early is refused, with their metrics', () => {
	refuseUnlike({ aborting: [], asksMachine: false }, 'load.js');
	assert.throws(
		() => refuseUnlike({ aborting: ['checks', 'http_req_failed'], asksMachine: false }, 'load.js'),
		/load\.js: expected a script that runs to its end, .*; found abortOnFail in its thresholds of checks, http_req_failed\./,
	);
});
