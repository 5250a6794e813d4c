/**
 * A running container, as an adapter may ask it.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { readContainerFile } from './container-file.js';
import { executeToEnd } from './docker.js';

/**
 * @typedef {import('../adapters/contract.js').Container} Container
 * @typedef {(containerId: string, command: string[]) => Promise<{ exitCode: number, output: string }>} Execute
 */

/** Each question has a limit of its own, and is known to run until it has ended. @type {Execute} */
const executeUnbounded = (id, command) => executeToEnd(id, command, { limitMs: null });

/**
 * @param {Pick<import('./containers.js').Service, 'id' | 'service' | 'address'>} service
 * @param {Execute} [execute]
 * @returns {Container} that refuses a command while one whose time is over still runs in it: the engine cannot end such a one
 */
export function containerOf({ id, service, address }, execute = executeUnbounded) {
  let overdue = 0;
  return {
    service,
    address,
    execute: async (command, limitMs) => {
      if (overdue > 0) throw new Error(`${service} still runs an earlier command.`);
      const executed = execute(id, command);
      const inTime = new AbortController();
      const limit = wait(limitMs, null, { signal: inTime.signal });
      // What is not waited for any more must not be an unhandled rejection.
      limit.catch(() => {});
      try {
        const answer = await Promise.race([executed, limit]);
        if (answer !== null) return answer;
      } finally {
        inTime.abort();
      }
      overdue += 1;
      const ended = () => {
        overdue -= 1;
      };
      executed.then(ended, ended);
      throw new Error(`${service} did not answer ${command[0]} in ${limitMs} ms.`);
    },
    readFile: (path) => readContainerFile(id, path),
  };
}
