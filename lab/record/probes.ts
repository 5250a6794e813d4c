/**
 * What is changed of a run so that it tells whether a cause is the right one: the load, or the accused, which is the service where requests were
 * lost.
 *
 * - one-user: the same requests, one at a time
 * - without-kind: the load without the kind of request that the evidence names
 * - two-of-it: two containers of the accused
 * - fresh: the accused is restarted
 * - more-of-it: its limits of CPU, memory, files and processes are lifted
 * - without-bystander: the service that the evidence names is stopped, which no request passes
 * - knob: a setting of it that is known is raised
 */
type ProbeId = 'one-user' | 'without-kind' | 'two-of-it' | 'fresh' | 'more-of-it' | 'without-bystander' | 'knob';

/** of the two that leave something out, the one counts that the evidence names */
export type Confirmation = {
	id: ProbeId;
	/** hardly any request is lost so any more; as many are; or as many again after some time */
	expect: 'cured' | 'same' | 'cured-then-back';
};

const all =
	(expect: Confirmation['expect']): ((...ids: ProbeId[]) => Confirmation[]) =>
	(...ids) =>
		ids.map((id) => ({ id, expect }));

export const cured = all('cured');
export const same = all('same');
export const backAfter = all('cured-then-back');
