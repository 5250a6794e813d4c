/**
 * Which container had which address when: an address that is free again goes to the next.
 *
 * @typedef {object} Tenure
 * @property {string} address
 * @property {string} network   on which it has it, as the engine calls that
 * @property {string} service
 * @property {string} name      what its figures are called
 * @property {string} container
 * @property {number} from      seconds since 1970
 * @property {number | null} to  null: to the end
 */
import { createInterface } from 'node:readline';
import { containerNames } from '../../docker/container-names.js';

const SERVICE = 'com.docker.compose.service';
const NUMBER = 'com.docker.compose.container-number';

/**
 * Watches the containers of a project from their start on.
 * @param {string} project
 * @param {import('dockerode')} engine
 * @returns {Promise<{ stop: () => Promise<Tenure[]> }>}
 */
export async function watchAddresses(project, engine) {
  const label = `com.docker.compose.project=${project}`;
  const filters = JSON.stringify({ type: ['container'], event: ['start', 'die'], label: [label] });
  const stream = /** @type {import('node:stream').Readable} */ (await engine.getEvents({ filters }));
  stream.on('error', () => {});
  const book = new AddressBook();
  /** @type {Set<Promise<void>>} */
  const asking = new Set();
  const ask = (/** @type {string} */ id, /** @type {number} */ at) => {
    const asked = engine
      .getContainer(id)
      .inspect()
      .then((state) => book.started(id, at, addressesOf(state), labelsOf(state)))
      // It is gone already, and so are its addresses.
      .catch(() => {})
      .finally(() => asking.delete(asked));
    asking.add(asked);
  };
  const lines = createInterface({ input: stream });
  lines.on('line', (line) => {
    const { Action: action, Actor: actor, timeNano } = JSON.parse(line);
    if (action === 'start') ask(actor.ID, timeNano / 1e9);
    else book.ended(actor.ID, timeNano / 1e9);
  });
  return {
    stop: async () => {
      stream.destroy();
      await Promise.all(asking);
      return book.tenures();
    },
  };
}

/** @param {any} state @returns {{ address: string, network: string }[]} */
const addressesOf = ({ NetworkSettings: { Networks: networks } }) =>
  Object.entries(networks).flatMap(([network, /** @type {any} */ { IPAddress: four, GlobalIPv6Address: six }]) =>
    [four, six].filter(Boolean).map((address) => ({ address, network })),
  );

/** @param {any} state */
const labelsOf = ({ Config: { Labels: labels } }) => ({
  service: labels[SERVICE] ?? '',
  name: labels['doubletake.name'] ?? labels[SERVICE] ?? '',
  number: Number(labels[NUMBER] ?? 1),
});

export class AddressBook {
  /** @type {(Tenure & { number: number })[]} */
  #tenures = [];

  /**
   * @param {string} container
   * @param {number} from
   * @param {{ address: string, network: string }[]} addresses
   * @param {{ service: string, name: string, number: number }} about
   */
  started(container, from, addresses, { service, name, number }) {
    for (const { address, network } of addresses) {
      // Whoever had it has it no more.
      for (const tenure of this.#tenures) if (tenure.address === address && tenure.to === null) tenure.to = from;
      this.#tenures.push({ address, network, service, name, container, from, to: null, number });
    }
  }

  /** @param {string} container @param {number} to */
  ended(container, to) {
    for (const tenure of this.#tenures) if (tenure.container === container && tenure.to === null) tenure.to = to;
  }

  /** With the names that figures have elsewhere. @returns {Tenure[]} */
  tenures() {
    const containers = [...new Map(this.#tenures.map((tenure) => [tenure.container, tenure])).values()];
    const names = containerNames(containers);
    const nameOf = new Map(containers.map(({ container }, index) => [container, names[index]]));
    return this.#tenures.map(({ number: _, ...tenure }) => ({ ...tenure, name: nameOf.get(tenure.container) ?? tenure.name }));
  }
}
