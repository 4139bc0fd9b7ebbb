/** MCP servers and memory files as text. */

import type { MemoryTarget } from "#kits/context/remember.ts"
import type { ServerAct } from "#agent/words/op.ts"
import type { McpServerState } from "#kits/mcp/ports.ts"
import { forConsent } from "#lib/printable.ts"
import { aligned } from "#lib/rows.ts"
import type { SlashAnswer } from "#session/opening/program.ts"
import { matching, serversReport } from "./reports.ts"
import { listed, numbered } from "./rows.ts"

/** All of them or those that match; one by its name, and what can be done with it: `github off`. */
export function serverAnswer(servers: readonly McpServerState[], words: string): SlashAnswer {
  const [, name, act] = /^(\S+?)(?:\s+(reconnect|on|off|off here|login))?$/.exec(words) ?? []
  const one = servers.find((server) => server.name === name)
  if (act !== undefined && name !== undefined && !one)
    return { text: `There is no MCP server ${forConsent(name)}. /mcp lists them.`, isError: true }
  if (one && act !== undefined) {
    const op = opOf[act] ?? "reconnect"
    return { text: serverDone[op](forConsent(one.name)), ops: [{ type: "server", name: one.name, act: op }] }
  }
  if (one) return serverChoice(one)
  const found = matching(serversReport.rows(servers), words)
  if (found.length === 0) return { text: listed([], words, serversReport.empty) }
  const lines = numbered(found.map(({ text, facts }) => [forConsent(text), forConsent(facts.join(" · "))]))
  return { text: [...lines, serversReport.hint].join("\n"), choices: found.map(({ key }) => key) }
}

const opOf: { readonly [act: string]: ServerAct } = {
  on: "enable",
  off: "disable",
  "off here": "disable_here",
  login: "login",
}

const serverDone: { readonly [act in ServerAct]: (name: string) => string } = {
  reconnect: (name: string) => `Reconnected ${name}.`,
  enable: (name: string) => `Turned ${name} on.`,
  disable: (name: string) => `Turned ${name} off for this session.`,
  disable_here: (name: string) => `Turned ${name} off in this folder. /mcp ${name} on to turn it on again.`,
  login: (name: string) => `Approve access in the browser. /mcp ${name} shows the URL.`,
}

function serverChoice(server: McpServerState): SlashAnswer {
  const acts = server.isUntrusted
    ? []
    : server.status === "disabled" || server.status === "needs_approval"
      ? ["on"]
      : [...(server.status === "needs_login" ? ["login"] : []), "reconnect", "off", "off here"]
  const labels: { readonly [act: string]: string } = {
    on: server.status === "disabled" ? "Turn it on" : "Approve and start it",
    reconnect: server.status === "connected" ? "Reconnect" : "Retry",
    off: "Turn it off for this session",
    "off here": "Turn it off in this folder",
    login: "Log in",
  }
  const tools = server.tools.map((tool) => `  ${forConsent(tool.name)}`)
  return {
    text: [
      ...serversReport.rows([server]).map(({ text, facts }) => forConsent([text, ...facts].join(" · "))),
      ...(server.reason === undefined || server.status === "failed" ? [] : [forConsent(server.reason)]),
      ...(tools.length > 0 ? ["Tools:", ...tools] : []),
      ...acts.map((act, i) => `${i + 1}. ${labels[act]}`),
    ].join("\n"),
    choices: acts.map((act) => `${server.name} ${act}`),
  }
}

export const memoryText = (files: readonly MemoryTarget[]): string =>
  files.length === 0
    ? "No memory file can be written here."
    : [...aligned(files.map(({ label, path }) => [label, forConsent(path)])), "Edit them in your editor."].join("\n")
