/**
 * The document service has no figures of its own: the metrics and the ledger of every run say all of it.
 *
 * @returns {import('../figures.js').OwnFigures}
 */
export const figuresOf = () => ({ figures: {}, breakdowns: [], checks: [] });
