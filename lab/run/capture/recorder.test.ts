import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { decoder as fastcgi } from '../../adapters/fastcgi/wire.ts';
import { decoder as http } from '../../adapters/http/wire.ts';
import { decoder as uwsgi } from '../../adapters/uwsgi/wire.ts';
import type { Decoder } from '../../wire/contract.ts';
import { converse } from '../../wire/fixtures/converse.ts';
import { Recorder, watchAddresses } from './recorder.ts';

const NETWORK = { name: 'run_default', bridge: 'br-d93f8ddd9a0b', gateway: '172.18.0.1', unseen: '' };
/** As dumpcap 4.0.17 wrote it, stopped by SIGINT. */
const SAID = `dumpcap: cap_set_proc() fail return: Operation not permitted
Capturing on 'br-d93f8ddd9a0b'
File: /capture/packets.pcap
Packets captured: 10
Packets received/dropped on interface 'br-d93f8ddd9a0b': 10/3 (pcap:3/dumpcap:0/flushed:2/ps_ifdrop:0) (76.9%)
`;

/** A recorder that says this and has ended, and what its container was made of. */
async function recorderSaying(said: string) {
	const created = [] as any[];
	const container = {
		start: async () => {},
		inspect: async () => ({ State: { Running: false, ExitCode: 0 } }),
		remove: async () => {},
		logs: async () => Buffer.concat([Buffer.from([1, 0, 0, 0, 0, 0, said.length >> 8, said.length & 255]), Buffer.from(said)]),
	};
	const engine = { createContainer: async (options: any) => created.push(options) && container } as any;
	const recorder = await Recorder.start(engine, { network: NETWORK, image: 'i', file: '/tmp/x/0.pcap', limitS: 99.5 });
	return { recorder, options: created[0] };
}

const { options: OPTIONS } = await recorderSaying(SAID);
/** Of each packet, as the recorder is told. */
const SNAP_BYTES = Number(/ -s (\d+) /.exec(OPTIONS.Cmd.join(' '))?.[1]);
/** Of Ethernet, IP and TCP with its time stamps. */
const HEADS = 14 + 20 + 32;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
/** As long as one of an identity server that signs with RSA and names some roles. */
const TOKEN = `Bearer ${'e'.repeat(1200)}`;

/** As recorded: a packet's first bytes. */
function askedAsRecorded(decoder: Decoder, text: string) {
	const kept = text.slice(0, SNAP_BYTES - HEADS);
	const { calls } = converse(decoder, [['client', kept, text.length - kept.length]], { how: 'open' });
	return calls.map(({ id, trace, verb, template }) => ({ id, trace, verb, template }));
}

const ASKED = [{ id: '12-34', trace: TRACE, verb: 'GET', template: '/items/:n' }];

test('the ids of a request with a token are recorded: Go, and so k6, sends heads in the order of their names', () => {
	const heads = {
		Authorization: TOKEN,
		Cookie: `session=${'a'.repeat(200)}`,
		Traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
		'X-Request-Id': '12-34',
	};
	const text = Object.entries(heads).map(([name, value]) => `${name}: ${value}\r\n`);
	assert.deepEqual(askedAsRecorded(http, `GET /items/17 HTTP/1.1\r\nHost: shop\r\nUser-Agent: k6/1.1.0\r\n${text.join('')}\r\n`), ASKED);
});

/** What Debian's Nginx says to a program beside the heads of a request, which come last. */
const PARAMETERS = {
	...{
		SCRIPT_FILENAME: '/var/www/html/index.php',
		QUERY_STRING: 'q=some&page=2',
		REQUEST_METHOD: 'GET',
		CONTENT_TYPE: '',
		CONTENT_LENGTH: '',
	},
	...{ SCRIPT_NAME: '/index.php', REQUEST_URI: '/items/17?q=some&page=2', DOCUMENT_URI: '/index.php', DOCUMENT_ROOT: '/var/www/html' },
	...{ SERVER_PROTOCOL: 'HTTP/1.1', REQUEST_SCHEME: 'http', GATEWAY_INTERFACE: 'CGI/1.1', SERVER_SOFTWARE: 'nginx/1.22.1' },
	...{
		REMOTE_ADDR: '172.18.0.7',
		REMOTE_PORT: '40886',
		SERVER_ADDR: '172.18.0.5',
		SERVER_PORT: '80',
		SERVER_NAME: '',
		REDIRECT_STATUS: '200',
	},
	...{ HTTP_HOST: 'shop', HTTP_USER_AGENT: 'k6/1.1.0', HTTP_AUTHORIZATION: TOKEN },
	...{ HTTP_TRACEPARENT: `00-${TRACE}-00f067aa0ba902b7-01`, HTTP_X_REQUEST_ID: '12-34' },
};

