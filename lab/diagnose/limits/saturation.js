/**
 * When a share counts as all of it.
 */

/** Share of its quota at which a tier counts as saturated: quotas are enforced in 10 ms slices, readings once a second. */
export const SATURATED_SHARE = 0.95;
