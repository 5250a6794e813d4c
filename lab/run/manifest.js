/**
 * The manifest of a run as far as it is known before it, whatever is run.
 */
import { MANIFEST_SCHEMA_VERSION } from '../base/paths.js';
import { describeMachine } from '../docker/describe-machine.js';
import { readCommit } from './components.js';

/**
 * @param {import('./preflight.js').Preflight} checks
 * @param {Record<string, unknown>} own  what is run, and how
 * @returns {Promise<import('./recorded-run.js').Manifest>}
 */
export async function beginManifest(checks, own) {
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
