/**
 * A proof by intervention on containers: a service that turns away what exceeds its pool fails under load; the pool is raised in copies, and nothing
 * else, until the rule is met.
 */
import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXIT } from '../../lab/base/errors.ts';
import { PROOF_FILE } from '../../lab/record/proof.ts';
import { assertNothingIsLeft, doubletakeIn, machineImages, RUN_LIMIT_MS } from './commands.ts';

const LIMIT_MS = 3 * RUN_LIMIT_MS;
/** Each request holds one of a few connections, and one that finds none is turned away. */
const SERVE = `
let held = 0;
require('http').createServer((_, answer) => {
	if (held >= Number(process.env.DB_POOL)) { answer.statusCode = 503; answer.end('no connection of the pool is free'); return; }
	held += 1;
	setTimeout(() => { held -= 1; answer.end('well'); }, 200);
}).listen(8080);
`;
const LOAD = `import { sleep } from 'k6';
import http from 'k6/http';
export const options = { vus: 8, duration: '4s' };
export default () => { http.get('http://web:8080/'); sleep(0.1); };
`;
const DESCRIBED = {
	...{ compose: ['compose.yaml'], entry: 'http://web:8080/', services: { web: { tier: 'app', product: 'node', watch: 1 } }, edges: [] },
	// What the networks of a run carry other tests record: without it each copy is seconds shorter.
	...{ load: { script: 'load.js' }, capture: 'off' },
};

test('a pool that is too small is proved by relief, beside the run and on its page', { timeout: LIMIT_MS }, async (t) => {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-prove-'));
	// k6 runs as a user of its own.
	await chmod(folder, 0o755);
	t.after(() => rm(folder, { recursive: true, force: true }));
	const web = { image: '$NODE_IMAGE', command: ['node', '-e', SERVE], environment: { DB_POOL: '2', LOG_LEVEL: '1' }, ports: ['8080'] };
	await writeFile(join(folder, 'compose.yaml'), JSON.stringify({ services: { web } }));
	await writeFile(join(folder, 'doubletake.yaml'), JSON.stringify(DESCRIBED));
	await writeFile(join(folder, 'load.js'), LOAD);
	const images = await machineImages();
	const none = await doubletakeIn(folder, ['prove'], images);
	assert.equal(none.exitCode, EXIT.notReady, none.output);
	const run = await doubletakeIn(folder, ['run'], images);
	assert.equal(run.exitCode, EXIT.done, run.output);
	const proved = await doubletakeIn(folder, ['prove'], images, LIMIT_MS);
	assert.equal(proved.exitCode, EXIT.done, proved.output);
	assert.match(proved.output, /Proved by relief: with DB_POOL of web at 16 instead of 2, 0 % failed in 2 copies\. Without a change, \d/);
	const latest = join(folder, 'reports', 'latest');
	const [name] = await readdir(latest);
	const read = (file: string) => readFile(join(latest, name, file), 'utf8');
	const proof = JSON.parse(await read(PROOF_FILE));
	assert.deepEqual([proof.outcome, proof.as_it_was.length, proof.probes[0].copies.length], ['proved', 3, 2]);
	assert.equal(proof.probes[0].line, 'services.web.environment.DB_POOL');
	assert.ok(proof.as_it_was.every(({ failed, requests }: any) => failed / requests > 0.2));
	assert.match(await read('report.html'), /Changes that were tried/);
	assert.match(JSON.parse(await read('result.json')).headline, /^Proved by relief: /);
	assert.equal(JSON.parse(await readFile(join(folder, 'compose.yaml'), 'utf8')).services.web.environment.DB_POOL, '2');
	await writeFile(join(folder, 'grave.yaml'), JSON.stringify({ services: { web: { privileged: true } } }));
	const grave = await doubletakeIn(folder, ['prove', '--relief', 'grave.yaml'], images);
	assert.equal(grave.exitCode, EXIT.notReady, grave.output);
	assert.match(grave.output, /web is privileged/);
	assert.doesNotMatch(grave.output, /as it was/);
	await assertNothingIsLeft();
});
