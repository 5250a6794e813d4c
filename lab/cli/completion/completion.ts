/**
 * The command `completion`: a script by which a shell completes commands, architectures, experiments, loads and variables, made from the
 * tables and from the commands themselves.
 */

import type { Command } from 'commander';
import { EXIT, NotReadyError } from '../../base/errors.ts';
import { shellWord } from '../../base/format-command.ts';
import type { Reporter } from '../../base/progress.ts';
import { architectures } from '../../catalog/architectures.ts';
import { experiments } from '../../catalog/experiments.ts';
import { OPTIONS } from '../../options/options.ts';
import { ALL } from '../../record/findings.ts';
import { flagOf } from '../command-line.ts';

/** all that can be completed */
type Completion = {
	commands: CompletedCommand[];
	/** of every command */
	options: string[];
	/** the options of the table */
	variables: Variable[];
};

type Variable = {
	name: string;
	flag: string;
	/** none where it is no choice */
	values: string[];
};

type CompletedCommand = {
	name: string;
	about: string;
	/** of its argument; none where that is a file or a folder */
	values: string[];
	/** of its own */
	options: string[];
};

/*
 * Completion for bash, 3.2 and newer. A command that is called by its path is found by its name.
 */

const list = (words: string[]) => shellWord(words.join(' '));

const bashScript = ({
	commands,
	options,
	variables,
}: Completion): string => `# Completion of doubletake, for ~/.bashrc: eval "$(doubletake completion bash)"
_doubletake() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} variable='' command='' words='' options='' index
  # Bash takes a word apart at "=".
  if [[ $current == = ]]; then
    variable=$previous current=''
  elif [[ $previous == = ]]; then
    variable=\${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ $previous == --* ]]; then
    variable=$previous
  fi
  case $variable in
${variables
	.filter(({ values }) => values.length > 0)
	.map(({ name, flag, values }) => `    ${name} | ${flag}) words=${list(values)} ;;\n`)
	.join('')}  esac
  if [[ -n $words || $variable == [A-Z]* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  for ((index = 1; index < COMP_CWORD; index += 1)); do
    [[ \${COMP_WORDS[index]} == [-=]* || \${COMP_WORDS[index - 1]} == = || \${COMP_WORDS[index + 1]} == = ]] && continue
    command=\${COMP_WORDS[index]}
    break
  done
  case $command in
    '') words=${list(commands.map(({ name }) => name))} ;;
${commands.map(({ name, values, options: own }) => `    ${name}) words=${list(values)} options=${list(own)} ;;\n`).join('')}  esac
  case $current in
    -*) words="$options ${[...options, ...variables.map(({ flag }) => flag)].join(' ')}" ;;
    [A-Z]*) words=${list(variables.map(({ name }) => `${name}=`))} ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ \${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
}
complete -o default -F _doubletake doubletake
`;

/*
 * Completion for fish, 3.1 and newer.
 */

const at = (name: string) => `complete -c doubletake -n ${shellWord(`__doubletake_at ${name}`)}`;

/** @param option as it is written, such as `--json` */
const long = (option: string) => `-l ${option.slice('--'.length)}`;

/** Each with every value it may have; fish puts no space behind an equals sign. */
const assignments = (variables: Variable[]) =>
	variables.flatMap(({ name, values }) => (values.length > 0 ? values : ['']).map((value) => `${name}=${value}`));

const flagLine = ({ flag, values }: Variable) =>
	`complete -c doubletake ${long(flag)} -r${values.length > 0 ? ` -f -a ${shellWord(values.join(' '))}` : ''}\n`;

const fishScript = ({
	commands,
	options,
	variables,
}: Completion): string => `# Completion of doubletake: doubletake completion fish | source
function __doubletake_command
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        string match -qr -- '^-|=' $word; and continue
        echo $word
        return
    end
end
function __doubletake_at
    set -l command (__doubletake_command)
    test "$command" = "$argv"
end
${options.map((option) => `complete -c doubletake ${long(option)}\n`).join('')}${variables.map(flagLine).join('')}${commands.map((command) => commandLines(command)).join('')}complete -c doubletake -n 'string match -qr "^[A-Z]" -- (commandline -ct)' -f -a ${shellWord(assignments(variables).join(' '))}
`;

function commandLines({ name, about, values, options }: CompletedCommand) {
	return [
		`${at('')} -f -a ${name} -d ${shellWord(about)}`,
		...(values.length > 0 ? [`${at(name)} -f -a ${shellWord(values.join(' '))}`] : []),
		...options.map((option) => `${at(name)} ${long(option)}`),
	]
		.map((line) => `${line}\n`)
		.join('');
}

/*
 * Completion for zsh.
 */

const zshList = (words: string[]) => words.map(shellWord).join(' ');

/** Of `_describe`, which takes the name up to the first colon. */
const described = ({ name, about }: { name: string; about: string }) => `      ${shellWord(`${name}:${about}`)}\n`;

/** Branches that offer the values of choices. */
const chosen: (variables: Variable[], spelt: (one: Variable) => string, then?: string) => string = (variables, spelt, then = '') =>
	variables
		.filter(({ values }) => values.length > 0)
		.map((one) => `      ${spelt(one)}) compadd -- ${zshList(one.values)}${then} ;;\n`)
		.join('');

const zshScript = ({ commands, options, variables }: Completion): string => `#compdef doubletake
# Completion of doubletake, for ~/.zshrc after compinit: eval "$(doubletake completion zsh)"
_doubletake() {
  local current=\${words[CURRENT]} command='' word
  local -a offers
  if [[ $current == [A-Z]*=* ]]; then
    compset -P '*='
    case \${current%%=*} in
${chosen(variables, ({ name }) => name)}      *) _files ;;
    esac
    return
  fi
  if [[ $current != -* ]]; then
    case \${words[CURRENT-1]} in
${chosen(variables, ({ flag }) => flag, '; return')}    esac
  fi
  for word in \${words[2,CURRENT-1]}; do
    [[ $word == -* || $word == *=* ]] && continue
    command=$word
    break
  done
  case $current in
    -*)
      offers=(${zshList([...options, ...variables.map(({ flag }) => flag)])})
      case $command in
${commands
	.filter(({ options: own }) => own.length > 0)
	.map(({ name, options: own }) => `        ${name}) offers+=(${zshList(own)}) ;;\n`)
	.join('')}      esac
      compadd -- $offers
      return
      ;;
    [A-Z]*)
      compadd -S '' -- ${zshList(variables.map(({ name }) => `${name}=`))}
      return
      ;;
  esac
  case $command in
    '')
      offers=(
${commands.map(described).join('')}      )
      _describe command offers
      ;;
${commands
	.filter(({ values }) => values.length > 0)
	.map(({ name, values }) => `    ${name}) compadd -- ${zshList(values)} ;;\n`)
	.join('')}    *) _files ;;
  esac
}
compdef _doubletake doubletake
`;

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
