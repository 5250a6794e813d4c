/**
 * A text as a shell reads it back, for the commands that repeat a measurement.
 * @param {string | undefined} text
 */
export const shellWord = (text = '') => (/^[\w.:=,%-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
