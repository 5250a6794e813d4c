/**
 * People who want to poke at a stack bring it up with Compose alone; the lab respects it and can take it down.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EXIT } from '../../lab/base/errors.ts';
import { assertNothingIsLeft, doubletake, make, RUN_LIMIT_MS, start } from './commands.ts';

const timeout = RUN_LIMIT_MS;
const ENTRY = 'http://127.0.0.1:8080/';
const ANSWER_LIMIT_MS = 10_000;
const ASKED = 4;

after(() => make('clean'), { timeout });

const ask = () => fetch(ENTRY, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });

// As a run leaves it whose machine went down: Compose takes the network for the next stack as it is.
before(async () => {
	await start('docker', ['compose', 'create', 'k6'], { variables: { RUN_ID: 'interrupted' } });
	await start('docker', ['compose', 'rm', '--force', 'k6']);
});

test('docker compose --profile arch-2a up answers on 127.0.0.1:8080, each node in its turn', { timeout }, async () => {
	const { exitCode, all } = await start('docker', ['compose', '--profile', 'arch-2a', 'up', '--detach', '--wait']);
	assert.equal(exitCode, 0, String(all));
	const nodes = new Set();
	for (let asked = 0; asked < ASKED; asked += 1) {
		const answer = await ask();
		assert.equal(answer.status, 200);
		const { server } = (await answer.json()) as { server: string };
		nodes.add(server);
	}
	assert.deepEqual([...nodes].sort(), ['app-1', 'app-2']);
});

test('a run refuses to replace a stack that was started by hand, and the stack goes on answering', { timeout }, async () => {
	const { exitCode, output } = await doubletake(['run', 'a'], { LOAD: 'smoke' });
	assert.equal(exitCode, EXIT.notReady, output);
	assert.match(output, /make clean/);
	assert.equal((await ask()).status, 200);
});

test('make clean takes it down and leaves nothing', { timeout }, async () => {
	const { exitCode, output } = await make('clean');
	assert.equal(exitCode, 0, output);
	await assertNothingIsLeft();
});
