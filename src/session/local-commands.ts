/** Commands that a session answers by itself, in every face. */

import type { CommandDefinition } from "#agent/words/command.ts"
import type { Todo } from "#agent/words/todo.ts"
import { ruleFile } from "#ground/settings/save.ts"
import type { Workspace } from "#ground/workspace/workspace.ts"
import type { Commands } from "#kits/commands/kit.ts"
import type { LocalCommand } from "#kits/commands/ports.ts"
import type { Compaction } from "#kits/compaction/kit.ts"
import type { ContextParts } from "#kits/context/parts.ts"
import type { Styles } from "#kits/styles/styles.ts"
import { bared } from "#lib/printable.ts"
import type { Place } from "./options.ts"
import type { SessionState } from "./state.ts"

export interface LocalParts {
  readonly styles: Styles
  readonly place: Place
  readonly state: () => SessionState
  readonly todos: () => readonly Todo[]
  readonly context: () => ContextParts
  readonly compact: Compaction["compact"]
  readonly background: Workspace["background"]
  /** They are made of these, among others. */
  readonly commands: () => Commands
}

export const localCommands = ({
  styles,
  place,
  state,
  todos,
  context,
  compact,
  background,
  commands,
}: LocalParts): readonly LocalCommand[] => [
  {
    name: "help",
    about: "List the commands",
    takes: "",
    run: () =>
      commands()
        .rows()
        .map(({ name, takes, about }) => `/${name}${takes === "" ? "" : ` ${takes}`}  ${about}`)
        .join("\n"),
  },
  {
    name: "skills",
    about: "List the skills and commands there are, and what is wrong with them",
    takes: "",
    run() {
      const { catalog } = commands()
      catalog.forget()
      return listed(catalog.list())
    },
  },
  { name: "cost", about: "Show what was spent", takes: "", run: () => costLines(state()) },
  { name: "context", about: "Show what fills the context", takes: "", run: () => contextLines(context()) },
  {
    name: "compact",
    about: "Summarize the conversation so far",
    takes: "[what to keep in mind]",
    async run(instructions, signal) {
      const done = await compact(instructions === "" ? {} : { instructions }, signal)
      return done.ok ? "The conversation was compacted." : done.failure
    },
  },
  { name: "todos", about: "Show the agent's list of work", takes: "", run: () => todoLines(todos()) },
  {
    name: "tasks",
    about: "Show the commands that run in the background",
    takes: "",
    run() {
      const running = background.list().filter(({ status }) => status === "running")
      if (running.length === 0) return "Nothing runs in the background."
      return running.map(({ id, command }) => `${id}  ${bared(command)}`).join("\n")
    },
  },
  {
    name: "output-style",
    about: "Show or choose how answers are written",
    takes: "[name]",
    run: (name) => (name === "" ? styleLines(styles) : chosenWords(name, styles, place)),
  },
]

function listed(all: readonly CommandDefinition[]): string {
  if (all.length === 0) return "There are no skills and no commands here."
  const lines = all.map(({ name, description, source, isForModel, isForPerson }) => {
    const who = !isForPerson ? ", only for the model" : isForModel ? "" : ", only for you"
    return bared(`/${name} (${source}${who})  ${description}`)
  })
  const problems = all.flatMap((definition) => definition.problems.map(bared))
  return [...lines, ...(problems.length === 0 ? [] : ["", ...problems])].join("\n")
}

function costLines({ spending, costUsd }: SessionState): string {
  const models = Object.entries(spending).map(([model, { usage, costUsd: own }]) => {
    const input = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens
    return `${model}: ${input} tokens in, ${usage.output_tokens} out, $${own.toFixed(4)}`
  })
  return models.length === 0 ? "Nothing was spent yet." : [...models, `All together $${costUsd.toFixed(4)}.`].join("\n")
}

const contextLines = ({ window, parts }: ContextParts): string =>
  [`The window holds ${window} tokens.`, ...parts.map(({ name, tokens }) => `${name}: ${tokens}`)].join("\n")

function todoLines(todos: readonly Todo[]): string {
  if (todos.length === 0) return "The list of work is empty."
  const marks = { completed: "[x]", in_progress: "[>]", pending: "[ ]" } as const
  return todos.map(({ status, content }) => `${marks[status]} ${bared(content)}`).join("\n")
}

const styleLines = (styles: Styles): string =>
  [
    `The output style is ${bared(styles.chosen().name)}. There are:`,
    ...styles.list().map(({ name, description }) => bared(`${name}  ${description}`)),
  ].join("\n")

async function chosenWords(name: string, styles: Styles, place: Place): Promise<string> {
  const chosen = styles.choose(name)
  if (!chosen.ok) return bared(chosen.failure)
  const file = ruleFile("local settings", { root: place.cwd, state: place.stateFolder })
  // What checks settings is large, and nothing else at the start needs it.
  const { setSetting } = await import("#ground/settings/set.ts")
  const saved = setSetting({ file, key: "outputStyle", value: chosen.value.name })
  const kept = saved.ok ? "" : ` It could not be kept for later sessions: ${saved.failure}`
  return `The output style ${bared(chosen.value.name)} holds after /clear, and in sessions that are started from now on. This conversation goes on as it began.${kept}`
}
