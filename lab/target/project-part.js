/**
 * What the adapter of a service's product asks for, at the level at which doubletake.yaml has it.
 */
import { adapterOf } from '../adapters/registry.js';
import { projectService } from './describe.js';

/**
 * @param {import('../adapters/contract.js').ServiceModel} model
 * @param {import('../catalog/project-schema.js').Project} project
 * @returns {import('../adapters/contract.js').OverlayPart}
 */
export function partOf(model, project) {
  const { product, watch } = projectService(project, model.service);
  return adapterOf(product)?.overlay(model, watch) ?? {};
}
