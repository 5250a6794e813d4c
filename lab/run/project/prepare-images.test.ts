import assert from 'node:assert/strict';
import os from 'node:os';
import { afterEach, mock, test } from 'node:test';
import { NotReadyError } from '../../base/errors.ts';
import { docker } from '../../docker/docker.ts';
import { saying, withDocker } from '../../docker/fixtures/docker-program.ts';
import { lendName, takeLentBack } from '../../docker/images.ts';
import { serviceModels } from '../../target/compose-model.ts';
import { prepareImages, refuseOtherImages } from './prepare-images.ts';

afterEach(() => mock.restoreAll());

/** Those of these services that are built, and the others, of an image each. */
const modelsOf = (services: Record<string, object>) => serviceModels({ name: 'shop', services });
const BUILT = { build: { context: '.' } };

/** @param does of a `docker` of its own, lines of its script */
async function prepared(
	does: string,
	{
		services,
		present = {},
		...more
	}: {
		services: Record<string, object>;
		/** ids of what the engine has, by how its name begins; null: it is there */
		present?: Record<string, string> | null;
		kept?: Record<string, string>;
		limits?: { build: number; pull: number };
	},
) {
	if (present !== null)
		mock.method(docker, 'getImage', (name: string) => ({
			inspect: async () => ({ Id: Object.entries(present).find(([one]) => name.startsWith(one))?.[1] ?? assert.fail('no such image') }),
		}));
	const said = [] as string[];
	const models = modelsOf(services);
	const names = Object.fromEntries(models.filter(({ isBuilt }) => isBuilt).map(({ service }) => [service, `run-${service}`]));
	const system = { project: 'shop', cwd: os.tmpdir(), flags: [] };
	const given = {
		system,
		models,
		config: { services },
		names,
		say: (text: string) => said.push(text),
		signal: new AbortController().signal,
	};
	const { built: ids, notes } = await withDocker(does, () => prepareImages({ ...given, ...more }));
	return { ids, said, notes };
}

/** What is told of a build or a pull that fails with these words. */
async function refusalOf(words: string, services: Record<string, object>, more: object = {}): Promise<NotReadyError> {
	try {
		await prepared(`${saying(words, 2)}\nexit 1`, { services, ...more });
	} catch (error) {
		assert.ok(error instanceof NotReadyError);
		return error;
	}
	return assert.fail('it is not refused');
}

test('a failure is reported with its last lines, and with the limit where that ended it', async () => {
	const output = Array.from({ length: 40 }, (_, index) => `step ${index + 1}`).join('\n');
	const { problem } = await refusalOf(output, { web: BUILT });
	assert.match(problem, /^Building web failed; its last lines:\n {4}step 26\n/);
	assert.match(problem, /\n {4}step 40$/);
	assert.match((await refusalOf('', { web: BUILT })).problem, /\(it wrote nothing\)$/);
	const slow = prepared('exec sleep 60', { services: { web: BUILT }, limits: { build: 0.001, pull: 10 } });
	await assert.rejects(slow, /^NotReadyError: Building web failed \(it did not end in 0\.001 min\); its last lines:/);
});

test('an image is built unless it is the one that was built before', async () => {
	const services = { web: BUILT, jobs: BUILT, api: BUILT };
	const present = { 'run-web': 'sha256:1', 'run-jobs': 'sha256:9' };
	const first = await prepared('', { services, present });
	assert.deepEqual(first, { said: ['building web, jobs, api'], ids: { web: 'sha256:1', jobs: 'sha256:9' }, notes: [] });
	const again = await prepared('', { services, present, kept: { web: 'sha256:1', jobs: 'sha256:2', api: 'sha256:3' } });
	assert.deepEqual(again.said, ['building jobs, api']);
});

