/** The manifest of a run as far as it is known before it, whatever is run. */

import { describeMachine } from '../docker/lock.ts';
import { MANIFEST_SCHEMA_VERSION } from '../record/versions.ts';
import { type Manifest, readCommit } from './components.ts';
import type { Preflight } from './preflight.ts';

/** @param own what is run, and how */
export async function beginManifest(checks: Preflight, own: Record<string, unknown>): Promise<Manifest> {
	return {
		schema: MANIFEST_SCHEMA_VERSION,
		...own,
		machine: {
			...(await describeMachine()),
			engine: checks.engine,
			compose: checks.compose,
			busy_share_before: checks.busy_share,
			clock_offset_s: checks.clock_offset_s,
		},
		git: await readCommit(),
		warnings: checks.warnings,
		interrupted: false,
		started: new Date().toISOString(),
	};
}
