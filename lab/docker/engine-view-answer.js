/**
 * What the engine answers, as a view of it lets through: what is of one project, without what may be a secret, under the names that its
 * owner knows. Pure.
 *
 * @typedef {import('./engine-view-question.js').Names} Names
 * @typedef {import('./engine-view-question.js').Kind} Kind
 */
import { routesBy } from '../adapters/found-servers.js';
import { PROJECT_LABEL } from './containers.js';

/** By which the lab marks its own container in a copy. */
const TIER_LABEL = 'doubletake.tier';
/** Of the machine as much as says which engine it is. A copy is no Swarm's, whatever the engine is besides. */
const INFO = ['ID', 'Name', 'ServerVersion', 'OperatingSystem', 'OSType', 'Architecture', 'KernelVersion', 'NCPU', 'MemTotal', 'Driver'];
const NO_SWARM = { NodeID: '', NodeAddr: '', LocalNodeState: 'inactive', ControlAvailable: false, Error: '', RemoteManagers: null };
/** Of the commands of health checks and of people. */
const OF_EXEC = /^exec_/;

/**
 * @param {Kind} kind
 * @param {any} answer
 * @param {Names} names
 * @returns {unknown} undefined where it is none of the project's
 */
export function shownOf(kind, answer, names) {
  const shown = SHOWN[kind]?.(answer, (labels) => isOfProject(labels, names.project)) ?? (kind in SHOWN ? undefined : answer);
  return shown === undefined ? undefined : renamed(shown, names);
}

/** @typedef {(labels: Record<string, string> | null | undefined) => boolean} IsOfProject */

/** @type {Partial<Record<Kind, (answer: any, isOurs: IsOfProject) => unknown>>} */
const SHOWN = {
  info: (answer) => ({ ...Object.fromEntries(INFO.map((name) => [name, answer[name]])), Swarm: NO_SWARM }),
  containers: (answer, isOurs) => listOf(answer, ({ Labels: labels }) => isOurs(labels)).map((one) => ({ ...one, Command: '' })),
  container: (answer, isOurs) => (isOurs(answer.Config?.Labels) ? withoutSecrets(answer) : undefined),
  events: (answer, isOurs) => (isOurs(answer.Actor?.Attributes) && !OF_EXEC.test(answer.Action ?? '') ? answer : undefined),
  networks: (answer, isOurs) => listOf(answer, ({ Labels: labels }) => isOurs(labels)),
  network: (answer, isOurs) => (isOurs(answer.Labels) ? answer : undefined),
  services: (answer, isOurs) => listOf(answer, ({ Spec: { Labels: labels } = {} }) => isOurs(labels)),
  tasks: (answer, isOurs) => listOf(answer, ({ Labels: labels, Spec: spec }) => isOurs(labels) || isOurs(spec?.ContainerSpec?.Labels)),
};

/** @type {(answer: unknown, isOurs: (one: any) => boolean) => any[]} */
const listOf = (answer, isOurs) => (Array.isArray(answer) ? answer.filter(isOurs) : []);

/** @type {(labels: Record<string, string> | null | undefined, project: string) => boolean} */
const isOfProject = (labels, project) => labels?.[PROJECT_LABEL] === project && labels[TIER_LABEL] !== 'generator';

/** Whom to send what stands in labels, and in few variables; all else that a program was given may be a secret. @param {any} container */
function withoutSecrets({ Config: { Env: environment, Healthcheck: _, ...config }, State: state, ...container }) {
  return {
    ...container,
    ...{ Path: '', Args: [] },
    State: state?.Health ? { ...state, Health: { ...state.Health, Log: [] } } : state,
    Config: { ...config, Cmd: null, Entrypoint: null, Env: (environment ?? []).map(withoutValue) },
  };
}

/** @param {string} variable */
function withoutValue(variable) {
  const name = variable.split('=', 1)[0];
  return routesBy(name) ? variable : `${name}=`;
}

/** Keys are names too: of networks, in what a container says of its own. @param {any} value @param {Names} names @returns {unknown} */
function renamed(value, names) {
  if (typeof value === 'string') return ownName(value, names);
  if (Array.isArray(value)) return value.map((one) => renamed(one, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [ownName(key, names), renamed(one, names)]));
}

/** @param {string} text @param {Names} names */
function ownName(text, { project, own, known }) {
  const slash = text.startsWith('/') ? '/' : '';
  const name = text.slice(slash.length);
  return Object.hasOwn(known, name) ? `${slash}${known[name]}` : text.replaceAll(project, () => own);
}
