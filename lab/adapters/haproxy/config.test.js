import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { NotReadyError } from '../../base/errors.js';
import { serviceModel } from '../fixtures/service-model.js';
import { overlaidConfig, pathOf, STATS_PORT } from './config.js';
import { sectionsOf } from './config-sections.js';

const text = readFileSync(new URL('./fixtures/haproxy.cfg', import.meta.url), 'utf8');

/** @type {(configuration: string, kind: string, name?: string) => string[]} a section's lines that say something */
const linesOf = (configuration, kind, name = '') =>
  (sectionsOf(configuration).find((section) => section.kind === kind && section.name === name)?.lines ?? [])
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** @param {Partial<import('../contract.js').ServiceModel>} [more] */
const service = (more) => serviceModel({ service: 'edge', image: 'haproxy:2.6', ...more });

const FIRST_RULE = 'http-request set-var(txn.doubletake_id) req.fhdr(X-Request-Id) if { req.fhdr(X-Request-Id) -m reg ^[A-Za-z0-9_.-]+$ }';

test('an HTTP frontend takes the id before any rule of its own, and logs in the lab’s format at its end', () => {
  const lines = linesOf(overlaidConfig(text).text, 'frontend', 'public');
  assert.deepEqual(lines.slice(0, 3), ['frontend public', FIRST_RULE, 'bind :80']);
  const end = lines.indexOf('default_backend app');
  assert.deepEqual(lines.slice(end + 1, end + 5), [
    'no option dontlog-normal',
    'no option logasap',
    'no log',
    'log stdout len 2048 format raw local0',
  ]);
  assert.match(
    lines[end + 5],
    /^log-format "doubletake1 id=%\[var\(txn\.doubletake_id\)\] to=%si:%sp end=%\[date\(0,ms\)\] %ci:%cp \[%tr\] /,
  );
  assert.equal(lines[end + 6], '# the end of the public way in');
});

test('its own lines stay in their order, and a log format of its own becomes a comment', () => {
  const before = linesOf(text, 'frontend', 'public');
  const after = linesOf(overlaidConfig(text).text, 'frontend', 'public');
  const expected = before.map((line) => (line.startsWith('log-format') ? `# doubletake: ${line}` : line));
  assert.deepEqual(
    after.filter((line) => expected.includes(line)),
    expected,
  );
});

test('a listen section that is HTTP by its defaults is watched too', () => {
  const lines = linesOf(overlaidConfig(text).text, 'listen', 'admin');
  assert.equal(lines[1], FIRST_RULE);
  assert.ok(lines.includes('# doubletake: option httplog clf'));
  assert.ok(!lines.includes('option httplog clf'));
});

test('an HTTP backend says to the container’s output what becomes of its servers', () => {
  const lines = linesOf(overlaidConfig(text).text, 'backend', 'app');
  assert.deepEqual(lines.slice(-2), ['no log', 'log stdout len 2048 format raw local0']);
});

test('what speaks TCP, the defaults and the global section are left alone', () => {
  const { text: changed } = overlaidConfig(text);
  const left = [
    ['defaults', 'web'],
    ['defaults', 'raw'],
    ['frontend', 'database'],
    ['backend', 'postgres'],
  ];
  for (const [kind, name] of left) assert.deepEqual(linesOf(changed, kind, name), linesOf(text, kind, name));
  const globals = sectionsOf(changed).filter(({ kind }) => kind === 'global');
  assert.deepEqual(
    globals.map(({ lines }) => lines.length > 2 && lines[1].trim()),
    [`stats socket ipv4@*:${STATS_PORT} level user`, 'log stdout format raw local0'],
  );
});

test('comments stay, those before the first section stay before it', () => {
  const { text: changed } = overlaidConfig(text);
  for (const line of text.split('\n').filter((one) => one.trim().startsWith('#'))) assert.ok(changed.includes(line), line);
  assert.ok(changed.startsWith('# written after the manual'));
});

test('each change is told, with what it replaces', () => {
  const { changes } = overlaidConfig(text);
  assert.equal(changes.length, 5);
  assert.match(changes[0], /^frontend public: .* instead of log-format; no other target gets its log\.$/);
  assert.match(changes[1], /^listen admin: .* instead of option httplog;/);
  assert.match(changes[4], new RegExp(`port ${STATS_PORT}`));
});

test('a condition that opens before the next section does not take the lab’s lines in', () => {
  const { text: changed } = overlaidConfig('frontend a\n    mode http\n    bind :80\n\n.if defined(X)\nbackend b\n    mode http\n.endif\n');
  assert.ok(changed.indexOf('log-format "doubletake1') < changed.indexOf('.if defined(X)'));
});

test('line ends of another system do not matter', () => {
  assert.equal(overlaidConfig(text.replace(/\n/g, '\r\n')).text, overlaidConfig(text).text);
});

test('a text without any proxy is refused', () => {
  for (const none of ['', 'global\n  maxconn 5\n', '{"not": "haproxy"}']) assert.throws(() => overlaidConfig(none), NotReadyError);
});

test('the configuration lies where the command, a mount or the image says, and several files are none', () => {
  assert.equal(pathOf(service()), '/usr/local/etc/haproxy/haproxy.cfg');
  assert.equal(pathOf(service({ command: ['haproxy', '-db', '-f', '/etc/h.cfg'] })), '/etc/h.cfg');
  const mounts = [{ source: './edge.cfg', target: '/etc/haproxy/haproxy.cfg', type: 'bind', readOnly: true }];
  assert.equal(pathOf(service({ mounts })), '/etc/haproxy/haproxy.cfg');
  assert.equal(pathOf(service({ command: ['haproxy', '-f', '/a.cfg', '-f', '/b.cfg'] })), null);
  assert.equal(pathOf(service({ command: ['haproxy', '-f', '/etc/haproxy/conf.d/'] })), null);
});

test('the shipped configuration has what the lab lays over others, but for its log, which loses no lines', () => {
  const shipped = readFileSync(new URL('../../../haproxy/2a-haproxy.cfg', import.meta.url), 'utf8');
  const bare = 'defaults\n    mode http\nfrontend users\n    bind :8080\nbackend nodes\n    server one one:80\n';
  const laid = overlaidConfig(bare)
    .text.split('\n')
    .filter((line) => !bare.split('\n').includes(line));
  const lines = shipped.split('\n');
  const others = laid.filter((line) => !/^\s*(?:no (?:log|option)|log stdout)\b/.test(line));
  assert.deepEqual(
    others.map((line) => lines.includes(line)),
    [true, true, true, true],
    others.join('\n'),
  );
  for (const kind of ['frontend', 'backend'])
    assert.ok(linesOf(shipped, kind, kind === 'frontend' ? 'users' : 'nodes').includes('log ring@requests local0'), kind);
});
