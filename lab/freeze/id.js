/** The generator's ids in a text, where no longer name and no date is around them; a node's log of requests has a sign before each. */
export const ID = /(?:(?<![\w.:-])|(?<=^[^\w\s]))w?\d+-\d+(?![\w-])/gm;
