/**
 * The command `completion`: a script by which a shell completes commands, architectures, experiments, loads and variables, made from the
 * tables and from the commands themselves.
 */

import type { Command } from 'commander';
import { EXIT, NotReadyError } from '../../base/errors.ts';
import type { Reporter } from '../../base/progress.ts';
import { architectures } from '../../catalog/architectures.ts';
import { experiments } from '../../catalog/experiments.ts';
import { OPTIONS } from '../../options/options.ts';
import { ALL } from '../../record/findings.ts';
import { flagOf } from '../command-line.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { zshScript } from './zsh.ts';

/** all that can be completed */
export type Completion = {
	commands: CompletedCommand[];
	/** of every command */
	options: string[];
	/** the options of the table */
	variables: Variable[];
};

export type Variable = {
	name: string;
	flag: string;
	/** none where it is no choice */
	values: string[];
};

export type CompletedCommand = {
	name: string;
	about: string;
	/** of its argument; none where that is a file or a folder */
	values: string[];
	/** of its own */
	options: string[];
};

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };
const SHELLS = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];
const IDS = Object.keys(architectures);

/** By the name that an argument has on the command line. */
const ARGUMENTS: Record<string, string[]> = {
	architecture: IDS,
	architectures: IDS,
	id: [...Object.keys(experiments), ALL],
	shell: SHELLS,
};

/**
 * @returns exit code
 * @throws {NotReadyError} naming the shells that there are scripts for
 */
export async function completion(shell: string, program: Command, reporter: Reporter): Promise<number> {
	const known = SHELLS.find((name) => name === shell);
	if (!known) throw new NotReadyError(`shell: expected one of ${SHELLS.join(', ')}; found "${shell}".`, 'use one of them.');
	const script = SCRIPTS[known](completionOf(program));
	reporter.tell(script);
	reporter.give({ result: { shell, script } });
	return EXIT.done;
}

function completionOf(program: Command): Completion {
	return {
		commands: program.commands.map((command) => ({
			name: command.name(),
			about: command.summary(),
			values: command.registeredArguments.flatMap((argument) => ARGUMENTS[argument.name()] ?? []),
			options: optionsOf(command),
		})),
		options: [...optionsOf(program), '--help'],
		variables: Object.entries(OPTIONS).map(([name, { kind }]) => ({ name, flag: flagOf(name), values: [...(kind.values ?? [])] })),
	};
}

const optionsOf = ({ options }: Command) => options.map(({ long }) => String(long));
