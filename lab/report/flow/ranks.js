/**
 * @typedef {import('../../record/result.js').Flow} Flow
 * @typedef {Flow['nodes'][number]} FlowNode
 */

/**
 * Nodes by how far they are from where the requests start: what stands side by side has the same rank. A node's rank is
 * its longest way from the start, so that no edge goes backwards.
 * @param {Pick<Flow, 'nodes' | 'edges'>} flow
 * @returns {FlowNode[][]}
 */
export function rankNodes({ nodes, edges }) {
  const rank = new Map(nodes.map(({ id }) => [id, 0]));
  // The longest way has fewer edges than there are nodes; more rounds would follow a circle for ever.
  for (let round = 1; round < nodes.length; round += 1) {
    for (const { from, to } of edges) {
      const start = rank.get(from);
      const end = rank.get(to);
      if (start !== undefined && end !== undefined && end <= start) rank.set(to, Math.min(start + 1, nodes.length - 1));
    }
  }
  const ranks = [...new Set(rank.values())].sort((one, other) => one - other);
  return ranks.map((value) => nodes.filter(({ id }) => rank.get(id) === value));
}
