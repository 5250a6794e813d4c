/**
 * One run of an architecture under one load.
 */
import { architectureTarget } from './architecture-target.js';
import { runTarget } from './run-target.js';

/**
 * @typedef {Omit<import('./architecture-target.js').ArchitectureRun, 'variables'> & Omit<import('./run-target.js').RunOptions, 'injection'> & { injection?: Injection }} RunOptions
 *
 * @typedef {object} Injection
 * @property {Record<string, string>} variables  for Compose
 * @property {(beganS: number, signal: AbortSignal) => Promise<void>} duringLoad  given the moment the load begins
 *
 * @param {RunOptions} options
 */
export const measureRun = ({ settings, calibration, group, hosts, injection, ...around }) =>
  runTarget(architectureTarget({ settings, calibration, group, hosts, variables: injection?.variables }), {
    ...around,
    ...(injection ? { injection: { duringLoad: (beganS, { signal }) => injection.duringLoad(beganS, signal) } } : {}),
  });
