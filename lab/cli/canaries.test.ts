import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { RECORD, WRITTEN } from '../base/paths.ts';
import { secretsInHeaders } from '../base/secret-names.ts';
import { secrets } from '../base/secrets.ts';
import { writeFileAtomic } from '../base/whole-file.ts';
import { withStoredRun } from '../diagnose/fixtures/stored-run.ts';
import { docker } from '../docker/docker.ts';
import { RecordFile } from '../docker/record-file.ts';
import { exportRun } from '../extras/export/export.ts';
import { listen } from '../fixtures/reporter.ts';
import { withSeal } from '../record/inventory.ts';
import { conclude, finishRun } from '../report/reports.ts';
import { collect } from '../run/collect.ts';
import { secretValues } from '../target/secret-values.ts';
import { WireWriter } from '../wire/record.ts';

const MARK = '*secret*';

/** What is known of a system and its load: a value for each place in which one may stand. */
const values = {
	environment: 'Kanarie-01&env',
	envFile: 'Kanarie-02"file',
	url: 'Kanarie-03/url+',
	dsn: 'Kanarie-04dsn',
	json: 'Kanarie-05\\json',
	label: 'Kanarie-06 label',
	argument: 'Kanarie-07=arg',
	command: 'Kanarie-08-flag',
	health: 'Kanarie-09health',
	secretFile: 'Kanarie-10 file-of-a-secret',
	secretLine: 'Kanarie-11-second-line',
	secretVariable: 'Kanarie-12é€',
	bearer: 'Kanarie-13.bearer',
	basic: 'Kanarie-14basic',
	cookie: 'Kanarie-15cookie',
	header: 'Kanarie-16<tenant>',
	shell: 'Kanarie-17shell',
	dotenv: 'Kanarie-18dotenv',
	made: 'kAnArIe19sk0live0Xy7Zq2',
	letters: 'kanarienvogelkaefig',
	foreign: 'канарейка-21',
	unicode: '🐤🐤kana🐤22',
};

const config = {
	services: {
		api: {
			environment: {
				DB_PASSWORD: values.environment,
				APP_SECRET: values.envFile,
				DATABASE_URL: `postgres://shop:${encodeURIComponent(values.url)}@db/shop`,
				GO_DSN: `shop:${values.dsn}@tcp(db:3306)/shop`,
				SETTINGS: JSON.stringify({ smtp: { password: values.json } }),
				STRIPE: values.made,
				ADMIN_PASSWORD: values.letters,
				SALT: values.foreign,
				TOKEN: values.unicode,
			},
			labels: { 'app.token': values.label },
			build: { args: { NPM_TOKEN: values.argument } },
			command: ['serve', '--password', values.command],
			healthcheck: { test: ['CMD-SHELL', `mysqladmin ping -p${values.health}`] },
		},
	},
	secrets: { pair: { file: '/pair' }, variable: { environment: 'OF_A_SECRET' } },
};

function learn() {
	const shell = { OF_A_SECRET: values.secretVariable, GITHUB_TOKEN: values.shell };
	const read = () => `${values.secretFile}\n${values.secretLine}\n`;
	const { values: found, keys } = secretValues(config, { shell, env: `API_KEY=${values.dotenv}\n`, read });
	secrets.exempt(keys);
	secrets.learn(found);
	secrets.learn(
		secretsInHeaders({
			Authorization: `Bearer ${values.bearer}`,
			'Proxy-Authorization': `Basic ${Buffer.from(`shop:${values.basic}`).toString('base64')}`,
			Cookie: `session=${values.cookie}; theme=dark`,
			'X-Tenant': values.header,
		}),
	);
}

const forms: Record<string, (value: string) => string> = {
	plain: (value) => value,
	json: (value) => JSON.stringify({ message: `got ${value}` }),
	ascii: (value) => JSON.stringify(value).replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`),
	url: (value) => `/callback/${encodeURIComponent(value)}/x`,
	form: (value) => new URLSearchParams({ a: value }).toString(),
	base64: (value) => Buffer.from(value).toString('base64'),
	basic: (value) => `Basic ${Buffer.from(`shop:${value}`).toString('base64')}`,
	address: (value) => `amqp://shop:${encodeURIComponent(value)}@queue:5672/`,
	broken: (value) => `${value.slice(0, 9)}\n${value.slice(9)}`,
};
const said = Object.values(values).flatMap((value) => Object.values(forms).map((form) => form(value)));

/** Of what nobody else would write a part is enough. */
const standingIn: (text: string) => string[] = (text) => {
	const sought = Object.values(values).flatMap((value) => {
		const base64 = [0, 1, 2].map((before) =>
			Buffer.from(`${'x'.repeat(before)}${value}`)
				.toString('base64')
				.slice(3, 12),
		);
		const json = JSON.stringify(value).slice(1, -1);
		return [value, json, encodeURIComponent(value), Buffer.from(value).toString('hex'), value.slice(0, 9), ...base64];
	});
	// Each other begins with it.
	const isOwn = (part: string) => !MARK.includes(part) && part.length >= 6;
	return [...new Set(sought)].filter((part) => isOwn(part) && text.includes(part));
};

