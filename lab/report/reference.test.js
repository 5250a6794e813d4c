import assert from 'node:assert/strict';
import { test } from 'node:test';
import { architectures } from '../catalog/architectures.js';
import { metrics } from '../catalog/metrics.js';
import { OPTION_NAMES } from '../options/accepted-options.js';
import { causes } from '../record/causes.js';
import { JSON_RESULTS } from '../record/json-results.js';
import { referencePage } from './reference.js';

const page = referencePage('#:   make run-<architecture>   measure it\n#:   make test                 all\nrun-%:\n');

test('the reference has every architecture, variable, metric and cause', () => {
  for (const name of [
    ...Object.keys(architectures),
    ...OPTION_NAMES,
    ...metrics.map(({ id }) => id),
    ...Object.keys(causes),
    ...Object.keys(JSON_RESULTS),
  ])
    assert.match(page, new RegExp(`^\\| \`${name}\` \\|`, 'm'), name);
});

test('the commands are those of the help', () => {
  assert.match(page, /^\| `make run-<architecture>` \| measure it \|\n\| `make test` \| all \|$/m);
});

test('what stands in backquotes in a table of the lab is code on the page', () => {
  assert.match(page, /mostly `ramp`, by the scenario, unless given/);
});
