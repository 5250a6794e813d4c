import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseShellSecrets } from './shell-secrets.ts';

const named = { OWN_TOKEN: 'of-the-command' };
const SHELL = { SHOP_TOKEN: 'a key=of mine', SHOP_URL: 'db://me:a-password@host', SAME_TOKEN: 'postgres', OWN_TOKEN: 'x', PLAIN: 'plain' };

/** @param config with a function of the variables where it takes one */
async function refused(config: any, { variables = [], env = '' }: { variables?: string[]; env?: string } = {}) {
	const before = { ...process.env };
	Object.assign(process.env, SHELL);
	const resolve: (env: Record<string, string | undefined>) => Promise<any> = async (other) =>
		typeof config === 'function' ? config({ ...SHELL, ...other }) : config;
	try {
		await refuseShellSecrets(await resolve({}), { resolve, named, variables, env });
		return null;
	} catch (error) {
		return String(error);
	} finally {
		for (const name of Object.keys(SHELL)) if (before[name] === undefined) delete process.env[name];
	}
}

/** As Compose splits a command, and makes a key of a text with "=". */
const TAKING = ({ SHOP_TOKEN = '', SHOP_URL = '' }: Record<string, string | undefined>) => ({
	services: { web: { command: SHOP_TOKEN.split(' '), environment: { [SHOP_URL]: '1', C: 'plain', D: 'postgres' } } },
});

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
