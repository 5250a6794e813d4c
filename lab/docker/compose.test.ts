import assert from 'node:assert/strict';
import os from 'node:os';
import { test } from 'node:test';
import { NotReadyError } from '../base/errors.ts';
import { composeWith, readConfig, refusedOf } from './compose.ts';
import { saying, withDocker } from './fixtures/docker-program.ts';

/**
 * What is made of what a `docker` does when it is asked for the configuration.
 * @param does lines of its script; null: there is no such program
 */
async function read(
	does: string | null,
	bounds?: Parameters<typeof readConfig>[3],
): Promise<{ refusal: { problem: string; remedy: string } | null; doubts: string[] }> {
	const doubts = [] as string[];
	const system = { project: 'shop', cwd: os.tmpdir(), flags: [] };
	const refusal = await withDocker(does, () => readConfig(system, {}, (doubt) => doubts.push(doubt), bounds)).then(
		() => null,
		(error) => {
			assert.ok(error instanceof NotReadyError);
			return { problem: error.problem, remedy: error.remedy };
		},
	);
	return { refusal, doubts };
}

/** @param words with which Compose refuses the files */
async function refusalOf(words: string) {
	const { refusal } = await read(`${saying(words, 2)}\nexit 1`);
	assert.ok(refusal);
	return refusal;
}

const problemOf = async (words: string) => (await refusalOf(words)).problem;

const WARNING = 'time="2026-11-22T06:00:00Z" level=warning msg="/shop/docker-compose.yml: `version` is obsolete"';
const UNSET = String.raw`time="2026-11-22T06:00:00Z" level=warning msg="The \"DB_PASSWORD\" variable is not set. Defaulting to a blank string."`;

test('a folder’s own .env leads no program elsewhere, and what the shell says stays', async () => {
	const names = ['BUILDX_GIT_INFO', 'DOCKER_CONFIG', 'DOCKER_CONTEXT', 'HTTPS_PROXY', 'LD_PRELOAD', 'SSL_CERT_FILE', 'all_proxy'];
	const before = process.env.DOCKER_CONTEXT;
	process.env.DOCKER_CONTEXT = 'mine';
	for (const name of names.slice(3)) delete process.env[name];
	try {
		const asked = `env | grep -E '^(${names.join('|')})=' | LC_ALL=C sort`;
		const { all } = await withDocker(asked, () =>
			composeWith({ project: 'shop', cwd: os.tmpdir(), flags: [] }, ['config'], { limitMs: 5000 }),
		);
		// Compose takes a variable of the file only where there is none of its name.
		const said = ['false', '', 'mine', '', '', '', ''];
		assert.equal(all, names.map((name, at) => `${name}=${said[at]}`).join('\n'));
		assert.deepEqual(refusedOf(['DOCKER_CONTEXT', 'HTTPS_PROXY', 'TAG']), ['HTTPS_PROXY']);
	} finally {
		if (before === undefined) delete process.env.DOCKER_CONTEXT;
		else process.env.DOCKER_CONTEXT = before;
	}
});

test('a variable that must be set is named, with where to set it', async () => {
	const all = `${WARNING}\nerror while interpolating services.web.environment.KEY: required variable SECRET_KEY is missing a value: see README`;
	const { problem, remedy } = await refusalOf(all);
	assert.equal(problem, 'The Compose file: expected a value of the variable SECRET_KEY; found none (see README).');
	assert.match(remedy, /^write SECRET_KEY=\.\.\. into "\.env"/);
	assert.match(await problemOf('required variable KEY is missing a value'), /found none\.$/);
});

test('a file that is not there is named', async () => {
	assert.match(
		await problemOf('env file /shop/api.env not found: stat /shop/api.env: no such file or directory'),
		/"\/shop\/api\.env", which it names under env_file/,
	);
	assert.match(
		await problemOf('Failed to load /shop/.env: open /shop/.env: no such file or directory'),
		/"\/shop\/\.env", which it names under env_file/,
	);
	assert.match(
		await problemOf('open /shop/compose.prod.yaml: no such file or directory'),
		/^Expected the Compose file "\/shop\/compose\.prod\.yaml"/,
	);
});

