import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../base/paths.ts';
import { architectures, scenarioOf } from './architectures.ts';
import { scenarios, scriptFolderOf, shapeOf, shapes } from './scenarios.ts';

/** Of users' own systems, which are no architectures of the lab. */
const OWN = ['requests', 'script'];

for (const [id, { request, driver, load, loads, think_time_s, isUserScript }] of Object.entries(scenarios)) {
	test(`${id} says what a request is, and knows its own loads`, () => {
		assert.ok(request);
		assert.ok(loads[load] || isUserScript, 'the standard load is one of its loads');
		assert.ok(loads.smoke || OWN.includes(id), 'there is a load of seconds');
		for (const shape of Object.values(loads)) assert.equal(shapes[shape]({}).model === 'program', driver === 'program', shape);
		assert.ok(think_time_s >= 0);
	});

	test(`${id} has an architecture that is asked so, and k6 knows how to ask`, async () => {
		assert.ok(Object.keys(architectures).some((architecture) => scenarioOf(architecture) === id) || OWN.includes(id));
		if (driver === 'k6' && !isUserScript) await access(join(ROOT, scriptFolderOf(id), `${id}.js`));
	});
}

test('a load that the scenario does not know is refused, and those that it knows are named', () => {
	assert.throws(() => shapeOf('tickets', 'ramp'), /LOAD: expected one of checkout, smoke; found "ramp"/);
	assert.throws(() => shapeOf('tickets', 'constructor'), /found "constructor"/);
	assert.equal(shapeOf('tickets', 'smoke'), 'checkout-smoke');
});
