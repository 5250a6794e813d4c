import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { withDocker } from '../docker/fixtures/docker-program.ts';
import { readSupplied, suppliedSystem } from './supplied-config.ts';

/** @FILE is the Compose file that it was given */
/** of Compose; of `err` */
type Answer = { out?: object | string; err?: string; code?: number };

/**
 * One call after the other: it notes what it is told, with the files and the variables, and answers as it is written beside it. What names stand for it
 * says at once, by the variables of the folder.
 */
const SCRIPT = `case "$*" in *mirror-root*)
  file="\${*##* --file }"
  [ ! -e .env ] || . ./.env
  eval "cat <<END
$(sed 's/\\$\\$/\\\\$\\\\$/g' "\${file%% *}")
END"
  exit ;;
esac
n=$(($(cat @/calls 2>/dev/null | wc -l) + 1))
printf '%s\n' "$*" >>@/calls
env >@/$n.env
: >@/$n.files
before= file=
for word in "$@"; do
  if [ "$before" = --file ]; then cat "$word" >>@/$n.files; file=\${file:-$word}; fi
  before=$word
done
cat @/$n.out
sed "s|@FILE|$file|" @/$n.err >&2
exit $(cat @/$n.code)`;

const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : null);

/**
 * What is read of a folder with a Compose that answers so, and the calls that it took.
 * @param files of the folder; compose.yaml is the one that is read
 */
async function supplied(files: Record<string, string>, answersIn: (folder: string) => Answer[]) {
	const [folder, notes] = ['folder', 'notes'].map((name) => mkdtempSync(join(os.tmpdir(), `doubletake-supplied-${name}-`)));
	try {
		for (const [name, text] of Object.entries({ 'compose.yaml': 'services: {}\n', ...files })) {
			mkdirSync(dirname(join(folder, name)), { recursive: true });
			writeFileSync(join(folder, name), text);
		}
		const answers = answersIn(folder);
		for (const [index, { out = '', err = '', code = 0 }] of answers.entries())
			for (const [name, text] of Object.entries({ out: typeof out === 'string' ? out : JSON.stringify(out), err, code }))
				writeFileSync(join(notes, `${index + 1}.${name}`), String(text));
		const given = { project: 'run', folder, files: [join(folder, 'compose.yaml')] };
		const found = await withDocker(SCRIPT.replaceAll('@/', `${notes}/`), () => readSupplied(given, read)).catch((error) => ({ error }));
		const noted = (name: string) => readFileSync(join(notes, name), 'utf8');
		const calls = noted('calls')
			.trim()
			.split('\n')
			.map((words, index) => ({ words, files: noted(`${index + 1}.files`), env: noted(`${index + 1}.env`) }));
		assert.equal(calls.length, answers.length);
		return { folder, calls, ...(found as Awaited<ReturnType<typeof readSupplied>> & { error?: Error }) };
	} finally {
		for (const one of [folder, notes]) rmSync(one, { recursive: true });
	}
}

const EMPTY = { out: { services: {} } };
const refusing = (err: string): Answer => ({ err, code: 1 });

const INCLUDING = `include:
  - other.yaml
  - path: sub/compose.yaml
    env_file: [./a.env, "\${PLACE}/b.env"]
  - { path: x.yaml, env_file: sub/b.env }
services: {}
`;
const missing = (folder: string) => refusing(`open ${folder}/sub/b.env: no such file or directory`);

test('a file of variables for an included file has its example in its place, or nothing', async () => {
	const read = async (files: Record<string, string>) => {
		const { calls, supplies, folder } = await supplied({ 'compose.yaml': INCLUDING, '.env': 'PLACE=sub\n', ...files }, (at) => [
			missing(at),
			EMPTY,
		]);
		assert.match(calls[1].words, /--file \S+-compose\.yaml /);
		assert.ok(calls[1].words.includes(`--project-directory ${folder} `));
		return { said: supplies.said, named: parse(calls[1].files).include.map((one: any) => one.env_file), folder };
	};
	const shown = await read({ 'sub/b.env.example': '' });
	const example = join(shown.folder, 'sub/b.env.example');
	assert.deepEqual(shown.named, [undefined, ['./a.env', example], [example]]);
	assert.deepEqual(shown.said, ['b.env (env_file) is not there: b.env.example is read in its place.']);
	const { said, named } = await read({});
	assert.deepEqual(named, [undefined, ['./a.env'], undefined]);
	assert.deepEqual(said, ['b.env (env_file) is not there: nothing is read in its place.']);
});

test('a file that includes nothing so is refused as Compose refuses it', async () => {
	for (const text of ['services: {}\n', 'include: [a.yaml]\n', INCLUDING.replaceAll('b.env', 'c.env')]) {
		const { error } = await supplied({ 'compose.yaml': text }, (at) => [missing(at)]);
		assert.match(String(error), /expected the file "\S+\/sub\/b\.env", which it or a file that it includes names; found none/);
	}
});

