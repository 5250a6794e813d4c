/**
 * Names of addresses, by what clients looked up: the name whose answer had the address, told to that client before others.
 *
 * @typedef {{ client: string, at: number, name: string, isFailed: boolean, addresses: string[] }} Lookup  at: seconds since 1970, its question
 */

/** The protocol, as its decoder calls it. */
export const NAMES = 'dns';
/** A name that was looked up so long before a connection is taken for its server's, where the answer's addresses are not on record. */
const LOOKED_UP_S = 2;

/** @param {Pick<import('./record.js').WireRecord, 'calls' | 'connections'>} record @returns {Lookup[]} */
export function lookupsIn({ calls, connections }) {
  const clients = new Map(connections.filter(({ protocol }) => protocol === NAMES).map(({ id, client }) => [id, client]));
  if (clients.size === 0) return [];
  return calls.flatMap((call) => {
    const client = clients.get(call.connection);
    if (client === undefined) return [];
    const { began_at: at, code, end, template: name, addresses = [] } = call;
    return [{ client, at, name, isFailed: code !== null || end !== 'answered', addresses }];
  });
}

/** @param {Lookup[]} lookups @returns {(client: string, address: string, at: number) => string} empty where no lookup says it; at: of its connection */
export function namesLookedUp(lookups) {
  /** @type {Map<string, string>} */
  const told = new Map();
  /** @type {Map<string, Lookup[]>} */
  const untold = new Map();
  for (const lookup of lookups) {
    const { client, name, isFailed, addresses } = lookup;
    for (const address of addresses) for (const key of [`${client} ${address}`, address]) told.set(key, name);
    if (isFailed || addresses.length > 0) continue;
    const own = untold.get(client);
    if (own) own.push(lookup);
    else untold.set(client, [lookup]);
  }
  const justBefore = (/** @type {string} */ client, /** @type {number} */ at) =>
    untold.get(client)?.findLast((one) => one.at <= at && one.at >= at - LOOKED_UP_S)?.name;
  return (client, address, at) => told.get(`${client} ${address}`) ?? told.get(address) ?? justBefore(client, at) ?? '';
}
