import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../base/errors.ts';
import { parseProject } from './project-file.ts';
import { filledHeaders, withGiven } from './project-problems.ts';

const SECRET = 'Tr0ub4dor';
const TOKEN = `\${TOKEN}`;

/** A load with these. */
const loadOf = (headers: unknown) =>
	parseProject(
		JSON.stringify({
			compose: ['compose.yaml'],
			entry: 'http://web:80/',
			services: { web: { tier: 'app', product: 'opaque', watch: 0 } },
			load: { urls: ['GET /'], headers },
		}),
		'doubletake.yaml',
	).load;

/** What is wrong, without where the file has it. */
function wrongIn(headers: unknown) {
	let said = '';
	assert.throws(
		() => loadOf(headers),
		(error) => {
			assert.ok(error instanceof NotReadyError);
			said = error.message.replace(/^doubletake\.yaml, line \d+, /, '');
			return true;
		},
	);
	assert.ok(!said.includes(SECRET), said);
	return said;
}

test('texts by the names of headers are taken, and a load may have none', () => {
	assert.equal(loadOf(undefined).headers, undefined);
	const headers = { Authorization: `Bearer ${TOKEN}`, 'X-Tenant': 'acme', Cookie: 'a=$1; b={}' };
	assert.deepEqual(loadOf(headers).headers, headers);
});

test('what is wrong is told by the header, and no value with it', () => {
	assert.match(wrongIn([SECRET]), /^load\.headers: expected headers by their names, such as .*; found a list[.,]/);
	assert.match(wrongIn(SECRET), /; found a text[.,]/);
	assert.match(wrongIn({}), /; found an empty mapping[.,]/);
	assert.match(wrongIn({ 'X-Tenant': 7 }), /^load\.headers\.X-Tenant: expected a text; found a number[.,]/);
	assert.match(wrongIn({ 'X Tenant': SECRET }), /expected the name of a header; found other signs in it[.,]/);
	assert.match(wrongIn({ Authorization: SECRET, authorization: SECRET }), /^load\.headers\.authorization: expected each header once/);
	assert.match(wrongIn({ 'x-request-id': SECRET }), /expected any header but x-request-id, by which Doubletake knows each request/);
	assert.match(wrongIn({ Authorization: `\${${SECRET} x}` }), /expected the name of an environment variable in \$\{NAME\}/);
});

test('a value is filled from the environment, each time that it names a variable', () => {
	const env = { TOKEN: SECRET, TENANT: '$&' };
	assert.deepEqual(filledHeaders({ Authorization: `Bearer ${TOKEN}`, Cookie: `a=${TOKEN}; b=\${TENANT}`, 'X-Fixed': 'as it is' }, env), {
		Authorization: `Bearer ${SECRET}`,
		Cookie: `a=${SECRET}; b=$&`,
		'X-Fixed': 'as it is',
	});
});

test('a variable that is not there, and a value that cannot be sent, are refused without telling the value', () => {
	const refused: (env: Record<string, string>, reported: RegExp) => void = (env, reported) =>
		assert.throws(
			() => filledHeaders({ Authorization: `Bearer ${TOKEN}` }, env),
			(error) => error instanceof NotReadyError && reported.test(error.message) && !error.message.includes(SECRET),
		);
	const missing = /^doubletake\.yaml, load\.headers\.Authorization: expected the environment variable TOKEN; found none\.\n.*export TOKEN=/;
	refused({}, missing);
	refused({ TOKEN: '' }, missing);
	refused({ TOKEN: `${SECRET}\n` }, /expected a value of one line .*; found other signs in it; part of it is from TOKEN\./);
});

test('a request has the names of what is given, in place of headers of the same name', () => {
	const request = { method: 'POST', path: '/', headers: { 'content-type': 'text/plain', 'X-Tenant': 'example' } };
	assert.deepEqual(withGiven(request, ['x-tenant', 'Authorization']), {
		method: 'POST',
		path: '/',
		headers: { 'content-type': 'text/plain' },
		given: ['x-tenant', 'Authorization'],
	});
	assert.deepEqual(withGiven({ method: 'GET', path: '/' }, []), { method: 'GET', path: '/' });
});

test('what is wrong is quoted without the passwords in it', () => {
	const written = (entry: any) =>
		JSON.stringify({
			compose: ['compose.yaml'],
			entry,
			services: { web: { tier: 'app', product: 'opaque', watch: 0 } },
			load: { urls: ['GET /'] },
		});
	for (const entry of [`http://user:${SECRET}@web:80/`, `http://other:80/?token=${SECRET}`])
		assert.throws(
			() => parseProject(written(entry), 'doubletake.yaml'),
			({ message, remedy }) => !`${message}${remedy}`.includes(SECRET) && /entry: expected/.test(message),
			entry,
		);
});
