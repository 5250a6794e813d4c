/**
 * Folders that others wrote, whose Compose files put a file of keys into the environment of a service by a spelling that is not the usual one. Compose
 * itself says what each comes to: no container is started, and no image has to be there.
 * @{NAME}: a variable
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readIfThere } from '../../lab/base/bounded-file.ts';
import { secrets } from '../../lab/base/secrets.ts';
import { projectIn } from '../../lab/catalog/project-file.ts';
import type { Project } from '../../lab/catalog/project-schema.ts';
import { listen } from '../../lab/fixtures/reporter.ts';
import { readAllowed } from '../../lab/options/allowed.ts';
import { readSettings } from '../../lab/options/settings.ts';
import { checkSystem } from '../../lab/run/project/checked-system.ts';
import { init } from '../../lab/run/project/init-command.ts';
import { dangersOf } from '../../lab/target/dangers.ts';
import { readSupplied } from '../../lab/target/supplied-config.ts';

/** to: a link; KEY: the file of keys; */
type Files = Record<string, string | { to: string }>;

const timeout = 60_000;
const shell = { HOME: process.env.HOME, DOCKER_CONFIG: process.env.DOCKER_CONFIG };
let place = '';
let key = '';

before(() => {
	place = realpathSync(mkdtempSync(join(os.tmpdir(), 'doubletake-variables-')));
	key = join(place, 'home/.ssh/id');
	mkdirSync(join(dirname(key), 'deep'), { recursive: true });
	writeFileSync(key, 'LEAKED=key\n');
	// The programs of Docker's command line lie in the home that it has.
	process.env.DOCKER_CONFIG ??= join(os.homedir(), '.docker');
	process.env.HOME = join(place, 'home');
});
after(() => {
	for (const [name, value] of Object.entries(shell))
		if (value === undefined) delete process.env[name];
		else process.env[name] = value;
	rmSync(place, { recursive: true });
});

/** the folder */
function write(name: string, files: Files): string {
	const folder = join(place, name.replace(/\W+/g, '-'));
	for (const [path, text] of Object.entries(files)) {
		const file = join(folder, path.replace('@{', '${'));
		mkdirSync(dirname(file), { recursive: true });
		if (typeof text === 'string')
			writeFileSync(file, text.replaceAll('KEY', key).replaceAll('@{', '${'), text.startsWith('\ufeffs') ? 'utf16le' : 'utf8');
		else symlinkSync(text.to.replaceAll('KEY/..', dirname(key)).replaceAll('KEY', key), file);
	}
	return folder;
}

async function read(name: string, files: Files) {
	const folder = write(name, files);
	const given = { project: 'run', folder, files: ['compose.yaml'] };
	const { named } = await readSupplied(given, readIfThere);
	return { named, refused: dangersOf(named, { folder }).filter(({ severity }) => severity === 'refuse') };
}

const WEB = 'services:\n  web:\n    image: x\n';
const service = (lines: string) => ({ 'compose.yaml': `${WEB}${lines.replace(/^/gm, '    ')}\n` });
const API = 'services:\n  api:\n    image: x\n    environment: ["GOT=@{LEAKED}"]\n';
const API_OF_KEY = 'services: {api: {image: x, env_file: KEY}}\n';
/** The rest of a file. */
const including: (lines: string, more?: Files) => Files = (lines, more = {}) => ({
	'compose.yaml': `${lines}\n`,
	'sub/c.yaml': API,
	...more,
});
const P = { '.env': 'P=KEY\n' };
const SUB = { 'sub/.env': { to: 'KEY' } };