test('a name by which a Dockerfile takes the image of another service stands for that during the build alone', async () => {
	const tagged = [] as string[];
	const ids = new Map(Object.entries({ 'shop/base:1': 'old', 'run-base': 'new', 'run-lib': 'newer' }));
	const volumes = new Map();
	const from = (base: string, image = '') => ({ image, build: { context: '/', dockerfile_inline: `FROM ${base}` } });
	const services = { web: from('shop/lib'), lib: from('shop/base:1', 'shop/lib:latest'), base: from('debian', 'shop/base:1') };
	mock.method(docker, 'getImage', (name: string) => ({
		inspect: async () => ({ Id: ids.get(name) ?? assert.fail('no such image') }),
		tag: async ({ repo, tag }: { repo: string; tag: string }) =>
			tagged.push(`${repo}:${tag} ${name}`) && ids.set(`${repo}:${tag}`, ids.get(name) ?? name),
		remove: async () => tagged.push(`${name} none`) && ids.delete(name),
	}));
	mock.method(docker, 'createVolume', async (given: any) => {
		const name = String(volumes.size);
		volumes.set(name, { Name: name, ...given });
		// As dockerode has it: what is made is no answer of the engine.
		return { name };
	});
	mock.method(docker, 'listVolumes', async () => ({ Volumes: [...volumes.values()] }));
	mock.method(docker, 'getVolume', (name: string) => ({ remove: async () => volumes.delete(name) }));
	const before = [...ids];
	const { said } = await prepared('', { services, present: null });
	assert.equal(volumes.size, 0);
	assert.deepEqual(said, ['building base', 'building lib', 'building web']);
	assert.deepEqual(tagged.splice(0), ['shop/base:1 run-base', 'shop/lib:latest run-lib', 'shop/lib:latest none', 'shop/base:1 old']);
	await assert.rejects(prepared('case "$*" in *lib*) exit 1;; esac', { services, present: null }));
	assert.deepEqual(tagged, ['shop/base:1 run-base', 'shop/base:1 old']);
	for (const image of ['run-base', 'run-lib']) await lendName('shop/base:1', image);
	await lendName('shop/lib:2', 'run-lib');
	await takeLentBack();
	assert.deepEqual([[...ids], volumes.size], [before, 0]);
});

test('what is there is not pulled, and what is not is, once for all that need it', async () => {
	const services = { web: { image: 'nginx:1' }, one: { image: 'acme/api:1' }, other: { image: 'acme/api:1' } };
	assert.deepEqual((await prepared('', { services, present: { 'nginx:1': 'sha256:1' } })).said, ['pulling acme/api:1']);
});

test('a rate is no share of what other images served; what is not there yet, or has no sum, is no other', async () => {
	const images = ['web', 'db', 'old'].map((name) => ({ name, image: `${name}:1`, id: 'x', digest: null, layers: `sum of ${name}` }));
	const measured = {
		rate: 40,
		share: '',
		said: '',
		shown: 'reports/shop/1',
		images: [...images, { ...images[0], name: 'older', layers: undefined }],
	};
	const asking = (found: Record<string, string>) => refuseOtherImages(measured, async (tag) => found[tag] ?? null);
	await asking({ 'web:1': 'sum of web', 'db:1': 'sum of db' });
	await assert.rejects(asking({ 'web:1': 'another' }), /the images of reports\/shop\/1, .*; found another web:1, which web had\./);
});

test('a base image whose registry does not answer is named', async () => {
	const remedyOf = async (words: string) => (await refusalOf(words, { web: BUILT })).remedy;
	const unanswered = (image: string) =>
		remedyOf(`failed to do request: Head "https://images.example/v2/${image}": dial tcp: lookup images.example: no such host`);
	assert.match(await unanswered('library/debian/manifests/12-slim'), /^get debian:12-slim, with which its Dockerfile begins/);
	assert.match(await unanswered('team/base/manifests/sha256:1234'), /^get team\/base@sha256:1234,/);
	assert.equal(await remedyOf('npm error code E404'), 'correct what the last lines name.');
	assert.match(
		await remedyOf('failed to solve: unsupported frontend capability moby.buildkit.frontend.contexts'),
		/^install a newer Docker/,
	);
	assert.match(await remedyOf('unable to prepare context: path "/shop/gone" not found'), /^correct "context" or "dockerfile"/);
});

/**
 * Built from a Dockerfile that takes its base as an argument.
 * @param given by the Compose file
 */
const taking = (image: string, given?: string) => ({
	build: {
		context: '.',
		dockerfile_inline: `ARG BASE=${image}\nFROM \${BASE:-x} AS one\nFROM $BASE\n`,
		args: given === undefined ? {} : { BASE: given },
	},
});
/**
 * What a builder says whose registry does not answer.
 * @param image such as debian:12
 */
