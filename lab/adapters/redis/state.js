/**
 * How the lab asks Redis for its state, inside the container.
 */
import { stateIn } from './info.js';

const LIMIT_MS = 900;
/**
 * No answer has a key or a value: SLOWLOG GET and MONITOR would. A password is used only where the container's own environment
 * has it, and never leaves the container (REDISCLI_AUTH is redis-cli's own; Bitnami's images have the other two).
 */
const SCRIPT = `cli=$(command -v redis-cli || command -v valkey-cli || command -v keydb-cli) || exit 127
password=\${REDISCLI_AUTH:-\${REDIS_PASSWORD:-\${VALKEY_PASSWORD:-}}}
[ -n "$password" ] && export REDISCLI_AUTH="$password" VALKEYCLI_AUTH="$password"
printf 'INFO\\nSLOWLOG LEN\\n' | "$cli"`;

const REFUSED = /max number of clients/;

/**
 * @param {import('../contract.js').Container} container
 * @returns {Promise<object | null>} `{ refused: true }` when no connection was left for the lab either; null when it cannot be asked
 */
export async function sampleState(container) {
  const { output } = await container.execute(['sh', '-c', SCRIPT], LIMIT_MS);
  return stateIn(output) ?? (REFUSED.test(output) ? { refused: true } : null);
}
