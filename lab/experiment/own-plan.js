/**
 * Makes the plan of a comparison of a user's own system. Both sides are resolved and checked before anything is measured.
 *
 * @typedef {object} Given     options of the command line
 * @property {string[]} a      of the baseline; none: the folder as it is
 * @property {string[]} b      of the candidate
 * @property {boolean} allowData
 *
 * @typedef {import('../attach/project-schema.js').Project} Project
 * @typedef {import('../define/arms.js').Arm} Arm
 * @typedef {import('../define/arms.js').OwnArm} OwnArm
 */
import { resolve } from 'node:path';
import { checkConfig, readIfThere } from '../attach/checked-system.js';
import { readOwnSettings, readProject } from '../attach/commands.js';
import { loadFingerprint } from '../attach/fingerprint.js';
import { readScript } from '../attach/own-script.js';
import { resolveSide } from '../attach/resolve-side.js';
import { openCheckouts } from '../attach/revision.js';
import { notesOfNames, RUN_OPTIONS, readRunOptions } from '../attach/run-options.js';
import { readSide } from '../attach/side.js';
import { projectOfSide } from '../attach/side-project.js';
import { acceptedByOwn, formatOptions } from '../define/accepted-options.js';
import { NotReadyError } from '../define/errors.js';
import { optionWords } from '../define/plan.js';
import { spellOwn } from '../define/spelling.js';
import { describeMachine } from '../measure/describe-machine.js';
import { ensureGenerator } from '../measure/images.js';
import { findControl } from './control.js';
import { COMPARE } from './judge.js';
import { newPlan, repeatsIn, seedIn } from './new-plan.js';
import { armsOf, notesOfArms } from './own-arms.js';

/** What `compare` asks of a folder. */
export const ASKED = { command: COMPARE, or: 'two architectures' };

/**
 * @param {object} options
 * @param {string} options.folder  of doubletake.yaml
 * @param {Given} options.given
 * @param {import('./new-plan.js').Env} options.env  REPEATS, SEED, IMAGES, and what is given for both sides
 * @param {(text: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @returns {Promise<import('../define/plan.js').Plan>}
 * @throws {NotReadyError} naming what keeps a side from being run as it is meant
 */
export async function planOwnComparison({ folder, given, env, say, signal }) {
  refuseResuming(env);
  const settings = readOwnSettings(folder, { ...env, SEED: seedIn(env) }, given.allowData, { command: COMPARE });
  const repeats = repeatsIn(env);
  const sides = [readSide('--a', given.a), readSide('--b', given.b)];
  const options = sides.map((side) => readRunOptions({ ...env, ...side.options }));
  const project = await readProject(folder, ASKED);
  const resolved = await resolveAll(sides, { folder, project });
  const arms = armsOf(resolved, project, settings.name);
  const read = (/** @type {string} */ file) => readIfThere(resolve(folder, file));
  const checked = resolved.map(({ config }, index) => {
    const own = /** @type {OwnArm} */ (arms[index].own);
    return checkConfig(config, {
      project: projectOfSide(project, own),
      allowData: given.allowData,
      options: options[index],
      read,
      folder,
    });
  });
  // What there is to say of each side its first run says.
  const notes = [...notesOfNames(env, project.compose, read), ...(await notesOfArms({ arms, sides, folder, project }))];
  for (const note of notes) say(`note: ${note}`);
  const machine = await describeMachine();
  const own = {
    shape: (await scriptShape({ project, folder, images: settings.images, say, signal })) ?? checked[0].shape,
    allow_data: given.allowData,
    fingerprint: loadFingerprint(project, readIfThere, folder),
  };
  const same = { load: checked[0].load, budget: settings.budget, variables: givenIn(env), machine, arms };
  const [base, other] = arms.map(({ id }) => id);
  return newPlan({
    experiment: COMPARE,
    title: `${base} against ${other}`,
    question: `Is ${other} better than ${base}?`,
    ...same,
    repeats,
    seed: settings.seed,
    images: settings.images,
    busy: settings.busy,
    own,
    pairs: [[base, other]],
    curve: null,
    claims: [],
    definition: null,
    control: await findControl({ ...same, fingerprint: own.fingerprint }),
    command: commandOf({ arms, repeats, seed: settings.seed, options: settings.options, allowData: given.allowData }),
    notes: [],
  });
}

/** What both sides have of the lab's options. @param {import('./new-plan.js').Env} env */
const givenIn = (env) => Object.fromEntries(RUN_OPTIONS.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));

/** @param {import('./new-plan.js').Env} env @throws {NotReadyError} */
function refuseResuming({ RESUME }) {
  if (RESUME)
    throw new NotReadyError(
      `RESUME: expected none in a new comparison of your own system; found "${RESUME}".`,
      'leave out --a and --b to go on with it.',
    );
}

/** @type {(sides: import('../attach/side.js').Side[], given: { folder: string, project: Project }) => Promise<import('../attach/resolve-side.js').ResolvedSide[]>} */
async function resolveAll(sides, { folder, project }) {
  const checkouts = openCheckouts(folder);
  try {
    const resolved = [];
    for (const side of sides) resolved.push(await resolveSide(side, { folder, project, checkouts }));
    return resolved;
  } finally {
    await checkouts.close();
  }
}

/**
 * How long a script lasts k6 says, and nobody else.
 * @param {{ project: Project, folder: string, images: import('../define/settings.js').ImageMode, say: (text: string) => void, signal: AbortSignal }} options
 */
async function scriptShape({ project, folder, images: mode, say, signal }) {
  if (project.load.script === undefined) return null;
  const images = await ensureGenerator({ mode, say, signal });
  const script = await readScript({ project, folder, image: images.variables.K6_IMAGE, say });
  return script?.shape ?? null;
}

/**
 * The command that repeats a comparison.
 * @param {{ arms: [Arm, Arm], repeats: number, seed: number, options: import('../attach/run-options.js').RunOptions, allowData: boolean }} given
 */
export const commandOf = ({ arms: [base, other], repeats, seed, options, allowData }) =>
  spellOwn(
    [COMPARE, ...optionWords('--a', base), ...optionWords('--b', other), ...(allowData ? ['--allow'] : [])],
    formatOptions(acceptedByOwn(COMPARE), { repeats, seed, ...options }, 'ownStandard'),
  );
