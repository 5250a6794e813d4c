import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { variablesOf } from './read-variables.ts';

test('A variable is found with the number beside it, in each language', async (t) => {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-sources-'));
	t.after(() => rm(folder, { recursive: true }));
	const lines = [
		'const pool = Number(process.env.DB_POOL ?? 10);',
		"const max = process.env['DB_MAX'] || '20';",
		'size = int(os.environ.get("POOL_SIZE", "5"))',
		'workers = os.getenv("WORKERS", 2)',
		'url = os.environ["DATABASE_URL"]',
		"threads ENV.fetch('RAILS_MAX_THREADS') { 5 }",
		'n, _ := strconv.Atoi(os.Getenv("MAX_IDLE"))',
		'int size = Integer.parseInt(System.getenv("HIKARI_SIZE"));',
		"$limit = getenv('LIMIT') ?: 30;",
		`maximum-pool-size: $${'{POOL_MAX:12}'}`,
	];
	lines.push("const parallel = process.env.PARALLEL !== 'false';", 'if os.environ.get("CACHE") == "on":');
	const file = join(folder, 'x.py');
	await writeFile(file, lines.join('\n'));
	assert.deepEqual(
		variablesOf([file]).map(({ name, standard, turns, at }) => [name, standard ?? turns ?? null, at]),
		[
			['DB_POOL', '10', 'x.py, line 1'],
			['DB_MAX', '20', 'x.py, line 2'],
			['POOL_SIZE', '5', 'x.py, line 3'],
			['WORKERS', '2', 'x.py, line 4'],
			['DATABASE_URL', null, 'x.py, line 5'],
			['RAILS_MAX_THREADS', '5', 'x.py, line 6'],
			['MAX_IDLE', null, 'x.py, line 7'],
			['HIKARI_SIZE', null, 'x.py, line 8'],
			['LIMIT', '30', 'x.py, line 9'],
			['POOL_MAX', '12', 'x.py, line 10'],
			['PARALLEL', 'false', 'x.py, line 11'],
			['CACHE', 'on', 'x.py, line 12'],
		],
	);
});

test('Sources of a folder are read without those of others, and no link is followed', async (t) => {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-sources-'));
	t.after(() => rm(folder, { recursive: true }));
	for (const [file, text] of Object.entries({
		'src/a.py': 'os.environ["POOL"]',
		'src/b.py': 'os.environ.get("POOL", 7)',
		'node_modules/x/i.js': 'process.env.THEIRS',
		'notes.txt': 'process.env.NOTE',
	})) {
		await mkdir(join(folder, file, '..'), { recursive: true });
		await writeFile(join(folder, file), text);
	}
	await symlink('/etc', join(folder, 'etc'));
	assert.deepEqual(variablesOf([folder, join(folder, 'gone')]), [{ name: 'POOL', standard: '7', at: 'src/b.py, line 1' }]);
});
