/** Names by which a service is found on the networks of a run beside its own. */

import type { Project } from '../catalog/project-schema.ts';
import type { AttachedService } from './compose-model.ts';
import { serviceOfEntry } from './describe.ts';

/** In each container it is that container. */
const ITSELF = 'localhost';

/** Hosts of entries, as the networks of a run know them. */
export const networkHosts = ({ hosts = {} }: Pick<Project, 'hosts'>) => Object.keys(hosts).filter((host) => host !== ITSELF);

/** Others may ask it by the name that its container would have had, and users by those of the hosts for which it sends requests on. */
export function aliasesEntry({ service, containerName, networks, isOfSwarm }: AttachedService, project: Project): Record<string, unknown> {
	const hosts = networkHosts(project).filter((host) => serviceOfEntry(project, `http://${host}/`) === service);
	const named = containerName === '' || containerName === service ? [] : [containerName];
	const aliases = [...named, ...(isOfSwarm ? [`tasks.${service}`] : []), ...hosts];
	return aliases.length === 0 || networks.length === 0 ? {} : { networks: Object.fromEntries(networks.map((name) => [name, { aliases }])) };
}
