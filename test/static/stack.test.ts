/**
 * The stack of every system is its Compose file: made of it now, it holds each service as Compose has it, and what it lacks is known.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { architectures, profileOf } from '../../lab/catalog/architectures.ts';
import { stackOf } from '../../lab/extras/swarm/stack-file.ts';
import { modelOf, withProfiles } from './shipped-models.ts';

/** What a shipped system says and a stack has not. */
const KNOWN = ['ports', 'security_opt'];
/** As both say it. */
const ALIKE = ['image', 'environment', 'networks', 'labels', 'user', 'read_only', 'cap_drop', 'healthcheck', 'ulimits'];

for (const id of Object.keys(architectures))
	test(`the stack of ${id} is its Compose file`, async () => {
		const model = withProfiles(await modelOf(id), [profileOf(id)]);
		const { stack, ignored } = stackOf(model, { filesIn: () => ['a.conf'], read: () => '' });
		assert.deepEqual(Object.keys(stack.services), Object.keys(model.services));
		for (const [name, service] of Object.entries<any>(model.services)) {
			for (const field of ALIKE) assert.deepEqual(stack.services[name][field] ?? null, service[field] ?? null, `${name}: ${field}`);
			const mounted = [...stack.services[name].volumes, ...stack.services[name].configs].map(({ target }) => target);
			for (const { target } of service.volumes ?? [])
				assert.ok(
					mounted.some((path) => path === target || path === `${target}/a.conf`),
					`${name}: ${target}`,
				);
		}
		assert.deepEqual(
			[...new Set(ignored.map(({ field }) => field))].filter((field) => !KNOWN.includes(field)),
			[],
		);
	});
