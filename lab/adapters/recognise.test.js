import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModel } from './fixtures/service-model.js';
import { imageName, imageTag, programsOf, recognise } from './recognise.js';

const MARKS = { images: /^store$/, programs: /^stored$/, clients: /^store-cli$/, ports: [7000] };

test('an image is known by its name, whatever its registry, owner, tag and digest', () => {
  for (const image of ['store', 'store:15', 'registry:5000/bitnami/store:15.2-debian', 'store@sha256:00ff'])
    assert.equal(imageName(image), 'store', image);
  assert.equal(imageTag('registry:5000/bitnami/store:15.2@sha256:00ff'), '15.2');
  assert.equal(imageTag('registry:5000/store'), '');
});

test('a program is found behind an entrypoint, a shell, and what only starts another one', () => {
  for (const command of [
    ['stored', '-c', 'a=1'],
    ['/usr/local/bin/docker-entrypoint.sh', 'stored'],
    ['tini', '-g', '--', '/usr/bin/stored'],
    ['gosu', 'other', 'stored'],
    ['/entrypoint.sh', 'sh', '-ec', 'exec stored -D /data'],
  ])
    assert.deepEqual(programsOf(command), ['stored'], command.join(' '));
  assert.deepEqual(programsOf(['sh', '-c', 'MODE=1 mkdir x && exec stored']), ['mkdir', 'stored']);
});

test('a command of options or scripts alone names no program', () => {
  for (const command of [[], ['-c', 'max_connections=20'], ['docker-entrypoint.sh', '--appendonly', 'yes'], ['sh', '-e', 'run.sh']])
    assert.deepEqual(programsOf(command), [], command.join(' '));
});

test('the image says it first, then the command', () => {
  assert.equal(recognise(serviceModel({ image: 'owner/store:2', ports: [7000] }), MARKS), 'image owner/store:2');
  assert.equal(recognise(serviceModel({ command: ['stored'] }), MARKS), 'command stored');
  assert.equal(recognise(serviceModel({ image: 'debian:12', command: ['stored'] }), MARKS), 'command stored');
});

test('the port says it only where image and command say nothing', () => {
  assert.equal(recognise(serviceModel({ ports: [80, 7000] }), MARKS), 'port 7000');
  assert.equal(recognise(serviceModel({ command: ['./run.sh'], ports: [7000] }), MARKS), 'port 7000');
  assert.equal(recognise(serviceModel({ command: ['node', 'server.js'], ports: [7000] }), MARKS), null);
  assert.equal(recognise(serviceModel({ image: 'shop/api', ports: [7000] }), MARKS), null);
});

test('a service that only asks the product is not the product', () => {
  assert.equal(recognise(serviceModel({ image: 'store:15', command: ['store-cli', 'seed'] }), MARKS), null);
  assert.equal(recognise(serviceModel({ command: ['node', 'migrate.js', 'stored'] }), MARKS), null);
});

test('a folder that is the product’s own says it, unless other ports show that an image has it all', () => {
  const mounts = [{ type: 'volume', source: 'data', target: '/var/lib/store/data', readOnly: false }];
  const marks = { ...MARKS, data: /^\/var\/lib\/store(\/|$)/ };
  assert.equal(recognise(serviceModel({ image: 'acme/x', mounts }), marks), 'it keeps its data at /var/lib/store/data');
  assert.equal(recognise(serviceModel({ image: 'acme/x', mounts, ports: [7000] }), marks), 'it keeps its data at /var/lib/store/data');
  assert.equal(recognise(serviceModel({ image: 'acme/x', mounts, ports: [80] }), marks), null);
  assert.equal(recognise(serviceModel({ image: 'acme/x', mounts, command: ['true'] }), marks), null);
});
