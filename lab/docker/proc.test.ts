import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readIfThere } from '../base/bounded-file.ts';
import { known, parsePressure, readHead } from './proc.ts';

const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-proc-'));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'file');
writeFileSync(file, 'first line\nsecond line\n');

test('a file is read as a whole, or its beginning alone', () => {
	assert.equal(readIfThere(file), 'first line\nsecond line\n');
	assert.equal(readHead(file, 5), 'first');
});

test('a file that is not there is no reading, not an empty one', () => {
	const gone = join(folder, 'gone');
	assert.deepEqual([readIfThere(gone), readHead(gone, 10)], [null, null]);
});

test('pressure is the time in which some task waited, in seconds', () => {
	const text = 'some avg10=2.09 avg60=7.91 avg300=26.05 total=208184201\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=500\n';
	assert.equal(parsePressure(text), 208.184201);
});

test('a kernel that does not count pressure has none to tell', () => {
	assert.equal(parsePressure(null), null);
	assert.equal(parsePressure(''), null);
});

test('what could not be read is left out, and a zero that was read is kept', () => {
	assert.deepEqual(known({ cpu: 0, memory: null, io: undefined }), { cpu: 0 });
	assert.equal(known({ cpu: null }), null);
});
