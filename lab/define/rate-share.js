/**
 * A rate of arrivals as a share of what a system serves when it is full, as RATE takes it in percent.
 */
const PERCENT = /^(\d+(?:\.\d+)?)%$/;

/** @param {string | undefined} text @returns {number | null} 1.5 of "150%"; null where it is no percentage */
export function shareIn(text) {
  const percent = PERCENT.exec(text ?? '')?.[1];
  return percent === undefined ? null : Number(percent) / 100;
}

/** As `shareIn` reads it. @param {number} share */
export const spellShare = (share) => `${Number((share * 100).toFixed(6))}%`;
