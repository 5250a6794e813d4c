import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { containerOf } from './ask-container.ts';

const SERVICE = { id: 'c1', service: 'db', address: '10.0.0.3' };

test('a command’s answer is given with its exit code', async () => {
	const container = containerOf(SERVICE, async (id, command) => ({ exitCode: 3, output: `${id} ${command.join(' ')}` }));
	assert.deepEqual(await container.execute(['psql', '-c', 'select 1'], 900), { exitCode: 3, output: 'c1 psql -c select 1' });
	assert.deepEqual([container.service, container.address], ['db', '10.0.0.3']);
});

test('a command that does not end in time is given up, and none is begun until it has ended', async () => {
	mock.timers.enable({ apis: ['setTimeout'] });
	try {
		const under: ((answer: { exitCode: number; output: string }) => void)[] = [];
		const container = containerOf(SERVICE, () => new Promise((resolve) => under.push(resolve)));
		const first = container.execute(['psql'], 900);
		const given = assert.rejects(first, /db did not answer psql in 900 ms/);
		mock.timers.tick(900);
		await given;
		await assert.rejects(container.execute(['psql'], 900), /still runs an earlier command/);
		under[0]({ exitCode: 0, output: '' });
		await new Promise((resolve) => setImmediate(resolve));
		const third = container.execute(['psql'], 900);
		under[1]({ exitCode: 0, output: 'late' });
		assert.deepEqual(await third, { exitCode: 0, output: 'late' });
		assert.equal(under.length, 2);
	} finally {
		mock.timers.reset();
	}
});

test('a container that is gone is not taken for one that is busy', async () => {
	const container = containerOf(SERVICE, async () => {
		throw new Error('no such container');
	});
	for (let tries = 0; tries < 2; tries += 1) await assert.rejects(container.execute(['true'], 900), /no such container/);
});
