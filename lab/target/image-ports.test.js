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

test('what a health check, a command or PORT says counts before an image', async () => {
  const services = {
    checked: { image: 'acme/web', healthcheck: { test: ['CMD', 'curl', '-f', 'http://localhost:9000/health'] } },
    told: { build: { context: '.' }, command: ['gunicorn', '--bind', '0.0.0.0:8000', 'app'] },
    option: { image: 'acme/web', command: ['vite', '--port', '5173'] },
    named: { image: 'acme/web', environment: { PORT: '3000' } },
    asks: { image: 'acme/web', command: ['wait-for', 'db:5432'] },
  };
  const models = await withImagePorts(serviceModels({ name: 'run', services }), async () => [80]);
  assert.deepEqual(
    models.flatMap(({ ports }) => ports),
    [9000, 8000, 5173, 3000, 80],
  );
});
