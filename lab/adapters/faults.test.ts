import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { causes } from '../record/causes.ts';
import type { Adapter } from './contract.ts';
import { serviceModel } from './fixtures/service-model.ts';
import { everyAdapter } from './registry.ts';

/** As an image of it that is not changed would be. */
const faultsOf = ({ product, faults = () => [] }: Adapter) => faults(serviceModel({ image: product, replicas: 2 }));

/** Scripts among the words of a command. */
const scriptsIn = (command: string[]) =>
	command.filter((word) => word.includes('\n') && !word.startsWith('begin;') && !word.startsWith('select '));

for (const adapter of everyAdapter) {
	test(`${adapter.product} has troubles to put in, each of them by a way and with causes that there are`, () => {
		const faults = faultsOf(adapter);
		assert.ok(faults.length > 0);
		assert.equal(new Set(faults.map(({ id }) => id)).size, faults.length);
		for (const { id, title, expected, least, change, command, actions, near_misses: misses } of faults) {
			assert.match(id, /^[a-z]+(-[a-z]+)*$/);
			assert.ok(title !== '' && expected.length > 0, id);
			for (const { cause } of expected) assert.ok(causes[cause], `${id}: ${cause}`);
			assert.ok(change ?? command ?? actions, id);
			// Otherwise nothing would be asked of the diagnosis.
			assert.ok(least > 0 || misses, id);
		}
	});

	test(`${adapter.product} does what it does in the order of time, within the load`, () => {
		for (const { id, actions = [] } of faultsOf(adapter)) {
			const times = actions.map(({ at }) => (at === 'up' ? -1 : at));
			assert.deepEqual(
				times,
				times.toSorted((one, other) => one - other),
				id,
			);
			for (const { at, action, lasts = 0, command } of actions) {
				assert.ok((at === 'up' ? 0 : at) + lasts < 1, id);
				assert.equal(action === 'execute', command !== undefined, id);
			}
		}
	});

	test(`a shell can read what ${adapter.product} asks it to run`, () => {
		for (const { id, needs, actions = [] } of faultsOf(adapter)) {
			const commands = [needs?.command ?? [], ...actions.map(({ command }) => command?.(3) ?? [])];
			for (const script of commands.flatMap(scriptsIn)) {
				const { status, stderr } = spawnSync('sh', ['-n', '-c', script], { encoding: 'utf8' });
				assert.equal(status, 0, `${id}: ${stderr}`);
			}
		}
	});
}

test('what reads a record knows nothing of faults', () => {
	const folder = new URL('.', import.meta.url);
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
		(file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
	);
	const knowing = files.filter((file) =>
		/^import (?!type)[^;]*from '\.{1,2}\/faults\.ts'/m.test(readFileSync(new URL(file, folder), 'utf8')),
	);
	assert.ok(knowing.length > 4);
	for (const file of knowing) assert.match(file, /(^|\/)(adapter|faults)\.ts$/);
});
