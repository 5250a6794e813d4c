/**
 * Reports are written into the user's own folder. Where a service is made of that folder, or watches it, that is not without effect.
 */
import { dirname } from 'node:path';

/** In a regular expression. */
const SPECIAL = /[.*+?^${}()|[\]\\]/g;
/** A line of .dockerignore that leaves the reports, or everything, out. */
const leavesOut = (/** @type {string} */ name) => new RegExp(`^(/?(\\*\\*/)?${name.replace(SPECIAL, '\\$&')}(/.*)?|\\*)$`, 'm');

/**
 * @param {Pick<import('./compose-model.js').AttachedService, 'service' | 'context' | 'mounts'>[]} models
 * @param {string} reports  folder, absolute
 * @param {(file: string) => string | null} read  null where there is no such file
 * @returns {string[]} a sentence for each
 */
export function notesOfPlace(models, reports, read) {
  const holdsReports = (/** @type {string} */ folder) => folder.startsWith('/') && reports.startsWith(`${folder.replace(/\/$/, '')}/`);
  const nameIn = (/** @type {string} */ folder) => reports.slice(folder.replace(/\/$/, '').length + 1);
  const built = models.filter(({ context }) => holdsReports(context) && !isLeftOut(nameIn(context), read(`${context}/.dockerignore`)));
  const mounting = models.filter(({ mounts }) => mounts.some(({ type, source }) => type === 'bind' && holdsReports(source)));
  const named = (/** @type {{ service: string }[]} */ found) => found.map(({ service }) => service).join(', ');
  const ignore = (/** @type {string} */ name) => `write ${name} into its .dockerignore, or each run builds anew.`;
  const elsewhere = 'where a program watches it for changes, set DOUBLETAKE_REPORTS to a folder elsewhere.';
  return [
    ...(built.length > 0 ? [`${named(built)}: built from a folder in which the reports lie; ${ignore(nameIn(built[0].context))}`] : []),
    ...(mounting.length > 0 ? [`${named(mounting)}: mounts a folder in which the reports lie; ${elsewhere}`] : []),
  ];
}

/** @type {(name: string, ignored: string | null) => boolean} name: of the reports' folder, as seen from that of .dockerignore */
const isLeftOut = (name, ignored) =>
  ignored !== null && (leavesOut(name).test(ignored) || (dirname(name) !== '.' && isLeftOut(dirname(name), ignored)));
