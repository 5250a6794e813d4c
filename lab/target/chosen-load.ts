/** The load that `init` proposes. */

import type { ProjectLoad } from '../catalog/project-schema.ts';

/** said: of it, a sentence each */
export type ChosenLoad = { load: ProjectLoad; said: string[] };
