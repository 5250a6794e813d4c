/**
 * The manifests of every system are what Kubernetes and the k6-operator take, by their schemas; nothing was run.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { Deployment } from 'kubernetes-models/apps/v1';
import { ConfigMap, Namespace, Pod, Service } from 'kubernetes-models/v1';
import { architectures, profileOf } from '../../lab/catalog/architectures.ts';
import { manifestsOf } from '../../lab/extras/kubernetes/manifests.ts';
import { modelOf, withProfiles } from './shipped-models.ts';

const KINDS: Record<string, new (manifest: any) => { validate: () => void }> = { ConfigMap, Deployment, Namespace, Service };

const text = { type: 'string' };
const object = { type: 'object' };
const list = { type: 'array', items: object };
/**
 * What a TestRun of the k6-operator may have, of api/v1alpha1/testrun_types.go at commit 0541ec5 (https://github.com/grafana/k6-operator).
 * What it takes over from a pod is checked as part of one.
 */
const TEST_RUN = new Ajv({ allErrors: true }).compile({
	type: 'object',
	required: ['script', 'parallelism'],
	additionalProperties: false,
	properties: {
		script: { type: 'object', required: ['localFile'], additionalProperties: false, properties: { localFile: text } },
		parallelism: { type: 'integer', minimum: 1 },
		separate: { type: 'boolean' },
		arguments: text,
		cleanup: { enum: ['post'] },
		quiet: text,
		paused: text,
		runner: {
			type: 'object',
			additionalProperties: false,
			properties: {
				image: text,
				nodeSelector: object,
				env: list,
				volumes: list,
				volumeMounts: list,
				resources: object,
				securityContext: object,
				containerSecurityContext: object,
			},
		},
	},
});

/** The runner's parts as the pod that the operator makes of them. */
function podOf({ metadata, spec: { runner } }: any) {
	const { image, env, resources, volumeMounts, containerSecurityContext, ...pod } = runner;
	return {
		apiVersion: 'v1',
		kind: 'Pod',
		metadata,
		spec: { ...pod, containers: [{ name: 'k6', image, env, resources, volumeMounts, securityContext: containerSecurityContext }] },
	};
}

function check(manifest: any) {
	if (manifest.kind !== 'TestRun') {
		new KINDS[manifest.kind](manifest).validate();
		return;
	}
	assert.ok(TEST_RUN(manifest.spec), JSON.stringify(TEST_RUN.errors));
	new Pod(podOf(manifest)).validate();
}

test('what is no manifest is refused', () => {
	assert.throws(() => check({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec: { replicas: 'one' } }));
	assert.throws(() => check({ kind: 'TestRun', spec: { parallelism: 1, script: { localFile: '/a.js' }, paralellism: 2, runner: {} } }));
});

for (const [id, { entry }] of Object.entries(architectures)) {
	if (entry === undefined) continue;
	test(`the manifests of ${id} are taken`, async () => {
		const model = withProfiles(await modelOf(id), [profileOf(id), 'load']);
		const { manifests } = manifestsOf(model, { filesIn: () => ['a.conf', 'b/c.conf'], read: () => 'x', generators: 2 });
		const kinds = manifests.map(({ kind }) => kind);
		assert.equal(kinds.filter((kind) => kind === 'Deployment').length, Object.keys(model.services).length - 1);
		assert.equal(kinds.at(-1), 'TestRun');
		for (const manifest of manifests) check(manifest);
	});
}
