import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { execa } from 'execa';
import type { Variable } from '../../base/variable.ts';
import { withDocker } from '../../docker/fixtures/docker-program.ts';
import { readGivenArm } from '../../options/arms.ts';
import { readSettings } from '../../options/settings.ts';
import { checkSystem, resolveSide } from './checked-system.ts';

/** A repository, of which a revision has the same files. */
let folder = '';
const IDENTITY = ['user.name=Ada', 'user.email=ada@example.org', 'commit.gpgsign=false'].flatMap((setting) => ['-c', setting]);
before(async () => {
	folder = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
	await writeFile(join(folder, 'compose.yaml'), 'services: { edge: {} }\n');
	for (const args of [
		['init', '--quiet'],
		['add', '.'],
		['commit', '--quiet', '--message', 'one'],
		['tag', 'v1'],
	])
		await execa('git', [...IDENTITY, ...args], { cwd: folder });
});
after(() => rm(folder, { recursive: true, force: true }));

const VARIABLES: Record<string, Variable> = {
	POOL: { about: 'connections', standard: '8', range: [1, 500] },
	MODE: { about: 'how', standard: 'fast', choices: ['fast', 'safe'] },
};

/** A Compose that resolves variables, with one service, which mounts this. */
const composing = (source: string) => `cat <<END
{ "name": "run", "services": { "edge": {
  "image": "nginx:1",
  "environment": { "POOL": "$POOL", "MODE": "$MODE", "OTHER": "$OTHER" },
  "volumes": [{ "type": "bind", "source": "${source}", "target": "/etc/edge.conf", "read_only": true }]
} } }
END`;

function resolved(
	option: string,
	given: string[],
	{
		files = ['compose.yaml'],
		variables,
		source = '/nowhere/edge.conf',
	}: { files?: string[]; variables?: typeof VARIABLES; source?: string } = {},
) {
	const project = { compose: files, variables } as any;
	const checkouts = { at: async () => ({ folder, root: folder }) } as any;
	return withDocker(composing(source), () => resolveSide(readGivenArm(option, given), { folder, project, checkouts }));
}

test('a Compose file that is not there is reported, with the revision in which it was looked for', async () => {
	assert.deepEqual((await resolved('--a', [])).compose, ['compose.yaml']);
	const files = ['compose.yaml', 'tuned.yaml'];
	await assert.rejects(resolved('--a', [], { files }), /--a: expected a Compose file "tuned\.yaml" in .*; found none/);
	await assert.rejects(resolved('--b', ['rev:v1'], { files }), /"tuned\.yaml" in the revision v1; found none/);
});

test('files of an arm that lie outside of the folder need a word at the command line', async () => {
	const files = ['../elsewhere.yaml'];
	await assert.rejects(resolved('experiment.yaml, arms.two', [], { files }), /expected nothing outside of its folder[\s\S]*--allow=/);
	const checkouts = {} as any;
	const allowed = { paths: [join(realpathSync(folder), '../elsewhere.yaml')], variables: [] };
	const arm = readGivenArm('--a', ['../elsewhere.yaml']);
	const project = { compose: ['compose.yaml'] } as any;
	// Not there, and allowed.
	await assert.rejects(resolveSide(arm, { folder, project, checkouts, allowed }), /--a: expected a Compose file "\.\.\/elsewhere\.yaml"/);
});

test('an arm is given no value that doubletake.yaml does not know, of what it describes', async () => {
	await resolved('--a', ['POOL=32,MODE=safe,OTHER=what'], { variables: VARIABLES });
	await resolved('--a', ['POOL=many']);
	const refused = (text: string) => resolved('--b', [text], { variables: VARIABLES });
	await assert.rejects(refused('POOL=501'), /--b POOL: expected a whole number from 1 to 500; found "501"/);
	await assert.rejects(refused('MODE=sfae'), /--b MODE: expected .*fast.*safe.*; found "sfae"/);
});

test('what a service mounts out of a revision has to be in it; what lies elsewhere is not asked for', async () => {
	const mounting = (source: string, given: string[] = ['rev:v1']) => resolved('--a', given, { source });
	await mounting(join(folder, 'compose.yaml'));
	await mounting('/nowhere/edge.conf');
	await mounting(join(folder, 'conf/edge.conf'), []);
	await assert.rejects(
		mounting(join(folder, 'conf/edge.conf')),
		/--a: expected conf\/edge\.conf in the revision v1, because edge mounts it/,
	);
});

test('an arm of which Compose makes something else than before the first run is refused', async () => {
	const { fingerprint } = await resolved('--a', ['POOL=8']);
	/** @param POOL that the arm has by now */
	const checked = (POOL: string) => {
		const own = { title: 'shop with POOL=8', given: ['POOL=8'], compose: ['compose.yaml'], commit: null, absent: [], fingerprint };
		const arm = { arm: { id: 'POOL=8', architecture: 'shop', variables: { POOL }, resolved: own }, folder, root: folder, kept: {} };
		const project = { compose: ['compose.yaml'], load: { urls: ['GET /'] } } as any;
		return withDocker(composing('/nowhere/edge.conf'), () => checkSystem({ folder, project, arm, settings: readSettings('shop', {}) }));
	};
	const changed = /^NotReadyError: POOL=8: expected Compose to make of its files what it made before the first run/;
	await assert.rejects(checked('9'), changed);
	// The same is gone on with, here until the engine is asked.
	await assert.rejects(checked('8'), (error) => !changed.test(String(error)));
});
