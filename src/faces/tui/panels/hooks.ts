/** The panel of hooks: what is wrong with them, which run when, and how they ran. */

import { dim, green, red, yellow } from "#faces/tui/screen/style.ts"
import { fitted, wrapped } from "#faces/tui/screen/width.ts"
import { forConsent } from "#lib/printable.ts"
import type { HookEntry, HookRow } from "#session/port/describe-hooks.ts"
import { ageText } from "#lib/age.ts"
import { counted } from "#lib/figures.ts"
import { hooksReport, outcomeOf, runsOf } from "#session/slash/reports.ts"
import type { HooksPort } from "./extension-ports.ts"
import { reportList, panelRow } from "./report-list.ts"
import type { ListDefinition, Preview, TextDefinition } from "./panel.ts"
import { factRows, passage, textRows, warningRows } from "./passage.ts"
import { drawnOnce } from "./place.ts"

const allRuns = "runs"

export const hooksPanel = <T>(port: HooksPort, now: () => number, query: string): ListDefinition<T> =>
  reportList(hooksReport, port.overview, query, {
    async load() {
      const overview = await port.overview()
      const { length } = overview.runs
      const all = { key: allRuns, text: "Recent runs", facts: counted(length, "run"), group: "All hooks" }
      return [...hooksReport.rows(overview).map(panelRow), ...(length === 0 ? [] : [all])]
    },
    async choose({ key, text }) {
      const { configured, runs } = await port.overview()
      const hook = configured[Number(key)]
      if (hook) return { kind: "opens", panel: hookPanel(hook, port, now) }
      return { kind: "opens", panel: key === allRuns ? runsPanel(runs, now()) : problemPanel(text) }
    },
  })

const hookPanel = <T>(hook: HookRow, port: HooksPort, now: () => number): TextDefinition<T> => ({
  kind: "text",
  title: `${hook.event}: ${hook.name}`,
  begins: "top",
  async load() {
    const { event, matcher, source, file, timeoutMs, required, work } = hook
    const runs = runsOf(hook, (await port.overview()).runs)
    const facts = factRows([
      ["When", event],
      ["For", matcher === "" ? "everything" : matcher],
      ["Kind", work.type],
      ["From", `${source}, ${file}`],
      ["Timeout", `up to ${timeoutMs / 1000} s`],
      ["Required", required ? "yes: if the hook fails, the action is blocked" : undefined],
    ])
    return {
      draw: drawnOnce(passage(facts, textRows("Runs", workText(work)), runRows(runs, now()))),
      keys: [],
    }
  },
})

/** All of it, with nothing hidden: it runs with the user's rights. */
function workText(work: HookRow["work"]): string {
  switch (work.type) {
    case "command":
      return [work.command, ...(work.args ?? [])].map((part) => part.split("\n").map(forConsent).join("\n")).join(" ")
    case "http":
      return work.url
    case "prompt":
    case "agent":
      return work.prompt
    case "mcp_tool":
      return `${work.tool} of the MCP server ${work.server}, with ${JSON.stringify(work.input)}`
    case "callback":
      return `The function ${work.callbackId} of the client`
    case "broken":
      return `Nothing: the hook ${work.why}`
  }
}

const problemPanel = <T>(problem: string): TextDefinition<T> => ({
  kind: "text",
  title: "Ignored",
  begins: "top",
  load: async () => ({ draw: warningRows(problem), keys: [] }),
})

const runsPanel = <T>(runs: readonly HookEntry[], now: number): TextDefinition<T> => ({
  kind: "text",
  title: "Recent hook runs",
  begins: "top",
  load: async () => ({ draw: drawnOnce(runRows(runs, now, "named")), keys: [] }),
})

/** Newest first. */
const runRows =
  (runs: readonly HookEntry[], now: number, which?: "named"): Preview =>
  (columns) => {
    if (runs.length === 0) return [dim("Not run yet.")]
    return runs.toReversed().flatMap((run) => {
      const figures = [`${run.ms} ms`, ageText(now - run.at), ...(run.late === true ? ["async"] : [])]
      const what = which === "named" ? `${run.event}  ${run.name}  ` : ""
      const colour =
        run.failure !== undefined || run.decision === "deny" ? red : run.decision === "ask" ? yellow : green
      const exit = run.exit === null || run.decision === undefined ? [] : [`exit ${run.exit}`]
      const row = `${colour("●")} ${forConsent(what)}${outcomeOf(run)} ${dim(`· ${[...exit, ...figures].join(" · ")}`)}`
      const why =
        run.failure === undefined ? [] : wrapped(forConsent(run.failure), columns - 2).map((line) => `  ${red(line)}`)
      return [fitted(row, columns), ...why]
    })
  }
