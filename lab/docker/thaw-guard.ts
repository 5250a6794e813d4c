/**
 * Lets containers go on that stand still for a moment, should the lab be ended by force in that moment: a shell beside it waits for the end of a
 * pipe, which comes with that of the lab, however it ends.
 */

import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/** A word says that nothing stands still any more. Those that do not stand still are not found by this, and nothing is said of it. */
const GUARD = `
trap '' INT TERM HUP
read -r word && exit 0
for id do docker unpause "$id"; done
`;

/**
 * @param ids of containers that are paused for moments from now on
 * @returns to be called when none is any more
 */
export function guardPaused(ids: string[]): () => void {
	if (ids.length === 0) return () => {};
	// In the environment of the lab, so that it asks the same engine.
	const child = spawn('/bin/sh', ['-c', GUARD, 'sh', ...ids], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
	// Where there is no such shell, the next run does it.
	child.on('error', () => {});
	child.stdin?.on('error', () => {});
	child.unref();
	(child.stdin as Socket).unref();
	return () => void child.stdin?.end('over\n');
}
