/** What a run has of a folder that a service mounts. */

/** live: the service writes into the user's own */
export type Data = 'copy' | 'empty' | 'live';