/** @returns the text of each file below it */
async function textsIn(folder: string): Promise<Record<string, string>> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
	const read = async (file: string) => {
		const bytes = await readFile(file);
		return [file, String(file.endsWith('.gz') ? gunzipSync(bytes) : bytes)];
	};
	return Object.fromEntries(await Promise.all(files.map(read)));
}

/** As the engine frames it, in pieces that break values. */
async function* framed(text: string) {
	const body = Buffer.from(text);
	for (let at = 0; at < body.length; at += 11) {
		const part = body.subarray(at, at + 11);
		const head = Buffer.alloc(8);
		head[0] = 1;
		head.writeUInt32BE(part.length, 4);
		yield Buffer.concat([head, part]);
	}
}

/** Puts what is said into the record of a run by all the ways that there are. */
async function record(t: TestContext, folder: string) {
	const raw = join(folder, RECORD.raw);
	const service = { id: 'api', name: 'api', tier: 'app', product: null, watch: 1 };
	const k6 = { ...service, id: 'k6', name: 'k6', tier: 'generator', watch: 0 };
	const lines = said.flatMap((text) => text.split('\n')).map((text) => `2026-11-29T14:00:00.1Z ${text}\n`);
	t.mock.method(docker, 'listContainers', async () => []);
	t.mock.method(docker, 'getContainer', () => ({
		inspect: async () => ({ State: { Running: false }, Config: { Tty: false } }),
		logs: async ({ follow }: { follow: boolean }) => (follow ? readableOf(lines.join('')) : Buffer.from(`01234567${said.join('\n')}`)),
	}));
	const [own, ofService] = [join(folder, WRITTEN.own), join(folder, WRITTEN.services, 'api')];
	for (const one of [own, ofService]) await mkdir(one, { recursive: true });
	await writeFile(join(own, RECORD.k6Report), `<p>${said.join('</p><p>')}</p>`);
	await writeFile(
		join(own, 'more.log'),
		said.map((msg) => JSON.stringify({ level: 'error', msg, time: '2026-11-29T14:00:01Z' })).join('\n'),
	);
	await writeFile(join(ofService, 'process-1.log'), said.join('\n'));
	await writeFile(join(ofService, values.letters), 'called so');
	const notes = await collect({
		system: { project: 'p', cwd: '/', flags: [] },
		services: [service, k6].map((one) => one as any),
		groups: [],
		folder,
	});
	const file = new RecordFile(join(raw, 'more-events.ndjson'));
	for (const text of said) file.write({ t: 1, event: 'die', text });
	await file.close();
	const wire = new WireWriter(join(raw, 'more-wire.ndjson.gz'), 0);
	wire.network({ network: 'default', unseen: '', hosts: said.map((host) => ({ host })) } as any);
	for (const template of said) wire.call({ template, verb: 'GET', began_at: 1, status: 200 } as any, { id: 1 } as any);
	await wire.close();
	const manifest = JSON.parse(await readFile(join(folder, RECORD.manifest), 'utf8'));
	manifest.warnings = [...said, ...notes];
	manifest.shape.title += said.join(' ');
	await writeFileAtomic(join(folder, RECORD.manifest), JSON.stringify(withSeal(manifest), null, 2));
}

const readableOf = (text: string) => Object.assign(framed(text), { destroy() {} });

test('what is known to be secret stands in no file of a record, and in nothing that is printed of it, in no form', async (t) => {
	learn();
	assert.equal(standingIn(said.join('\n')).length > Object.keys(values).length, true);
	await withStoredRun(async (folder) => {
		const before = await finishRun(folder);
		await record(t, folder);
		const { reporter, out, err } = listen({ json: false });
		const inJson = listen();
		const result = await finishRun(folder);
		for (const to of [reporter, inJson.reporter]) {
			conclude(result, folder, { expectations: [], strict: false }, to);
			for (const text of said) to.progress.say(text);
			to.fail(new Error(said.join('\n')));
			to.end(0);
		}
		await exportRun(folder, { csv: join(folder, 'run.csv'), otlp: join(folder, 'run.json') }, listen().reporter);
		const kept = await textsIn(folder);
		assert.ok(Object.keys(kept).length > 20);
		for (const [file, text] of Object.entries(kept)) assert.deepEqual(standingIn(text), [], file);
		for (const text of [out(), err(), inJson.out(), inJson.err()]) assert.deepEqual(standingIn(text), []);
		// It is a mark that stands there, and what is known of the run is the same.
		assert.ok(kept[join(folder, RECORD.raw, 'more-events.ndjson')].includes(MARK));
		assert.deepEqual(result.ledger, before.ledger);
		assert.equal(kept[join(folder, RECORD.raw, 'api', 'log.txt')].split('\n').length - 1, said.join('\n').split('\n').length);
	});
});