const HOSTILE: Record<string, Files> = {
	'a variable of .env': { ...service('env_file: @{P}'), ...P },
	'one of two values, of which the last counts': { ...service('env_file: @{P}'), '.env': 'P=./plain.env\nP=KEY\n', 'plain.env': '' },
	'a value for a variable that is there': service('env_file: "@{PWD:+KEY}"'),
	'a value within a value': service('env_file: "@{NONE:-@{NEVER:-KEY}}"'),
	'a variable of a variable': { ...service('env_file: @{P}'), '.env': `Q=KEY\nP="$Q"\n` },
	'an escape in the key': service('"env\\x5ffile": KEY'),
	'an escape in the path': service('env_file: "KE\\x59"'.replace('KE\\x59', '\\x2f..KEY')),
	'a block': service('env_file: >-\n  KEY'),
	'an explicit key': service('? env_file\n: [KEY]'),
	'a tilde without a slash': service('env_file: "~.ssh/id"'),
	'an anchor': { 'compose.yaml': `x-a: &a KEY\n${WEB}    env_file: *a\n` },
	'an alias as the key': { 'compose.yaml': `x-a: &a env_file\n${WEB}    *a : KEY\n` },
	'a merge': { 'compose.yaml': `x-a: &a {env_file: KEY}\n${WEB}    <<: *a\n` },
	'a merge of merges': { 'compose.yaml': `x-a: &a {env_file: KEY}\nx-b: &b {<<: [*a]}\n${WEB}    <<: [*b]\n` },
	'a tag that replaces': service('env_file: !override [{path: KEY, required: true}]'),
	'a tag of text': service('!!str env_file: !!str KEY'),
	'a tag of bytes': service('!!binary ZW52X2ZpbGU=: KEY'),
	'a tag by another name': { 'compose.yaml': `%TAG ! tag:yaml.org,2002:\n---\n${WEB}    !binary ZW52X2ZpbGU=: KEY\n` },
	'ends of lines of another system': { 'compose.yaml': `${WEB}    env_file: KEY\n`.replaceAll('\n', '\r\n') },
	'an end of a line within a comment': service('# plain\renv_file: KEY'),
	'an end of a line of an older YAML': service('# plain\u2028env_file: KEY'),
	'another one': service('# plain\u0085    env_file: KEY'),
	'a text of another code': { 'compose.yaml': `\ufeff${WEB}    env_file: KEY\n` },
	'a second document': { 'compose.yaml': `${WEB}---\nservices: {web: {env_file: KEY}}\n` },
	'an include in it': including(`${WEB}---\ninclude: [sub/c.yaml]`, SUB),
	'an include that is indented': including('  include:\n    - sub/c.yaml', SUB),
	'an include in flow style': including('{include: [sub/c.yaml]}', SUB),
	'an include by an escape': including('"\\x69nclude": [sub/c.yaml]', SUB),
	'an include by a merge': including('x-a: &a {include: [sub/c.yaml]}\n<<: *a', SUB),
	'a merge of an older YAML': including('%YAML 1.1\n---\nx-a: &a {include: [sub/c.yaml]}\n<<: *a', SUB),
	'a folder that is called by a tilde': including('include: [{path: ~sub/c.yaml, env_file: ~sub/.env}]', {
		'~sub/c.yaml': API,
		'~sub/.env': { to: 'KEY' },
	}),
	'an include behind a mark of byte order': including('\ufeffinclude: [sub/c.yaml]', SUB),
	'an include by a variable': including('include: ["@{P}"]', { '.env': 'P=sub/c.yaml', ...SUB }),
	'an include of an include by variables': including('include: ["@{P}"]', {
		'.env': 'P=sub/c.yaml',
		'sub/.env': 'Q=deep/d.yaml',
		'sub/c.yaml': 'include: ["@{Q}"]',
		'sub/deep/d.yaml': 'services: {api: {image: x, env_file: "@{R}"}}',
		'sub/deep/.env': 'R=KEY',
	}),
	'a variable of its own in an included file': including('include: [sub/c.yaml]', {
		'sub/c.yaml': 'services: {api: {image: x, env_file: "@{Q}"}}',
		'sub/.env': 'Q=KEY',
		'.env': 'R=./plain.env',
	}),
	'several files of an include': including('include: [{path: [sub/c.yaml, other/d.yaml]}]', { 'other/d.yaml': API_OF_KEY }),
	'a folder of an include': including('include: [{path: sub/c.yaml, project_directory: "@{P}"}]', {
		'.env': 'P=other',
		'other/.env': { to: 'KEY' },
	}),
	'variables of an include': including('include: [{path: sub/c.yaml, env_file: ["@{P}"]}]', P),
	'another file that is extended': {
		'compose.yaml': `${WEB}    extends: {file: "@{P}", service: api}\n`,
		'.env': 'P=c.yaml',
		'c.yaml': API_OF_KEY,
	},
	'one that is extended twice': {
		'compose.yaml': `${WEB}    extends: {file: sub/c.yaml, service: "@{P}"}\n`,
		'.env': 'P=api',
		'sub/c.yaml': 'services: {api: {extends: {file: deep/d.yaml, service: base}}}',
		'sub/deep/d.yaml': 'services: {base: {image: x, env_file: ./id.env}}',
		'sub/deep/id.env': { to: 'KEY' },
	},
	'a link in the place of .env': { 'compose.yaml': `${WEB}    environment: ["GOT=@{LEAKED}"]\n`, '.env': { to: 'KEY' } },
	'a link in a folder that is a link': including('include: [deep/c.yaml]', { deep: { to: 'sub' }, ...SUB }),
	'a path that leaves a link': { ...service('env_file: "@{PWD}/keys/../id"'), keys: { to: 'KEY/../deep' } },
	'a flow within a flow that ends too early': { 'compose.yaml': 'services: {\n  web: {\n    image: x, env_file: KEY\n}\n}\n' },
	'an include beside what is not YAML to all': including(`${WEB}    command: ["a",\n    "b"]\ninclude: [sub/c.yaml]`, SUB),
	'a variable that is required': service('env_file: "@{PWD:?}/../home/.ssh/id"'),
	'a variable that has to be made up': including('include: ["@{P:?}", "sub/@{A_PORT:?}.yaml"]', {
		'.env': 'P=sub/c.yaml',
		'sub/8080.yaml': API_OF_KEY.replace('api', 'more'),
	}),
	'an example of it': { 'compose.yaml': `${WEB}    environment: ["GOT=@{LEAKED}"]\n`, '.env.example': { to: 'KEY' } },
	'an example of a file of variables': { ...service('env_file: sub/my.env'), 'sub/my.env.example': { to: 'KEY' } },
	'an example of a file of an include': including('include: [{path: sub/c.yaml, env_file: "sub/@{P}"}]', {
		'.env': 'P=my.env',
		'sub/my.env.example': { to: 'KEY' },
	}),
	'an example whose name is a variable': { ...service('env_file: "$@{P}/my.env"'), ...P, '@{P}/my.env.example': 'A=1' },
	'other files by .env': { 'compose.yaml': WEB, '.env': 'COMPOSE_FILE=compose.yaml:c.yaml\nCOMPOSE_ENV_FILES=KEY\nP=KEY', 'c.yaml': 'x' },
	'a service of a profile': { 'compose.yaml': `${WEB}  api: {image: x, profiles: [a], env_file: KEY}\n`, '.env': 'COMPOSE_PROFILES=a' },
	'a file from elsewhere': including('include: ["oci://registry.example/a/b:1"]'),
};

