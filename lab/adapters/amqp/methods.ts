/** Methods, and what is read of them. https://www.rabbitmq.com/amqp-0-9-1-reference, https://www.rabbitmq.com/docs/confirms */

/** Class and method, and which it is answered by where that is not the one after it. */
const NAMES: Record<string, string> = {
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
const ASKED_BY: Record<string, string> = { 40.51: '40.40', 60.71: '60.70', 60.72: '60.70' };

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

/** Of a method that waits for an answer. */
export const questionName = (method: string): string | undefined => NAMES[method];

/** Which method it answers. */
export function askedBy(method: string): string {
	const [group, number] = method.split('.');
	return ASKED_BY[method] ?? `${group}.${Number(number) - 1}`;
}

/** Of replies: the server could not, whatever was asked. The others say that the question was wrong. */
const SERVERS = new Set([313, 320, 506, 541]);
const GOOD = 200;

const ARGUMENTS = 4;
const SHORT = 1;

/** @param bytes from the class on */
export const methodOf = (bytes: Buffer): string => (bytes.length >= ARGUMENTS ? `${bytes.readUInt16BE(0)}.${bytes.readUInt16BE(2)}` : '');

/**
 * @param bytes of a close
 * @returns code: 0 where it was not recorded
 */
export function errorOf(bytes: Buffer): { code: string | null; bad: boolean } {
	const code = bytes.length >= ARGUMENTS + 2 ? bytes.readUInt16BE(ARGUMENTS) : 0;
	// It goes in good order.
	return code === GOOD ? { code: null, bad: false } : { code: String(code), bad: SERVERS.has(code) };
}

/** @param bytes of a delivery, behind its consumer's tag */
export function deliveryTag(bytes: Buffer): bigint | null {
	const at = ARGUMENTS + SHORT + (bytes[ARGUMENTS] ?? 0);
	return at + 8 <= bytes.length ? bytes.readBigUInt64BE(at) : null;
}

/** @param bytes of an ack, a nack or a reject */
export function acknowledged(bytes: Buffer): { tag: bigint; multiple: boolean } | null {
	if (bytes.length < ARGUMENTS + 9) return null;
	// A reject has one tag alone; its bit says whether the message is queued again.
	return { tag: bytes.readBigUInt64BE(ARGUMENTS), multiple: methodOf(bytes) !== METHOD.reject && (bytes[ARGUMENTS + 8] & 1) !== 0 };
}

/**
 * Whether a consumer says that it will acknowledge nothing.
 * @param bytes of basic.consume
 */
export function isWithoutAck(bytes: Buffer) {
	const queue = ARGUMENTS + 2;
	const tag = queue + SHORT + (bytes[queue] ?? 0);
	const flags = bytes[tag + SHORT + (bytes[tag] ?? 0)] ?? 0;
	return (flags & 2) !== 0;
}
export const BODY = 3;
