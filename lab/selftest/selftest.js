/**
 * The test of the diagnosis itself: known faults, one at a time, and whether the ledger names tier and cause.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { analyseRun } from '../analyse/result.js';
import { calibrationFor } from '../calibrate.js';
import { EXIT, NotReadyError } from '../define/errors.js';
import { faults } from '../define/faults.js';
import { REPORTS } from '../define/paths.js';
import { readSettings } from '../define/settings.js';
import { takeLock } from '../measure/lock.js';
import { createProgress } from '../measure/progress.js';
import { measureRun } from '../measure/run.js';
import { classify, isRight } from './classify.js';
import { prepareInjection } from './inject.js';
import { formatMatrix } from './matrix.js';

/**
 * @param {Record<string, string | undefined>} env  FAULTS: `all` (default), `short`, or ids with commas between
 * @param {AbortSignal} signal
 * @returns {Promise<number>} exit code: 0 when every diagnosis is right
 */
export async function selftest(env, signal) {
  const chosen = chooseFaults(env.FAULTS || 'all');
  const release = takeLock();
  const progress = createProgress(process.stdout);
  /** @type {import('./matrix.js').Verdict[]} */
  const verdicts = [];
  try {
    for (const [index, id] of chosen.entries()) {
      progress.say(`fault ${index + 1} of ${chosen.length}: ${faults[id].title}`);
      const verdict = await tryFault(id, env, progress, signal);
      signal.throwIfAborted();
      verdicts.push(verdict);
      progress.say(
        `${verdict.right ? 'right' : 'WRONG'}: ${verdict.found.tier}, ${verdict.found.cause}; ${verdict.failures} of ${verdict.requests} failed, ${verdict.unattributed} unattributed`,
      );
    }
  } finally {
    release();
  }
  const wrong = verdicts.filter(({ right }) => !right).length;
  const text = `${formatMatrix(verdicts)}\n\n${verdicts.length - wrong} of ${verdicts.length} faults were diagnosed rightly.\n`;
  await mkdir(join(REPORTS, 'selftest'), { recursive: true });
  await writeFile(join(REPORTS, 'selftest', 'matrix.md'), text);
  process.stdout.write(`\n${text}`);
  return wrong === 0 ? EXIT.done : EXIT.invalidRun;
}

/** @param {string} wanted @returns {string[]} ids */
function chooseFaults(wanted) {
  if (wanted === 'all') return Object.keys(faults);
  if (wanted === 'short') return Object.keys(faults).filter((id) => faults[id].short);
  const ids = wanted.split(',');
  const unknown = ids.filter((id) => !faults[id]);
  if (unknown.length === 0) return ids;
  throw new NotReadyError(
    `FAULTS: expected all, short or some of ${Object.keys(faults).join(', ')}; found "${unknown.join(', ')}".`,
    'use these names.',
  );
}

/** @type {(id: string, env: Record<string, string | undefined>, progress: import('../measure/progress.js').Progress, signal: AbortSignal) => Promise<import('./matrix.js').Verdict>} */
async function tryFault(id, env, progress, signal) {
  const fault = faults[id];
  const settings = readSettings(fault.architecture, { ...env, LOAD: fault.load });
  const calibration = await calibrationFor({ settings, progress, signal });
  const injection = await prepareInjection(fault);
  try {
    const { folder } = await measureRun({ settings, progress, signal, calibration, injection });
    const result = await analyseRun(folder);
    const found = classify(result);
    return {
      id,
      title: fault.title,
      expected: fault.expected,
      found,
      right: isRight(fault.expected, found),
      failures: result.metrics.failures,
      requests: result.metrics.requests,
      unattributed: result.ledger.unattributed,
    };
  } finally {
    await injection.remove();
  }
}
