import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { javascriptOf, shrinkwrapOf } from './prepack.js';

const lock = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8'));

test('holds every package of the lock file, and has npm run no install script, though some packages have one', () => {
	const { packages } = shrinkwrapOf(lock);
	const marked = Object.values(lock.packages).filter((locked) => locked.hasInstallScript);
	assert.ok(marked.length > 0);
	for (const locked of marked) delete locked.hasInstallScript;
	assert.deepEqual(packages, lock.packages);
});

test('is JavaScript, in which each module of the lab that is named has its new name', () => {
	const text = "import { a } from '../base/a.ts';\nconst b: number = await import('./b.ts');\nfound('adapter.ts');\n";
	assert.equal(javascriptOf(text), "import { a } from '../base/a.js';\nconst b         = await import('./b.js');\nfound('adapter.js');\n");
});
