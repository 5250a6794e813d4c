/**
 * Who asks whom through a socket of a folder that both have: a proxy is told a path, and the server that listens there has the same volume.
 *
 * @typedef {Pick<import('./compose-model.js').AttachedService, 'service' | 'dependsOn' | 'mounts'>} Sharing
 */

/** `fastcgi_pass unix:/run/php/fpm.sock;`, `server unix:///tmp/app.sock weight=2;` */
const AT_SOCKET = /\bunix:(?:\/\/)?(\/[\w./-]+)/g;

/**
 * @param {string} text  of a configuration, without its comments
 * @param {Sharing} model  that reads it
 * @param {Sharing[]} models
 * @returns {string[]} services; none where several have the folder and it waits for none of them
 */
export function serversAtSockets(text, model, models) {
  const folders = [...text.matchAll(AT_SOCKET)].flatMap(([, path]) =>
    model.mounts.filter(({ target, source }) => source !== '' && path.startsWith(`${target.replace(/\/$/, '')}/`)),
  );
  return [...new Set(folders.map(({ source }) => source))].flatMap((source) => {
    const sharing = models.filter((other) => other !== model && other.mounts.some((mount) => mount.source === source));
    const awaited = sharing.filter(({ service }) => model.dependsOn.includes(service));
    return (sharing.length === 1 ? sharing : awaited).map(({ service }) => service.toLowerCase());
  });
}
