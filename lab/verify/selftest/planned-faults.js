/**
 * The faults that can be put in, each with what it has to make the diagnosis say: of a user's own system those that the adapters of its
 * services know, bound to these; else those of the shipped systems. Pure but for the files that it is given to read.
 *
 * @typedef {import('../../adapters/faults.js').Fault} Fault
 * @typedef {import('../../adapters/faults.js').ProductFault} ProductFault
 * @typedef {import('../../target/compose-model.js').AttachedService} AttachedService
 * @typedef {import('../../catalog/project-schema.js').Project} Project
 *
 * @typedef {object} PlannedFault
 * @property {string} id           of a user's system the control, or `<service>.<fault>`
 * @property {string} title
 * @property {import('../../options/faults.js').Demand} demand  of services by their names
 * @property {string} service      that it is of; empty where it names its services itself
 * @property {import('../../adapters/faults.js').Put | null} how  null for the control
 * @property {string | null} cannot  a clause that says why it cannot be put in
 */
import { CALLER } from '../../adapters/faults.js';
import { adapterOf } from '../../adapters/registry.js';
import { faults as shipped } from '../../adapters/shipped-faults.js';
import { NotReadyError } from '../../base/errors.js';
import { causes } from '../../record/causes.js';
import { originalAt } from '../../target/configurations.js';
import { projectService } from '../../target/describe.js';

export const CONTROL = 'control';

/** What a refusal says of a change that a fault makes; there is always the way to leave the fault out. */
export const PURPOSE = { what: 'a change of its configuration', otherwise: 'leave the fault out' };

/**
 * @param {Pick<import('../../run/attach/checked-system.js').CheckedSystem, 'models' | 'parts'>} checked
 * @param {Project} project
 * @param {(file: string) => string | null} read  a file of this machine; null where it is not there
 * @returns {Map<string, PlannedFault>} by id, the control first
 */
export function planFaults({ models, parts }, project, read) {
  const passed = models.filter(({ service, replicas }) => replicas > 0 && projectService(project, service).tier !== 'other');
  const faults = firstsOf(passed, project).flatMap((model) => {
    const { product } = projectService(project, model.service);
    const found = adapterOf(product)?.faults?.(model) ?? [];
    return found.map((fault) => boundTo(fault, model, project, whyNot(fault, { model, part: parts[model.service] ?? {}, read })));
  });
  return new Map([control(), ...faults].map((fault) => [fault.id, fault]));
}

/** Of the systems that the lab brings along. @returns {Map<string, PlannedFault>} by id */
export const planShipped = () =>
  new Map(
    Object.entries(shipped).map(([id, fault]) => [id, { id, title: fault.title, demand: fault, service: '', how: fault, cannot: null }]),
  );

/** @returns {PlannedFault} a run in which nothing may be blamed */
const control = () => ({ id: CONTROL, title: 'nothing (control)', demand: { expected: [] }, service: '', how: null, cannot: null });

/** @type {(fault: ProductFault, model: AttachedService, project: Project, cannot: string | null) => PlannedFault} */
function boundTo(fault, { service }, project, cannot) {
  const { tier } = projectService(project, service);
  const expected = fault.expected.map(({ cause, tier: other }) => ({
    tier: /** @type {import('../../record/result.js').Tier} */ (other ?? tier),
    cause,
    ...(other === undefined ? { services: [service] } : {}),
    // What makes many failures of it is the system's own doing.
    amplifiers: Object.keys(causes),
    may: true,
  }));
  const misses = fault.near_misses?.map(({ ids, services = [service] }) => ({ ids, services }));
  const caller = project.edges.find(([, callee]) => callee === service)?.[0];
  const isOfWay = fault.actions?.some(({ other }) => other === CALLER);
  return {
    id: `${service}.${fault.id}`,
    title: fault.title,
    demand: { expected, least: fault.least, ...(misses ? { near_misses: misses } : {}) },
    service,
    how: { ...fault, actions: fault.actions?.map((action) => (action.other === CALLER ? { ...action, other: caller } : action)) },
    cannot: cannot ?? (isOfWay && caller === undefined ? 'nobody is known to ask it' : null),
  };
}

/**
 * Of services that are like each other only the first gets faults; it counts how many they are.
 * @param {AttachedService[]} models
 * @param {Project} project
 * @returns {AttachedService[]}
 */
function firstsOf(models, project) {
  /** @type {Map<string, AttachedService>} */
  const firsts = new Map();
  for (const model of models) {
    const key = kindOf(model, project);
    const first = firsts.get(key) ?? { ...model, replicas: 0 };
    firsts.set(key, { ...first, replicas: first.replicas + model.replicas });
  }
  return [...firsts.values()];
}

/** Two services are of one kind when nothing tells them apart but their names. @type {(model: AttachedService, project: Project) => string} */
function kindOf({ service, image, command, mounts }, project) {
  const { tier, product } = projectService(project, service);
  const askedBy = project.edges.filter(([, to]) => to === service).map(([from]) => from);
  const asks = project.edges.filter(([from]) => from === service).map(([, to]) => to);
  return JSON.stringify([tier, product, image, command, mounts, askedBy.toSorted(), asks.toSorted()]);
}

/** @type {(fault: ProductFault, about: { model: AttachedService, part: import('../../adapters/contract.js').OverlayPart, read: (file: string) => string | null }) => string | null} */
function whyNot({ cannot, change, command }, { model, part, read }) {
  if (cannot !== undefined) return cannot;
  if (command && command(part.command) === null) return 'it cannot be told which words of its command start the program';
  return change ? whyNoChange(change, model, read) : null;
}

/** A file of an image is read only when the image is there. @type {(change: import('../../adapters/faults.js').Change, model: AttachedService, read: (file: string) => string | null) => string | null} */
function whyNoChange({ path, name, changed, lacking }, model, read) {
  const configuration = { name, overlaid: (/** @type {string} */ text) => ({ text, changes: [] }) };
  try {
    const { file } = originalAt(model, { path, configuration, purpose: PURPOSE });
    const text = file === null ? null : read(file);
    if (file !== null && text === null) return `there is no file ${file}`;
    return text === null || changed(text) !== null ? null : lacking;
  } catch (error) {
    if (!(error instanceof NotReadyError)) throw error;
    return error.message.split('\n')[0];
  }
}
