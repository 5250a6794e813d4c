import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveSide } from './checked-system.ts';

test('an arm gives no variable that programs of this machine obey', async () => {
	for (const name of ['PATH', 'GIT_SSH_COMMAND', 'BASH_ENV', 'LD_PRELOAD', 'CLOUDSDK_PYTHON'])
		await assert.rejects(
			resolveSide(/** @type {any} */ ({ option: 'A', variables: { [name]: './bin' }, revision: null, files: null }), {
				...{ folder: '/', project: /** @type {any} */ ({ compose: ['compose.yaml'], load: {} }), checkouts: /** @type {any} */ (null) },
			}),
			{ name: 'NotReadyError', message: new RegExp(`found ${name}, which programs of this machine obey`) },
		);
});
