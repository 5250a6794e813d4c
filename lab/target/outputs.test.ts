/**
 * Values of environment variables are secrets: nothing of them is in anything that attaching prints or writes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeProject } from '../catalog/project-file.ts';
import { serviceModels } from './compose-model.ts';
import type { Danger } from './dangers.ts';
import { dangersOf, refuseDangers } from './dangers.ts';
import { detectTiers } from './detect.ts';
import { adapters, configOf, runOf, SYSTEMS } from './fixtures/systems.ts';
import { chooseProject, explainProject } from './init.ts';
import { overlayText } from './overlay.ts';
import { notesOf, summariseProject } from './summary.ts';

/** A shorter part of a value, such as `http` or `5432`, tells nothing. */
const TELLING_LETTERS = 6;

/** Secrets of the fixtures that stand elsewhere than in a variable. */
const ELSEWHERE = ['npm_Zx81qqTTv0', 'hunter2-cifs', 's3cr'];

function outputsOf(system: (typeof SYSTEMS)[number]): { outputs: string[]; secrets: string[] } {
	const config = configOf(system);
	const models = serviceModels(config);
	const detections = detectTiers(models, adapters());
	const project = chooseProject(detections, models);
	const dangers = dangersOf(config);
	const parts = Object.fromEntries(
		models.map((model) => {
			const { product, watch } = project.services[model.service];
			return [
				model.service,
				adapters()
					.find((adapter) => adapter.product === product)
					?.overlay(model, watch) ?? {},
			];
		}),
	);
	return {
		outputs: [
			JSON.stringify(detections),
			JSON.stringify(dangers),
			refusalOf(dangers),
			explainProject({ detections, project, dangers, end: '' }),
			summariseProject({ detections, project, notes: notesOf({ dangers, differs: [], fresh: [], place: [] }), end: '' }),
			writeProject(project),
			overlayText({ models, project, parts, run: runOf() }),
		],
		secrets: secretsOf(config),
	};
}

function refusalOf(dangers: Danger[]) {
	try {
		refuseDangers(dangers);
	} catch (error) {
		return String(error);
	}
	return '';
}

/** Values of all variables, whole and in parts, but for what stands in the open too: the name of a service, of an image. */
function secretsOf(config: any) {
	const services = Object.entries<any>(config.services).map(([name, { environment, ...service }]) => [name, service]);
	const open = JSON.stringify({ ...config, services: Object.fromEntries(services) });
	const values = Object.values<any>(config.services).flatMap(({ environment = {} }) => Object.values<any>(environment));
	return values
		.filter((value) => value !== null)
		.flatMap((value) => [value, value.replaceAll('$$', () => '$'), ...value.split(/[^\w-]+/)])
		.filter((part) => part.length >= TELLING_LETTERS && !open.includes(part));
}

for (const system of SYSTEMS)
	test(`no value of an environment variable occurs in any output: ${system}`, () => {
		const { outputs, secrets } = outputsOf(system);
		assert.ok(secrets.length > 2, 'there are secrets to be found');
		for (const output of outputs) for (const secret of [...secrets, ...ELSEWHERE]) assert.ok(!output.includes(secret), secret);
	});

test('the test finds a value where there is one', () => {
	const { outputs, secrets } = outputsOf('hostile');
	assert.ok(secrets.includes('charge-key-9931') && secrets.includes('Tr0ub4dor'));
	const leaking = outputs.map((output) => `${output} Tr0ub4dor`);
	assert.ok(leaking.every((output) => secrets.some((secret) => output.includes(secret))));
});
