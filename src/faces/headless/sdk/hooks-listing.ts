/** The hooks of a session, in the shape clients list them. */

import { optional } from "#lib/optional.ts"
import { forReading } from "#lib/printable.ts"
import { hookEventRows, type HookRow, type HooksOverview } from "#session/port/describe-hooks.ts"
import { settingsSource } from "./source-names.ts"

export function hooksListing(
  { configured }: HooksOverview,
  policy: { readonly disabledByPolicy: boolean; readonly allDisabled: boolean },
): object {
  const catalog = hookEventRows().map(({ event, about, hasMatcher }) => ({
    name: event,
    summary: about,
    supportsMatcher: hasMatcher,
  }))
  const of = (event: string): readonly HookRow[] => configured.filter((hook) => hook.event === event)
  return {
    events: catalog.flatMap((row) => {
      const hookCount = of(row.name).length
      return hookCount === 0 ? [] : [{ ...row, hookCount }]
    }),
    hooks: catalog.flatMap(({ name }) => of(name).map(hookRow)),
    eventCatalog: catalog,
    policy: {
      ...policy,
      managedOnly: false,
      pluginOnly: false,
      policyHookCount: configured.filter(({ source }) => source === "managed").length,
    },
  }
}

function hookRow(hook: HookRow): object {
  const { event, matcher, name, work, source, file, timeoutMs, rule, status, runs } = hook
  const { label, text } = contentOf(work)
  return {
    event,
    matcher: forReading(matcher),
    source: settingsSource(source) ?? "sessionHook",
    sourceLabel: forReading(file),
    type: work.type,
    displayText: name,
    commandText: forReading(text),
    contentLabel: label,
    ...optional("condition", rule === undefined ? undefined : forReading(rule)),
    timeout: timeoutMs / 1000,
    ...optional("statusMessage", status),
    ...(runs === "once" && { runsOnce: true }),
    ...(runs === "background" && { runsInBackground: true }),
  }
}

function contentOf(work: HookRow["work"]): { readonly label: string; readonly text: string } {
  switch (work.type) {
    case "command":
      return { label: "Command", text: [work.command, ...(work.args ?? [])].join(" ") }
    case "http":
      return { label: "URL", text: work.url }
    case "prompt":
    case "agent":
      return { label: "Prompt", text: work.prompt }
    case "mcp_tool":
      return { label: "MCP tool", text: `${work.server}: ${work.tool}` }
    case "callback":
      return { label: "Callback", text: work.callbackId }
    case "broken":
      return { label: "Problem", text: work.why }
  }
}
