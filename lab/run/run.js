/**
 * One run of an architecture under one load.
 *
 * @typedef {import('./run-target.js').Injection & { variables?: Record<string, string> }} Injection  variables: for Compose
 */
import { architectureTarget } from './architecture-target.js';
import { runTarget } from './run-target.js';

/** @param {Omit<import('./architecture-target.js').ArchitectureRun, 'variables'> & import('./run-target.js').RunOptions & { injection?: Injection }} options */
export const measureRun = ({ settings, calibration, group, hosts, injection, ...around }) =>
  runTarget(architectureTarget({ settings, calibration, group, hosts, variables: injection?.variables }), { ...around, injection });
