/**
 * Writes lab/record/types.d.ts: "npm run types" begins with it. The JSON Schemas of what the lab writes are the one source of its shapes; the
 * types are made from them, and no commit has them. A definition has one name in all schemas.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../base/paths.ts';
import { writeFileAtomic } from '../base/whole-file.ts';

/** What has a schema, by the name of the file: `result.json` has result.schema.json. */
const DOCUMENTS = ['result', 'compare', 'experiment', 'plan', 'findings', 'proof', 'limit', 'squeeze'];
const MADE = '/* Made from the schemas beside it by "npm run types". */';
/** Descriptions stand in the schemas. */
const COMMENT = /^ *\/\*\*\n(?: \*.*\n| +\*.*\n)*? *\*\/\n/gm;

const schemaOf = (document: string) => JSON.parse(readFileSync(join(ROOT, `lab/record/${document}.schema.json`), 'utf8'));

/**
 * A reference inside one text of all schemas, wrapped where something stands beside it: what is referred to would be taken for another shape
 * by every sentence that is said of it.
 */
function inOneText(value: any): any {
	if (Array.isArray(value)) return value.map(inOneText);
	if (value === null || typeof value !== 'object') return value;
	const { $ref, ...beside } = value;
	const others = Object.fromEntries(Object.entries<any>(beside).map(([key, one]) => [key, inOneText(one)]));
	if (typeof $ref !== 'string') return others;
	const reference = { $ref: referenceIn($ref) };
	return Object.keys(others).length === 0 ? reference : { ...others, allOf: [reference] };
}

/** A whole document is a definition there, by its title. */
const referenceIn = (reference: string) => {
	const [, document, path] = /^(?:(\w+)\.schema\.json)?(.*)$/.exec(reference) ?? [];
	return path === '' ? `#/$defs/${schemaOf(document).title}` : path;
};

/**
 * @returns types.d.ts
 * @throws {Error} where a name stands for two shapes: the compiler would number them
 */
async function typesOfSchemas(): Promise<string> {
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
	const numbered = [...text.matchAll(/^export (?:type|interface) (\w+\d)\b/gm)].map(([, name]) => name);
	if (numbered.length > 0) throw new Error(`Expected one shape for each name in the schemas; found more for ${numbered.join(', ')}.`);
	return text.replace(COMMENT, '');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFileAtomic(join(ROOT, 'lab/record/types.d.ts'), await typesOfSchemas());
