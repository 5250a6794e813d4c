/**
 * What a web server tells a program of a request, as FastCGI and uwsgi pass it on: names and values of CGI.
 * https://www.rfc-editor.org/rfc/rfc3875
 */

import type { Call } from '../../wire/contract.ts';
import { ID_LENGTH } from '../../wire/contract.ts';
import { pathTemplate, plainId, traceId } from '../../wire/templates.ts';
import { METHODS } from '../http/head.ts';

/**
 * Takes of a parameter what may be kept.
 * @param call is changed
 */
export function noteParameter(call: Call, name: string, value: string) {
	if (name === 'REQUEST_METHOD' && METHODS.has(value)) call.verb = value;
	// The address as it was asked says more than the script that serves it.
	else if (name === 'REQUEST_URI') call.template = pathTemplate(value);
	else if (name === 'SCRIPT_NAME' && call.template === '') call.template = pathTemplate(value);
	else if (name === 'HTTP_X_REQUEST_ID') setUnless(call, 'id', plainId(value, ID_LENGTH));
	else if (name === 'HTTP_TRACEPARENT') setUnless(call, 'trace', traceId(value));
}

function setUnless(call: Call, key: 'id' | 'trace', value: string | undefined) {
	if (value !== undefined) call[key] = value;
}

const NAMES = new Set(['REQUEST_METHOD', 'REQUEST_URI', 'SCRIPT_NAME', 'HTTP_X_REQUEST_ID', 'HTTP_TRACEPARENT']);
const LENGTHS = new Set([...NAMES].map((name) => name.length));

/** The name where it is one that is wanted: most are not, and are not worth a text of their own. */
function nameIn(bytes: Buffer, from: number, to: number) {
	const name = LENGTHS.has(to - from) ? bytes.toString('latin1', from, to) : '';
	return NAMES.has(name) ? name : null;
}

/**
 * FastCGI's form: two lengths of one or four bytes, a name, a value. Those that are wanted.
 * @param bytes may be cut
 */
export function* readPairs(bytes: Buffer): Generator<[string, string]> {
	let at = 0;
	while (at < bytes.length) {
		const name = lengthAt(bytes, at);
		const value = name && lengthAt(bytes, name.next);
		if (!name || !value || value.next + name.length + value.length > bytes.length) return;
		const from = value.next + name.length;
		const found = nameIn(bytes, value.next, from);
		if (found !== null) yield [found, bytes.toString('latin1', from, from + value.length)];
		at = from + value.length;
	}
}

function lengthAt(bytes: Buffer, at: number): { length: number; next: number } | null {
	if (at < bytes.length && bytes[at] < 0x80) return { length: bytes[at], next: at + 1 };
	return at + 4 <= bytes.length ? { length: bytes.readUInt32BE(at) & 0x7fffffff, next: at + 4 } : null;
}

/**
 * uwsgi's form: a length of two bytes and a name, a length and a value. Those that are wanted.
 * @param bytes may be cut
 */
export function* readVariables(bytes: Buffer): Generator<[string, string]> {
	let at = 0;
	while (at + 2 <= bytes.length) {
		const name = at + 2 + bytes.readUInt16LE(at);
		if (name + 2 > bytes.length) return;
		const value = name + 2 + bytes.readUInt16LE(name);
		if (value > bytes.length) return;
		const found = nameIn(bytes, at + 2, name);
		if (found !== null) yield [found, bytes.toString('latin1', name + 2, value)];
		at = value;
	}
}

/** Of the head of an answer: CGI has its status as a header. */
export function readStatusHead(text: string): number | null {
	const found = /(?:^|\n)Status:[ \t]*(\d{3})/i.exec(text) ?? /^HTTP\/1\.[01] (\d{3})/.exec(text);
	return found ? Number(found[1]) : null;
}