const NEWER = `services:
  web:
    image: web:1 # mine
    environment: &shared { A: "1" }
    models: { llm: {} }
  db:
    provider: { type: cloud }
models:
  llm: { model: ai/x }
`;
/** It is asked again for its own words. */
const refusingTwice = (words: string): Answer[] => [refusing(words), refusing(words)];
const refusingKey = (words: string): Answer[] => [refusing(words), refusing(`validating @FILE: ${words}`)];

test('a key that came with a later Compose is left out of a copy, told with where it stood, and all else is as it was', async () => {
	const { calls, config, supplies } = await supplied({ 'compose.yaml': NEWER }, () => [
		...refusingKey('services.db Additional property provider is not allowed'),
		...refusingKey("(root) additional properties 'models' not allowed"),
		...refusingKey('services.web Additional property models is not allowed'),
		{ out: { services: { db: { image: 'doubletake-provided:cloud' }, web: { image: 'web:1' } } } },
		{ out: '2.26.1' },
	]);
	const text = calls[6].files;
	assert.match(text, /image: web:1 # mine/);
	assert.deepEqual(parse(text), {
		services: { web: { image: 'web:1', environment: { A: '1' } }, db: { image: 'doubletake-provided:cloud' } },
	});
	// What a provider makes is known as such behind a Compose that has no word for it.
	assert.deepEqual(config.services, { db: { provider: { type: 'cloud' } }, web: { image: 'web:1' } });
	assert.deepEqual(supplies.said, [
		'provider (db): Compose 2.26.1 does not know it, and the run is without.',
		'models (the file itself, web): Compose 2.26.1 does not know it, and the run is without.',
	]);
});

test('a word that no Compose knows, or one that is not there, is refused as Compose refuses it', async () => {
	for (const key of ['imagee', 'gpus']) {
		const text = NEWER.replace('provider: { type: cloud }', 'imagee: x');
		const { error } = await supplied({ 'compose.yaml': text }, () => refusingKey(`services.db Additional property ${key} is not allowed`));
		assert.match(String(error), new RegExp(`found "${key}"`));
	}
	const { error } = await supplied({}, () => refusingTwice('something else'));
	assert.match(String(error), /docker compose config failed: something else/);
});

const withoutVariables = (folder: string) =>
	refusingTwice(`env file ${folder}/b.env not found: stat ${folder}/b.env: no such file or directory`);

test('a file of variables that is not there is left out, and its example read where there is one', async () => {
	const files = { 'a.env': '', 'b.env.example': '', '.env': 'PLACE=.\n' };
	const { supplies, calls, folder } = await supplied(files, (at) => [
		...withoutVariables(at),
		{
			out: {
				services: {
					web: { env_file: [{ path: `${at}/a.env` }, { path: `${at}/b.env` }, { path: `${at}/c.env`, required: false }] },
					db: { env_file: `${at}/\${CONF:-sub}/d$$.env` },
					cache: { env_file: [{ path: `${at}/$PLACE/a.env` }] },
				},
			},
		},
		EMPTY,
	]);
	const { changes, said, flags } = supplies;
	assert.deepEqual(changes.services.web.env_file.toJSON(), [
		{ path: join(folder, 'a.env') },
		{ path: join(folder, 'b.env.example') },
		{ path: join(folder, 'c.env'), required: false },
	]);
	assert.equal(changes.services.db.env_file.tag, '!reset');
	assert.equal(changes.services.cache, undefined);
	assert.deepEqual(said, [
		'b.env (env_file) is not there: b.env.example is read in its place.',
		'd$.env (env_file) is not there: nothing is read in its place.',
	]);
	assert.deepEqual(flags, []);
	assert.match(calls[2].words, / config --no-interpolate /);
	assert.match(calls[3].files, /b\.env\.example/);
});

test('where each is there, the files are refused as Compose refuses them', async () => {
	for (const out of [{ services: { web: { env_file: '/dev/null' }, db: {} } }, 'null']) {
		const { error } = await supplied({}, (at) => [...withoutVariables(at), { out }]);
		assert.match(String(error), /b\.env", which it names under env_file; found none/);
	}
});

test('an example of .env is read where that is not there', async () => {
	for (const example of ['.env.example', 'env.sample', 'example.env']) {
		const { supplies, calls, folder } = await supplied({ [example]: '' }, () => [EMPTY]);
		assert.deepEqual(supplies.flags, ['--env-file', join(folder, example)]);
		assert.deepEqual(supplies.said, [`.env is not there: ${example} is read in its place.`]);
		assert.ok(calls[0].words.includes(`--env-file ${join(folder, example)} `));
	}
	const { supplies } = await supplied({ '.env': 'https_proxy=http://stranger:3128\nTAG=1\n' }, () => [EMPTY]);
	assert.match(supplies.said.join(), /^\.env sets https_proxy: empty in the run/);
	for (const files of [{ '.env': '', '.env.example': '' }, {}] as Record<string, string>[])
		assert.deepEqual((await supplied(files, () => [EMPTY])).supplies, { flags: [], env: {}, changes: {}, said: [] });
});

test('what would be on the engine’s own bridge is on a network of the run, and that is said', async () => {
	const services = { web: { image: 'web', network_mode: 'bridge' }, db: { image: 'db', network_mode: 'none' } };
	const { config, supplies } = await supplied({ '.env': '', 'compose.yaml': JSON.stringify({ services }) }, () => [{ out: { services } }]);
	assert.deepEqual(config.services, { web: { image: 'web', networks: { default: null } }, db: { image: 'db', network_mode: 'none' } });
	assert.match(supplies.said.join(), /in place of the engine’s own bridge, on which others are: web\.$/);
});

test('a value that the user gives counts before one that is made up', () => {
	const system = suppliedSystem(
		{ project: 'run', folder: '/shop', files: [], env: { TOKEN: 'mine' } },
		{ flags: ['--env-file', 'x'], env: { TOKEN: 'made', KEY: 'made' } },
	);
	assert.deepEqual([system.env?.TOKEN, system.env?.KEY, system.flags.slice(0, 2)], ['mine', 'made', ['--env-file', 'x']]);
});

const warnings = (...names: string[]) =>
	names.map((name) => `level=warning msg="The \\"${name}\\" variable is not set. Defaulting to a blank string."\n`).join('');

/** What is made up after such answers, and given to Compose with the next call. */
async function madeUpFor(...answers: Answer[]) {
	const { supplies, calls } = await supplied({}, () => [...answers, EMPTY]);
	const names = Object.keys(supplies.env);
	for (const name of names) assert.match(String(calls.at(-1)?.env), new RegExp(`^${name}=.`, 'm'));
	assert.deepEqual(supplies.said, [`Not set, and made up for the run: ${names.join(', ')}.`]);
	return names;
}

test('a variable is made up where it is required, named like a secret, or its place cannot be empty', async () => {
	const required = refusingTwice(`${warnings('DATA_DIR')}required variable MODE is missing a value: set it`);
	assert.deepEqual(await madeUpFor(...required), ['MODE']);
	const empty = refusingTwice(`${warnings('DATA_DIR', 'MODE', 'DB_PASSWORD')}invalid spec: :/data: empty section between colons`);
	assert.deepEqual(await madeUpFor(...empty), ['DATA_DIR', 'DB_PASSWORD']);
	assert.deepEqual(await madeUpFor({ out: { services: { web: { image: 'shop:' } } }, err: warnings('WEB_TAG', 'MODE') }), ['WEB_TAG']);
	assert.deepEqual(await madeUpFor({ out: { secrets: { npm: { environment: 'NPM' }, file: { file: './x' } } } }), ['NPM']);
});

test('what programs obey is neither made up nor taken from a folder', async () => {
	for (const name of ['EXPERIMENTAL_BUILDKIT_SOURCE_POLICY', 'COMPOSE_X', 'GIT_SSH', 'LD_DEBUG', 'HTTP_PROXY']) {
		const required = refusingTwice(`required variable ${name} is missing a value`);
		const { error } = await supplied({}, () => required);
		assert.match(String(error), new RegExp(`programs of this machine obey; found ${name}\\.`));
	}
	const { supplies } = await supplied(
		{ '.env': 'BUILDX_NO=1\nTMPDIR=.\nCOMPOSE_PROFILES=a\nNODE_ENV=b\nGIT_SHA=c\nDOCKER_TAG=d\n' },
		() => [EMPTY],
	);
	assert.deepEqual(supplies.env, { BUILDX_NO: '', TMPDIR: '' });
});

test('what can do without a value gets none, and what has one no other', async () => {
	const tagged = await supplied({ 'compose.yaml': 'services: {web: {}}' }, () => [
		{ out: { services: { web: { image: 'shop:1' } } }, err: warnings('WEB_TAG', 'MODE') },
	]);
	assert.deepEqual([tagged.supplies.env, tagged.supplies.said], [{}, []]);
	const again = await supplied({}, () => [
		{ ...EMPTY, err: warnings('DB_PASSWORD') },
		{ ...EMPTY, err: warnings('DB_PASSWORD') },
	]);
	assert.deepEqual(Object.keys(again.supplies.env), ['DB_PASSWORD']);
});

test('nothing stays of what was written for one call of Compose', async () => {
	const left = () => readdirSync(os.tmpdir()).filter((name) => name.startsWith('doubletake-read-') && name.includes(`-${process.pid}-`));
	await supplied({ 'a.env': '' }, (at) => [...withoutVariables(at), { out: { services: { web: { env_file: `${at}/b.env` } } } }, EMPTY]);
	assert.deepEqual(left(), []);
});
