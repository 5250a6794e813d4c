import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { shrinkwrapOf } from './shrinkwrap.js';

const lock = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8'));

test('holds every package of the lock file, and has npm run no install script, though some packages have one', () => {
	const { packages } = shrinkwrapOf(lock);
	const marked = Object.values(lock.packages).filter((locked) => locked.hasInstallScript);
	assert.ok(marked.length > 0);
	for (const locked of marked) delete locked.hasInstallScript;
	assert.deepEqual(packages, lock.packages);
});
