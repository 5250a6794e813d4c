/**
 * A record of JSON lines.
 */

/**
 * @param {string} text  the last line may be cut when its writer was killed
 * @param {string} name for the error
 * @returns {any[]}
 * @throws {Error} when another line is no JSON
 */
export function parseLines(text, name) {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.flatMap((line, index) => {
    try {
      return [JSON.parse(line)];
    } catch {
      if (index === lines.length - 1) return [];
      throw new Error(`${name}, line ${index + 1}: expected JSON, found ${line.slice(0, 80)}`);
    }
  });
}
