/**
 * Waits until nothing else uses the machine, for a bounded time: it is often just settling from the run before.
 */
import { UnreadyMachineError } from '../base/errors.js';
import { QUIET_BUSY_SHARE } from '../options/quiet.js';

const FIRST_MS = 1000;
/** A quiet second between two busy ones is not enough once the machine was seen to be busy. */
const AGAIN_MS = 5000;
/** The neighbours of a run have a minute to end. */
const AGAIN_TIMES = 12;
const WAIT_S = (AGAIN_MS * AGAIN_TIMES) / 1000;

/**
 * @param {object} options
 * @param {'refuse' | 'allow'} options.busy  what to do on a machine that stays busy
 * @param {(forMs: number) => Promise<number>} options.sample  busy share of all cores, 0 to 1
 * @param {(text: string) => void} options.say
 * @returns {Promise<{ share: number, warnings: string[] }>}
 * @throws {UnreadyMachineError} when the machine stays busy and that is not allowed
 */
export async function waitForQuiet({ busy, sample, say }) {
  let share = await sample(FIRST_MS);
  if (share > QUIET_BUSY_SHARE && busy === 'refuse') {
    say(`the machine is ${percent(share)} busy; waiting up to ${WAIT_S} s for it to be quiet`);
    for (let tries = 0; tries < AGAIN_TIMES && share > QUIET_BUSY_SHARE; tries += 1) share = await sample(AGAIN_MS);
  }
  if (share <= QUIET_BUSY_SHARE) return { share, warnings: [] };
  if (busy === 'allow') return { share, warnings: [`the machine was ${percent(share)} busy before the run: something else is using it`] };
  throw new UnreadyMachineError(
    `Expected a machine that is at most ${percent(QUIET_BUSY_SHARE)} busy before a run; found ${percent(share)}, after waiting ${WAIT_S} s.`,
    'stop the other programs ("top" shows them), or add BUSY=allow: the run is then made, and its result is SUSPECT.',
  );
}

/** @param {number} share */
const percent = (share) => `${Math.round(share * 100)} %`;
