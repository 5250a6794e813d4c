import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readIfThere, readText } from './bounded-file.ts';
import { NotReadyError } from './errors.ts';

const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-bounded-'));
after(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);

const socket = createServer();
await new Promise((resolve) => socket.listen(at('socket'), () => resolve(null)));
after(() => socket.close());
execFileSync('mkfifo', [at('pipe')]);
mkdirSync(at('folder'));
symlinkSync('circle', at('circle'));
symlinkSync('/dev/zero', at('endless'));
symlinkSync(at('pipe'), at('to-pipe'));
writeFileSync(at('large'), '');
truncateSync(at('large'), 501e6);
writeFileSync(at('file'), 'text ä');
symlinkSync('file', at('to-file'));

const ODD = {
	pipe: 'a pipe (FIFO)',
	'to-pipe': 'a pipe (FIFO)',
	folder: 'a folder',
	circle: 'links that lead in a circle',
	endless: 'a device',
	socket: 'a socket',
	large: 'one of 501.0 MB',
	'a\0b': 'a name that no file can have',
};

test('what is no regular file of a bounded size is told by what it is, and nothing waits for it', () => {
	for (const [name, found] of Object.entries(ODD)) {
		assert.throws(
			() => readText(at(name)),
			(error) => {
				assert.ok(error instanceof NotReadyError, name);
				assert.ok(error.message.includes(`expected a regular file of at most 500 MB; found ${found}.`), error.message);
				return true;
			},
		);
		assert.equal(readIfThere(at(name)), null);
	}
});

test('a file is read, also by a link; what is not there is none', () => {
	for (const read of [readText, readIfThere]) {
		assert.deepEqual(
			[read(at('file')), read(at('to-file')), read(at('nowhere')), read(at('file/below'))],
			['text ä', 'text ä', null, null],
		);
	}
});

test('a file of the kernel, which says that it has no size, is read', { skip: process.platform !== 'linux' }, () => {
	assert.match(String(readIfThere('/proc/self/status')), /^Name:/);
});
