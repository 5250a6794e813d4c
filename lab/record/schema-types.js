/**
 * The JSON Schemas of what the lab writes are the one source of its shapes; types.d.ts is made from them (`lab/doubletake docs`) and never
 * written by hand. A definition has one name in all of them.
 */
import { readFileSync } from 'node:fs';

/** What has a schema, by the name of the file: `result.json` has result.schema.json. */
const DOCUMENTS = ['result', 'compare', 'experiment', 'plan', 'findings'];
const MADE = '/* Made from the schemas beside it by "lab/doubletake docs". */';
/** What the generator says of each definition, and no reader asks. */
const REFERENCE = /^ \*(\n \*)? This interface was referenced by `.*\n \* via the `definition` ".*"\.\n/gm;

const OF_ONE_LINE = /\/\*\*\n *\* (.*)\n *\*\//g;

/** @param {string} document */
const schemaOf = (document) => JSON.parse(readFileSync(new URL(`${document}.schema.json`, import.meta.url), 'utf8'));

/**
 * A reference inside one text of all schemas, wrapped where something stands beside it: what is referred to would be taken for another shape
 * by every sentence that is said of it.
 * @param {any} value
 * @returns {any}
 */
function inOneText(value) {
  if (Array.isArray(value)) return value.map(inOneText);
  if (value === null || typeof value !== 'object') return value;
  const { $ref, ...beside } = value;
  const others = Object.fromEntries(Object.entries(beside).map(([key, one]) => [key, inOneText(one)]));
  if (typeof $ref !== 'string') return others;
  const reference = { $ref: $ref.replace(/^\w+\.schema\.json/, '') };
  return Object.keys(others).length === 0 ? reference : { ...others, allOf: [reference] };
}

/** @returns {Promise<string>} types.d.ts */
export async function typesOfSchemas() {
  const { compile } = await import('json-schema-to-typescript');
  const schemas = DOCUMENTS.map((document) => ({ document, ...schemaOf(document) }));
  const all = {
    properties: Object.fromEntries(schemas.map(({ document, title }) => [document, { $ref: `#/$defs/${title}` }])),
    required: DOCUMENTS,
    additionalProperties: false,
    $defs: inOneText(Object.assign({}, ...schemas.map(({ document, $id, $schema, $defs, ...root }) => ({ ...$defs, [root.title]: root })))),
  };
  const text = await compile(all, 'Documents', {
    bannerComment: MADE,
    unreachableDefinitions: true,
    style: { printWidth: 140, singleQuote: true },
  });
  return text.replace(REFERENCE, '').replaceAll('/**\n */\n', '').replace(OF_ONE_LINE, '/** $1 */');
}
