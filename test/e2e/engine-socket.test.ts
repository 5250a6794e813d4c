/**
 * A proxy that finds its servers by the engine's socket, in a copy: it finds them, and can do nothing else there.
 */
import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { EXIT } from '../../lab/base/errors.ts';
import { ROOT } from '../../lab/base/paths.ts';
import { docker } from '../../lab/docker/docker.ts';
import { assertNothingIsLeft, doubletakeIn, machineImages, RUN_LIMIT_MS } from './commands.ts';

test(
	'a proxy that finds its servers by the engine’s socket finds those of the copy alone, and commands nothing',
	{ timeout: RUN_LIMIT_MS },
	async (t) => {
		const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-found-'));
		t.after(() => rm(folder, { recursive: true, force: true }));
		await cp(join(ROOT, 'test/found'), folder, { recursive: true });
		const images = await machineImages();
		// Somebody else's, which was there before.
		const foreign = await docker.createContainer({ Image: images.NODE_IMAGE, Cmd: ['sleep', '600'], Env: ['VIRTUAL_HOST=web.test'] });
		t.after(() => foreign.remove({ force: true }));
		await foreign.start();
		const variables = { ...images, FOREIGN: foreign.id };
		const init = await doubletakeIn(folder, ['init', '--allow-variable=FOREIGN'], variables);
		assert.equal(init.exitCode, EXIT.done, init.output);
		assert.match(init.output, /edge sends requests on by their Host: the load asks it by web\.test \(web\)\./);
		assert.match(init.output, /edge: in place of the engine’s socket one of the run’s/);
		assert.match(init.output, /agent: left out of the run/);
		const path = join(folder, 'doubletake.yaml');
		const text = await readFile(path, 'utf8');
		const project = parse(text);
		assert.deepEqual(
			[project.entry, project.edges, project.hosts],
			['http://edge:8080/', [['edge', 'web']], { 'web.test': 'http://edge:8080/' }],
		);
		await writeFile(path, text.replace(/edges: .*/, 'edges: []'));
		const seen = await doubletakeIn(folder, ['init', '--observe', '--allow-variable=FOREIGN'], variables);
		assert.equal(seen.exitCode, EXIT.done, seen.output);
		assert.match(seen.output, / {2}edge asks web$/m);
		assert.match(seen.output, /seen on the wire, not in doubletake\.yaml: edge asks web \(http\), \d+ calls?/);
		const { edges, services } = parse(await readFile(path, 'utf8'));
		assert.deepEqual(edges, [['edge', 'web']]);
		// By its image the proxy is a program like another.
		assert.deepEqual([services.edge.tier, services.web.tier], ['app', 'app']);
		// The proxy answers well where the socket refuses what it must.
		assert.doesNotMatch(seen.output, /GET \/ is answered by/);
		assert.equal((await foreign.inspect()).State.Running, true);
		await assertNothingIsLeft();
	},
);
