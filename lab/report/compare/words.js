/**
 * How the compare page writes figures: as the page of an experiment does.
 */
export { extremes, FORMATS, intervalText, onScale } from '../experiment/words.js';
