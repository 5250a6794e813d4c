import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readGivenArm } from '../options/arms.ts';
import { refuseIdleVariables } from './variable-effect.ts';

/** A file in which Compose would put values in their places. */
const check = (made: (variables: Record<string, string | undefined>) => string | null, text: string) =>
	refuseIdleVariables({ arm: readGivenArm('--a', [text]), files: ['compose.yaml'], resolved: async (variables) => made(variables) });

test('a variable that the files put in a place has an effect, also where its value is the standard one', async () => {
	await check(({ POOL }) => `pool: ${POOL || '8'}`, 'POOL=8');
	await check(({ POOL = '8' }) => `pool: ${POOL}`, 'POOL=32');
});

test('a variable of which only matters that it is there has one too', async () => {
	await check(({ DEBUG }) => (DEBUG ? 'debug: true' : ''), 'DEBUG=1');
});

test('a variable whose other values Compose refuses has one', async () => {
	await check(({ PORT }) => (PORT === '80' ? 'port: 80' : null), 'PORT=80');
});

test('a variable that changes nothing is refused by its name, whatever stands beside it', async () => {
	await assert.rejects(
		check(({ POOL }) => `pool: ${POOL}`, 'POOL=8,POLL=9'),
		/^NotReadyError: --a: expected a variable that compose\.yaml reads; POLL changes nothing about what is run\.\n {2}To do: .*\$\{POLL\}/,
	);
	await assert.rejects(
		check(() => '', 'RETRIES=2'),
		/To do: write \.:RETRIES=2, which is Doubletake’s option of that name/,
	);
});
