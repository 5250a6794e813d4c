/**
 * What `clean` does about Swarms.
 */
import { docker } from '../../docker/docker.js';
import { STACK, SwarmDeployment } from './deployment.js';
import { foreignOf } from './stack-file.js';

/**
 * Removes what a run on a Swarm left, as far as it is on this machine or Swarm removes it.
 * @returns {Promise<{ left: string[], foreign: string[] }>} what is still there, and what is somebody else's
 */
export async function cleanSwarm() {
  const own = { name: 'this machine', connection: docker, isHere: true, close: async () => {} };
  const deployment = new SwarmDeployment([own], { say: () => {}, signal: new AbortController().signal });
  return { left: await deployment.takeDown(), foreign: await foreignOf(STACK, [own]) };
}
