import assert from 'node:assert/strict';
import { test } from 'node:test';
import { saying, withDocker } from '../docker/fixtures/docker-program.ts';
import { checkCompose } from './preflight.ts';

test('a version of Compose is enough when its first number that differs is higher', async () => {
	const check = (version: string) => withDocker(saying(version), () => checkCompose());
	for (const version of ['2.24.6', '2.24.10', '2.25', '3.0.0', '10.1.2', '2.24.6-desktop.1', '2.40.3+ds1'])
		assert.equal(await check(`v${version}`), version);
	for (const version of ['2.24.5', '2.24', '2.9.9', '1.29.2', '', 'dev'])
		await assert.rejects(check(version), new RegExp(`^NotReadyError: Expected .* 2\\.24\\.6 or newer; found ${version || 'none'}\\.`));
});
