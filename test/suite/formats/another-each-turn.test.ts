/** One conversation over every wire format in turn, and back: with calls, pictures and thinking, resumed in between. */

import { expect, test } from "bun:test"
import { type Models, openModels } from "#ground/models/router.ts"
import { systemIds } from "#lib/ids.ts"
import { lastToolResult } from "#sim/request.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { openSimulator, type Simulator } from "#sim/server.ts"
import { inspect } from "#session/request/inspect.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { picture } from "../../kit/picture.ts"
import { proofsIn } from "../../kit/proofs.ts"
import { impatientClock } from "../../kit/test-loop.ts"
import { type WireFormat, wireFormats } from "../../kit/wire-formats.ts"

interface Row {
  readonly format: WireFormat
  readonly simulator: Simulator
}

/** Thinks, looks at the picture and counts in one answer, then thinks and speaks. */
const speaker =
  (name: string): ScenarioFunction =>
  (request) =>
    lastToolResult(request) === undefined
      ? {
          content: [
            { thinking: `${name} thinks about it` },
            { text: `${name} looks.` },
            { tool: "Read", input: { file_path: "a.png" } },
            { tool: "Bash", input: { command: "seq 3" } },
          ],
        }
      : { content: [{ thinking: `${name} thinks it is done` }, `${name} says hi.`] }

async function openRows(): Promise<readonly Row[]> {
  return Promise.all(
    Object.values<WireFormat>(wireFormats).map(async (format) => {
      const opened = await openSimulator({ scenario: speaker(format.name) })
      if (!opened.ok) throw new Error(opened.failure.message)
      return { format, simulator: opened.value }
    }),
  )
}

const openAll = (rows: readonly Row[]): Models =>
  openModels(
    // As in the program: Anthropic, which answers for any name that is nobody's, is asked last.
    rows.toReversed().map(({ format, simulator }) => format.provider(simulator.url)),
    { clock: impatientClock, ids: systemIds },
  )

const sentTo = ({ simulator }: Row): string => JSON.stringify(simulator.requests.map(({ body }) => body))

test("each is sent valid requests, reads what the others said, and gets back its own thinking only", async () => {
  const rows = await openRows()
  const models = openAll(rows)
  const first = rows[0]?.format.model ?? ""
  const model = { port: models, factsOf: models.factsOf, id: first, given: false, small: first }
  await using opened = await openTestSession({
    script: [],
    model,
    limits: { thinking: { type: "on", tokens: 2_000 } },
  })
  let t = opened
  await Bun.write(t.path("a.png"), Buffer.from(picture, "base64"))
  // Twice around: what one said and thought before the others spoke goes back to it.
  for (const [turn, { format }] of [...rows, ...rows].entries()) {
    if (turn === rows.length) t = await t.reopen()
    if (turn > 0) await t.session.submit({ type: "set_model", model: format.model })
    await t.session.submit({
      type: "prompt",
      content: [
        { type: "text", text: `turn ${turn}` },
        { type: "image", source: { type: "base64", media_type: "image/png", data: picture } },
      ],
      when: "queue",
    })
    await t.settled()
    expect(t.story().at(-1)).toBe("turn_end completed")
  }

  for (const row of rows) {
    const { requests } = row.simulator
    expect(requests.filter(({ answered }) => answered.kind !== "reply").map(({ answered }) => answered)).toEqual([])
    expect(requests).toHaveLength(4)
    const sent = sentTo(row)
    for (const { format } of rows) {
      expect(sent).toContain(`${format.name} says hi.`)
      if (format !== row.format) expect(sent).not.toContain(`${format.name} thinks`)
    }
    const own = row.format.provider(row.simulator.url).name
    expect(proofsIn(t.entries(), (by) => by === own).some((proof) => sent.includes(proof))).toBe(true)
    expect(sent).toContain(picture)
  }
  expect(inspect(t.entries()).map(({ proved }) => proved)).not.toContain(false)
  await t[Symbol.asyncDispose]()
  models.close()
  await Promise.all(rows.map(({ simulator }) => simulator.close()))
})
