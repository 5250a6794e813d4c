/**
 * The environment in which a command was given. Programs that the lab starts inherit it, and Compose reads the variables of a user's files
 * from it. What the lab itself can be told comes as options, which are handed down from the front door.
 */
export const shell = process.env;
