import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { formatAllowed } from '../options/allowed.ts';
import { permissionOf } from './permission.ts';

const folder = realpathSync(mkdtempSync(join(os.tmpdir(), 'doubletake-permission-')));
after(() => rmSync(folder, { recursive: true }));
const memory = join(folder, 'cache/permitted.json');
const FILE = `compose: [compose.yaml]
entry: http://web:80/
services: { web: { tier: app, product: opaque, watch: 0 } }
load: { urls: ["GET /"], headers: { Authorization: "Bearer \${TOKEN}", X-Tenant: "\${TENANT}" } }
`;

async function permitted(answer: boolean | null, flags: object = {}): Promise<{ variables: string[]; asked: string[] }> {
	const asked = [] as string[];
	const ask = answer === null ? null : async (question: string) => asked.push(question) > 0 && answer;
	const { allowed } = await permissionOf(flags, { folder, ask, memory });
	return { variables: allowed.variables, asked };
}

test('variables of headers are asked for once at a terminal, and again when the file is another', async () => {
	writeFileSync(join(folder, 'doubletake.yaml'), FILE);
	assert.deepEqual(await permitted(null), { variables: [], asked: [] });
	const refused = await permitted(false);
	assert.deepEqual([refused.variables, refused.asked.length], [[], 1]);
	for (const words of ['TOKEN', 'TENANT', 'Authorization', 'http://web:80']) assert.ok(refused.asked[0].includes(words), words);
	assert.equal((await permitted(true)).asked.length, 1);
	assert.deepEqual(await permitted(false), { variables: ['TOKEN', 'TENANT'], asked: [] });
	assert.doesNotMatch(readFileSync(memory, 'utf8'), /web|doubletake-permission/);
	writeFileSync(join(folder, 'doubletake.yaml'), FILE.replace('X-Tenant', 'X-Other'));
	assert.deepEqual(await permitted(null), { variables: [], asked: [] });
});

test('what is allowed by name is not asked for, and is not kept', async () => {
	writeFileSync(join(folder, 'doubletake.yaml'), `# Ours.\n${FILE}`);
	assert.deepEqual(await permitted(false, { allowVariable: ['TOKEN,TENANT'] }), { variables: ['TOKEN', 'TENANT'], asked: [] });
	assert.equal((await permitted(false, { allowVariable: ['TOKEN'] })).asked[0].includes('TOKEN'), false);
	assert.deepEqual(await permitted(null), { variables: [], asked: [] });
});

test('paths are allowed by where they lead, and written as they are typed again', async () => {
	symlinkSync(os.tmpdir(), join(folder, 'link'));
	const { allowData, allowed } = await permissionOf({ allow: ['', 'link', '.'] }, { folder, ask: null, memory });
	assert.deepEqual([allowData, allowed.paths], [true, [realpathSync(os.tmpdir()), folder]]);
	await assert.rejects(
		permissionOf({ allow: ['nowhere'] }, { folder, ask: null, memory }),
		/--allow: expected a path that is there; found "nowhere"/,
	);
	assert.deepEqual(formatAllowed({ allowData: true, allowed: { paths: ['/srv/my data'], variables: ['TOKEN'] } }), [
		'--allow',
		"--allow='/srv/my data'",
		'--allow-variable=TOKEN',
	]);
});