describe('a file of keys does not get into an environment', () => {
	for (const [name, files] of Object.entries(HOSTILE))
		test(name, { timeout }, async () => {
			const found = await read(name, files).catch((error) => ({ error: String(error) }));
			if ('error' in found) return assert.match(found.error, /of this system’s own|expected to see which files it reads|on this machine/);
			const isIn = JSON.stringify(found.named).includes('"key"');
			assert.ok(found.refused.length > 0 || !isIn, JSON.stringify(found.named.services));
			if (name === 'other files by .env' || name.startsWith('an example whose')) return;
			assert.match(found.refused.map(({ what }) => what).join(), /\.ssh\/id|\.env of this machine \(by its env_file\), which leads to/);
		});
});

const PLAIN: Record<string, Files> = {
	'plain variables': { ...service('env_file: ["@{P}", ../plain/b.env]'), '.env': 'P=./a.env', 'a.env': 'A=1', 'b.env': 'B=1' },
	'plain includes': including('include: ["sub/@{P:-c}.yaml", {path: [sub/d.yaml], env_file: a.env}]', {
		'a.env': 'A=1',
		'sub/.env': 'LEAKED=1',
		'sub/d.yaml': 'services: {d: {extends: {file: e.yaml, service: e}}}',
		'sub/e.yaml': 'services: {e: {image: x, env_file: .env}}',
	}),
	'a plain link': { ...service('env_file: a.env'), 'a.env': { to: 'b.env' }, 'b.env': 'A=1' },
	'plain tags': service('env_file: !reset null\nenvironment: !override {A: "1"}'),
	'plain texts that only Compose reads': { 'compose.yaml': `${WEB}    command: ["a",\n    "b"]\n` },
	'a plain include of two files': including('include: [sub/c.yaml, sub/../sub/c.yaml, other/d.yaml]', {
		'other/d.yaml': 'include: [../sub/c.yaml]',
		'sub/c.yaml': `services: {api: {image: x, env_file: "@{Q:-a}.env"}}`,
		'sub/a.env': '',
	}),
	'plain ends of lines': { 'compose.yaml': WEB.replaceAll('\n', '\r\n') },
};

describe('a folder that is its own is read as it is', () => {
	for (const [name, files] of Object.entries(PLAIN))
		test(name, { timeout }, async () => assert.deepEqual((await read(name, files)).refused, []));
});

/** What `init` prints and writes, and what a run would say and record. */
async function reportedOf(name: string, files: Files, allowed: string[] = []): Promise<{ texts: string; outside: string[] }> {
	const folder = write(`reported ${name}`, files);
	const permission = readAllowed({ allow: allowed }, folder);
	const { reporter, out, err } = listen();
	await init(folder, [], reporter, { permission });
	reporter.end(0);
	const project = (await projectIn(folder)) as Project;
	const settings = readSettings('shop', {}, permission);
	const { notes, differs, outside } = await checkSystem({ folder, project, arm: null, settings });
	const recorded = secrets.without(JSON.stringify({ notes, differs, outside }));
	return { texts: [out(), err(), readFileSync(join(folder, 'doubletake.yaml'), 'utf8'), recorded].join('\n'), outside };
}

