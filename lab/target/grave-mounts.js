/**
 * Mounts by which a service has more than its own: the engine, or all that this machine or its user has.
 */

/** Who can talk to it commands the engine, and so every container and the machine; a read-only mount does not change that. */
export const ENGINE_SOCKET = /\/(docker|podman|containerd)\.sock$/;
/** A program of this machine listens there. */
export const SOCKET = /[._]sock(et)?$/;
/** Folders of the machine in which such a socket lies. */
export const SOCKET_FOLDERS = ['/', '/run', '/var', '/var/run'];

/**
 * @param {string} source
 * @param {string} home  of the user
 * @returns {boolean} whether all of the machine, or of its user, lies in it
 */
export const isWholeMachine = (source, home) => SOCKET_FOLDERS.includes(source) || `${home}/`.startsWith(`${source.replace(/\/$/, '')}/`);
