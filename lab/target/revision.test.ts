import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, readlink, realpath, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { execa } from 'execa';
import type { Project } from '../catalog/project-schema.ts';
import { changedFiles, findCommit, openCheckouts } from './revision.ts';
import { absentServices, projectOfSide } from './side-project.ts';

const IDENTITY = ['user.name=Ada', 'user.email=ada@example.org', 'commit.gpgsign=false'].flatMap((setting) => ['-c', setting]);
let scratch = '';
let shop = '';

const git = async (...args: string[]) => String((await execa('git', [...IDENTITY, ...args], { cwd: scratch })).stdout);

async function write(path: string, text: string) {
	await mkdir(dirname(join(scratch, path)), { recursive: true });
	await writeFile(join(scratch, path), text);
}

// A repository with the system in a folder of it, of which a release would leave the start script out.
before(async () => {
	scratch = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
	shop = join(scratch, 'services/shop');
	await git('init', '--quiet');
	await write('.gitignore', '.env\n');
	await write('.gitattributes', 'start.sh export-ignore\n');
	await write('services/shop/compose.yaml', 'old\n');
	await write('services/shop/start.sh', '#!/bin/sh\n');
	await write('services/shop/.env', 'POOL=8\n');
	await chmod(join(shop, 'start.sh'), 0o755);
	await git('add', '.');
	await git('commit', '--quiet', '--message', 'one');
	await git('tag', 'v1');
	await write('services/shop/compose.yaml', 'new\n');
	await git('commit', '--quiet', '--all', '--message', 'two');
});
after(() => rm(scratch, { recursive: true, force: true }));

test('a revision is its commit, by whatever name git knows it', async () => {
	const head = (await git('rev-parse', 'HEAD')).trim();
	for (const name of ['HEAD', head, head.slice(0, 10)]) assert.equal(await findCommit('--a', shop, name), head);
	assert.notEqual(await findCommit('--a', shop, 'v1'), head);
});

test('what is copied of a repository is bounded, and of shared indexes that git would name', async () => {
	const large = async (name: string) => {
		await write(`.git/${name}`, '');
		await truncate(join(scratch, '.git', name), 5e9);
	};
	await large('sharedindex.aaaa');
	await findCommit('--a', shop, 'HEAD');
	await large('refs/heads/large');
	await assert.rejects(findCommit('--a', shop, 'HEAD'), /at most 1 GB in .* found 5\.0 GB, most of it .*\/refs\/heads\/large\./);
	for (const name of ['sharedindex.aaaa', 'refs/heads/large']) await rm(join(scratch, '.git', name));
});

test('an unknown revision, and a folder in no repository, are reported in a sentence', async () => {
	await assert.rejects(findCommit('--b', shop, 'v9'), /^NotReadyError: --b: expected a revision of .*; found none called "v9"/);
	const bare = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
	try {
		await assert.rejects(findCommit('--b', bare, 'v1'), /^NotReadyError: --b rev:v1: expected a git repository around .*; found none\./);
	} finally {
		await rm(bare, { recursive: true });
	}
});

test('a checkout has all files of its commit, and of the folder as it is only what Compose reads and nobody commits', async () => {
	const checkouts = openCheckouts(shop);
	const commit = await findCommit('--a', shop, 'v1');
	const { root, folder } = await checkouts.at(commit);
	assert.equal(await readFile(join(folder, 'compose.yaml'), 'utf8'), 'old\n');
	assert.equal(folder, join(root, 'services/shop'));
	assert.ok((await stat(join(folder, 'start.sh'))).mode & 0o100, 'what a release leaves out is there, and can be run');
	assert.equal(await readFile(join(folder, '.env'), 'utf8'), 'POOL=8\n');
	assert.deepEqual(await checkouts.at(commit), { root, folder }, 'it is checked out once');
	assert.deepEqual(await checkouts.close(), []);
	await assert.rejects(stat(root), /ENOENT/);
});

test('a commit that would fill the disk is not checked out', async () => {
	const commit = await findCommit('--a', shop, 'v1');
	await assert.rejects(openCheckouts(shop, 20).at(commit), /files of at most .* GB, which can be listed; found more/);
});

