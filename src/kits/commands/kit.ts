/** The commands kit: turns slash commands into prompts, whose rules and model apply to their turn. */

import { byKind } from "#agent/words/follower.ts"
import type { CommandDefinition, CommandRow } from "#agent/words/command.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { PromptBlock } from "#agent/words/message.ts"
import { optional } from "#lib/optional.ts"
import { nearNames } from "#lib/near.ts"
import { forConsent } from "#lib/printable.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type Catalog, openCatalog } from "./catalog.ts"
import type { Delivered, PromptToDeliver } from "./deliver.ts"
import type { ExpandAsk } from "./expand.ts"
import type { CommandPorts } from "./ports.ts"
import { commandIn, type TypedCommand } from "./recognise.ts"
import type { TurnScope } from "./turn.ts"

export interface Commands extends Kit {
  readonly catalog: Catalog
  readonly turn: TurnScope
  readonly rows: () => readonly CommandRow[]
  readonly recognise: (content: readonly PromptBlock[]) => Result<"text" | "command", UnknownCommand>
  readonly ownIn: (content: readonly PromptBlock[]) => TypedCommand | undefined
  /** What is about to be expanded, for those who may object; undefined for anything but a command. */
  readonly expansionOf: (content: readonly PromptBlock[]) => CommandExpansion | undefined
  /** The prompt for the model. Anything but a command is returned unchanged. */
  readonly deliver: (said: PromptToDeliver, signal: AbortSignal) => Promise<Delivered>
  readonly load: (ask: ExpandAsk, signal: AbortSignal) => Promise<string>
  /** Reports a problem with a file once. */
  readonly complain: (definition: Pick<CommandDefinition, "problems">) => void
}

export interface CommandExpansion extends TypedCommand {
  readonly type: "slash_command" | "mcp_prompt"
  readonly source?: string
}

export interface UnknownCommand {
  readonly name: string
  readonly near: readonly string[]
}

export function commandsKit(ports: CommandPorts): Commands {
  const complained = new Set<string>()
  const catalog = openCatalog(ports, warnOnce)
  const { turn } = ports

  const fromFiles = (name: string): CommandDefinition | undefined => {
    const found = catalog.find(name)
    return found?.isForPerson ? found : undefined
  }

  function isOwn(name: string): boolean {
    const isNamed = ports.own.some((one) => one.name === name || one.aliases?.includes(name) === true)
    return isNamed && (ports.first === "own" || fromFiles(name) === undefined)
  }

  function rows(): readonly CommandRow[] {
    const own = catalog.list().flatMap(({ isForPerson, name, description, takes, source }): readonly CommandRow[] => {
      if (!isForPerson) return []
      const row = { name: forConsent(name), about: forConsent(description), takes: forConsent(takes) }
      return [{ ...row, ...(source === "built-in" && { builtin: true }) }]
    })
    const ours = ports.own.map(({ name, about, takes, aliases }): CommandRow => ({
      name,
      about,
      takes,
      builtin: true,
      ...optional("aliases", aliases),
    }))
    const all = ports.first === "own" ? [...own, ...ours] : [...ours, ...own]
    return [...new Map([...(ports.servers?.list() ?? []), ...all].map((row) => [row.name, row])).values()].toSorted(
      (a, b) => (a.name < b.name ? -1 : 1),
    )
  }

  function isKnown(name: string): boolean {
    // A rejected command is answered with the reason.
    return (
      isOwn(name) ||
      ports.servers?.has(name) === true ||
      fromFiles(name) !== undefined ||
      catalog.rejected(name) !== undefined
    )
  }

  function complain({ problems }: Pick<CommandDefinition, "problems">): void {
    for (const problem of problems) warnOnce(problem)
  }

  function warnOnce(text: string): void {
    if (complained.has(text)) return
    complained.add(text)
    ports.warn(text)
  }

  return {
    name: "commands",
    catalog,
    turn,
    rows,
    complain,
    async deliver(said, signal) {
      // Most prompts are not commands.
      if (!said.command && !commandIn(said.content)) return { kind: "prompt", content: said.content }
      const { deliver } = await import("./deliver.ts")
      return deliver({ ports, catalog, turn, complain, warnOnce }, said, signal)
    },
    expansionOf(content) {
      const spoken = commandIn(content)
      if (!spoken) return undefined
      if (ports.servers?.has(spoken.name)) return { ...spoken, type: "mcp_prompt" }
      return { ...spoken, type: "slash_command", ...optional("source", catalog.find(spoken.name)?.source) }
    },
    ownIn(content) {
      const spoken = commandIn(content)
      return spoken && isOwn(spoken.name) ? spoken : undefined
    },
    load: async (ask, signal) => (await (await import("./expand.ts")).expand(ask, ports, signal)).text,
    recognise(content) {
      catalog.settle()
      const spoken = commandIn(content)
      if (!spoken) return ok("text")
      const { name } = spoken
      if (isKnown(name)) return ok("command")
      if (ports.exists(`/${name}`)) return ok("text")
      const names = rows().map((row) => row.name)
      return failed({ name, near: nearNames(name, names, 3) })
    },
    onEntry: byKind({
      model: turn.dropModel,
      prompt({ command }) {
        turn.tighten(command?.disallowedTools ?? [])
        turn.guard(command?.hooks ?? [])
      },
      // Files may have changed by the next scan.
      intent: catalog.forget,
      turn_end() {
        turn.end()
        catalog.forget()
      },
    }),
  }
}
