/**
 * What a fault has to make the diagnosis say, and what is done to containers for one. How a fault is put in is an adapter's to say
 * (lab/adapters/faults.js).
 *
 * @typedef {object} Demand        what a fault has to make the diagnosis say
 * @property {Expected[]} [expected]         the causes of its failed requests; none: nothing may fail; left out: not asked
 * @property {number} [least]                failed requests that there must be, or the fault did not take; 1 unless given
 * @property {number} [unanswered]           failed requests that must still be open at the end
 * @property {Tier | null} [saturated]       the tier that must be named as the bottleneck; null: none; left out: not asked
 * @property {NearMiss[]} [near_misses]      what must be said though it lost nothing
 * @property {'VALID' | 'not VALID'} [validity]
 *
 * @typedef {import('../record/types.js').Tier} Tier
 *
 * @typedef {object} Expected       a failed request is right when one of these holds for it
 * @property {Tier} tier
 * @property {string} cause
 * @property {string[]} [services]  any of these, where it is one of several
 * @property {string[]} [amplifiers] causes that may stand beside it as what made many failures of it
 * @property {boolean} [amplified]  only where one of them does stand beside it
 * @property {number} [from_s]      of the load, in which the request ended; from its start unless given
 * @property {number} [to_s]
 * @property {boolean} [may]        it need not occur; one that must occur and does not is a miss
 * @property {string} [marked]      only where the node wrote this of the very request into its output (app/lib/faults.js)
 *
 * @typedef {{ ids: string[], services?: string[] }} NearMiss  one of these ids in the ledger's near misses, at one of the services; at the one
 *   that the fault is of unless given
 *
 * @typedef {object} Action
 * @property {number} after_s       seconds from the load's start
 * @property {string} service
 * @property {'kill' | 'start' | 'stop' | 'restart' | 'pause' | 'unpause' | 'disconnect' | 'connect' | 'cut' | 'join' | 'lose' | 'lose-no-more' | 'delay' | 'delay-no-more' | 'crash-worker' | 'quota' | 'execute' | 'update' | 'drain' | 'activate'} action
 * @property {string} [network]     of `disconnect` and `connect`; the lab's own unless given
 * @property {string} [other]       of what is done to a way: the container at its other end
 * @property {number} [cores]       of `quota`; with neither it nor a share the quota is again what it was
 * @property {number} [share]       of `quota`: of what it was; of `lose` and `lose-no-more`: of the packets
 * @property {number} [delay_ms]    of `delay`: added to each round trip
 * @property {string[]} [command] of `execute`: what is run in the container; anything but an end with 0 is an error
 * @property {number} [limit_s]   of `execute`: in which it has to end
 */
export {};
