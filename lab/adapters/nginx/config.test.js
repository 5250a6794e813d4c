import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModel } from '../fixtures/service-model.js';
import { overlaid, pathOf } from './config.js';

const OWN = `user nginx;
error_log  /var/log/nginx/error.log notice;
events { worker_connections 1024; }
http {
    include mime.types;
    access_log  /var/log/nginx/access.log  main;
    server {
        access_log off;
        location / { proxy_pass http://web:8000; }
    }
}
`;

test('each request is logged with its id and warnings are logged, in place of what the file says; all else stays', () => {
  const { text, changes } = overlaid(OWN);
  const lines = text.split('\n');
  assert.equal(lines[0], 'error_log /dev/stderr warn;');
  assert.match(lines[5], /^ {4}log_format doubletake1 escape=json 'doubletake1 \{"t":\$msec,"id":"\$http_x_request_id",/);
  assert.equal(lines[6], '    access_log /dev/stdout doubletake1;');
  assert.deepEqual(
    lines.filter((line) => line.includes('# doubletake: ')),
    [
      '# doubletake: error_log  /var/log/nginx/error.log notice;',
      '    # doubletake: access_log  /var/log/nginx/access.log  main;',
      '        # doubletake: access_log off;',
    ],
  );
  const kept = lines.filter((line) => !/doubletake|^error_log \/dev\/stderr/.test(line));
  assert.deepEqual(
    kept,
    OWN.split('\n').filter((line) => !/access_log|error_log/.test(line)),
  );
  assert.equal(changes.length, 2);
});

test('a file that is no main configuration is refused', () => {
  assert.throws(() => overlaid('server { listen 80; }'), /expected a line "http \{"; found none/);
});

test('its place is what the command says, else where it is mounted, else where the image has it', () => {
  assert.equal(pathOf(serviceModel({ image: 'nginx' })), '/etc/nginx/nginx.conf');
  assert.equal(pathOf(serviceModel({ command: ['nginx', '-c', '/conf/edge.conf'] })), '/conf/edge.conf');
  const mounts = [{ source: '/a/b.conf', target: '/opt/nginx/conf/nginx.conf', type: 'bind', readOnly: true }];
  assert.equal(pathOf(serviceModel({ image: 'nginx', mounts })), '/opt/nginx/conf/nginx.conf');
});
