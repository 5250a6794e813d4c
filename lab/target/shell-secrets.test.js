import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDocker } from '../docker/fixtures/docker-program.js';
import { refuseShellSecrets } from './shell-secrets.js';

const system = { project: 'run', cwd: '/', flags: [], env: { OWN_TOKEN: 'of-the-command' } };
const SHELL = { SHOP_TOKEN: 'a$key-of-mine', SHOP_URL: 'db://me:a-password@host', SAME_TOKEN: 'postgres', OWN_TOKEN: 'x', PLAIN: 'plain' };
/** What Compose makes of it takes two variables. */
const COMPOSE = `printf '{"services":{"web":{"environment":{"A":"%s","B":"%s"}}}}' "$SHOP_TOKEN" "$SHOP_URL"`;

/** @param {any} config @param {{ variables?: string[], env?: string }} [more] */
async function refused(config, { variables = [], env = '' } = {}) {
	const before = { ...process.env };
	Object.assign(process.env, SHELL);
	try {
		await withDocker(COMPOSE, () => refuseShellSecrets(config, { system, variables, env }));
		return null;
	} catch (error) {
		return String(error);
	} finally {
		for (const name of Object.keys(SHELL)) if (before[name] === undefined) delete process.env[name];
	}
}

const TAKING = { services: { web: { environment: { A: 'a$$key-of-mine', B: SHELL.SHOP_URL, C: 'plain', D: 'postgres' } } } };

test('a secret of this shell that services would have is named, and what is the file’s own is not', async () => {
	assert.match(String(await refused(TAKING)), /takes SHOP_TOKEN, SHOP_URL\.\n.*add --allow-variable=SHOP_TOKEN --allow-variable=SHOP_URL /);
	assert.match(String(await refused(TAKING, { variables: ['SHOP_TOKEN'] })), /takes SHOP_URL\./);
	assert.equal(await refused(TAKING, { variables: ['SHOP_TOKEN', 'SHOP_URL'] }), null);
	const later = { services: { web: { build: { args: { SHOP_TOKEN: null, PLAIN: null, NOT_SET: null } } } } };
	assert.match(String(await refused(later)), /takes SHOP_TOKEN\./);
	assert.equal(await refused({ services: { web: { environment: { D: 'postgres', E: 'x' } } } }), null);
});

test('what Compose makes a file of is named whatever it is called', async () => {
	const config = { services: {}, secrets: { s: { environment: 'PLAIN' } }, configs: { c: { environment: 'NOT_SET' }, d: { file: '/x' } } };
	assert.match(String(await refused(config)), /takes PLAIN\./);
	assert.equal(await refused(config, { env: 'PLAIN=plain\n' }), null);
	assert.equal(await refused({ configs: { c: { environment: 'OWN_TOKEN' } } }), null);
});
