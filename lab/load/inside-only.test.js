import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { test } from 'node:test';
import { insideOnly } from './inside-only.js';

test('private addresses can be asked, and none of the public ones', () => {
  const list = new BlockList();
  for (const range of insideOnly({ isInside: true }).filter((word) => word !== '--blacklist-ip')) {
    const [address, bits] = range.split('/');
    list.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4');
  }
  const inside = ['10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.0.1', '127.0.0.1', '169.254.1.1', '100.64.0.1', '100.127.255.255'];
  const outside = [
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '93.184.216.34',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.1',
  ];
  const further = ['169.253.255.255', '169.255.0.1', '172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0', '223.255.255.255'];
  for (const address of inside) assert.equal(list.check(address), false, address);
  for (const address of [...outside, ...further]) assert.equal(list.check(address), true, address);
  assert.equal(list.check('2606:4700::1', 'ipv6'), true);
  assert.equal(list.check('fd00::1', 'ipv6'), false);
});

test('what the script blocks itself stays blocked', () => {
  const words = insideOnly({ isInside: true, blocked: ['10.9.0.0/16', '1.0.0.0/8'] });
  assert.deepEqual(words.slice(-2), ['--blacklist-ip', '10.9.0.0/16']);
  assert.equal(words.filter((word) => word === '1.0.0.0/8').length, 1);
});

test('a load that may go anywhere is told nothing', () => {
  assert.deepEqual(insideOnly({ blocked: ['10.0.0.0/8'] }), []);
});