test('the ids of a request that a web server passes to a program are recorded, although they are the last of its parameters', () => {
	const size = ({ length }: string) => (length < 128 ? [length] : [0x80, 0, length >> 8, length & 255]);
	const text = (...bytes: number[]) => Buffer.from(bytes).toString('latin1');
	const pairs = Object.entries(PARAMETERS).map(([name, value]) => `${text(...size(name), ...size(value))}${name}${value}`);
	const body = pairs.join('');
	const begin = text(1, 1, 0, 1, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0);
	const end = text(1, 4, 0, 1, 0, 0, 0, 0, 1, 5, 0, 1, 0, 0, 0, 0);
	assert.deepEqual(askedAsRecorded(fastcgi, `${begin}${text(1, 4, 0, 1, body.length >> 8, body.length & 255, 0, 0)}${body}${end}`), ASKED);

	const variables = Object.entries(PARAMETERS).map(
		([name, value]) => `${text(name.length & 255, name.length >> 8)}${name}${text(value.length & 255, value.length >> 8)}${value}`,
	);
	const block = variables.join('');
	assert.deepEqual(askedAsRecorded(uwsgi, `${text(0, block.length & 255, block.length >> 8, 0)}${block}`), ASKED);
});

test('the recorder sees one bridge, has one capability and one file, and ends by itself', () => {
	const { Cmd: command, HostConfig: host, User: user } = OPTIONS;
	const after = (option: string) => command.flatMap((word: string, index: number) => (word === option ? [command[index + 1]] : []));
	assert.deepEqual(after('-i'), ['br-d93f8ddd9a0b']);
	assert.deepEqual(after('-a'), ['duration:100', 'filesize:2000000']);
	assert.deepEqual(after('-s'), ['2048']);
	assert.deepEqual(
		[host.ReadonlyRootfs, host.CapDrop, host.CapAdd, host.SecurityOpt, host.Binds, host.NetworkMode, user],
		[true, ['ALL'], ['NET_RAW'], ['no-new-privileges'], ['/tmp/x/0.pcap:/capture/packets.pcap'], 'host', '0:0'],
	);
});

test('what the kernel dropped is read, and is not known where the recorder was killed', async () => {
	const counted = async (said: string) => {
		const { packets, dropped } = await (await recorderSaying(said)).recorder.stop();
		return { packets, dropped };
	};
	assert.deepEqual(await counted(SAID), { packets: 10, dropped: 5 });
	assert.deepEqual(await counted(SAID.split('Packets captured')[0]), { packets: null, dropped: null });
});

test('an address belongs to whom it belonged then', async () => {
	const containers: Record<string, [name: string, number: number, ...addresses: string[]]> = {
		one: ['web', 1, '10.0.0.2'],
		two: ['web', 2, '10.0.0.3', 'fd00::3'],
		db: ['db', 1, '10.0.0.2'],
		late: ['k6', 1, '10.0.0.3'],
	};
	const events = new Readable({ read() {} });
	const getContainer = (id: string) => ({
		inspect: async () => {
			const [service, number, IPAddress, GlobalIPv6Address] = containers[id];
			const Labels = { 'com.docker.compose.service': service, 'com.docker.compose.container-number': String(number) };
			return { Config: { Labels }, NetworkSettings: { Networks: { run: { IPAddress, GlobalIPv6Address } } } };
		},
	});
	const watched = await watchAddresses('run', { getEvents: async () => events, getContainer } as any);
	for (const [Action, ID, at] of [
		['start', 'one', 10],
		['start', 'two', 10],
		['die', 'one', 20],
		['start', 'db', 25],
		['start', 'late', 30],
	] as const) {
		events.push(`${JSON.stringify({ Action, Actor: { ID }, timeNano: at * 1e9 })}\n`);
		await turn();
		await turn();
	}
	assert.deepEqual(
		(await watched.stop()).map(({ address, name, from, to }) => [address, name, from, to]),
		[
			['10.0.0.2', 'web-1', 10, 20],
			['10.0.0.3', 'web-2', 10, 30],
			['fd00::3', 'web-2', 10, null],
			['10.0.0.2', 'db', 25, null],
			['10.0.0.3', 'k6', 30, null],
		],
	);
});
