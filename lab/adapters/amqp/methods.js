/**
 * Methods of AMQP 0.9.1 and what is read of them. https://www.rabbitmq.com/amqp-0-9-1-reference, https://www.rabbitmq.com/docs/confirms
 */

/** Class and method, and which it is answered by where that is not the one after it. @type {Record<string, string>} */
const NAMES = {
  '10.50': 'connection.close',
  '20.10': 'channel.open',
  '20.20': 'channel.flow',
  '20.40': 'channel.close',
  '40.10': 'exchange.declare',
  '40.20': 'exchange.delete',
  '40.30': 'exchange.bind',
  '40.40': 'exchange.unbind',
  '50.10': 'queue.declare',
  '50.20': 'queue.bind',
  '50.30': 'queue.purge',
  '50.40': 'queue.delete',
  '50.50': 'queue.unbind',
  '60.10': 'basic.qos',
  '60.20': 'basic.consume',
  '60.30': 'basic.cancel',
  '60.70': 'basic.get',
  '60.110': 'basic.recover',
  '85.10': 'confirm.select',
  '90.10': 'tx.select',
  '90.20': 'tx.commit',
  '90.30': 'tx.rollback',
};
/** @type {Record<string, string>} */
const ASKED_BY = { 40.51: '40.40', 60.71: '60.70', 60.72: '60.70' };

export const METHOD = {
  start: '10.10',
  openOk: '10.41',
  close: '10.50',
  blocked: '10.60',
  unblocked: '10.61',
  channelClose: '20.40',
  consume: '60.20',
  publish: '60.40',
  deliver: '60.60',
  ack: '60.80',
  reject: '60.90',
  nack: '60.120',
  confirm: '85.10',
};

/** Of a method that waits for an answer. @param {string} method @returns {string | undefined} */
export const questionName = (method) => NAMES[method];

/** Which method it answers. @param {string} method @returns {string} */
export function askedBy(method) {
  const [group, number] = method.split('.');
  return ASKED_BY[method] ?? `${group}.${Number(number) - 1}`;
}

/** Of replies: the server could not, whatever was asked. The others say that the question was wrong. */
const SERVERS = new Set([313, 320, 506, 541]);
const GOOD = 200;

const BODY = 4;
const SHORT = 1;

/** @param {Buffer} bytes  from the class on @returns {string} */
export const methodOf = (bytes) => (bytes.length >= BODY ? `${bytes.readUInt16BE(0)}.${bytes.readUInt16BE(2)}` : '');

/** @param {Buffer} bytes of a close @returns {{ code: string | null, bad: boolean }} code: 0 where it was not recorded */
export function errorOf(bytes) {
  const code = bytes.length >= BODY + 2 ? bytes.readUInt16BE(BODY) : 0;
  // It goes in good order.
  return code === GOOD ? { code: null, bad: false } : { code: String(code), bad: SERVERS.has(code) };
}

/** @param {Buffer} bytes of a delivery, behind its consumer's tag @returns {bigint | null} */
export function deliveryTag(bytes) {
  const at = BODY + SHORT + (bytes[BODY] ?? 0);
  return at + 8 <= bytes.length ? bytes.readBigUInt64BE(at) : null;
}

/** @param {Buffer} bytes of an ack, a nack or a reject @returns {{ tag: bigint, multiple: boolean } | null} */
export function acknowledged(bytes) {
  if (bytes.length < BODY + 9) return null;
  // A reject has one tag alone; its bit says whether the message is queued again.
  return { tag: bytes.readBigUInt64BE(BODY), multiple: methodOf(bytes) !== METHOD.reject && (bytes[BODY + 8] & 1) !== 0 };
}

/** Whether a consumer says that it will acknowledge nothing. @param {Buffer} bytes of basic.consume */
export function isWithoutAck(bytes) {
  const queue = BODY + 2;
  const tag = queue + SHORT + (bytes[queue] ?? 0);
  const flags = bytes[tag + SHORT + (bytes[tag] ?? 0)] ?? 0;
  return (flags & 2) !== 0;
}
