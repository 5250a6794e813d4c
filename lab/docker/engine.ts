/** Whether there is an engine that answers. */

import { UnreadyMachineError } from '../base/errors.ts';
import { docker } from './docker.ts';

/**
 * @returns the engine and its version
 * @throws {UnreadyMachineError}
 */
export async function checkEngine(): Promise<string> {
	try {
		const { Version, Platform } = await docker.version();
		return `${Platform?.Name || 'Docker Engine'} ${Version}`;
	} catch (error) {
		throw new UnreadyMachineError(
			`Expected a Docker Engine that answers; found: ${error instanceof Error ? error.message : error}.`,
			'start Docker, and where its socket is another one ("docker context ls" names it), set DOCKER_HOST to that; on Debian as root Doubletake installs the engine by itself.',
		);
	}
}
