import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModels } from './compose-model.ts';
import { copiesIn, withDockerfiles } from './dockerfile.ts';

/** A service that is built from it. */
function declaredBy(text: string, build: { target?: string; args?: Record<string, string> } = {}) {
	const services = { one: { build: { context: '/p', dockerfile_inline: text, ...build } } };
	const [{ image, ports, command, environment }] = withDockerfiles(serviceModels({ name: 'run', services }), { services }, () => null);
	return { image, ports, command, environment };
}

const TWO_STAGES = `# syntax=docker/dockerfile:1
ARG VERSION=1.27
FROM node:24 AS build
RUN npm ci && \\
    npm run build
CMD ["npm", "start"]

FROM --platform=linux/amd64 nginx:\${VERSION}-alpine
COPY --from=build /app/dist /usr/share/nginx/html
EXPOSE 80 443/tcp 443/udp
`;

const pick = ({ image, ports, command }: ReturnType<typeof declaredBy>) => ({ image, ports, command });

test('the last stage is what is run, and its image may have a variable in its name', () => {
	assert.deepEqual(pick(declaredBy(TWO_STAGES)), { image: 'nginx:1.27-alpine', ports: [80, 443], command: [] });
	assert.equal(declaredBy(TWO_STAGES, { args: { VERSION: '1.22' } }).image, 'nginx:1.22-alpine');
});

test('a stage that is named is run in its place', () => {
	assert.deepEqual(pick(declaredBy(TWO_STAGES, { target: 'Build' })), { image: 'node:24', ports: [], command: ['npm', 'start'] });
});

test('a stage that begins with another has what that one has, until it says otherwise', () => {
	const text =
		'FROM python:3 AS base\nEXPOSE 8000\nENTRYPOINT ["/entry.sh"]\nCMD gunicorn web:app\nFROM base AS prod\nCMD ["uvicorn", "web:app"]\n';
	assert.deepEqual(pick(declaredBy(text)), { image: 'python:3', ports: [8000], command: ['/entry.sh', 'uvicorn', 'web:app'] });
	assert.deepEqual(declaredBy(text, { target: 'base' }).command, ['/entry.sh', 'gunicorn', 'web:app']);
});

test('variables of a stage are those of the one that it begins with, and its own', () => {
	const text = 'FROM a AS base\nENV ONE=1 \\\n    TWO="two words"\nFROM base\nENV THREE all of it\nENV ONE=one\n';
	assert.deepEqual(declaredBy(text).environment, { ONE: 'one', TWO: 'two words', THREE: 'all of it' });
	assert.deepEqual(declaredBy(text, { target: 'base' }).environment, { ONE: '1', TWO: 'two words' });
});

test('comments within an instruction, a text that is written in place and another sign at the ends of lines are read as the builder does', () => {
	const commented = 'FROM a\nENV ONE=1 \\\n# about two\n  TWO=2\n';
	assert.deepEqual(declaredBy(commented).environment, { ONE: '1', TWO: '2' });
	const inPlace = 'FROM a\nRUN <<EOF\nEXPOSE 1\nCOPY x y\nEOF\nEXPOSE 2\n';
	assert.deepEqual([declaredBy(inPlace).ports, copiesIn(inPlace)], [[2], []]);
	assert.deepEqual(declaredBy('# escape=`\nFROM a\nENV ONE=1 `\n  TWO=2\n').environment, { ONE: '1', TWO: '2' });
});

test('what is copied from the folder of a build, and not from another stage', () => {
	const text = 'FROM a\nCOPY --from=b /x /y\nCOPY --chown=1:1 a.conf b.conf \\\n  /etc/x/\nADD ["c d", "/e"]\n';
	assert.deepEqual(copiesIn(text), [
		{ sources: ['a.conf', 'b.conf'], target: '/etc/x/' },
		{ sources: ['c d'], target: '/e' },
	]);
});

test('values of values are taken as far as they are short', () => {
	const lines = Array.from({ length: 60 }, (_, at) => `ARG A${at + 1}=$A${at}$A${at}`);
	assert.ok(declaredBy(['ARG A0=xx', ...lines, 'FROM node:22$A60'].join('\n')).image.length < 5000);
});

test('what is no Dockerfile tells nothing', () => {
	assert.deepEqual(declaredBy('hello'), { image: '', ports: [], command: [], environment: {} });
	assert.deepEqual(declaredBy(''), { image: '', ports: [], command: [], environment: {} });
});

test('a service has what its Dockerfile tells where the Compose file says nothing', () => {
	const config = {
		name: 'run',
		services: {
			edge: { build: { context: '/shop/edge' } },
			api: { build: { context: '/shop', dockerfile: 'api.Dockerfile' }, command: ['node', 'api.js'], expose: ['3000'] },
			store: { image: 'postgres:15' },
			gone: { build: { context: '/shop/gone' } },
		},
	};
	const files: Record<string, string> = {
		'/shop/edge/Dockerfile': TWO_STAGES,
		'/shop/api.Dockerfile': 'FROM node:24\nEXPOSE 80\nCMD ["sh"]',
	};
	const declared = withDockerfiles(serviceModels(config), config, (file) => files[file] ?? null);
	assert.deepEqual(
		declared.map(({ service, image, ports, command }) => [service, image, ports, command]),
		[
			['edge', 'nginx:1.27-alpine', [80, 443], []],
			['api', 'node:24', [3000], ['node', 'api.js']],
			['store', 'postgres:15', [], []],
			['gone', '', [], []],
		],
	);
});

test('what another is built from, and that is given no command, is a base', () => {
	const services = { base: { image: 'acme/base' }, same: { image: 'acme/base', command: ['web'] }, web: { build: { context: '/p' } } };
	const models = withDockerfiles(serviceModels({ name: 'run', services }), { services }, () => 'FROM acme/base\n');
	assert.deepEqual(
		models.map(({ isBase = false }) => isBase),
		[true, false, false],
	);
});
