import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { imagesFor, servicesIn } from './shipped-services.ts';

const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-compose-'));
after(() => rmSync(folder, { recursive: true }));

test('an id that is none leads to no file, and what is no file is refused', () => {
	for (const id of ['../../outside', 'images.yaml', ''])
		assert.throws(() => imagesFor([id]), /^NotReadyError: architecture: expected one of/);
	assert.throws(() => servicesIn('/dev/null'), /found a device/);
});

test('a service has what it extends, its own settings over it, and its lists after it', () => {
	writeFileSync(
		join(folder, 'base.yaml'),
		`x-part: &part {read_only: true}
services:
  node:
    <<: *part
    image: one
    command: [node, a.js]
    volumes: [a]
    environment: {NAME: x, SIZE: "1"}
`,
	);
	writeFileSync(
		join(folder, 'compose.yaml'),
		`services:
  mine:
    extends: {file: base.yaml, service: node}
    image: two
    command: [node, b.js]
    volumes: [b]
    environment: {SIZE: "2"}
  other: {image: three}
`,
	);
	assert.deepEqual(servicesIn(join(folder, 'compose.yaml')), {
		mine: { read_only: true, image: 'two', command: ['node', 'b.js'], volumes: ['a', 'b'], environment: { NAME: 'x', SIZE: '2' } },
		other: { image: 'three' },
	});
});