test('variables that lie elsewhere do so in a checkout too', async () => {
	await rename(join(shop, '.env'), join(scratch, 'away.env'));
	const outer = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
	await writeFile(join(outer, 'keys'), 'KEY=1\n');
	await symlink(join(outer, 'keys'), join(shop, '.env'));
	const checkouts = openCheckouts(shop);
	const { folder } = await checkouts.at(await findCommit('--a', shop, 'v1'));
	assert.equal(await readlink(join(folder, '.env')), await realpath(join(outer, 'keys')));
	await checkouts.close();
	await rename(join(scratch, 'away.env'), join(shop, '.env'));
	await rm(outer, { recursive: true });
});

test('the user’s own repository stays as it was', async () => {
	const state = async () => [await git('status', '--porcelain', '--ignored'), await git('worktree', 'list'), await git('stash', 'list')];
	const earlier = await state();
	const checkouts = openCheckouts(shop);
	await checkouts.at(await findCommit('--a', shop, 'v1'));
	await checkouts.close();
	assert.deepEqual(await state(), earlier);
	assert.equal(await readFile(join(shop, 'compose.yaml'), 'utf8'), 'new\n');
});

test('a folder that a commit does not have is told', async () => {
	await mkdir(join(scratch, 'services/later'));
	const checkouts = openCheckouts(join(scratch, 'services/later'));
	await assert.rejects(checkouts.at(await findCommit('--a', shop, 'v1')), /^NotReadyError: Expected services\/later\/ in the commit/);
	assert.deepEqual(await checkouts.close(), []);
});

test('a commit in which the folder is a link that leads out of it is refused, and nothing is written there', async () => {
	const out = await mkdtemp(join(os.tmpdir(), 'doubletake-out-'));
	const sub = join(scratch, 'sub');
	await symlink(out, sub);
	await git('add', 'sub');
	await git('commit', '--quiet', '--message', 'link');
	const commit = await findCommit('--a', shop, 'HEAD');
	await git('reset', '--quiet', '--hard', 'HEAD~1');
	await write('sub/.env', 'POOL=1\n');
	const checkouts = openCheckouts(sub);
	try {
		await assert.rejects(checkouts.at(commit), /found a link that leads out of it/);
		await assert.rejects(stat(join(out, '.env')), { code: 'ENOENT' });
	} finally {
		await checkouts.close();
		for (const one of [out, sub]) await rm(one, { recursive: true });
	}
});

test('what is changed and not committed is named, but for files that come from the folder anyway', async () => {
	assert.deepEqual(await changedFiles(shop, ['doubletake.yaml']), []);
	await write('services/shop/compose.yaml', 'newer\n');
	await write('services/shop/notes.txt', 'not under version control\n');
	assert.deepEqual(await changedFiles(shop, ['doubletake.yaml']), ['services/shop/compose.yaml']);
	assert.deepEqual(await changedFiles(shop, ['compose.yaml']), []);
});

test('nothing that a repository names is run, and no other repository is read by it', async () => {
	const hostile = join(scratch, 'hostile');
	const mark = join(hostile, 'ran');
	const inHostile = async (...args: string[]) => String((await execa('git', [...IDENTITY, ...args], { cwd: hostile })).stdout);
	await write('hostile/compose.yaml', 'old\n');
	await write('hostile/.gitattributes', '* filter=own diff=own\n');
	await inHostile('init', '--quiet');
	await inHostile('add', '.');
	await inHostile('commit', '--quiet', '--message', 'one');
	const run = `"touch ${mark}; cat #"`;
	await write(
		'hostile/.git/config',
		`[core]\nbare = false\nfsmonitor = ${run}\nhooksPath = hooks\nsshCommand = ${run}\nworktree = /\n[filter "own"]\nclean = ${run}\nsmudge = ${run}\nprocess = ${run}
required = true\n[diff "own"]\ntextconv = ${run}\n[include]\npath = more\n[alias]\nstatus = !${run}\n[extensions]\npartialClone = origin\n[remote "origin"]\nurl = "ext::sh -c touch% ${mark}"\npromisor = true\nuploadpack = ${run}\n`,
	);
	for (const hook of ['post-index-change', 'post-checkout']) {
		await write(`hostile/.git/hooks/${hook}`, `#!/bin/sh\ntouch ${mark}\n`);
		await chmod(join(hostile, '.git/hooks', hook), 0o755);
	}
	await write('hostile/compose.yaml', 'new\n');
	const checkouts = openCheckouts(hostile);
	const commit = await findCommit('--a', hostile, 'HEAD');
	const { folder } = await checkouts.at(commit);
	assert.equal(await readFile(join(folder, 'compose.yaml'), 'utf8'), 'old\n');
	assert.deepEqual(await changedFiles(hostile, []), ['compose.yaml']);
	await assert.rejects(findCommit('--a', hostile, 'a'.repeat(40)), /found none called/);
	await checkouts.close();
	await assert.rejects(stat(mark), /ENOENT/);
	const stolen = { file: `gitdir: ${scratch}/.git\n`, commondir: `${scratch}/.git\n` };
	await write('hostile/.git/commondir', stolen.commondir);
	await assert.rejects(findCommit('--a', hostile, 'HEAD'), /its files lie elsewhere/);
	await rm(join(hostile, '.git'), { recursive: true });
	await write('hostile/.git', stolen.file);
	await assert.rejects(findCommit('--a', hostile, 'HEAD'), /its files lie elsewhere/);
	await rm(join(hostile, '.git'));
	await symlink(join(scratch, '.git'), join(hostile, '.git'));
	await assert.rejects(findCommit('--a', hostile, 'HEAD'), /its files lie elsewhere/);
	await rm(hostile, { recursive: true });
});

