import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { withDocker } from '../docker/fixtures/docker-program.ts';
import { followNamed, withVariableFiles } from './variable-files.ts';

let place = '';
before(() => {
	place = realpathSync(mkdtempSync(join(os.tmpdir(), 'doubletake-variables-')));
});
after(() => rmSync(place, { recursive: true, force: true }));

const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : null);
/** Of what it is asked it says no word. */
const MUTE = 'echo asked >&2; exit 1';

/** @param files compose.yaml is the one that is read; "->" before a text: a link */
async function follow(files: Record<string, string>, docker: string = MUTE, allowed: string = '') {
	const folder = mkdtempSync(join(place, 'folder-'));
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		if (text.startsWith('->')) symlinkSync(text.slice(2), join(folder, name));
		else writeFileSync(join(folder, name), text);
	}
	const system = { project: 'run', cwd: folder, flags: ['--file', 'compose.yaml'] };
	const named = await withDocker(docker, () =>
		followNamed(system, { folder, read, scratch: folder, isAllowed: (path) => path === allowed }),
	);
	const filesOf = (service: string) => named.variablesOf(service).map((file) => file.replace(`${folder}/`, ''));
	return { folder, named, filesOf };
}

const KEYS = '/root/.ssh/id';

test('variables of the user’s own are not filled into a file, by whichever name it takes them', async () => {
	const sub = { 'sub/x.yaml': 'services: {}', 'sub/.env': `->${KEYS}` };
	await assert.rejects(
		follow({ 'compose.yaml': 'services: {}', '.env': '->/root/.aws/credentials' }),
		/\/\.env: expected a file of variables of this system’s own; found \/root\/\.aws\/credentials: keys lie there/,
	);
	for (const text of [
		'include: [sub/x.yaml]',
		'{include: [sub/x.yaml]}',
		'---\nservices: {}\n---\n  include:\n    - path: [sub/x.yaml, y.yaml]',
		'x: &x {include: [sub/x.yaml]}\n<<: [*x]',
		'"incl\\x75de": !override [&a sub/x.yaml]',
		'# plain\rinclude: [sub/x.yaml]',
	])
		await assert.rejects(follow({ 'compose.yaml': text, ...sub }), /sub\/\.env: expected .* found \/root\/\.ssh\/id/, text);
	await follow({ 'compose.yaml': 'include: [sub/x.yaml]', ...sub }, MUTE, KEYS);
	const named = 'include: [{path: x.yaml, project_directory: sub, env_file: [a.env, /etc/shadow]}]';
	await assert.rejects(follow({ 'compose.yaml': named }), /\/etc\/shadow: expected a file of variables/);
	const extending = `services: {web: {extends: {file: ${KEYS}, service: x}}}`;
	await assert.rejects(follow({ 'compose.yaml': extending }), /expected a Compose file of this system’s own; found \/root\/\.ssh\/id/);
	await assert.rejects(follow({ 'compose.yaml': 'include: ["https://host/x.git"]' }), /on this machine; found https:\/\/host\/x\.git/);
});

const EXTENDING = `services:
  web: {image: x, env_file: [a.env, {path: b.env}], label_file: l.env}
  api: {extends: {file: sub/base.yaml, service: base}}
  db: {extends: web}
  plain: {image: y}
`;
const BASE = 'services: {base: {extends: inner}, inner: {env_file: ~.shop/id}, other: {env_file: o.env}}';

test('a service’s files of variables are known, of whatever file it is', async () => {
	const { named, filesOf, folder } = await follow({ 'compose.yaml': EXTENDING, 'sub/base.yaml': BASE });
	assert.deepEqual(['web', 'api', 'db', 'plain'].map(filesOf), [
		['a.env', 'b.env', 'l.env'],
		['~.shop/id', 'sub/~.shop/id', join(os.homedir(), '.shop/id')],
		['a.env', 'b.env', 'l.env'],
		[],
	]);
	const config = { services: { web: { image: 'x' }, plain: { image: 'y' } } };
	named.refuseUnknown(config);
	const { web, plain } = withVariableFiles(config, named).services;
	assert.deepEqual([web.env_file[0], plain], [{ path: `${folder}/a.env` }, { image: 'y' }]);
});

test('a file of variables outside of the folder is told, by where it leads', async () => {
	const other = join(place, 'other.env');
	writeFileSync(other, '');
	const files = { 'compose.yaml': 'services: {web: {env_file: [../other.env, gone.env, a.env]}}', '.env': `->${other}`, 'a.env': '' };
	const { named, folder } = await follow(files);
	assert.deepEqual(named.outside, [{ path: `${folder}/.env`, real: other }]);
});

test('a file of keys for a service is refused before Compose reads it, whether the run has that service or not', async () => {
	for (const text of [
		`services: {web: {env_file: ${KEYS}}}`,
		`services: {web: {}, tool: {profiles: [tools], label_file: ${KEYS}}}`,
		'services: {web: {extends: {file: sub/base.yaml, service: base}}}',
	]) {
		const base = { 'sub/base.yaml': 'services: {base: {env_file: id}}', 'sub/id': `->${KEYS}` };
		await assert.rejects(follow({ 'compose.yaml': text, ...base }), /expected a file of variables of .* found \/root\/\.ssh\/id/, text);
		await follow({ 'compose.yaml': text, ...base }, MUTE, KEYS);
	}
});

