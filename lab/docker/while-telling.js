/**
 * Says what is waited for while something takes its time: nothing where that is short, and no line twice.
 */
import { setTimeout as wait } from 'node:timers/promises';

const TIMES = { firstMs: 5000, lookMs: 2000 };
/** What changes with each look is no news. */
const LINES_MOST = 10;

/**
 * @template T
 * @param {object} options
 * @param {() => Promise<string>} options.tell  what is waited for now; empty: nothing that is worth a line
 * @param {(text: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @param {typeof TIMES} [options.times]  firstMs: nothing is said before
 * @param {() => Promise<T>} work
 * @returns {Promise<T>} what the work gives
 */
export async function whileTelling({ tell, say, signal, times: { firstMs, lookMs } = TIMES }, work) {
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const telling = async () => {
    const said = new Set(['']);
    await wait(firstMs, undefined, { signal: until });
    while (said.size <= LINES_MOST) {
      const text = await tell();
      if (!until.aborted && !said.has(text)) say(text);
      said.add(text);
      await wait(lookMs, undefined, { signal: until });
    }
  };
  // An engine that does not answer is told by the work, which asks it too.
  const told = telling().catch(() => {});
  try {
    return await work();
  } finally {
    over.abort();
    await told;
  }
}
