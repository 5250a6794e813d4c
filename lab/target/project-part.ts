/** What the adapter of a service's product asks for, at the level at which doubletake.yaml has it. */

import type { OverlayPart, ServiceModel } from '../adapters/contract.ts';
import { adapterOf } from '../adapters/registry.ts';
import type { Project } from '../catalog/project-schema.ts';
import { projectService } from './describe.ts';

export function partOf(model: ServiceModel, project: Project): OverlayPart {
	const { product, watch } = projectService(project, model.service);
	return adapterOf(product)?.overlay(model, watch) ?? {};
}
