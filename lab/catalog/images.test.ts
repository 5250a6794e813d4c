import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseImages, imagesFor } from './shipped-services.ts';

test('an architecture needs the images that its Compose file names, and those of the lab', () => {
	assert.deepEqual(imagesFor(['a']), ['node', 'mongo', 'k6']);
	assert.deepEqual(imagesFor(['2a']), ['node', 'nginx', 'mongo', 'k6']);
	assert.deepEqual(imagesFor(['tokyo']), ['node', 'k6', 'tokyo']);
});

test('several architectures need what each of them needs, and all together every image', () => {
	assert.ok(['haproxy', 'envoy'].every((name) => imagesFor(['2a', '2a-haproxy', '2a-envoy']).includes(name)));
	assert.ok(!imagesFor(['2a', '2a-haproxy']).includes('envoy'));
	assert.deepEqual(imagesFor(), Object.keys(baseImages));
});