const OF_WEB = 'services: {web: {image: nginx, ports: ["80"]';

test('files of variables outside are named in the record, and nothing of what they hold is shown', { timeout }, async () => {
	const elsewhere = join(place, 'elsewhere');
	mkdirSync(elsewhere);
	for (const name of ['linked', 'service', 'labels', 'included'])
		writeFileSync(join(elsewhere, `${name}.env`), `WHERE=quuxofelsewhere\nDB_PASSWORD=quux$tailofpassword\nB=quux$tokenofpassword9\n`);
	const { texts, outside } = await reportedOf('plain', {
		'compose.yaml': `include: [{path: sub/c.yaml, env_file: ${elsewhere}/included.env}]\n${OF_WEB}, env_file: ${elsewhere}/service.env, label_file: ${elsewhere}/labels.env, volumes: ["./@{WHERE}:/data"]}}`,
		'.env': { to: join(elsewhere, 'linked.env') },
		'sub/c.yaml': 'services: {api: {image: nginx}}',
	});
	for (const name of ['linked', 'service', 'labels', 'included'])
		assert.ok(outside[0].includes(`${elsewhere}/${name}.env (variables`), outside[0]);
	assert.doesNotMatch(texts, /quuxofelsewhere|tailofpassword|tokenofpassword/);
	assert.match(texts, /\.env, line 2: behind a/);
	writeFileSync(join(elsewhere, 'late.env'), 'WHERE=quuxoflate\n');
	const many = await reportedOf('many', {
		'compose.yaml': `include: [{path: sub/c.yaml, env_file: ${elsewhere}/late.env}]\n${OF_WEB}}}`,
		'.env': Array.from({ length: 2500 }, (_, at) => `A${at}_TOKEN=of-the-folder-${at}\n`).join(''),
		'sub/c.yaml': 'services: {api: {image: nginx, volumes: ["./@{WHERE}:/data"]}}',
	});
	assert.doesNotMatch(many.texts, /quuxoflate/);
	const named = { 'compose.yaml': `${OF_WEB}, container_name: "@{DB_PASSWORD}"}}`, '.env': { to: join(elsewhere, 'named.env') } };
	writeFileSync(join(elsewhere, 'named.env'), 'DB_PASSWORD=quuxofpassword\n');
	await assert.rejects(reportedOf('named', named), /found the value of DB_PASSWORD, a variable of/);
	await reportedOf('allowed', named, [join(elsewhere, 'named.env')]);
});

test('of a file outside that is no Compose file Compose’s words are not shown', { timeout }, async () => {
	const file = join(place, 'keys.yaml');
	writeFileSync(file, 'quux_of_keys: 1\n');
	for (const [name, text] of Object.entries({
		included: `include: [${file}]\n${OF_WEB}}}`,
		extended: `${OF_WEB}, extends: {file: ${file}, service: web}}}`,
	})) {
		const ended = await reportedOf(name, { 'compose.yaml': text }).catch((error) => String(error));
		assert.match(String(ended), /files outside of the folder: .*\/keys\.yaml/);
		assert.doesNotMatch(String(ended), /quux_of_keys/);
	}
});

test('a secret of the shell needs a word of the command line', { timeout }, async () => {
	const folder = join(place, 'shell');
	mkdirSync(folder);
	const taken = `env_file: gone.env\nenvironment: [A_TOKEN, "B=<\${B_API_KEY:-none}>", C_TOKEN, PLAIN]\nsecrets: [s]`.replace(
		/^/gm,
		'    ',
	);
	writeFileSync(join(folder, 'compose.yaml'), `${WEB}${taken}\nsecrets: {s: {environment: D}}\n`);
	writeFileSync(join(folder, '.env'), 'C_TOKEN=of-the-folder\n');
	const variables = { A_TOKEN: 'of-the-shell', B_API_KEY: 'of-the-shell-too', C_TOKEN: 'of-the-folder', D: 'x', PLAIN: 'plain' };
	Object.assign(process.env, variables);
	try {
		const project = { compose: ['compose.yaml'], load: {}, services: {} } as any;
		const asked = (...allowVariable: string[]) =>
			checkSystem({ folder, project, arm: null, settings: readSettings('shop', {}, readAllowed({ allowVariable }, folder)) });
		await assert.rejects(asked(), /found that it takes A_TOKEN, B_API_KEY, D\./);
		await assert.rejects(asked('A_TOKEN,D'), /found that it takes B_API_KEY\./);
		await assert.rejects(asked('A_TOKEN,B_API_KEY,D'), (error) => !String(error).includes('this shell'));
	} finally {
		for (const name of Object.keys(variables)) delete process.env[name];
	}
});
