import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressBook } from './addresses.js';
import { networkOf } from './networks.js';
import { countsIn, recorderOptions } from './recorder.js';

const NETWORK = { name: 'run_default', bridge: 'br-d93f8ddd9a0b', gateway: '172.18.0.1', unseen: '' };

test('the recorder sees one bridge, has one capability and one file, and ends by itself', () => {
  const {
    Cmd: command,
    HostConfig: host,
    User: user,
  } = recorderOptions({ network: NETWORK, image: 'i', file: '/tmp/x/0.pcap', limitS: 99.5 });
  const after = (/** @type {string} */ option) => command.flatMap((word, index) => (word === option ? [command[index + 1]] : []));
  assert.deepEqual(after('-i'), ['br-d93f8ddd9a0b']);
  assert.deepEqual(after('-a'), ['duration:100', 'filesize:2000000']);
  assert.deepEqual(after('-s'), ['2048']);
  assert.deepEqual(
    [host.ReadonlyRootfs, host.CapDrop, host.CapAdd, host.SecurityOpt, host.Binds, host.NetworkMode, user],
    [true, ['ALL'], ['NET_RAW'], ['no-new-privileges'], ['/tmp/x/0.pcap:/capture/packets.pcap'], 'host', '0:0'],
  );
});

/** As dumpcap 4.0.17 wrote it, stopped by SIGINT. */
const SAID = `dumpcap: cap_set_proc() fail return: Operation not permitted
Capturing on 'br-d93f8ddd9a0b'
File: /capture/packets.pcap
Packets captured: 10
Packets received/dropped on interface 'br-d93f8ddd9a0b': 10/3 (pcap:3/dumpcap:0/flushed:2/ps_ifdrop:0) (76.9%)
`;

test('what the kernel dropped is read, and is not known where the recorder was killed', () => {
  assert.deepEqual(countsIn(SAID), { packets: 10, dropped: 5 });
  assert.deepEqual(countsIn(SAID.split('Packets captured')[0]), { packets: null, dropped: null });
});

test('a network of the run is a bridge of this kernel, or it is said why it is none', () => {
  const id = 'd93f8ddd9a0b7884a24273af302445766cc05e64d8e5ef7e42313665807ec21d';
  const described = { Id: id, Name: 'run_default', Driver: 'bridge', IPAM: { Config: [{ Gateway: '172.18.0.1' }] } };
  assert.deepEqual(networkOf(described), NETWORK);
  assert.equal(networkOf({ ...described, Options: { 'com.docker.network.bridge.name': 'mine0' } }).bridge, 'mine0');
  const overlay = networkOf({ Id: id, Name: 'far', Driver: 'overlay', IPAM: { Config: null } });
  assert.deepEqual([overlay.bridge, overlay.gateway], ['', '']);
  assert.match(overlay.unseen, /the network far is of driver overlay/);
});

test('an address belongs to whom it belonged then', () => {
  const book = new AddressBook();
  const web = { service: 'web', name: 'web' };
  const on = (/** @type {string[]} */ ...addresses) => addresses.map((address) => ({ address, network: 'run' }));
  book.started('one', 10, on('10.0.0.2'), { ...web, number: 1 });
  book.started('two', 10, on('10.0.0.3', 'fd00::3'), { ...web, number: 2 });
  book.ended('one', 20);
  book.started('db', 25, on('10.0.0.2'), { service: 'db', name: 'db', number: 1 });
  book.started('late', 30, on('10.0.0.3'), { service: 'k6', name: 'k6', number: 1 });
  assert.deepEqual(
    book.tenures().map(({ address, name, from, to }) => [address, name, from, to]),
    [
      ['10.0.0.2', 'web-1', 10, 20],
      ['10.0.0.3', 'web-2', 10, 30],
      ['fd00::3', 'web-2', 10, null],
      ['10.0.0.2', 'db', 25, null],
      ['10.0.0.3', 'k6', 30, null],
    ],
  );
});
