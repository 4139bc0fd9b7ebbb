import { expect, test } from "bun:test"
import { thinkingChoice } from "#faces/cli/flags/thinking-flag.ts"

test.each([
  [{}, {}, {}, { type: "auto" }],
  [{}, {}, { alwaysThinkingEnabled: true }, { type: "on" }],
  [{}, {}, { alwaysThinkingEnabled: false, effortLevel: "low" }, { type: "off", effort: "low" }],
  [{}, { maxThinkingTokens: 0 }, { alwaysThinkingEnabled: true }, { type: "off" }],
  [{}, { maxThinkingTokens: 5_000 }, {}, { type: "on", tokens: 5_000 }],
  [{}, { effortLevel: "High" }, { effortLevel: "low" }, { type: "auto", effort: "high" }],
  [{ effort: "max" }, { effortLevel: "high" }, { effortLevel: "low" }, { type: "auto", effort: "max" }],
  [{ effort: "auto" }, {}, { effortLevel: "low" }, { type: "auto" }],
  [{ tokens: 0 }, { maxThinkingTokens: 5_000 }, {}, { type: "off" }],
  [{ tokens: 2_000 }, {}, { alwaysThinkingEnabled: false }, { type: "on", tokens: 2_000 }],
  [{ type: "off" }, { maxThinkingTokens: 5_000 }, { alwaysThinkingEnabled: true }, { type: "off" }],
  [{ type: "auto" }, { maxThinkingTokens: 0 }, {}, { type: "auto" }],
  [{}, {}, { showThinkingSummaries: false }, { type: "auto", summaries: "hidden" }],
] as const)("flags %p, the environment %p and the settings %p give %p", (asked, environment, settings, thinking) => {
  const none = { maxThinkingTokens: undefined, effortLevel: undefined }
  expect(thinkingChoice(asked, { ...none, ...environment }, settings)).toEqual({
    thinking: { ...thinking },
    given: Object.keys(asked).length > 0,
    warnings: [],
  })
})

test("a level that is none is named with the ones that are", () => {
  const { thinking, warnings } = thinkingChoice(
    {},
    { maxThinkingTokens: undefined, effortLevel: undefined },
    { effortLevel: "huge" },
  )
  expect(thinking).toEqual({ type: "auto" })
  expect(warnings).toEqual([
    'effortLevel: "huge" is not an effort level and is ignored. Use low, medium, high, xhigh, max or auto.',
  ])
})
