/**
 * A line of what a Node program keeps of itself (app/lib/telemetry.js, and the preload in a user's) in words that are no runtime's.
 */

/** @param {any} row @returns {any} */
export function pulseOf({ loop_delay_ms, loop_utilisation, ...row }) {
  return {
    ...row,
    ...(loop_delay_ms !== undefined && { late_ms: loop_delay_ms }),
    ...(loop_utilisation !== undefined && { busy_share: loop_utilisation }),
  };
}
