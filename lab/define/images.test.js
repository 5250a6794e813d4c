import assert from 'node:assert/strict';
import { test } from 'node:test';
import { architectures } from './architectures.js';
import { baseImages, imagesFor } from './images.js';

test('an architecture needs the images that all need, and those that are its own', () => {
  const common = Object.keys(baseImages).filter((name) => baseImages[name].architectures === undefined);
  assert.deepEqual(imagesFor(['a']), common);
  assert.deepEqual(
    imagesFor(['tokyo']).filter((name) => !common.includes(name)),
    ['tokyo'],
  );
});

test('several architectures need what each of them needs, and all together every image', () => {
  assert.ok(['haproxy', 'envoy'].every((name) => imagesFor(['2a', '2a-haproxy', '2a-envoy']).includes(name)));
  assert.ok(!imagesFor(['2a', '2a-haproxy']).includes('envoy'));
  assert.deepEqual(imagesFor(), Object.keys(baseImages));
});

test('an image that only some architectures need names such as there are', () => {
  for (const [name, { architectures: only = [] }] of Object.entries(baseImages))
    for (const id of only) assert.ok(id in architectures, `${name}: ${id}`);
});
