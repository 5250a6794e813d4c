import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHosts, spellHosts } from './hosts.js';

test('hosts have names and addresses, and are spelt as they were read', () => {
  const text = 'host2=ssh://lab@10.0.0.2:2222 host3=unix:///run/engines/3.sock';
  const hosts = readHosts(`  ${text.replace(' ', '\n ')} `);
  assert.deepEqual(hosts, [
    { name: 'host2', address: 'ssh://lab@10.0.0.2:2222' },
    { name: 'host3', address: 'unix:///run/engines/3.sock' },
  ]);
  assert.equal(spellHosts(hosts), text);
  assert.deepEqual(readHosts(), []);
});

test('a host that is spelt wrongly, or twice, is told', () => {
  for (const text of [
    'host2',
    'host2=',
    'host2=10.0.0.2',
    'host2=tcp://10.0.0.2:2375',
    '=ssh://lab@x',
    'host2=ssh://',
    'host2=ssh://-oProxyCommand=x/y',
  ])
    assert.throws(() => readHosts(text), /HOSTS: expected hosts as in/, text);
  assert.throws(() => readHosts('a=ssh://x a=ssh://y'), /"a" twice/);
});
