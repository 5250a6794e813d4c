/**
 * Says whether a service runs a product: by the name of its image, else by the program that its command starts, else by where it keeps its
 * data, and by the port that it listens on only where none of these says anything.
 */

const SHELLS = new Set(['sh', 'bash', 'ash', 'dash']);
/** Programs that only start another one. */
const STARTERS = new Set(['exec', 'env', 'nice', 'nohup', 'tini', 'dumb-init', 'docker-init']);
/** Those of them that take a user first. */
const STARTERS_AS_USER = new Set(['gosu', 'su-exec', 'setuidgid']);

/**
 * @typedef {object} Marks     what tells a product; a program is the last part of its path
 * @property {RegExp} images   names of images, without registry, owner and tag
 * @property {RegExp} programs
 * @property {RegExp} clients  programs of the same images that ask the product and do not run it ("psql -f seed.sql")
 * @property {number[]} ports
 * @property {RegExp} [data]   folders in which it keeps its data, and no other product does
 */

/**
 * @param {import('./contract.js').ServiceModel} service
 * @param {Marks} marks
 * @returns {string | null} what says so, in one clause; null where it is another product
 */
export function recognise({ image, command, ports, mounts }, marks) {
  const programs = programsOf(command);
  if (programs.some((program) => marks.clients.test(program))) return null;
  if (marks.images.test(imageName(image))) return `image ${image}`;
  const program = programs.find((name) => marks.programs.test(name));
  if (program !== undefined) return `command ${program}`;
  if (programs.length > 0) return null;
  const kept = mounts.find(({ target, readOnly }) => !readOnly && marks.data?.test(target));
  // An image that has it all, a site and its store, lets users in.
  if (kept !== undefined && ports.every((number) => marks.ports.includes(number))) return `it keeps its data at ${kept.target}`;
  if (image !== '') return null;
  const port = ports.find((number) => marks.ports.includes(number));
  return port === undefined ? null : `port ${port}`;
}

/** `registry:5000/owner/postgres:15@sha256:...` is "postgres". @param {string} image */
export const imageName = (image) => lastPart(image.split('@')[0]).split(':')[0];

/** Of an image's name; empty where it has none. @param {string} image */
export const imageTag = (image) => lastPart(image.split('@')[0]).split(':')[1] ?? '';

/** @param {string} path */
export const lastPart = (path) => path.split('/').at(-1) ?? '';

/**
 * The programs that a command starts, as far as it names any: an entrypoint script and options alone name none.
 * @param {string[]} command  entrypoint and command together
 * @returns {string[]}
 */
export function programsOf(command) {
  const words = [...command];
  // What comes after `tini -g --` is the program, whatever its options.
  if (STARTERS.has(lastPart(words[0] ?? '')) && words.includes('--')) words.splice(0, words.indexOf('--') + 1);
  for (let at = 0; at < words.length; at += 1) {
    const name = lastPart(words[at]);
    if (SHELLS.has(name)) return programsOfScript(words.slice(at + 1));
    if (STARTERS_AS_USER.has(name)) at += 1;
    else if (!STARTERS.has(name) && !name.endsWith('.sh') && !/^\w+=/.test(words[at])) return name.startsWith('-') ? [] : [name];
  }
  return [];
}

/** `-c "mkdir x && exec postgres"` starts mkdir and postgres; `-e run.sh` starts a script that says nothing. @param {string[]} words after the shell */
function programsOfScript(words) {
  const at = words.findIndex((word) => /^-\w*c$/.test(word));
  if (at < 0) return programsOf(words.filter((word) => !word.startsWith('-')));
  return (words[at + 1] ?? '').split(/&&|\|\||[;|&\n]/).flatMap((part) => programsOf(part.split(/\s+/).filter(Boolean)));
}
