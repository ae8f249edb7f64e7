/** Scripts for the completion of commands and options in bash, zsh and fish, made from the command tree. */
import type { Command as Parser, Option } from "commander";
import { addUse, NAME, refuse } from "../src/command_options.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** An option as a shell has to know it. */
interface Word {
  /** With its dashes. */
  readonly name: string;
  readonly description: string;
  readonly takes: "nothing" | "text" | "file";
}

interface Known {
  readonly name: string;
  readonly description: string;
  readonly options: readonly Word[];
}

/** Adds the command `completion`. `found` gets the script. It knows the commands that are in the tree by then. */
export function addCompletion(program: Parser, found: (script: string) => void): void {
  const command = program
    .command("completion")
    .description("print a script that completes commands and options in your shell")
    .argument("<shell>", SHELLS.join(", "));
  addUse(command, {
    examples: SHELLS.map((shell) => `completion ${shell} > ${FILES[shell]}`),
    codes: "0 the script is printed; 1 it could not be; 2 the line is wrong.",
    more: `
bash reads the file if ~/.bashrc has: source ${FILES.bash}
zsh needs, in ~/.zshrc before compinit: fpath=(~/.zfunc $fpath)
`,
  }).action((given: string, _, at: Parser) => {
    const shell = SHELLS.find((name) => name === given);
    if (shell === undefined) refuse(at, `the shell must be one of ${SHELLS.join(", ")}`);
    found(SCRIPTS[shell](knownOf(program)));
  });
}

const FILES: Readonly<Record<Shell, string>> = {
  bash: "~/.ai-billing-completion",
  zsh: `~/.zfunc/_${NAME}`,
  fish: `~/.config/fish/completions/${NAME}.fish`,
};

const knownOf = (program: Parser): readonly Known[] =>
  program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    options: [...command.options.map(wordOf), HELP],
  }));

const HELP: Word = { name: "--help", description: "show help", takes: "nothing" };

function wordOf({ long, flags, description, required }: Option): Word {
  const isFile = /<(file|folder|place)>/.test(flags);
  return {
    name: long ?? flags,
    description,
    takes: required ? (isFile ? "file" : "text") : "nothing",
  };
}

/** Behind an option that takes a value the function offers no word, so bash completes the name of a file. */
function bash(commands: readonly Known[]): string {
  const cases = commands.map(({ name, options }) => {
    const taking = options.filter(({ takes }) => takes !== "nothing").map((option) => option.name);
    const skip = taking.length === 0 ? "" : ` case $before in ${taking.join("|")}) return ;; esac;`;
    return `    ${name})${skip} words="${options.map((option) => option.name).join(" ")}" ;;`;
  });
  return `# Completion of ${NAME} for bash.
_source_ai_billing() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command= word words=
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) ;; *) command=$word; break ;; esac
  done
  case $command in
    "") words="${commands.map(({ name }) => name).join(" ")} help --help --version" ;;
${cases.join("\n")}
    help) words="${commands.map(({ name }) => name).join(" ")}" ;;
  esac
  if [ "$command" = completion ] && [ "$before" = completion ]; then words="${SHELLS.join(" ")}"; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _source_ai_billing ${NAME}
`;
}

function zsh(commands: readonly Known[]): string {
  const text = (words: string): string =>
    words.replaceAll("'", "'\\''").replaceAll(/[[\]:\\]/g, String.raw`\$&`);
  const cases = commands.map(({ name, options }) => {
    const words = options.map((option) => {
      const value = { nothing: "", text: ":value:", file: ":file:_files" }[option.takes];
      return `'${option.name}[${text(option.description)}]${value}'`;
    });
    const rest = name === "completion" ? ` '1:shell:(${SHELLS.join(" ")})'` : "";
    return `    ${name}) _arguments ${words.join(" ")}${rest} ;;`;
  });
  return `#compdef ${NAME}
# Completion of ${NAME} for zsh.
_source_ai_billing() {
  local -a commands
  commands=(
${commands.map(({ name, description }) => `    '${name}:${text(description)}'`).join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join("\n")}
    help) _describe command commands ;;
  esac
}
if [ "$funcstack[1]" = _${NAME} ]; then
  _source_ai_billing "$@"
else
  compdef _source_ai_billing ${NAME}
fi
`;
}

function fish(commands: readonly Known[]): string {
  const text = (words: string): string => `'${words.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
  const begin = `complete -c ${NAME}`;
  const lines = commands.flatMap(({ name, description, options }) => [
    `${begin} -n __fish_use_subcommand -a ${name} -d ${text(description)}`,
    ...options.map((option) => {
      const value = { nothing: "", text: " -x", file: " -r -F" }[option.takes];
      const only = `-n '__fish_seen_subcommand_from ${name}'`;
      return `${begin} ${only} -l ${option.name.slice(2)}${value} -d ${text(option.description)}`;
    }),
  ]);
  return `# Completion of ${NAME} for fish.
${begin} -f
${lines.join("\n")}
${begin} -n '__fish_seen_subcommand_from completion' -a '${SHELLS.join(" ")}'
`;
}

const SCRIPTS: Readonly<Record<Shell, (commands: readonly Known[]) => string>> = {
  bash,
  zsh,
  fish,
};
