/**
 * Files of this machine that a Compose file hands to its services. Of one that is not there the engine makes an empty folder of the
 * superuser's, in the user's own, and the service fails at something else.
 */
import { NotReadyError } from '../define/errors.js';

/**
 * What a service may write to is left out: such a folder is made on purpose.
 * @param {any} config  as Compose has resolved it
 * @param {(path: string) => boolean} isThere
 * @throws {NotReadyError} naming each that is not there
 */
export function refuseMissingFiles(config, isThere) {
  const missing = handedOut(config).filter(({ source }) => source !== '' && !isThere(source));
  if (missing.length === 0) return;
  const lines = missing.map(({ source, by }) => `\n    ${source}, ${by}`);
  throw new NotReadyError(
    `The Compose file: expected the files of this machine that it names; found none at:${lines.join('')}`,
    'create each (often there is an example of it to copy), or correct its path.',
  );
}

/** @param {any} config @returns {{ source: string, by: string }[]} */
function handedOut({ services = {}, secrets = {}, configs = {} }) {
  const all = /** @type {[string, any][]} */ (Object.entries(services));
  const mounted = all.flatMap(([service, { volumes = [] }]) =>
    volumes
      .filter((/** @type {any} */ { type, read_only: readOnly }) => type === 'bind' && readOnly === true)
      .map((/** @type {any} */ { source }) => ({ source: literal(source), by: `which ${service} mounts` })),
  );
  const given = [
    ...Object.entries(secrets).map(([name, { file }]) => ({ source: literal(file), by: `the secret "${name}"` })),
    ...Object.entries(configs).map(([name, { file }]) => ({ source: literal(file), by: `the config "${name}"` })),
  ];
  return [...mounted, ...given];
}

/** `config` doubles every dollar sign. @param {unknown} value */
const literal = (value) => String(value ?? '').replaceAll('$$', () => '$');
