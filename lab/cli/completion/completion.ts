/**
 * The command `completion`: a script by which a shell completes commands, architectures, experiments, loads and variables, made from the
 * tables and from the commands themselves.
 *
 * @typedef {object} Completion     all that can be completed
 * @property {CompletedCommand[]} commands
 * @property {string[]} options     of every command
 * @property {Variable[]} variables   the options of the table
 *
 * @typedef {object} Variable
 * @property {string} name
 * @property {string} flag
 * @property {string[]} values      none where it is no choice
 *
 * @typedef {object} CompletedCommand
 * @property {string} name
 * @property {string} about
 * @property {string[]} values      of its argument; none where that is a file or a folder
 * @property {string[]} options     of its own
 */

import { EXIT, NotReadyError } from '../../base/errors.ts';
import { shellWord } from '../../base/format-command.ts';
import { architectures } from '../../catalog/architectures.ts';
import { experiments } from '../../catalog/experiments.ts';
import { OPTIONS } from '../../options/options.ts';
import { ALL } from '../../record/findings.ts';
import { flagOf } from '../command-line.ts';

/*
 * Completion for bash, 3.2 and newer. A command that is called by its path is found by its name.
 */

/** @param {string[]} words */
const list = (words) => shellWord(words.join(' '));

/**
 * @param {Completion} completion
 * @returns {string}
 */
const bashScript = ({ commands, options, variables }) => `# Completion of doubletake, for ~/.bashrc: eval "$(doubletake completion bash)"
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

/** @param {string} name */
const at = (name) => `complete -c doubletake -n ${shellWord(`__doubletake_at ${name}`)}`;

/** @param {string} option  as it is written, such as `--json` */
const long = (option) => `-l ${option.slice('--'.length)}`;

/** Each with every value it may have; fish puts no space behind an equals sign. @param {Variable[]} variables */
const assignments = (variables) =>
	variables.flatMap(({ name, values }) => (values.length > 0 ? values : ['']).map((value) => `${name}=${value}`));

/** @param {Variable} variable */
const flagLine = ({ flag, values }) =>
	`complete -c doubletake ${long(flag)} -r${values.length > 0 ? ` -f -a ${shellWord(values.join(' '))}` : ''}\n`;

/**
 * @param {Completion} completion
 * @returns {string}
 */
const fishScript = ({ commands, options, variables }) => `# Completion of doubletake: doubletake completion fish | source
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

/** @param {CompletedCommand} command */
function commandLines({ name, about, values, options }) {
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

/** @param {string[]} words */
const zshList = (words) => words.map(shellWord).join(' ');

/** Of `_describe`, which takes the name up to the first colon. @param {{ name: string, about: string }} command */
const described = ({ name, about }) => `      ${shellWord(`${name}:${about}`)}\n`;

/** Branches that offer the values of choices. @type {(variables: Variable[], spelt: (one: Variable) => string, then?: string) => string} */
const chosen = (variables, spelt, then = '') =>
	variables
		.filter(({ values }) => values.length > 0)
		.map((one) => `      ${spelt(one)}) compadd -- ${zshList(one.values)}${then} ;;\n`)
		.join('');

/**
 * @param {Completion} completion
 * @returns {string}
 */
const zshScript = ({ commands, options, variables }) => `#compdef doubletake
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
const SHELLS = /** @type {(keyof typeof SCRIPTS)[]} */ (Object.keys(SCRIPTS));
const IDS = Object.keys(architectures);

/** By the name that an argument has on the command line. @type {Record<string, string[]>} */
const ARGUMENTS = { architecture: IDS, architectures: IDS, id: [...Object.keys(experiments), ALL], shell: SHELLS };

/**
 * @param {string} shell
 * @param {import('commander').Command} program
 * @param {import('../reporter.ts').Reporter} reporter
 * @returns {Promise<number>} exit code
 * @throws {NotReadyError} naming the shells that there are scripts for
 */
export async function completion(shell, program, reporter) {
	const known = SHELLS.find((name) => name === shell);
	if (!known) throw new NotReadyError(`shell: expected one of ${SHELLS.join(', ')}; found "${shell}".`, 'use one of them.');
	const script = SCRIPTS[known](completionOf(program));
	reporter.tell(script);
	reporter.give({ result: { shell, script } });
	return EXIT.done;
}

/** @param {import('commander').Command} program @returns {Completion} */
function completionOf(program) {
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

/** @param {import('commander').Command} command */
const optionsOf = ({ options }) => options.map(({ long }) => String(long));