const away = (image: string) =>
	`failed to do request: Head "https://images.example/v2/library/${image.replace(':', '/manifests/')}": no such host`;
/** @param given with what it builds all the same */
const awayUnless = (image: string, given: string) => `case "$*" in *"${given}"*) ;; *) ${saying(away(image))}\nexit 1;; esac`;

test('a base that no registry gives is what was built here, where its Dockerfile takes it as an argument', async () => {
	const does = awayUnless('debian:bookworm-slim', '--build-arg BASE=doubletake/debian:bookworm-');
	const services = { web: taking('x', 'debian:bookworm-slim'), jobs: taking('debian:bookworm-slim') };
	const { notes, said } = await prepared(does, { services, present: { 'doubletake/debian:bookworm-': 'sha256:1' } });
	assert.match(
		notes.join(),
		/^web, jobs began with doubletake\/debian:bookworm-\w+ in the place of debian:bookworm-slim, because no registry answered\.$/,
	);
	assert.equal(said[1], `note: ${notes[0]}`);
	const node = awayUnless('node:24-slim', 'BASE=doubletake/node:24');
	const both = await prepared(node, { services: { web: taking('node:24-slim') }, present: { 'doubletake/': 'sha256:1' } });
	assert.equal(both.notes.length, 1);
});

test('where there is nothing in its place, or it is no argument, the message says what to do', async () => {
	const remedyOf = async (service: object, image: string, present = {}) =>
		(await refusalOf(away(image), { web: service }, { present })).remedy;
	assert.match(await remedyOf(taking('debian:12'), 'debian:12'), /^get debian:12, .* or give it one that is there: build\.args\.BASE in/);
	for (const image of ['debian:trixie', 'node:22', 'node:24-alpine', 'nginx:1'])
		assert.match(await remedyOf(taking(image), image, { 'doubletake/': 'sha256:1' }), /build\.args\.BASE/, image);
	const literal = { build: { context: '.', dockerfile_inline: 'FROM debian:12\n' } };
	assert.match(await remedyOf(literal, 'debian:12', { 'doubletake/': 'sha256:1' }), /or have it begin with an image that is there\.$/);
});

test('an image that cannot be pulled is named with its service, and with what to do', async () => {
	const services = { api: { image: 'acme/api:1.2' } };
	const denied = await refusalOf('pull access denied for acme/api, repository does not exist', services);
	assert.match(
		denied.problem,
		/^Images: expected acme\/api:1\.2 for api; it is not on this machine, and to pull it failed; its last lines:\n {4}pull access/,
	);
	assert.match(
		denied.remedy,
		/^log in to its registry \(docker login\), if it is private, or correct its name .*, or have it built \(give api "build"/,
	);
	const away = await refusalOf('lookup registry-1.docker.io: no such host', services);
	assert.match(away.remedy, /^load it by hand \(docker load\), or have it built/);
});

test('the container of a step that failed goes with the build, and none that others had before', async () => {
	const [own, before, others] = ['a', 'b', 'c'].map((digit) => digit.repeat(12));
	const removed = [] as string[];
	mock.method(docker, 'getContainer', (id: string) => ({
		inspect: async () => ({
			Created: new Date(id === before ? 0 : Date.now()).toISOString(),
			Config: { Labels: id === others ? { 'com.docker.compose.project': 'theirs' } : null },
		}),
		remove: async () => removed.push(id),
	}));
	const lines = [own, before, others].map((id) => ` ---> Running in ${id}`).join('\n');
	const { problem } = await refusalOf(lines, { api: BUILT });
	assert.match(problem, /Building api failed/);
	assert.deepEqual(removed, [own]);
});

test('what a builder says of a Dockerfile outside of the folder is not shown', async () => {
	const words = 'dockerfile parse error line 1: unknown instruction: KEY=SECRET';
	const build = { context: os.tmpdir(), dockerfile: '/etc/hostname' };
	const { problem } = await refusalOf(words, { api: { build } });
	assert.match(problem, /nothing of what it says is shown, because it read .*: \/etc\/hostname$/);
	assert.match((await refusalOf(words, { api: BUILT })).problem, /KEY=SECRET/);
});
