/** What can be said with a slash: a table, so that the list and the deed cannot drift. */

import { permissionModes } from "#agent/words/permission.ts"
import type { SessionState } from "#session/state.ts"
import { nearNames } from "#lib/near.ts"
import { type Effect, note } from "./effect.ts"
import { costText, shortNumber } from "./parts/numbers.ts"

export interface Command {
  readonly name: string
  readonly about: string
  /** What may follow the name. */
  readonly takes: string
  readonly run: (rest: string, session: SessionState) => Effect
}

export const commands: readonly Command[] = [
  {
    name: "help",
    about: "List the commands",
    takes: "",
    run: () =>
      note(
        commands
          .map(({ name, takes, about }) => `/${name}${takes === "" ? "" : ` ${takes}`}  ${about}`)
          .concat("Press ? in an empty prompt for the keys.")
          .join("\n"),
      ),
  },
  {
    name: "model",
    about: "Show or change the model",
    takes: "[name]",
    run: (rest, { model }) =>
      rest === "" ? note(`The model is ${model}.`) : { kind: "submit", op: { type: "set_model", model: rest } },
  },
  {
    name: "mode",
    about: "Show or change the permission mode",
    takes: `[${permissionModes.join(" | ")}]`,
    run(rest, session) {
      if (rest === "") return note(`The permission mode is ${session.mode}.`)
      const mode = permissionModes.find((known) => known.toLowerCase() === rest.toLowerCase())
      if (mode) return { kind: "submit", op: { type: "set_mode", mode } }
      return note(`There is no mode ${rest}. The modes are ${permissionModes.join(", ")}.`, "error")
    },
  },
  { name: "cost", about: "Show what was spent", takes: "", run: (_, session) => note(spendingText(session)) },
  { name: "exit", about: "Leave", takes: "", run: () => ({ kind: "leave" }) },
]

/** What a line that begins with a slash does; nothing when it is no command but a path or a sentence. */
export function runCommandLine(line: string, session: SessionState): Effect | undefined {
  const found = /^\/([a-z-]+)(?:\s+([\s\S]*))?$/.exec(line.trim())
  if (!found) return undefined
  const [, given = "", rest = ""] = found
  const name = given === "quit" ? "exit" : given
  const command = commands.find((known) => known.name === name)
  if (command) return command.run(rest.trim(), session)
  const near = nearNames(
    name,
    commands.map((known) => known.name),
    1,
  )[0]
  return note(`There is no command /${name}. ${near ? `Did you mean /${near}?` : "/help lists them."}`, "error")
}

function spendingText({ spending, costUsd }: SessionState): string {
  const models = Object.entries(spending).map(([model, { usage, costUsd: own }]) => {
    const input = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens
    return `${model}: ${shortNumber(input)} tokens in, ${shortNumber(usage.output_tokens)} out, ${costText(own)}`
  })
  return models.length === 0 ? "Nothing was spent yet." : [...models, `All together ${costText(costUsd)}.`].join("\n")
}
