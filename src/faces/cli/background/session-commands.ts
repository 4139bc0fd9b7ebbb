/** `codewright attach`, `logs`, `stop` and `rm`: what is done with one session by its id or name. */

import type { Flag } from "#faces/cli/flags/flag.ts"
import type { CommandHelp } from "#faces/cli/help/command-help.ts"
import { readCommand } from "#faces/cli/help/read-command.ts"
import type { Io } from "#faces/cli/io.ts"
import { whereWeAre } from "#faces/cli/where.ts"
import type { OneCall, OneFlag } from "./session-command-call.ts"

interface OneCommand {
  readonly help: CommandHelp
  readonly run: (argv: readonly string[], io: Io) => Promise<number>
}

const helpFlag: Flag<OneFlag> = { name: "help", also: ["-h"], kind: "switch", about: "Show this help." }
const jsonFlag: Flag<OneFlag> = { name: "json", kind: "switch", about: "Print JSON." }
const named = "Takes an id, its first characters, or a name, as codewright agents shows them."

export const attachCommand: OneCommand = command({
  usage: ["codewright attach <session>"],
  about: `Opens a session in this terminal. One in the background continues when you leave. ${named}`,
  run: async (call) => (await import("./attach.ts")).attach(call),
})

export const logsCommand: OneCommand = command({
  usage: ["codewright logs <session> [--follow] [--json]"],
  about: `Prints what a session said and did. ${named}`,
  table: [
    { name: "follow", also: ["-f"], kind: "switch", about: "Print what follows, until the session ends or needs you." },
    { name: "json", kind: "switch", about: "Print the entries of the log as JSON, one on each line." },
  ],
  run: async (call) => (await import("./logs.ts")).logs(call),
})

export const stopCommand: OneCommand = command({
  usage: ["codewright stop <session>... [--json]"],
  about: `Interrupts sessions. Nothing is lost: continue with codewright attach, or with codewright --bg --resume. ${named}`,
  table: [jsonFlag],
  run: async (call) => (await import("./stop.ts")).stop(call),
})

export const rmCommand: OneCommand = command({
  usage: ["codewright rm <session>... [--json]"],
  about: `Removes sessions that have ended from the list. The conversation stays: codewright sessions delete deletes it. ${named}`,
  table: [jsonFlag],
  run: async (call) => (await import("./remove.ts")).remove(call),
})

function command({
  table = [],
  run,
  ...described
}: CommandHelp & {
  readonly table?: readonly Flag<OneFlag>[]
  readonly run: (call: OneCall) => Promise<number>
}): OneCommand {
  const flags = [...table, helpFlag]
  const help: CommandHelp = { ...described, table: flags }
  return {
    help,
    async run(argv, io) {
      const args = readCommand(argv, flags, help, io)
      if (typeof args === "number") return args
      return run({ args, words: args.rest, where: whereWeAre(), io })
    },
  }
}
