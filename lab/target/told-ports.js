/**
 * Ports on which services listen by what else a file says of them, where nothing is published or exposed: a proxy of the machine is told
 * the port by labels or variables, a health check asks it, a variable sets it. Pure.
 *
 * @typedef {import('./compose-model.js').AttachedService} AttachedService
 */
import { portOfImage } from '../adapters/well-known.js';

/** Names of labels and variables whose value is the port of the service itself. */
const PORT_LABEL = /(^|\.)server\.port$|(^|\.)port$/i;
const PORT_VARIABLE = /^(virtual_port|((app|http|server|web|listen|node)_)?port)$/i;
/** Labels that are written in another proxy's words: `{{upstreams 3000}}`. */
const UPSTREAMS = /\{\{\s*upstreams(?:\s+[a-z]+)?\s+(\d{1,5})\s*\}\}/i;
const CHECKED = /(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]):(\d{1,5})\b/g;
const PORT_MOST = 65_535;

/**
 * @param {AttachedService[]} models
 * @param {any} config  as Compose has resolved it, of which they are
 * @returns {AttachedService[]} with ports where one is told, the surest first; what the file itself says stays
 */
export const withToldPorts = (models, config) =>
  models.map((model) => (model.ports.length > 0 ? model : { ...model, ports: portsOf(model, config.services?.[model.service] ?? {}) }));

/** @type {(model: AttachedService, found: any) => number[]} */
function portsOf({ environment, image }, { labels = {}, healthcheck }) {
  /** @type {[string, unknown][]} */
  const told = Object.entries(labels);
  const check = [healthcheck?.test ?? []].flat().join(' ');
  const all = [
    ...told.filter(([name]) => PORT_LABEL.test(name)).map(([, value]) => value),
    ...told.map(([, value]) => UPSTREAMS.exec(String(value).replaceAll('$$', '$'))?.[1]),
    ...Object.entries(environment).flatMap(([name, value]) => (PORT_VARIABLE.test(name) ? [value] : [])),
    ...[...check.matchAll(CHECKED)].map(([, port]) => port),
    portOfImage(image),
  ].map(Number);
  return [...new Set(all.filter((port) => Number.isInteger(port) && port > 0 && port <= PORT_MOST))].slice(0, 1);
}
