/**
 * What can be measured, whatever it is: an architecture that the lab brings along, or the system of a folder. Which of them is decided here, by
 * what was asked for; who has runs made of it asks it for them.
 *
 * @typedef {object} Measurable
 * @property {string} name          which its runs lie under, unless they are told where
 * @property {import('../options/expect.js').Expectation[]} expect  thresholds that a run is to meet
 * @property {(run: Run) => Promise<{ folder: string, interrupted: boolean, images: Record<string, string> }>} measure  one run, from nothing to
 *   nothing
 *
 * @typedef {Around & Pick<import('../run/run-target.js').RunOptions, 'watcher' | 'injection'> & Differing} Run
 * @typedef {Pick<import('../run/run-target.js').RunOptions, 'progress' | 'signal'>} Around
 *
 * @typedef {object} Differing
 * @property {string} [group]       folder below reports/ that the run's folder is made in
 * @property {boolean} [capture]    whether what passes its networks is recorded; as it was asked for unless given
 *
 * @typedef {object} Asked
 * @property {string} [architecture]  none: the system of the folder
 * @property {string} folder        of doubletake.yaml
 * @property {boolean} allowData    the user has said that what a run could harm may be harmed
 *
 * @typedef {import('../options/settings.js').Settings} Settings
 * @typedef {Omit<import('../run/attach/project-target.js').ProjectRun, 'injection'>} ProjectRun
 */
import { resolve } from 'node:path';
import { acceptedBy, refuseAllBut } from '../options/accepted-options.js';
import { readSettings } from '../options/settings.js';
import { readIfThere } from '../run/attach/checked-system.js';
import { initFirst, readProject, readProjectSettings } from '../run/attach/commands.js';
import { notesOfNames } from '../target/run-options.js';

/**
 * What is wrong with it is told before what measures is loaded, which takes as long again.
 * @param {Asked} asked
 * @param {Record<string, string | undefined>} env
 * @param {import('../cli/reporter.js').Reporter} reporter
 * @returns {Promise<Measurable>}
 * @throws {import('../base/errors.js').NotReadyError} naming what cannot be measured, or what changes nothing about it
 */
export async function openSystem({ architecture, folder, allowData }, env, reporter) {
  if (architecture) {
    const settings = readSettings(architecture, env);
    refuseAllBut(architecture, acceptedBy('run', architecture), env);
    return measurableArchitecture(settings);
  }
  const settings = readProjectSettings(folder, env, allowData);
  await initFirst(folder, reporter);
  const project = await readProject(folder);
  for (const note of notesOfNames(env, project.compose, (file) => readIfThere(resolve(folder, file))))
    reporter.progress.say(`note: ${note}`);
  return { ...measurableFolder({ folder, project, settings }), expect: settings.expect };
}

/**
 * @param {Settings} settings
 * @param {object} [given]
 * @param {import('../options/calibration.js').Calibration | null} [given.calibration]  of all its runs; that of the machine unless given
 * @param {import('../run/architecture-target.js').Hosts} [given.hosts]  that it runs on; this machine alone unless given
 * @returns {Measurable}
 */
export const measurableArchitecture = (settings, given = {}) => ({
  name: settings.architecture,
  expect: settings.expect,
  measure: async ({ group, capture = settings.capture, ...around }) => {
    const { progress, signal, injection } = around;
    const [{ calibrationFor }, { architectureTarget }, { runTarget }] = [
      await import('./calibrate.js'),
      await import('../run/architecture-target.js'),
      await import('../run/run-target.js'),
    ];
    const { calibration = await calibrationFor({ settings, progress, signal }), hosts } = given;
    return runTarget(architectureTarget({ settings: { ...settings, capture }, calibration, group, injection, hosts }), around);
  },
});

/** @param {ProjectRun} given @returns {Measurable} */
export const measurableFolder = ({ settings, ...given }) => ({
  name: settings.name,
  expect: [],
  measure: async ({ group, capture = settings.capture, ...around }) => {
    const [{ projectTarget }, { runTarget }] = [await import('../run/attach/project-target.js'), await import('../run/run-target.js')];
    const target = await projectTarget(
      { ...given, settings: { ...settings, capture }, group, injection: around.injection },
      around.progress.say,
    );
    return runTarget(target, around);
  },
});