test('what a variable stands for Compose says, of each file by itself', async () => {
	const files = {
		'compose.yaml': `include: ["\${P}"]\nservices: {web: {env_file: "$P"}}`,
		'sub/x.yaml': `services: {api: {env_file: "./\${Q}"}}`,
		'sub/.env': 'Q=q',
	};
	// Answers as Compose does, of all that it is given; without what is included before its name is known.
	const docker = `cat "$PWD"/mirror-*.json | sed 's/\${P}/sub\\/x.yaml/; s/\${Q}/$$.env/; s/$P/p.env/' | node -e '
    const parts = require("fs").readFileSync(0, "utf8").split(/(?<=\\}\\}\\}\\})(?=\\{)/).map(JSON.parse);
    console.log(JSON.stringify({ services: Object.assign({}, ...parts.map(({ services }) => services)) }));'`;
	const { filesOf } = await follow(files, docker);
	assert.deepEqual(['web', 'api'].map(filesOf), [['p.env'], ['sub/$.env']]);
});

test('what nobody can tell is refused when Compose takes it', async () => {
	const refusal = async (files: Record<string, string>) => {
		const { named } = await follow(files);
		return () => named.refuseUnknown({ services: { web: {} } });
	};
	const web = 'services: {web: {}}';
	assert.doesNotThrow(await refusal({ 'compose.yaml': web }));
	for (const [text, found] of [
		[`services: {web: {env_file: "\${P}"}}`, /found "\$\{P\}", of which Compose does not say/],
		['services: {api: {}}', /found the service web, which stands in none/],
		[`${web}\nx: [`, null],
		[`${web}\nx: ["\\x61`, /compose\.yaml, which Compose reads as another text/],
		[`${web}\nx: !!binary aa`, /compose\.yaml, which Compose reads as another text/],
		[`${web}\nx: \0`, /compose\.yaml, which Compose reads as another text/],
	] as [string, RegExp | null][])
		if (found) assert.throws(await refusal({ 'compose.yaml': text }), found);
		else assert.doesNotThrow(await refusal({ 'compose.yaml': text }), text);
});

/** Answers as Compose does, which refuses all where it refuses one. */
const ANSWERS = `cat "$PWD"/mirror-root.json | grep -q 'odd' && exit 1; sed 's/\${P}/x/' "$PWD"/mirror-root.json`;

test('aliases of aliases in a file that a variable names are refused before they are followed', async () => {
	const lines = [...'bcdefghij'].map((name, at) => `x-${name}: &${name} {<<: [${Array(10).fill(`*${'abcdefghi'[at]}`).join(', ')}]}`);
	const bomb = ['x-a: &a {include: [y]}', ...lines, '<<: *j'].join('\n');
	const half = `x-a: &a [${'1,'.repeat(600)}]\nx-b: [${'*a,'.repeat(100)}]`;
	const include = (...names: string[]) => `include: [${names.map((name) => `"${name}"`)}]`;
	for (const [text, more, found] of [
		[include(`\${P}.yaml`), { 'x.yaml': bomb }, /x\.yaml: expected aliases .* that stand for at most/],
		[`${include(`\${P}.yaml`)}\nservices: {web: {env_file: !reset "\${odd"}}`, { 'x.yaml': bomb }, /x\.yaml: expected aliases/],
		[include(`\${P}.yaml`, 'y.yaml'), { 'x.yaml': half, 'y.yaml': half }, /\.yaml: expected aliases .* found some that stand for 120,/],
		[include(`\${P}.yaml`), { 'x.yaml': `a: ${'['.repeat(100_000)}` }, /x\.yaml: .*deeper than can be read/],
		[include(`\${P}.yaml`), { 'x.yaml': '->/dev/zero' }, /x\.yaml: expected a regular file .* found a device/],
		[`services: {web: {env_file: "\${P}.env"}}`, { 'x.env': '->/dev/zero' }, /x\.env: expected a regular file .* found a device/],
	] as [string, Record<string, string>, RegExp][])
		await assert.rejects(follow({ 'compose.yaml': text, ...more }, ANSWERS), found, text);
	const odd = Array.from({ length: 60 }, (_, at) => `\${odd${at}`);
	await assert.rejects(follow({ 'compose.yaml': include(...odd) }, ANSWERS), /found many that it refuses, such as/);
});

test('Compose files are told that variables name', async () => {
	const text = `include: ["../\${P}.yaml"]\nservices: {web: {extends: {file: "../\${P}.yml", service: base}}}`;
	for (const name of ['x.yaml', 'x.yml']) writeFileSync(join(place, name), BASE);
	const { named, folder } = await follow({ 'compose.yaml': text }, ANSWERS.replace('/x/', '/x/g'));
	assert.deepEqual(named.composed.toSorted(), [join(folder, 'compose.yaml'), join(place, 'x.yaml'), join(place, 'x.yml')]);
});
