/** Version of each record that the lab writes beside a run's raw one, as its `schema` says. */
export const VERSIONS = /** @type {const} */ ({ result: 2, compare: 1, experiment: 1, plan: 1, findings: 2 });
