import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headersIn, secretsInCommand, secretsInEnvironment, secretsInHeaders, secretsOf, withoutAssigned } from './secret-names.ts';

test('what is assigned to a name of a secret is taken out of a text, and so are passwords of addresses, whoever wrote it', () => {
	assert.equal(
		withoutAssigned('redis://:pw@cache password=abc, "token": "x y" Authorization: Basic'),
		'redis://:?@cache password=?, "token": "? y" Authorization: ?',
	);
	const plain = 'FATAL: password authentication failed for user "shop"';
	assert.equal(withoutAssigned(plain), plain);
});

const unique = (found: string[]) => [...new Set(found)].sort();

test('variables that are named so are secret, and passwords within the others', () => {
	const environment = [
		'DB_PASSWORD=hunter22',
		'DB_PWD=hunter23',
		'STRIPE_SK=sk_live_51HabcDEFghi456789',
		'URL=postgres://shop:p%40ss-word@db/shop',
		'GO_DSN=shop:go-pass@tcp(db:3306)/shop',
		'ADO=Server=db;User Id=shop;Password=ado-pass;',
		'JSON_CONFIG={"db": {"password": "json-pass", "user": "shop"}}',
		'MODE=production',
		'PWD=/home/app',
		'WITHOUT_VALUE',
	];
	assert.deepEqual(
		unique(secretsInEnvironment(environment)),
		unique([...['hunter22', 'hunter23', 'sk_live_51HabcDEFghi456789', 'p%40ss-word', 'p@ss-word', 'go-pass', 'ado-pass'], 'json-pass']),
	);
});

test('a password of an address may have what it should not, and a key a scheme', () => {
	assert.ok(secretsOf('URL', 'redis://:a/b#c?d@cache:6379/0').includes('a/b#c?d'));
	assert.ok(secretsOf('UPSTREAM_HEADER', 'Bearer abcDEF123abcDEF123abc').includes('abcDEF123abcDEF123abc'));
});

test('in a command the word behind a flag that is named so is secret, and what stands in it', () => {
	assert.deepEqual(unique(secretsInCommand(['redis-server', '--requirepass', 'cache-pass', '--port', '6379'])), ['cache-pass']);
	assert.deepEqual(unique(secretsInCommand(['app', '--db-password=flag-pass', '--verbose'])), ['flag-pass']);
	assert.ok(secretsInCommand(['sh', '-c', 'mysqladmin ping -pshell-Pass7']).includes('shell-Pass7'));
	assert.deepEqual(
		secretsInCommand(['sh', '-c', 'mkdir -p/some/Dir1 && serve -port=8080 -parallel -p8080:80 && echo "password required"']),
		[],
	);
});

test('a key of a header is known wherever that is written, whatever its length', () => {
	const key = 'aB3dE6gH9jK2mN5pQ8r';
	for (const found of [
		secretsOf('headers.Authorization', `Bearer ${key}`),
		secretsOf('UPSTREAM', `Bearer ${key}`),
		secretsInCommand(['sh', '-c', `curl -H "Authorization: Bearer ${key}" api`]),
		secretsInCommand(['curl', '-H', `X-Api-Key: ${key}`]),
		headersIn(`headers: { 'X-Auth-Token': '${key}' }`),
		secretsInHeaders({ Authorization: `Token token="${key}", x` }),
	])
		assert.ok(found.includes(key), String(found));
	assert.deepEqual(headersIn('{ key: form.token }'), []);
});

test('of headers the values are secret that say who asks, with what stands behind their scheme', () => {
	const basic = Buffer.from('shop:basic-pass').toString('base64');
	const found = secretsInHeaders({
		Authorization: 'Bearer bearer-token',
		'Proxy-Authorization': `Basic ${basic}`,
		Cookie: 'session=cookie-value; theme=dark',
		'X-Tenant': 'tenant-seven {{request_id}}',
		Host: 'shop.test',
		Accept: 'application/json',
	});
	for (const value of ['Bearer bearer-token', 'bearer-token', basic, 'shop:basic-pass', 'basic-pass', 'cookie-value'])
		assert.ok(found.includes(value), value);
	assert.ok(found.some((value) => value.trim() === 'tenant-seven'));
	assert.ok(!found.some((value) => value.includes('shop.test') || value.includes('application/json')));
});
