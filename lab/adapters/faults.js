/**
 * What an adapter gives the lab beside its `Adapter`, so that the self-test can put known troubles into a user's own system: how each is
 * put in, and what the ledger has to say of it then. What reads the record knows nothing of them.
 *
 * @typedef {object} Fault             at least one of change, command and actions says how it is put in; all that are there are done
 * @property {string} id               among those of the product: "queue-short"
 * @property {string} title            a clause: "one connection to each server, and 1 ms in the queue"
 * @property {Blame[]} expected        each failed request has to be placed on one of these
 * @property {number} least            failed requests that there must be; with fewer nothing came of the fault
 * @property {string[]} [near_misses]  ids in the ledger of which one must be said of the service, whatever failed
 * @property {{ level: Level, gives: string }} [told]  from which level on the product tells of it, and what, where the first does not do
 * @property {Change} [change]         of a file that the service reads
 * @property {(command: string[] | undefined) => string[] | null} [command]  the whole command, given what the lab would start it with, if
 *   anything; null where it cannot be told
 * @property {FaultAction[]} [actions] in the order of time
 * @property {{ command: string[], otherwise: string }} [needs]  asked inside it before the load; otherwise: a clause that says why the
 *   fault cannot be put in, unless the command ends with 0
 * @property {string} [cannot]         a clause that says why it cannot be put into this service at all
 *
 * @typedef {object} Blame             a cause that counts as right
 * @property {string} cause            of the ledger's
 * @property {Tier} [tier]             at whichever service of that tier; at the service itself unless given
 *
 * @typedef {object} Change
 * @property {string} path             of the file, in the container
 * @property {string} name             of the changed copy in the service's folder of the record
 * @property {(text: string) => string | null} changed  null where there is nothing to change
 * @property {string} lacking          a clause for that: "it names no server"
 *
 * @typedef {object} FaultAction       done to the first container of the service
 * @property {'up' | number} at        up: when the system is up, before the load; else the share of the load after which it is done
 * @property {'kill' | 'stop' | 'pause' | 'unpause' | 'execute'} action
 * @property {number} [lasts]          of `execute`: share of the load for which it goes on
 * @property {(seconds: number) => string[]} [command]  of `execute`: run inside the container, and goes on for so long; has to end with 0
 *
 * @typedef {import('./contract.js').Level} Level
 * @typedef {import('./contract.js').Tier} Tier
 */

/** How the ledger calls it that a container is not there, by its tier. */
const ENDED = ['app-crashed', 'balancer-down', 'database-down'];

/** Its first process gets SIGKILL, and with it the container ends. @type {Fault} */
export const killed = {
  id: 'killed',
  title: 'its container killed with SIGKILL at 40 % of the load',
  expected: ENDED.map((cause) => ({ cause })),
  least: 1,
  actions: [{ at: 0.4, action: 'kill' }],
};
