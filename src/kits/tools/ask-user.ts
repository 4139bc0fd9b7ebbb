/** Asks the user to choose: the question itself is the action. */

import * as shape from "#lib/shape.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import { type AnyTool, answered, complained, refused } from "#agent/words/tool.ts"

const description = `Asks the user one to four questions, each with two to four options; they may also answer in their own words.
Use it when a decision is theirs (taste, scope, a risk, several good ways) and the code does not answer it. Ask early and all at once, put the option you recommend first and say so in its label. Do not use it to ask whether you may go on.`

const option = shape.object({
  label: shape.string().trim().min(1).describe("One to five words"),
  description: shape.string().describe("What choosing it means"),
})

const question = shape.object({
  question: shape.string().trim().min(1),
  header: shape.string().trim().min(1).max(12, "must be at most 12 characters").describe("A very short label"),
  options: shape.array(option).min(2, "needs at least 2 options").max(4, "takes at most 4 options"),
  multiSelect: shape.boolean().default(false).describe("Whether several may be chosen"),
})

const input = shape.object({
  questions: shape.array(question).min(1, "needs at least 1 question").max(4, "takes at most 4 questions"),
})

export function askUserTool({
  ask,
}: {
  readonly ask: (ask: QuestionAsk, signal: AbortSignal) => Promise<Answer>
}): AnyTool {
  return defineTool({
    name: "AskUserQuestion",
    description,
    input,
    title: ({ questions }) => questions.map(({ header }) => header).join(", "),
    footprint: () => ({ ...touchesNothing(), asks: true }),
    async validate({ questions }) {
      const texts = questions.map((one) => one.question)
      if (new Set(texts).size !== texts.length) return "Two of the questions are the same. Ask each once."
      const twice = questions.find(({ options }) => new Set(options.map(({ label }) => label)).size !== options.length)
      return twice && `The question "${twice.question}" has two options with the same label. Make them differ.`
    },
    async run({ questions }, { callId, signal }) {
      const answer = await ask({ kind: "choice", callId, questions }, signal)
      switch (answer.kind) {
        case "choices": {
          const lines = questions.map((one) => `- ${one.question} ${answer.answers[one.question] ?? "(not answered)"}`)
          return answered(`The user answered:\n${lines.join("\n")}`, {
            data: { questions, answers: { ...answer.answers } },
            display: { kind: "list", items: lines.map((line) => line.slice(2)) },
          })
        }
        case "deny":
          return refused(
            answer.words ? `The user did not choose, but said: ${answer.words}` : "The user did not want to answer.",
            {
              rejected: answer.interrupt,
            },
          )
        case "allow":
        case "approve":
        case "elicited":
        case "unanswered":
          return complained({
            message: `There is no answer${answer.kind === "unanswered" ? `: ${answer.why}` : ""}. Choose the most sensible option yourself, continue, and state your choice in the final answer.`,
            shown: "Not answered",
          })
      }
    },
  })
}
