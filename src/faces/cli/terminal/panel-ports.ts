/** What the panels of the terminal show and change, from settings, the catalogue of models and the logs. */

import { join } from "node:path"
import { type Grant, grantDestinations } from "#agent/words/permission.ts"
import { textOf } from "#agent/words/message.ts"
import type { Models } from "#ground/models/router.ts"
import { removeRuleAt, type RuleFile } from "#ground/settings/save.ts"
import { setSetting } from "#ground/settings/set.ts"
import type { BranchesPort, PanelPorts, PermissionsPort, RewindPort } from "#faces/tui/panels/ports.ts"
import { failed, ok } from "#lib/result.ts"
import { reviewed } from "#session/port/rewound.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import type { RuleRow, SessionAbout } from "#session/port/query.ts"
import type { Session, SessionPort } from "#session/port/session.ts"
import { lazyRunningPort } from "#faces/cli/background/lazy-running-port.ts"
import type { NextConversation } from "#session/opening/program.ts"
import { extensionPorts, outcomeOf, watching } from "#faces/cli/extensions/extension-ports.ts"
import { lazyPluginPanel } from "#faces/cli/plugins/lazy-plugin-panel.ts"
import { modelsPort } from "#faces/cli/models/model-rows.ts"
import { lazyProviderPanel } from "#faces/cli/models/lazy-provider-panel.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { sessionsPort } from "#faces/cli/sessions/session-rows.ts"

export function panelPorts(
  setting: StartupContext,
  models: Models,
  session: Pick<Session, keyof SessionPort | "id">,
  about: Pick<SessionAbout, "bypassAvailable">,
  resume: (next: NextConversation) => void,
): PanelPorts {
  const { state } = setting
  const asking = setting.offline ? "nobody" : "servers"
  return {
    ...extensionPorts(session),
    rewind: rewindPort(session),
    changes: {
      review: (scope, signal) => session.ask({ type: "review", scope }, signal),
      async act(wish) {
        const done = await reviewed(session, { type: "review", ...wish })
        if (!done.ok) return done
        const left = (done.value.left ?? []).map(({ hunk: { path, lines }, why }) =>
          lines ? `${path} line ${lines.from} (${why})` : `${path} (${why})`,
        )
        return ok(left.length === 0 ? "" : `Not touched: ${left.join(", ")}.`)
      },
      points: async () => {
        const points = await session.ask({ type: "points" })
        return points.ok ? ok(points.value.toReversed()) : points
      },
    },
    branches: branchesPort(session),
    memory: {
      files: () => session.ask({ type: "memory" }),
      add: (path, line) => outcomeOf(session, { type: "remember", path, line }),
    },
    context: { parts: () => session.ask({ type: "context" }) },
    models: modelsPort(setting, models, asking),
    modes: { bypassAvailable: about.bypassAvailable },
    btw: { ask: (question, signal) => session.ask({ type: "btw", question }, signal) },
    effort: { overview: () => session.ask({ type: "thinking" }) },
    gates: {
      list: () => session.ask({ type: "gates" }),
      set: (gate, on) => outcomeOf(session, { type: "set_gate", gate, on }),
      watch: watching(session, (event) => event.type === "entry" && event.entry.kind === "gates"),
    },
    styles: { overview: () => session.ask({ type: "styles" }) },
    sandbox: {
      overview: () => session.ask({ type: "sandbox" }),
      async isOn() {
        const rows = await (await import("./config-rows.ts")).configRows(setting)
        return rows.ok && rows.value.some(({ key, value }) => key === sandboxKey && value === true)
      },
      set: async (on) => (await import("./config-rows.ts")).changeSetting(setting, sandboxKey, on),
    },
    sessions: sessionsPort(setting, resume),
    running: lazyRunningPort(session.id),
    permissions: permissionsPort(setting, session),
    plugins: lazyPluginPanel(setting),
    config: {
      list: async () => (await import("./config-rows.ts")).configRows(setting),
      change: async (key, value) => (await import("./config-rows.ts")).changeSetting(setting, key, value),
    },
    login: lazyProviderPanel(setting, asking),
    themes: {
      keep: async (theme) => setSetting({ file: join(state, "settings.json"), key: "theme", value: theme }),
    },
  }
}

const sandboxKey = "sandbox.enabled"

function rewindPort({ ask }: SessionPort): RewindPort {
  return {
    async points() {
      const points = await ask({ type: "points" })
      if (!points.ok) return points
      return ok(
        points.value.toReversed().map(({ own, uncovered, promptId, text, at }) => ({
          promptId,
          text,
          at,
          changed: own,
          callsUncovered: uncovered.length,
        })),
      )
    },
    async preview(promptId, signal) {
      const preview = await ask({ type: "preview", promptId }, signal)
      if (!preview.ok) return preview
      const files = preview.value.files.map((file) => ({
        ...file,
        change: file.change === "mode" ? ("modified" as const) : file.change,
      }))
      return ok({ ...preview.value, files })
    },
  }
}

const branchesPort = ({ ask }: SessionPort): BranchesPort => ({
  list: async () =>
    (await ask({ type: "branches" })).toReversed().map(({ tip, prompt, at, length, isCurrent }) => ({
      tip,
      prompt: prompt && textOf(prompt.content),
      at,
      prompts: length,
      isCurrent,
    })),
})

function permissionsPort({ cwd, state, home, loaded }: StartupContext, { ask, submit }: SessionPort): PermissionsPort {
  let rules: readonly RuleRow[] = loaded.rules.map(({ behavior, text, source }) => ({ behavior, rule: text, source }))
  return {
    destinations: grantDestinations,
    list: async () => [...rules, ...(await ask({ type: "grants" })).map(grantRow)],
    auto: () => ask({ type: "auto_decisions" }),
    async add({ behavior, rule, destination }) {
      const added = await submit({ type: "add_rule", behavior, rule, destination })
      if (!added.ok) return failed(opFailureWords(added.failure))
      if (isFile(destination)) rules = [...rules, { behavior, rule, source: destination }]
      return ok(undefined)
    },
    async remove(row) {
      if (!isFile(row.source)) return failed("Rules of this session end with the session.")
      const removed = removeRuleAt(row.source, { root: cwd, state, home }, row)
      if (!removed.ok) return removed
      if (removed.value.length === 0)
        return failed(
          `The ${row.source} do not contain the rule ${row.rule}. Find its file with: codewright permissions list`,
        )
      rules = rules.filter((other) => other !== row)
      return ok(undefined)
    },
  }
}

const grantRow = ({ rule, behavior = "allow" }: Grant): RuleRow => ({ behavior, rule, source: "session" })

const isFile = (place: string): place is RuleFile =>
  place === "local settings" || place === "project settings" || place === "user settings"
