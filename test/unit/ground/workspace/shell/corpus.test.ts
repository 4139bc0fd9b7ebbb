import { describe, expect, test } from "bun:test"
import { analyse } from "#ground/workspace/shell/analyse.ts"
import { criticalIn, destructions } from "#ground/workspace/shell/conclusions.ts"
import { corpusCases, corpusFiles, outcomeOf } from "./corpus.ts"
import { place } from "./place.ts"

describe("the corpus", () => {
  test.each([...corpusFiles()])("%s", (file) => {
    const cases = corpusCases(file)
    const judged = cases.map(({ id, command }) => {
      const analysis = analyse(command, place)
      return {
        id,
        command,
        outcome: outcomeOf(command, place),
        critical: criticalIn(analysis) !== undefined,
        destructive: destructions(analysis).length > 0,
      }
    })
    expect(judged).toEqual(
      cases.map(({ id, command, expect: outcome, critical, destructive }) => ({
        id,
        command,
        outcome,
        critical,
        destructive,
      })),
    )
  })

  test("is large, half of it hostile, and every id stands once", () => {
    const all = corpusFiles().flatMap((file) =>
      corpusCases(file).map((each) => ({ ...each, hostile: file.startsWith("hostile") })),
    )
    expect(all.length).toBeGreaterThanOrEqual(320)
    expect(all.filter(({ hostile }) => hostile).length).toBeGreaterThanOrEqual(160)
    expect(all.filter(({ hostile }) => !hostile).length).toBeGreaterThanOrEqual(160)
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  })
})
