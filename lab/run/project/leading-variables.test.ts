import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveSide } from './checked-system.ts';

test('an arm gives no variable that programs of this machine obey', async () => {
	for (const name of ['PATH', 'GIT_SSH_COMMAND', 'BASH_ENV', 'LD_PRELOAD', 'CLOUDSDK_PYTHON'])
		await assert.rejects(
			resolveSide({ option: 'A', variables: { [name]: './bin' }, revision: null, files: null } as any, {
				...{ folder: '/', project: { compose: ['compose.yaml'], load: {} } as any, checkouts: null as any },
			}),
			{ name: 'NotReadyError', message: new RegExp(`found ${name}, which programs of this machine obey`) },
		);
});