test('what another repository has is not checked out, though its hash is known', async () => {
	const hostile = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
	const objects = join(hostile, '.git/objects');
	const head = (await git('rev-parse', 'v1')).trim();
	await execa('git', ['init', '--quiet'], { cwd: hostile });
	await writeFile(join(objects, 'info/alternates'), `${join(scratch, '.git/objects')}\n`);
	await assert.rejects(findCommit('--a', hostile, head), /own objects; found .*info\/alternates, which leads to those of another/);
	await rm(join(objects, 'info/alternates'));
	await symlink(join(scratch, '.git/objects', head.slice(0, 2)), join(objects, head.slice(0, 2)));
	await assert.rejects(findCommit('--a', hostile, head), /found .*objects\/\w\w, which leads/);
	await rm(join(hostile, '.git'), { recursive: true });
	await writeFile(join(hostile, '.git'), `gitdir: ${join(scratch, '.git')}\n`);
	await assert.rejects(findCommit('--a', hostile, head), /its files lie elsewhere/);
	await rm(hostile, { recursive: true });
});

test('a worktree and a submodule are the repositories that git has made of them', async () => {
	const head = (await git('rev-parse', 'v1')).trim();
	await git('worktree', 'add', '--quiet', '--detach', 'tree', 'v1');
	assert.equal(await findCommit('--a', join(scratch, 'tree/services'), 'HEAD'), head);
	await git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', scratch, 'sub');
	assert.equal(await findCommit('--a', join(scratch, 'sub/services'), 'v1'), head);
	await git('worktree', 'remove', '--force', 'tree');
});

const project: Project = {
	compose: ['compose.yaml'],
	entry: 'http://edge:80/',
	services: {
		edge: { tier: 'load-balancer', product: 'nginx', watch: 1 },
		web: { tier: 'app', product: 'opaque', watch: 0 },
		cache: { tier: 'cache', product: 'redis', watch: 1 },
	},
	edges: [
		['edge', 'web'],
		['web', 'cache'],
	],
	load: { urls: ['GET /'] },
};

test('a service that only the other arm has is left out, with the edges that lead to it', () => {
	const absent = absentServices(project, ['edge', 'web'], ['edge', 'web', 'cache']);
	assert.deepEqual(absent, ['cache']);
	const { compose, services, edges } = projectOfSide(project, { compose: ['lean.yaml'], absent });
	assert.deepEqual([compose, Object.keys(services), edges], [['lean.yaml'], ['edge', 'web'], [['edge', 'web']]]);
});

test('a service that neither arm has, and the entry, stay for the check to tell', () => {
	assert.deepEqual(absentServices(project, ['edge'], ['edge']), []);
	assert.deepEqual(absentServices(project, ['web', 'cache'], ['edge', 'web', 'cache']), []);
});

test('an arm that has everything is the project with its own files', () => {
	assert.deepEqual(projectOfSide(project, { compose: ['compose.yaml'], absent: [] }), project);
});
