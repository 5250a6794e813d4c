import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../../base/errors.js';
import { FailingLoadError } from './failing-load.js';
import { SilentEntryError } from './first-answer.js';
import { failureOf, refusalOfPull, refuseOtherImages, remedyOfBuild, reportedByLogs, staleOf } from './prepare-images.js';

test('a failure is reported with its last lines, and with the limit where that ended it', () => {
  const output = Array.from({ length: 40 }, (_, index) => `step ${index + 1}`).join('\n');
  const reported = failureOf(output, null);
  assert.match(reported, /^; its last lines:\n {4}step 26\n/);
  assert.match(reported, /\n {4}step 40$/);
  assert.match(failureOf(output, 15), /^ \(it did not end in 15 min\); its last lines:/);
  assert.match(failureOf('', null), /\(it wrote nothing\)$/);
});

test('an image is built unless it is the one that was built before', () => {
  const services = ['web', 'jobs', 'api'];
  assert.deepEqual(staleOf(services, {}, { web: 'sha256:1' }), services);
  assert.deepEqual(staleOf(services, { web: 'sha256:1', jobs: 'sha256:2', api: 'sha256:3' }, { web: 'sha256:1', jobs: 'sha256:9' }), [
    'jobs',
    'api',
  ]);
});

test('a rate is no share of what other images served; what is not there yet, or has no sum, is no other', async () => {
  const images = ['web', 'db', 'old'].map((name) => ({ name, image: `${name}:1`, id: 'x', digest: null, layers: `sum of ${name}` }));
  const measured = {
    rate: 40,
    share: '',
    said: '',
    shown: 'reports/shop/1',
    images: [...images, { ...images[0], name: 'older', layers: undefined }],
  };
  const asking = (/** @type {Record<string, string>} */ found) => refuseOtherImages(measured, async (tag) => found[tag] ?? null);
  await asking({ 'web:1': 'sum of web', 'db:1': 'sum of db' });
  await assert.rejects(asking({ 'web:1': 'another' }), /the images of reports\/shop\/1, .*; found another web:1, which web had\./);
});

test('a base image whose registry does not answer is named', () => {
  const reported = (/** @type {string} */ image) =>
    remedyOfBuild(`failed to do request: Head "https://images.example/v2/${image}": dial tcp: lookup images.example: no such host`);
  assert.match(reported('library/debian/manifests/12-slim'), /^get debian:12-slim, with which its Dockerfile begins/);
  assert.match(reported('team/base/manifests/sha256:1234'), /^get team\/base@sha256:1234,/);
  assert.equal(remedyOfBuild('npm error code E404'), 'correct what the last lines name.');
  assert.match(
    remedyOfBuild('failed to solve: unsupported frontend capability moby.buildkit.frontend.contexts'),
    /^install a newer Docker/,
  );
  assert.match(remedyOfBuild('unable to prepare context: path "/shop/gone" not found'), /^correct "context" or "dockerfile"/);
});

test('an image that cannot be pulled is named with its service, and with what to do', () => {
  const missing = [{ service: 'api', image: 'acme/api:1.2' }];
  const denied = refusalOfPull(missing, failureOf('pull access denied for acme/api, repository does not exist', null));
  assert.match(
    denied.problem,
    /^Images: expected acme\/api:1\.2 for api; it is not on this machine, and to pull it failed; its last lines:\n {4}pull access/,
  );
  assert.match(
    denied.remedy,
    /^log in to its registry \(docker login\), if it is private, or correct its name .*, or have it built \(give api "build"/,
  );
  const away = refusalOfPull(missing, failureOf('lookup registry-1.docker.io: no such host', null));
  assert.match(away.remedy, /^load it by hand \(docker load\), or have it built/);
});

const PROJECT = /** @type {any} */ ({
  entry: 'http://web:80/',
  services: { web: {}, api: {}, db: {}, cache: {}, cron: {} },
  edges: [
    ['web', 'api'],
    ['api', 'db'],
    ['api', 'cache'],
    ['cron', 'db'],
  ],
});
const failing = (/** @type {boolean} */ isServers) => new FailingLoadError('expected', 'edit', isServers);

test('where servers fail, logs of the entry and of what it asks are quoted, the nearest first and at most three', () => {
  assert.deepEqual(reportedByLogs(failing(true), PROJECT), ['web', 'api', 'db']);
});

test('of an entry that is silent its own log is quoted', () => {
  assert.deepEqual(reportedByLogs(new SilentEntryError('expected', 'see'), PROJECT), ['web']);
});

test('where the wrong thing was asked for, or something else is wrong, no log says why', () => {
  assert.deepEqual(reportedByLogs(failing(false), PROJECT), []);
  assert.deepEqual(reportedByLogs(new NotReadyError('expected', 'see'), PROJECT), []);
});
