import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decoder as fastcgi } from '../../adapters/fastcgi/wire.js';
import { decoder as http } from '../../adapters/http/wire.js';
import { decoder as uwsgi } from '../../adapters/uwsgi/wire.js';
import { converse } from '../../wire/fixtures/converse.js';
import { SNAP_BYTES } from './filter.js';

/** Of Ethernet, IP and TCP with its time stamps. */
const HEADS = 14 + 20 + 32;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
/** As long as one of an identity server that signs with RSA and names some roles. */
const TOKEN = `Bearer ${'e'.repeat(1200)}`;

/** As recorded: a packet's first bytes. @param {import('../../wire/contract.js').Decoder} decoder @param {string} text */
function askedAsRecorded(decoder, text) {
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
  const size = (/** @type {string} */ { length }) => (length < 128 ? [length] : [0x80, 0, length >> 8, length & 255]);
  const text = (/** @type {number[]} */ ...bytes) => Buffer.from(bytes).toString('latin1');
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
