/**
 * One run of a user's own system.
 */
import { captureOf } from '../capture/run-capture.js';
import { runTarget } from '../run-target.js';
import { projectTarget } from './project-target.js';

/**
 * @param {import('./project-target.js').ProjectRun & Omit<import('../run-target.js').RunOptions, 'injection' | 'captureOf'>} options
 */
export async function measureProject({ folder, project, settings, side, injection, ...around }) {
  const target = await projectTarget({ folder, project, settings, side, injection }, around.progress.say);
  return runTarget(target, { ...around, injection, captureOf });
}
