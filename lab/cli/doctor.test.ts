import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXIT, NotReadyError } from '../base/errors.ts';
import { listen } from '../fixtures/reporter.ts';
import type { Check } from './doctor.ts';
import { doctor } from './doctor.ts';

async function see(checks: Check[], answer: boolean | null = null) {
	const { reporter, err, result } = listen();
	const ask =
		answer === null
			? null
			: async (question: string) => {
					reporter.tell(question);
					return answer;
				};
	const exitCode = await doctor(checks, { reporter, ask });
	return { exitCode, said: err().trimEnd(), found: result(exitCode).result };
}

const well = { what: 'Node', look: async () => '24.1.0' };

/** Missing until it is fixed. */
function ill() {
	let isFixed = false;
	const act = async () => {
		isFixed = true;
	};
	return {
		what: 'Docker Engine',
		look: async () => {
			if (isFixed) return '20.10';
			throw new NotReadyError('Expected an engine; found none.', 'start it.');
		},
		fix: { question: 'Install it?', act },
	};
}

test('a machine that has everything is told so', async () => {
	const { exitCode, said, found } = await see([well]);
	assert.deepEqual(found, { ready: true, checks: [{ what: 'Node', ready: true, found: '24.1.0' }] });
	assert.deepEqual([exitCode, said], [EXIT.done, '  ✓ Node: 24.1.0\n  nothing is missing: make run-a']);
});

test('what is missing is named with what to do, and nothing is done unasked', async () => {
	for (const answer of [null, false]) {
		const { exitCode, said, found } = await see([well, ill()], answer);
		assert.equal(exitCode, EXIT.notReady);
		assert.deepEqual(found.checks[1], {
			what: 'Docker Engine',
			ready: false,
			error: { message: 'Expected an engine; found none.', expected: 'an engine', found: 'none', do: 'start it.' },
		});
		assert.match(said, /✗ Docker Engine: Expected an engine; found none\.\n {4}.*start it\./);
		assert.match(said, /1 of 2 are not ready$/);
		assert.equal(said.includes('Install it? [y/N]'), answer === false);
	}
});

test('what is fixed after asking is looked at again', async () => {
	const { exitCode, said } = await see([ill()], true);
	assert.equal(exitCode, EXIT.done);
	assert.match(said, /✓ Docker Engine: 20\.10\n/);
});

test('an error of the lab itself is no finding', async () => {
	const broken = { what: 'Node', look: () => Promise.reject(new TypeError('bug')) };
	await assert.rejects(see([broken]), TypeError);
});
