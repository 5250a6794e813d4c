import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ofMachine } from './machine-lacks.js';

const FOREIGN = '/proc/sys/fs/binfmt_misc';

/** @param {any} service @param {{ arch?: string, there?: string[] }} [machine] */
const madeOf = (service, { arch = 'x64', there = [FOREIGN] } = {}) =>
  ofMachine(['web', service], { cores: 2, arch, has: (path) => there.includes(path) });

test('what is for another processor is for this one, unless that can run it', () => {
  const { changes, said } = madeOf({ platform: 'linux/arm64' });
  assert.equal(changes.services.web.platform.tag, '!reset');
  assert.deepEqual(said, ['web: for the processor of this machine, and not for linux/arm64, which cannot run here.']);
  for (const there of [[FOREIGN, `${FOREIGN}/qemu-aarch64`], []]) {
    const emulated = madeOf({ platform: 'linux/arm64/v8' }, { there });
    assert.equal(emulated.changes.services.web.platform, undefined);
    assert.match(emulated.said.join(), /^web: emulated, because it is for linux\/arm64\/v8/);
  }
});

test('what is for this processor stays, by whatever name', () => {
  for (const [platform, arch] of [
    ['linux/amd64', 'x64'],
    ['linux/amd64/v2', 'x64'],
    ['linux/arm64', 'arm64'],
    ['', 'x64'],
  ])
    assert.deepEqual(madeOf({ platform }, { arch }), { changes: {}, said: [] });
});

test('an image is built for one platform', () => {
  const { changes, said } = madeOf({ build: { context: '.', platforms: ['linux/amd64', 'linux/arm64'] } });
  assert.equal(changes.services.web.build.platforms.tag, '!reset');
  assert.deepEqual(said, []);
});
