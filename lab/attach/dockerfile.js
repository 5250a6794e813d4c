/**
 * What a Dockerfile tells of a service that is built from it: the image that it begins with, ports, command and environment. It serves `init` to guess
 * what the service is, where its image is not there yet. Pure but for the reading, which it is given.
 *
 * @typedef {import('./compose-model.js').AttachedService} AttachedService
 * @typedef {{ image: string, ports: number[], command: string[], environment: Record<string, string> }} Told  environment: never shown
 * @typedef {Told & { name: string, entrypoint: string[], cmd: string[] }} Stage
 */
import { resolve } from 'node:path';

const INSTRUCTION = /^\s*(FROM|ARG|ENV|EXPOSE|ENTRYPOINT|CMD)\s+(.*)$/i;
/** Options, image, name of the stage. */
const FROM = /^(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?\s*$/i;

/**
 * @param {AttachedService[]} models
 * @param {any} config  as Compose has resolved it, of which they are
 * @param {(file: string) => string | null} read  null where there is no such file
 * @returns {AttachedService[]} for a guess alone: those that are built have what their Dockerfiles tell where the file says nothing
 */
export function withDockerfiles(models, config, read) {
  const told = models.map((model) => toldOf(model, config, read));
  return models.map((model, index) => {
    const own = told[index];
    const isBase = model.image !== '' && model.command.length === 0 && told.some((other) => other?.image === model.image);
    if (own === null) return isBase ? { ...model, isBase } : model;
    const { image, ports, command, environment } = own;
    return {
      ...model,
      // Of what is built here a name in the file says less than what it is built from.
      image: image === '' ? model.image : image,
      ports: model.ports.length > 0 ? model.ports : ports,
      command: model.command.length > 0 ? model.command : command,
      environment: { ...environment, ...model.environment },
      ...(isBase && { isBase }),
    };
  });
}

/** @type {(model: AttachedService, config: any, read: (file: string) => string | null) => Told | null} */
function toldOf(model, config, read) {
  const build = buildOf(model, config);
  if (!build?.context) return null;
  const text = build.dockerfile_inline ?? read(resolve(build.context, build.dockerfile ?? 'Dockerfile'));
  return text ? readDockerfile(text, { target: build.target, args: build.args ?? {} }) : null;
}

/**
 * Its own, or that of the service whose image it runs.
 * @param {AttachedService} model
 * @param {any} config
 */
const buildOf = ({ service, image }, { services }) =>
  services[service]?.build ??
  Object.values(services).find((/** @type {any} */ other) => image !== '' && other.image === image && other.build)?.build;

/**
 * @param {string} text
 * @param {{ target?: string, args?: Record<string, string | null> }} [build]  target: the stage that is wanted; the last unless given
 * @returns {Told}
 */
export function readDockerfile(text, { target, args = {} } = {}) {
  const lines = unfolded(text).split(/\r?\n/);
  /** @type {Record<string, string>} */
  const values = {};
  /** @type {Stage[]} */
  const stages = [];
  for (const line of lines) {
    const [, word, rest = ''] = INSTRUCTION.exec(line) ?? [];
    if (word) take(word.toUpperCase(), withValues(rest, values), { values, stages, args });
  }
  const stage = (target && stages.find(({ name }) => name === target.toLowerCase())) || stages.at(-1);
  return stage ?? { image: '', ports: [], command: [], environment: {} };
}

/** @type {(word: string, rest: string, into: { values: Record<string, string>, stages: Stage[], args: Record<string, string | null> }) => void} */
function take(word, rest, { values, stages, args }) {
  const stage = stages.at(-1);
  if (word === 'ARG') {
    const [name, given = ''] = rest.trim().split(/=(.*)/);
    values[name] = args[name] ?? given.replace(/^["']|["']$/g, '');
  } else if (word === 'FROM') stages.push(stageOf(rest, stages));
  else if (stage === undefined) return;
  else if (word === 'ENV') Object.assign(stage.environment, pairsOf(rest));
  else if (word === 'EXPOSE') stage.ports.push(...rest.split(/\s+/).flatMap(portIn));
  else {
    // An entrypoint takes the command of the image before it away.
    if (word === 'ENTRYPOINT') Object.assign(stage, { entrypoint: wordsOf(rest), cmd: [] });
    else stage.cmd = wordsOf(rest);
    stage.command = [...stage.entrypoint, ...stage.cmd];
  }
}

/**
 * What is copied from the folder of a build into its image, in whichever stage.
 * @param {string} text
 * @returns {{ sources: string[], target: string }[]}
 */
export const copiesIn = (text) =>
  [...unfolded(text).matchAll(/^\s*(?:COPY|ADD)\s+((?:--(?!from)\S+\s+)*)(?!--)(.+)$/gim)].flatMap(([, , rest]) => {
    const words = wordsOf(rest);
    const target = words.at(-1);
    return target === undefined || words.length < 2 ? [] : [{ sources: words.slice(0, -1), target }];
  });

/** Lines without comments, each whole. @param {string} text */
const unfolded = (text) => text.replace(/^\s*#.*$/gm, '').replace(/\\\r?\n/g, ' ');

/** One that begins with another of the file has what that one has. @type {(rest: string, stages: Stage[]) => Stage} */
function stageOf(rest, stages) {
  const [, image = '', name = ''] = FROM.exec(rest.trim()) ?? [];
  const before = stages.find((stage) => stage.name !== '' && stage.name === image.toLowerCase());
  const { ports = [], entrypoint = [], cmd = [], environment = {} } = before ?? {};
  const copied = { ports: [...ports], environment: { ...environment }, command: [...entrypoint, ...cmd] };
  return { name: name.toLowerCase(), image: before?.image ?? image, entrypoint, cmd, ...copied };
}

/** `A=1 B="two words"`, and as it was written once, `A all of it`. @param {string} rest @returns {Record<string, string>} */
function pairsOf(rest) {
  const [, only, value] = /^\s*(\w+)\s+([^=]*)$/.exec(rest) ?? [];
  if (only !== undefined) return { [only]: value.trim() };
  const pairs = [...rest.matchAll(/(\w+)=(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S*))/g)];
  return Object.fromEntries(pairs.map(([, name, double, single, plain]) => [name, double ?? single ?? plain]));
}

/** In brackets as JSON, else as a shell reads it. @param {string} rest @returns {string[]} */
function wordsOf(rest) {
  try {
    const words = JSON.parse(rest);
    return Array.isArray(words) ? words.map(String) : [];
  } catch {
    return rest.trim().split(/\s+/);
  }
}

/** Of one over UDP nothing. @param {string} text @returns {number[]} */
function portIn(text) {
  const [, port] = /^(\d{1,5})(?:\/tcp)?$/i.exec(text) ?? [];
  return port === undefined ? [] : [Number(port)];
}

/** @param {string} text @param {Record<string, string>} values */
const withValues = (text, values) =>
  text.replace(/\$(?:\{(\w+)(?::?-([^}]*))?\}|(\w+))/g, (_, name, otherwise, plain) => values[name ?? plain] || otherwise || '');
