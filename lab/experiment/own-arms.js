/**
 * The two arms of a comparison of a user's own system, and what is worth knowing of them before the first run.
 *
 * @typedef {import('../attach/project-schema.js').Project} Project
 * @typedef {import('../attach/resolve-side.js').ResolvedSide} ResolvedSide
 * @typedef {import('../attach/side.js').Side} Side
 * @typedef {import('../define/arms.js').Arm} Arm
 */
import { PROJECT_FILE } from '../attach/project-schema.js';
import { changedFiles } from '../attach/revision.js';
import { labelOfSide, titleOfSide } from '../attach/side.js';
import { absentServices } from '../attach/side-project.js';
import { isSameSystem, tellApart } from '../define/arms.js';

/** Of a list that is too long for a line. */
const FILES_NAMED = 5;

/**
 * @param {Pick<ResolvedSide, 'side' | 'commit' | 'compose' | 'models' | 'fingerprint'>[]} resolved  both sides
 * @param {Project} project
 * @param {string} name  of the system
 * @returns {[Arm, Arm]}
 */
export function armsOf(resolved, project, name) {
  const services = resolved.map(({ models }) => models.map(({ service }) => service));
  const [base, other] = resolved.map(({ side, commit, compose, fingerprint }, index) => ({
    id: labelOfSide(side, name),
    architecture: name,
    variables: side.variables,
    own: {
      title: titleOfSide(side, name, commit),
      given: side.given,
      ...(Object.keys(side.options).length > 0 ? { options: side.options } : {}),
      compose,
      commit,
      absent: absentServices(project, services[index], services[1 - index]),
      fingerprint,
    },
  }));
  return tellApart(base, other);
}

/**
 * @param {object} given
 * @param {[Arm, Arm]} given.arms
 * @param {Side[]} given.sides
 * @param {string} given.folder  of doubletake.yaml
 * @param {Project} given.project
 * @returns {Promise<string[]>} a sentence for each
 */
export async function notesOfArms({ arms: [base, other], sides, folder, project: { load } }) {
  const revisions = sides.flatMap(({ revision }) => (revision === null ? [] : [`rev:${revision}`]));
  // The load is that of the folder in either case.
  const ofFolder = [PROJECT_FILE, ...[load.openapi ?? load.script ?? []].flat()];
  const changed = revisions.length === 0 ? [] : await changedFiles(folder, ofFolder);
  return [
    ...(changed.length > 0 ? [`not committed, and so not in ${[...new Set(revisions)].join(' and ')}: ${listed(changed)}.`] : []),
    ...(isSameSystem(base, other) ? [`to Compose ${base.id} and ${other.id} are one system: this is an A/A control.`] : []),
  ];
}

/** @param {string[]} files */
function listed(files) {
  const more = files.length - FILES_NAMED;
  return [...files.slice(0, FILES_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
