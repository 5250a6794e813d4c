import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModels } from './compose-model.js';
import { withImagePorts } from './image-ports.js';

test('what an image exposes is taken where the file names no port', async () => {
  const services = { web: { image: 'acme/web' }, api: { image: 'acme/api', expose: ['3000'] }, jobs: { build: { context: '.' } } };
  const models = await withImagePorts(serviceModels({ name: 'run', services }), async (image) => (image === 'acme/web' ? [8080] : [1]));
  assert.deepEqual(
    models.map(({ service, ports }) => [service, ports]),
    [
      ['web', [8080]],
      ['api', [3000]],
      ['jobs', []],
    ],
  );
});
