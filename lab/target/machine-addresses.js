/**
 * Addresses of the user's machine in a load of their own: in a run they are those of the services that the Compose file publishes there
 * (k6/lib/own-addresses.js asks them so).
 */
const ADDRESS = /(https?):\/\/((?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|host\.docker\.internal)(?::(\d+))?)(?=[/?#'"`\s$]|$)/gi;
/** As hosts of a URL are read. */
export const ITSELF = /^(localhost|127(\.\d+){3}|::1|0\.0\.0\.0|host\.docker\.internal)$/;

/**
 * @param {Pick<import('./compose-model.js').AttachedService, 'service' | 'openAt' | 'networkMode'>[]} models
 * @returns {Record<string, string>} `web:80`, by the port of the machine
 */
export const placesOnMachine = (models) =>
  Object.fromEntries(
    models
      .filter(({ networkMode }) => networkMode === '')
      .flatMap(({ service, openAt }) => Object.entries(openAt).map(([port, target]) => [port, `${service}:${target}`])),
  );

/**
 * @param {string} text of a script
 * @param {Record<string, string>} places
 * @returns {{ address: string, place: string | null }[]} each once; null: nothing is published there
 */
export function machineAddresses(text, places) {
  const found = [...text.matchAll(ADDRESS)].map(([, scheme, address, port]) => {
    const asked = port ?? (scheme.toLowerCase() === 'https' ? '443' : '80');
    return [address, places[asked] ?? null];
  });
  return [...new Map(/** @type {[string, string | null][]} */ (found))].map(([address, place]) => ({ address, place }));
}
