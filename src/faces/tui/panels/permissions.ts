/** The panel of rules: which hold and where they come from; one may be removed or added. */

import type { Behavior } from "#agent/words/permission.ts"
import { places } from "#faces/view/consent.ts"
import { firstLine } from "#lib/rows.ts"
import { autoHeading, rulesReport, ruleOrder, ruleSources } from "#session/slash/reports.ts"
import { reportList, panelRow } from "./report-list.ts"
import type { LineDefinition, ListDefinition, PanelOutcome, PanelRow } from "./panel.ts"
import type { AutoDecision, RuleRow } from "#session/port/query.ts"
import type { PermissionsPort } from "./ports.ts"

const adding = "add"

export function permissionsPanel<T>(port: PermissionsPort, query: string): ListDefinition<T> {
  let known: readonly RuleRow[] = []
  let auto: readonly AutoDecision[] = []
  return reportList(rulesReport, port.list, query, {
    empty: "No rules.",
    enterLabel: "change",
    async load(_, signal) {
      known = await port.list(signal)
      auto = await port.auto(signal)
      return [
        { key: adding, text: "Add a rule" },
        ...rulesReport.rows(known).map(panelRow),
        ...auto.toReversed().map(autoRow),
      ]
    },
    async choose({ key }) {
      const decided = auto.find(({ callId }) => callId === key)
      if (decided)
        return { kind: "stays", note: `${decided.outcome === "allowed" ? "Allowed" : "Blocked"}: ${decided.why}` }
      if (key === adding) return { kind: "opens", panel: writeRule(port) }
      const rule = known[Number(key)]
      if (!rule) return { kind: "stays" }
      if (fixed.includes(rule.source))
        return { kind: "stays", note: `This rule comes from ${ruleSources[rule.source]} and cannot be removed here.` }
      return { kind: "opens", panel: removeRule(port, rule) }
    },
  })
}

const autoRow = ({ callId, title, outcome }: AutoDecision): PanelRow => ({
  key: callId,
  text: firstLine(title),
  facts: outcome,
  group: autoHeading,
})

/** The panel cannot remove rules from here. */
const fixed: readonly RuleRow["source"][] = ["managed", "command line", "command"]

function removeRule<T>(port: PermissionsPort, rule: RuleRow): ListDefinition<T> {
  return {
    kind: "list",
    title: `Remove ${rule.rule}?`,
    about: `Saved in: ${ruleSources[rule.source]}`,
    empty: "",
    search: "none",
    enterLabel: "confirm",
    load: async () => [
      { key: "keep", text: "No, keep the rule" },
      { key: "remove", text: "Yes, remove the rule" },
    ],
    async choose({ key }): Promise<PanelOutcome<T>> {
      if (key === "keep") return { kind: "goes back", to: "one below" }
      const done = await port.remove(rule)
      return {
        kind: "goes back",
        to: "one below",
        note: done.ok ? `Removed ${rule.rule}.${until(rule)}` : done.failure,
      }
    },
  }
}

/** A program in the session could have removed it, so only stricter changes count at once. */
const until = ({ behavior }: RuleRow): string =>
  behavior === "allow" ? "" : " The rule still applies in this session."

const writeRule = <T>(port: PermissionsPort): LineDefinition<T> => ({
  kind: "line",
  title: "Add a rule",
  about: "Such as Bash(npm run test:*), Edit(src/**), WebFetch(domain:example.org) or mcp__server__tool.",
  text: "",
  shown: "text",
  submit: async (rule) => ({ kind: "opens", panel: chooseBehavior(port, rule) }),
})

const behaviorWords: { readonly [behavior in Behavior]: string } = {
  allow: "Allow without asking",
  ask: "Always ask",
  deny: "Deny",
}

const chooseBehavior = <T>(port: PermissionsPort, rule: string): ListDefinition<T> => ({
  kind: "list",
  title: `When a call matches ${rule}:`,
  empty: "",
  search: "none",
  enterLabel: "continue",
  load: async () => ruleOrder.toReversed().map((behavior) => ({ key: behavior, text: behaviorWords[behavior] })),
  async choose({ key }) {
    const behavior = ruleOrder.find((known) => known === key) ?? "ask"
    return { kind: "opens", panel: choosePlace(port, rule, behavior) }
  },
})

const choosePlace = <T>(port: PermissionsPort, rule: string, behavior: Behavior): ListDefinition<T> => ({
  kind: "list",
  title: "Save to",
  about: `${behaviorWords[behavior]}: ${rule}`,
  empty: "",
  search: "none",
  enterLabel: "save",
  load: async () =>
    port.destinations.map((place) => ({
      key: place,
      text: places[place].replace(/^./, (letter) => letter.toUpperCase()),
    })),
  async choose({ key }) {
    const destination = port.destinations.find((known) => known === key)
    if (!destination) return { kind: "stays" }
    const done = await port.add({ behavior, rule, destination })
    return done.ok ? { kind: "goes back", to: "first", note: `Added ${rule}.` } : { kind: "stays", note: done.failure }
  },
})
