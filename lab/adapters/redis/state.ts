/** How the lab asks Redis for its state, inside the container. */

import type { Container } from '../contract.ts';
import { stateIn } from './info.ts';

const LIMIT_MS = 900;
/**
 * No answer has a key or a value: MONITOR would. A password is used only where the container's own environment
 * has it, and never leaves the container (REDISCLI_AUTH is redis-cli's own; Bitnami's images have the other two).
 */
const CLIENT = `cli=$(command -v redis-cli || command -v valkey-cli || command -v keydb-cli) || exit 127
password=\${REDISCLI_AUTH:-\${REDIS_PASSWORD:-\${VALKEY_PASSWORD:-}}}
[ -n "$password" ] && export REDISCLI_AUTH="$password" VALKEYCLI_AUTH="$password"`;
const SCRIPT = `${CLIENT}
"$cli" INFO`;
/** Of the lists and sorted sets whose keys the container's own environment has; a key that is not there is an empty one. */
const BACKLOG = `${CLIENT}
set -- $QUEUE_KEYS
[ $# -gt 0 ] && "$cli" EVAL "
  local count = 0
  for _, key in ipairs(KEYS) do
    local kind = redis.call('TYPE', key).ok
    if kind == 'list' then count = count + redis.call('LLEN', key) end
    if kind == 'zset' then count = count + redis.call('ZCARD', key) end
  end
  return count" $# "$@"`;

const REFUSED = /max number of clients/;

/** @returns `{ refused: true }` when no connection was left for the lab either; null when it cannot be asked */
export async function sampleState(container: Container): Promise<object | null> {
	const { output } = await container.execute(['sh', '-c', SCRIPT], LIMIT_MS);
	return stateIn(output) ?? (REFUSED.test(output) ? { refused: true } : null);
}

/** @returns entries of the lists and sorted sets that are named in QUEUE_KEYS; null where none is, or there is no answer */
export async function backlogOf(container: Container): Promise<number | null> {
	const { exitCode, output } = await container.execute(['sh', '-c', BACKLOG], LIMIT_MS);
	const text = output.trim();
	return exitCode === 0 && /^\d+$/.test(text) ? Number(text) : null;
}
