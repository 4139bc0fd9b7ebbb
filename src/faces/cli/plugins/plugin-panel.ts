/** The panel of plugins over what the command line does, too. */

import { join } from "node:path"
import { readPlugin } from "#ground/extensions/plugins.ts"
import { readMarketplace } from "#ground/plugins/marketplace.ts"
import { marketplaceFromText, sourceWords } from "#ground/plugins/source.ts"
import { pluginsFolder } from "#ground/plugins/store.ts"
import type { PluginPage, PluginRow, PluginsPort } from "#faces/tui/panels/plugins-port.ts"
import { counted, tokensText } from "#lib/figures.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { enabledBy, isEnabled } from "./enabled-ids.ts"
import { forgetEnabled, setEnabled } from "./enabling.ts"
import { inspectPlugin } from "./inspect.ts"
import { approve, differenceOf, installStaged, removeInstalled } from "./install.ts"
import { fetchMarketplace, marketplacesOf } from "./marketplaces.ts"
import { openPluginContext, type PluginContext } from "./plugin-context.ts"
import { differenceLines, pinWords, type PluginFacts, pluginLines } from "./plugin-text.ts"
import { drop, stage, stageAgain, type StagedPlugin } from "./stage.ts"

/** What was changed here counts here at once, though the settings of the session are those of its start. */
interface PanelState {
  readonly switched: Map<string, boolean>
  /** The one that was shown last and is not installed. */
  shown: StagedPlugin | undefined
}

export function pluginPanelPort(setting: StartupContext): PluginsPort {
  const context = openPluginContext(setting, new AbortController().signal)
  const state: PanelState = { switched: new Map(), shown: undefined }
  const isOn = (id: string): boolean => state.switched.get(id) ?? isEnabled(setting, id)
  const turn = (id: string, on: boolean): Result<string, string> => {
    if (enabledBy(setting, id) === "managed") return failed("The managed settings decide about this plugin.")
    const set = setEnabled(setting, id, "user", on)
    if (!set.ok) return set
    state.switched.set(id, on)
    return ok(`${on ? "Enabled" : "Disabled"} ${id}. Applies to new sessions.`)
  }
  return {
    list: async () => rowsOf(context, isOn),
    page: (id) => pageFor(context, state, id, isOn(id)),
    async install(id) {
      const staged = state.shown
      if (staged?.id !== id) return failed("Open it again first.")
      state.shown = undefined
      const installed = installStaged(context, staged, "approved")
      if (!installed.ok) return installed
      const all = [staged, ...staged.needs].map((one) => turn(one.id, true))
      return all.find((one) => !one.ok) ?? ok(`Installed and enabled ${id}. It is used from the next session on.`)
    },
    async enable(id) {
      const approved = approve(context, id)
      return approved.ok ? turn(id, true) : approved
    },
    disable: async (id) => turn(id, false),
    async remove(id) {
      const removed = removeInstalled(context, id)
      if (!removed.ok) return removed
      state.switched.set(id, false)
      return ok([`Removed ${id}.`, ...forgetEnabled(setting, id)].join(" "))
    },
    update: (id, consent) => updated(context, state, id, consent),
    async addMarketplace(text) {
      const source = marketplaceFromText(text, setting.cwd)
      if (!source.ok) return failed(`${text} cannot be added: ${source.failure}.`)
      const added = await fetchMarketplace(context, source.value)
      return added.ok ? ok(`Added ${added.value.name} with ${counted(added.value.plugins.length, "plugin")}.`) : added
    },
  }
}

function rowsOf(context: PluginContext, isOn: (id: string) => boolean): Result<readonly PluginRow[], string> {
  const records = context.records()
  if (!records.ok) return records
  const { plugins, marketplaces } = records.value
  const installed = Object.entries(plugins).map(([id, one]): PluginRow => {
    const runs = one.runs.length === 0 ? "runs nothing" : `runs ${counted(one.runs.length, "thing")}`
    const approval = one.isApproved ? [] : ["not approved"]
    const facts = [...optionalList(one.version), ...approval, runs, tokensText(one.promptTokens)].join(" · ")
    return { id, facts: `${isOn(id) ? "enabled" : "disabled"} · ${facts}`, group: "Installed" }
  })
  const available = marketplacesOf(context).flatMap(({ name, source }): readonly PluginRow[] => {
    const known = marketplaces[name]
    const read = known && readMarketplace(known.written)
    if (!read?.ok) return []
    return read.value.plugins
      .filter((entry) => !(`${entry.name}@${name}` in plugins))
      .map((entry) => ({
        id: `${entry.name}@${name}`,
        facts: entry.description ?? sourceWords(entry.source),
        group: `In ${name} (${sourceWords(source)})`,
      }))
  })
  return ok([...installed, ...available])
}

