/**
 * A service may have a name that every object of JavaScript has, such as `constructor` or `__proto__`. Before a run nothing is looked up by a name of
 * the user's in an object that may lack it, and nothing is put into one by assigning to it: for the time of this test every object has such a
 * name.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyAdapter } from '../../adapters/registry.ts';
import { parseProject, writeProject } from '../../catalog/project-file.ts';
import { readSettings } from '../../options/settings.ts';
import { serviceModels } from '../../target/compose-model.ts';
import { detectTiers } from '../../target/detect.ts';
import { lookWith } from '../../target/dockerfile.ts';
import { configOf } from '../../target/fixtures/systems.ts';
import { chooseProject } from '../../target/init.ts';
import { overlayText } from '../../target/overlay.ts';
import { checkConfig } from './checked-system.ts';

const NAMES = Array.from({ length: 8 }, (_, index) => `qq${index}x`);

/** @returns where a name was looked up in an object that does not have it itself, or assigned to one */
function lookedUp(act: () => void): string[] {
	const found: Set<string> = new Set();
	const note = () => found.add(/lab\/(?!.*\.test\.ts)[^)\n]*/.exec(String(new Error().stack))?.[0] ?? 'elsewhere');
	for (const name of NAMES)
		Object.defineProperty(Object.prototype, name, {
			configurable: true,
			get() {
				note();
			},
			set(value) {
				note();
				Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
			},
		});
	try {
		act();
	} finally {
		for (const name of NAMES) delete (Object.prototype as any)[name];
	}
	return [...found].sort();
}

/** All that is known before a run. */
function before(config: any) {
	const models = serviceModels(config);
	const detections = detectTiers(models, everyAdapter);
	const project = parseProject(writeProject(chooseProject(detections, models, ['compose.yaml'])), 'doubletake.yaml');
	const settings = readSettings('shop', {}, { allowData: true });
	const checked = checkConfig(config, { project, settings, read: () => null, look: lookWith() });
	const places = { writtenFolder: '/w', servicesFolder: '/s', copiesFolder: '/c' };
	const generator = { image: 'k6', user: '1:1', environment: {}, mounts: [] };
	const run = { ...places, generator, images: {}, changes: checked.copy.changes('/f') };
	return overlayText({ models: checked.models, project, parts: checked.parts, run });
}

for (const name of ['hostile', 'notes', 'shop'] as const)
	test(`of ${name} nothing is looked up by a name in an object that may lack it`, () => {
		const config = configOf(name);
		const services = Object.keys(config.services).slice(0, NAMES.length);
		const text = services.reduce(
			(found, service, index) => found.replaceAll(new RegExp(`(?<=["/@,])${service}(?=["/:,@])`, 'g'), NAMES[index]),
			JSON.stringify(config),
		);
		let overlay = '';
		assert.deepEqual(
			lookedUp(() => {
				overlay = before(JSON.parse(text));
			}),
			[],
		);
		assert.ok(overlay.includes(NAMES[0]));
	});
