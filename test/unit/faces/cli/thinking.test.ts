import { expect, test } from "bun:test"
import { thinkingChoice } from "#faces/cli/thinking.ts"

test.each([
  [undefined, {}, {}, { type: "auto" }],
  [undefined, {}, { alwaysThinkingEnabled: true }, { type: "on" }],
  [undefined, {}, { alwaysThinkingEnabled: false, effortLevel: "low" }, { type: "off", effort: "low" }],
  [undefined, { maxThinkingTokens: 0 }, { alwaysThinkingEnabled: true }, { type: "off" }],
  [undefined, { maxThinkingTokens: 5_000 }, {}, { type: "on", tokens: 5_000 }],
  [undefined, { effortLevel: "High" }, { effortLevel: "low" }, { type: "auto", effort: "high" }],
  ["max", { effortLevel: "high" }, { effortLevel: "low" }, { type: "auto", effort: "max" }],
  ["auto", {}, { effortLevel: "low" }, { type: "auto" }],
  [undefined, {}, { showThinkingSummaries: false }, { type: "auto", summaries: "hidden" }],
] as const)("--effort %p, the environment %p and the settings %p give %p", (flag, environment, settings, thinking) => {
  const none = { maxThinkingTokens: undefined, effortLevel: undefined }
  expect(thinkingChoice(flag, { ...none, ...environment }, settings)).toEqual({
    thinking: { ...thinking },
    given: flag !== undefined,
    warnings: [],
  })
})

test("a level that is none is named with the ones that are", () => {
  const { thinking, warnings } = thinkingChoice(
    undefined,
    { maxThinkingTokens: undefined, effortLevel: undefined },
    { effortLevel: "huge" },
  )
  expect(thinking).toEqual({ type: "auto" })
  expect(warnings).toEqual([
    'effortLevel: "huge" is not an effort level and is ignored. Use low, medium, high, xhigh, max or auto.',
  ])
})