const optionalList = (text: string | undefined): readonly string[] => (text === undefined ? [] : [text])

async function pageFor(
  context: PluginContext,
  state: PanelState,
  id: string,
  isOn: boolean,
): Promise<Result<PluginPage, string>> {
  const records = context.records()
  const installed = records.ok ? records.value.plugins[id] : undefined
  if (installed) {
    const root = join(pluginsFolder(context.setting.state), installed.folder)
    const read = readPlugin(root, { name: installed.name, ...optional("entry", installed.entry) })
    if (!read.ok) return read
    const facts = { ...installed, id, view: inspectPlugin(read.value) }
    return ok(pageOf(facts, [], !installed.isApproved ? "not approved" : isOn ? "enabled" : "disabled"))
  }
  if (state.shown) drop(state.shown)
  state.shown = undefined
  const staged = await stage(context, id)
  if (!staged.ok) return staged
  state.shown = staged.value
  return ok(pageOf(staged.value, staged.value.needs, "not installed"))
}

function pageOf(
  { source, pin, digest, view }: PluginFacts,
  needs: readonly StagedPlugin[],
  state: PluginPage["state"],
): PluginPage {
  const { plugin, parts, promptTokens, problems } = view
  const servers = Object.keys(plugin.servers).length + Object.keys(plugin.portableServers).length
  const all = [view, ...needs.map((one) => one.view)]
  const tokens = all.reduce((sum, one) => sum + one.promptTokens, 0)
  return {
    facts: [
      ["Version", plugin.version],
      ["Author", plugin.about.author ?? "not given"],
      ["License", plugin.about.license],
      ["Source", `${sourceWords(source)}${pinWords(pin)}`],
      ["Digest", digest.slice(0, 24)],
      [
        "Every prompt",
        `${tokensText(needs.length === 0 ? promptTokens : tokens)}${servers === 0 ? "" : `, and the tools of ${counted(servers, "server")}`}`,
      ],
      ["Also installs", needs.map(({ id }) => id).join(", ")],
      ["Not supported", plugin.notFollowed.join(", ")],
    ],
    ...optional("description", plugin.about.description),
    runs: all.flatMap(({ runs }) => runs.map(({ kind, what }) => [kind, what] as const)),
    adds: [
      ["commands", parts.commands.join(", ")] as const,
      ["skills", parts.skills.join(", ")] as const,
      ["agents", parts.agents.join(", ")] as const,
      ["output styles", parts.styles.join(", ")] as const,
    ].filter(([, names]) => names !== ""),
    problems,
    state,
  }
}

async function updated(
  context: PluginContext,
  state: PanelState,
  id: string,
  consent: "agreed" | "ask",
): ReturnType<PluginsPort["update"]> {
  const records = context.records()
  const installed = records.ok ? records.value.plugins[id] : undefined
  if (!installed) return failed(`${id} is not installed.`)
  const agreed = consent === "agreed" && state.shown?.id === id ? ok(state.shown) : undefined
  const staged = agreed ?? (await stageAgain(context, installed))
  if (!staged.ok) return staged
  if (staged.value.digest === installed.digest && staged.value.needs.length === 0) {
    drop(staged.value)
    return ok({ kind: "done", message: `${id} is up to date.` })
  }
  const difference = differenceOf(installed, staged.value)
  const newcomers = staged.value.needs.filter(({ view }) => view.runs.length > 0)
  const isChanged = difference !== undefined || newcomers.length > 0
  if (isChanged && !agreed) {
    state.shown = staged.value
    return ok({
      kind: "asks",
      difference: [...(difference ? differenceLines(difference) : []), ...newcomers.flatMap(pluginLines)],
    })
  }
  state.shown = undefined
  const done = installStaged(context, staged.value, isChanged || installed.isApproved ? "approved" : "not asked")
  return done.ok ? ok({ kind: "done", message: `Updated ${id}.` }) : done
}
