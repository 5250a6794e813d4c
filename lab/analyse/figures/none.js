/**
 * Scenarios without figures of their own: the metrics and the ledger of every run say all of them.
 *
 * @returns {import('../figures.js').OwnFigures}
 */
export const figuresOf = () => ({ figures: {}, breakdowns: [], checks: [] });
