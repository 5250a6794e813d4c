import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secrets as ofProcess } from './secrets.ts';

const MARK = '*secret*';
/** Each test has a set of its own. */
const Secrets = ofProcess.constructor as new () => typeof ofProcess;

function knowing(values: string[], names: string[] = []) {
	const secrets = new Secrets();
	secrets.exempt(names);
	secrets.learn(values);
	return secrets;
}

/** JSON as Python and Go write it. */
const ascii = (text: string) => text.replace(/[\u007f-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
const go = (text: string) => text.replace(/[<>&]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);

const VALUES = ['Tr0ub4dor&3', 'zq"x\\y/z+w=9ñ€ <é>', 'wxcvbn', 'wortschatz-kammer', 'p@-5#$%^', 'пароль-тайна', '😀kéy😀é!'];

test('a value is found in whatever form a log has it', () => {
	for (const value of VALUES) {
		const secrets = knowing([value]);
		const json = JSON.stringify(value).slice(1, -1);
		const url = encodeURIComponent(value);
		const forms = {
			plain: value,
			json,
			'json in json': JSON.stringify(json).slice(1, -1),
			'json of ascii': ascii(json),
			'json of Go': go(json),
			'json with slashes escaped': json.replaceAll('/', '\\/'),
			url,
			'url in small letters': url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
			form: new URLSearchParams({ value }).toString().slice('value='.length),
			html: value.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`),
			base64: Buffer.from(value).toString('base64'),
			'base64 for URLs': Buffer.from(value).toString('base64url'),
			hexadecimal: Buffer.from(value).toString('hex'),
		};
		for (const [form, text] of Object.entries(forms)) assert.equal(secrets.without(`[${text}]`), `[${MARK}]`, `${value}: ${form}`);
	}
});

test('it is found within what base64 packs, wherever it begins', () => {
	for (const value of VALUES) {
		const secrets = knowing([value]);
		for (const before of ['u:', 'us:', 'use:', 'user:']) {
			const text = Buffer.from(`${before}${value}, and so on`).toString('base64');
			const kept = Buffer.from(secrets.without(text).replaceAll(MARK, ''), 'base64').toString();
			assert.ok(secrets.without(text).includes(MARK), `${value} behind ${before}`);
			assert.ok(!kept.includes(value.slice(0, 4)), kept);
		}
	}
});

test('a value that is broken over lines is found, and the lines stay as many as they were', () => {
	const secrets = knowing(['Tr0ub4dor&3', 'wortschatz-kammer']);
	const text = 'it is Tr0ub4\n   dor&3 and wort\r\nschatz-kammer\nend';
	const kept = secrets.without(text);
	assert.doesNotMatch(kept, /Tr0ub|dor&|wort|kammer/);
	assert.equal(kept.split('\n').length, text.split('\n').length);
	const wrapped = Buffer.from('someone:Tr0ub4dor&3').toString('base64').replace(/.{7}/g, '$&\n');
	assert.ok(secrets.without(wrapped).includes(MARK));
});

test('of a value of several lines each is one', () => {
	const secrets = knowing(['-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----\n']);
	assert.equal(secrets.without('read MIIEvQIBADANBg first'), `read ${MARK} first`);
	assert.equal(secrets.without('"MIIEvQIBADANBg\\nkqhkiG9w0BAQEF"'), `"${MARK}\\n${MARK}"`);
});

test('what says too little is left, or no record could be read: short values, figures, places, words of the lab and names of the system', () => {
	const kept = [
		'abc12',
		'12345678',
		'2026-11-29',
		'postgres',
		'password',
		'production',
		'aaaaaaa',
		'/run/secrets/db',
		'http://vault:8200',
		'vault:8200',
	];
	const secrets = knowing([...kept, 'inventory-api', 'Tr0ub4dor&3'], ['inventory-api-worker', 'inventory-api']);
	const text = kept.join(' ');
	assert.equal(secrets.without(`${text} inventory-api-worker`), `${text} inventory-api-worker`);
	assert.equal(secrets.without('Tr0ub4dor&3'), MARK);
	assert.equal(knowing(['123456789012']).without('123456789012'), MARK);
});

test('a short value of hexadecimal digits is none of an id', () => {
	const secrets = knowing(['e7c1f9']);
	const id = '9fe7c1f97d';
	assert.equal(secrets.without(`${id} e7c1f9 "\\ne7c1f9"`), `${id} ${MARK} "\\n${MARK}"`);
});

test('JSON stays JSON, and what knows nothing changes nothing', () => {
	const secrets = knowing(VALUES);
	const record = { message: VALUES.join(' '), count: 12, list: VALUES, [`key ${VALUES[0]}`]: null };
	const kept = secrets.without(JSON.stringify(record));
	assert.deepEqual(
		JSON.parse(kept).list,
		VALUES.map(() => MARK),
	);
	assert.equal(JSON.parse(kept).count, 12);
	const text = JSON.stringify(record);
	assert.equal(new Secrets().without(text), text);
});

test('many values cost little more than one', () => {
	// A bound that an hour-glass would hold: what is quadratic takes minutes.
	const many = Array.from({ length: 500 }, (_, index) => `v${(index * 7919).toString(36)}-Q${index}z`);
	const secrets = knowing(many);
	const line = 'INFO request 5f3a9c GET /orders/12 took 12ms status=200 agent connection to db:5432 is open\n';
	assert.equal(secrets.without(line.repeat(20_000)), line.repeat(20_000));
});

test('a long value and one of many lines are found too, whole and in what they are packed in', () => {
	const long = Array.from({ length: 120 }, (_, index) => `${(index * 7919).toString(36)}Zq${index}`).join('&"');
	const lines = Array.from({ length: 300 }, (_, index) => Buffer.from(`line ${index} of a key ${index * 31}`).toString('base64'));
	const secrets = knowing([long, lines.join('\n')]);
	for (const text of [
		long,
		JSON.stringify(long),
		encodeURIComponent(long),
		Buffer.from(long).toString('base64'),
		Buffer.from(long).toString('hex'),
	]) {
		const kept = secrets.without(`it is ${text} here`);
		assert.ok(kept.length < 200, kept.slice(0, 300));
		assert.match(kept, /^it is .*\*secret\*.* here$/);
	}
	const kept = secrets.without(lines.join('\n'));
	assert.deepEqual(new Set(kept.split('\n')), new Set([MARK]));
	assert.equal(kept.split('\n').length, lines.length);
});

test('wherever a value is broken it is found, as it is and in JSON', () => {
	for (const value of VALUES) {
		const secrets = knowing([value]);
		const characters = [...value];
		for (let at = 1; at < characters.length; at += 1) {
			const [one, other] = [characters.slice(0, at).join(''), characters.slice(at).join('')];
			for (const between of ['\n', '\r\n', '\n    ']) {
				const kept = secrets.without(`<${one}${between}${other}>`);
				assert.ok(!kept.includes(one) || one.length < 3, `${value} at ${at}: ${kept}`);
				assert.match(kept, /^<\*secret\*/);
				assert.match(secrets.without(JSON.stringify(`<${one}${between}${other}>`)), /^"<\*secret\*/);
			}
		}
	}
});

test('a backslash before a letter is no break of a line where it is part of a value', () => {
	const secrets = knowing(['C:\\new\\row-7', '\\nabc-defg']);
	for (const value of ['C:\\new\\row-7', '\\nabc-defg'])
		for (const text of [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])
			assert.equal(secrets.without(`[${text}]`), `[${MARK}]`);
});
