/** The flags of `codewright plugin`. */

import type { Flag } from "./flag.ts"

export type PluginFlag = "scope" | "yes" | "json" | "ref" | "help"

export const pluginFlags: readonly Flag<PluginFlag>[] = [
  {
    name: "scope",
    also: ["-s"],
    kind: "value",
    takes: "scope",
    choices: ["user", "project", "local"],
    about:
      "Turn it on or off for you in all folders (user, the default), for everyone in this project, or for you in this folder (local).",
  },
  { name: "yes", also: ["-y"], kind: "switch", about: "Agree to what the plugin runs, without a question." },
  { name: "ref", kind: "value", takes: "ref", about: "marketplace add: a branch, tag or commit of its repository." },
  { name: "json", kind: "switch", about: "Print JSON." },
  { name: "help", also: ["-h"], kind: "switch", about: "Show this help." },
]