test('a fault in the YAML is reported with its line', async () => {
	const { problem, remedy } = await refusalOf('yaml: line 7: did not find expected key');
	assert.match(problem, /expected YAML; Compose found a fault in it: yaml: line 7: did not find expected key\.$/);
	assert.match(remedy, /^correct that line/);
});

test('a service that only its profile brings in is hinted at', async () => {
	const { remedy } = await refusalOf('service "web" depends on undefined service db: invalid compose project');
	assert.match(remedy, /COMPOSE_PROFILES/);
});

test('where there is no Docker, or no Compose, no file is named', async () => {
	assert.match(String((await read(null)).refusal?.remedy), /^install Docker/);
	assert.match((await refusalOf("docker: 'compose' is not a docker command.")).remedy, /^install Docker/);
	const late = await read('exec sleep 60', { limitMs: 1, graceMs: 1 });
	assert.match(String(late.refusal?.problem), /did not end in time/);
});

test('a key that this Compose does not know is named, with where it stands', async () => {
	const { problem, remedy } = await refusalOf('validating /shop/compose.yaml: services.web Additional property models is not allowed');
	assert.equal(problem, 'The Compose file, services.web: expected what this version of Compose knows; found "models".');
	assert.match(remedy, /newer Compose/);
});

test('what stands in a file of variables that it cannot read is not shown: it may be a file of keys', async () => {
	for (const words of [
		'line 1: unexpected character "{" in variable name "{\\"auth\\":\\"hunter2\\"}"',
		"failed to read /root/x: line 2: unterminated quoted value 'hunter2",
		'line 7: key cannot contain a space',
	]) {
		const problem = await problemOf(words);
		assert.match(problem, /^A file of variables \(.* Compose cannot read line \d of one\.$/);
		assert.doesNotMatch(problem, /hunter2/);
	}
	const template = await problemOf('Invalid template: "${hunter2"');
	assert.match(template, /^A file of variables .*cannot read one of its values\.$/);
});

test('whatever else it says is given as it is, without its warnings', async () => {
	const words = 'validating /shop/compose.yaml: services.web.ports must be a list';
	assert.equal(await problemOf(`${UNSET}\n${words}`), `docker compose config failed: ${words}`);
	const killed = await read('kill -9 $$');
	assert.match(String(killed.refusal?.problem), /^docker compose config failed: "docker compose" was ended by SIGKILL/);
});

test('a doubt about a file that it takes is reported once, and what changes nothing is not', async () => {
	assert.deepEqual(await read(`${saying(`${WARNING}\n${UNSET}\n${UNSET}\n`, 2)}\necho '{}'`), {
		refusal: null,
		doubts: ['Compose: The "DB_PASSWORD" variable is not set. Defaulting to a blank string.'],
	});
	assert.deepEqual(await read("echo '{}'"), { refusal: null, doubts: [] });
});

test('a file that is included and not there, a folder in its place, and a file of the first format are told', async () => {
	assert.match(
		await problemOf('stat /shop/sub/.env: no such file or directory'),
		/expected the file "\/shop\/sub\/\.env", which it or a file that it includes names/,
	);
	assert.match(
		await problemOf('read /shop/web.env: is a directory'),
		/expected a file at "\/shop\/web\.env", which it names; found a folder/,
	);
	assert.match(
		await problemOf('(root) Additional property web is not allowed'),
		/expected "services" with all services in it; found "web"/,
	);
	assert.match(
		await problemOf('yaml: unmarshal errors:\n  line 3: mapping key "web" already defined'),
		/unmarshal errors: line 3: mapping key/,
	);
});

test('a service that is called as a flag is is a name', async () => {
	const system = { project: 'shop', cwd: os.tmpdir(), flags: ['--project-name', 'shop'] };
	const { stdout } = await withDocker('printf "%s " "$@"', () =>
		composeWith(system, ['build'], { services: ['--push', 'web'], limitMs: 10_000 }),
	);
	assert.match(stdout, /--project-name shop build -- --push web\s*$/);
});
