/**
 * What one side of a comparison comes to: its files, the commit that they are of, and what Compose makes of them. Whatever would keep
 * it from being run as it is meant is told here, before anything is measured.
 *
 * @typedef {object} ResolvedSide
 * @property {import('../../target/side.js').Side} side
 * @property {string | null} commit
 * @property {string[]} compose     files, in their order
 * @property {any} config           as Compose resolves them
 * @property {AttachedService[]} models
 * @property {string} fingerprint
 *
 * @typedef {import('../../target/compose-model.js').AttachedService} AttachedService
 */
import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { NotReadyError } from '../../base/errors.js';
import { kindOf } from '../../base/option-kinds.js';
import { refuseExpansion } from '../../catalog/alias-expansion.js';
import { readConfig } from '../../docker/compose.js';
import { newRunProject } from '../../docker/system.js';
import { serviceModels } from '../../target/compose-model.js';
import { findCommit } from '../../target/revision.js';
import { readSupplied, suppliedSystem } from '../../target/supplied-config.js';
import { refuseIdleVariables } from '../../target/variable-effect.js';
import { readIfThere } from './checked-system.js';
import { configFingerprint } from './fingerprint.js';

/**
 * @param {import('../../target/side.js').Side} side
 * @param {object} given
 * @param {string} given.folder  of doubletake.yaml, absolute
 * @param {import('../../catalog/project-schema.js').Project} given.project
 * @param {import('../../target/revision.js').Checkouts} given.checkouts
 * @returns {Promise<ResolvedSide>}
 * @throws {NotReadyError}
 */
export async function resolveSide(side, { folder, project, checkouts }) {
  const commit = side.revision === null ? null : await findCommit(side.option, folder, side.revision);
  const place = commit === null ? { folder, root: folder } : await checkouts.at(commit);
  refuseOddValues(side, project);
  const compose = side.files ?? project.compose;
  refuseMissingFile(side, compose, place.folder);
  refuseExpansion(place.folder, compose);
  const runProject = newRunProject();
  const given = { project: runProject, folder: place.folder, files: compose, env: side.variables };
  const { config, supplies } = await readSupplied(given, readIfThere);
  const ask = (/** @type {Record<string, string>} */ env) =>
    readConfig(suppliedSystem({ project: runProject, folder: place.folder, files: compose, env }, supplies), {});
  await refuseIdleVariables({
    side,
    files: compose,
    resolved: (variables) =>
      ask(variables).then(
        (made) => JSON.stringify(made),
        () => null,
      ),
  });
  const models = serviceModels(config);
  if (commit !== null) refuseMissingMount(side, models, place.root);
  return { side, commit, compose, config, models, fingerprint: configFingerprint(config, { runProject, root: place.root }) };
}

/** Of a variable that doubletake.yaml describes. @type {(side: import('../../target/side.js').Side, project: Pick<import('../../catalog/project-schema.js').Project, 'variables'>) => void} */
export function refuseOddValues({ option, variables }, { variables: known = {} }) {
  for (const [name, value] of Object.entries(variables))
    if (Object.hasOwn(known, name)) kindOf(known[name]).parse(`${option} ${name}`, value);
}

/** @type {(side: import('../../target/side.js').Side, files: string[], folder: string) => void} */
export function refuseMissingFile({ option, revision }, files, folder) {
  const missing = files.find((file) => !existsSync(resolve(folder, file)));
  if (missing === undefined) return;
  const where = revision === null ? `in ${folder}` : `in the revision ${revision}`;
  throw new NotReadyError(
    `${option}: expected a Compose file "${missing}" ${where}; found none.`,
    'give Compose files with commas between, NAME=value, or rev:REVISION.',
  );
}

/**
 * Docker would make an empty folder of a file that is not there.
 * @type {(side: import('../../target/side.js').Side, models: Pick<AttachedService, 'service' | 'mounts'>[], root: string) => void}
 */
export function refuseMissingMount({ option, revision }, models, root) {
  for (const { service, mounts } of models) {
    const missing = mounts.find(({ type, source }) => type === 'bind' && source.startsWith(`${root}/`) && !existsSync(source));
    if (missing)
      throw new NotReadyError(
        `${option}: expected ${relative(root, missing.source)} in the revision ${revision}, because ${service} mounts it; found none.`,
        'commit it, or compare without a revision.',
      );
  }
}
