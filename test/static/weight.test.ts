/**
 * The repository is light to get: stored experiments are data, their pages are rendered when they are asked for.
 */
import assert from 'node:assert/strict';
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../lab/base/paths.ts';
import { succeed } from './command.ts';

const BYTES_MOST = 12_000_000;
const SHOWN_MOST = 10;

test('all files of the repository together take less than 12 MB', async () => {
	const listed = await succeed('git', ['ls-files', '--cached', '--others', '--exclude-standard']);
	const files = listed
		.split('\n')
		.filter((file) => file !== '' && existsSync(join(ROOT, file)))
		.map((file) => ({ file, bytes: lstatSync(join(ROOT, file)).size }))
		.sort((one, other) => other.bytes - one.bytes);
	const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
	const largest = files.slice(0, SHOWN_MOST).map(({ file, bytes }) => `${bytes} ${file}`);
	assert.ok(total < BYTES_MOST, `${total} bytes, among them\n${largest.join('\n')}`);
});
