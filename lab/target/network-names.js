/**
 * Names by which a service is found on the networks of a run beside its own.
 */
import { serviceOfEntry } from './describe.js';

/** In each container it is that container. */
const ITSELF = 'localhost';

/** Hosts of entries, as the networks of a run know them. @param {Pick<import('../catalog/project-schema.js').Project, 'hosts'>} project */
export const networkHosts = ({ hosts = {} }) => Object.keys(hosts).filter((host) => host !== ITSELF);

/**
 * Others may ask it by the name that its container would have had, and users by those of the hosts for which it sends requests on.
 * @type {(model: import('./compose-model.js').AttachedService, project: import('../catalog/project-schema.js').Project) => Record<string, unknown>}
 */
export function aliasesEntry({ service, containerName, networks, isOfSwarm }, project) {
  const hosts = networkHosts(project).filter((host) => serviceOfEntry(project, `http://${host}/`) === service);
  const named = containerName === '' || containerName === service ? [] : [containerName];
  const aliases = [...named, ...(isOfSwarm ? [`tasks.${service}`] : []), ...hosts];
  return aliases.length === 0 || networks.length === 0 ? {} : { networks: Object.fromEntries(networks.map((name) => [name, { aliases }])) };
}
