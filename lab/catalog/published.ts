/**
 * The figures that the sources of experiments publish, as data with their source, by the experiment. rps = requests a second, ms =
 * milliseconds; rates are shares of all requests.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../base/paths.ts';
import { experimentsWith, pathOf } from './experiment-folders.ts';

const PART = 'published.json';

export const published: Record<string, any> = Object.fromEntries(
	experimentsWith(PART).map((id) => [id, JSON.parse(readFileSync(join(ROOT, pathOf(id, PART)), 'utf8'))]),
);

/** Of claims that no publication makes: what the lab asks beyond one. */
const OWN = "; the lab's own question";
/** How the sources of claims that are no longer in the tables say it. */
const SAID = "the lab's own";

/** @param source the publication that it goes on from */
export const labQuestion = (source: string) => `${source}${OWN}`;

/** Nobody but the lab asks it. */
export const isLabQuestion = ({ own = false, source }: { own?: boolean; source: string }) => own || source.includes(SAID);
