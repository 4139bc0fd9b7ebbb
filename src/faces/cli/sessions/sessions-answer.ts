/** `codewright sessions questions` and `answer`: what a session that is not open waits for, and what it is told. */

import { objectIn } from "#lib/json.ts"
import { patchText } from "#lib/diff.ts"
import { askerOf } from "#faces/view/asker.ts"
import { permissionModes, type GrantDestination, type PermissionMode } from "#agent/words/permission.ts"
import type { Answer, Question, QuestionPart } from "#agent/words/question.ts"
import type { SessionRow } from "#ground/transcript/catalog.ts"
import { loadTail } from "#ground/transcript/load.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { waitingIn } from "#session/port/answer-kept.ts"
import { type ShownApproval, shownQuestion } from "#session/port/approval.ts"
import type { AskedQuestion } from "#session/journal/asked.ts"
import { answerFailureWords } from "./answer-failure-words.ts"
import { pickByName } from "./pick-session.ts"
import type { SessionsCall, SessionsFlag } from "./sessions-call.ts"

/** Another process has the session open; the answer must be given there. */
const heldCode = 3

export async function showQuestions({ args, words, where, io }: SessionsCall): Promise<number> {
  const picked = await pickByName(words[0], where)
  if (!picked.ok) return io.fail(picked.failure)
  const read = waitingOf(picked.value)
  if (!read.ok) return io.fail(read.failure)
  const approvals = read.value.map((asked) => shownQuestion(asked, picked.value.id))
  if (args.has("json")) io.write(`${JSON.stringify(approvals)}\n`)
  else if (approvals.length === 0) io.say("No question is open in this session.")
  else io.writeForeign(approvals.map(linesOf).join("\n"))
  return 0
}

export async function answerQuestion({ args, words, where, io }: SessionsCall): Promise<number> {
  const [prefix, named, ...more] = words
  if (more.length > 0) return io.fail(`answer takes a session and a question, not '${more[0]}' as well.`)
  const picked = await pickByName(prefix, where)
  if (!picked.ok) return io.fail(picked.failure)
  const { id } = picked.value
  const read = waitingOf(picked.value)
  if (!read.ok) return io.fail(read.failure)
  const asked = meant(read.value, named)
  if (!asked.ok) return io.fail(asked.failure)
  // Who says nothing wants to see what is asked.
  if (asked.value && !ways.some((name) => args.has(name))) io.writeForeign(linesOf(shownQuestion(asked.value, id)))
  const answer = answerIn(args, asked.value?.question)
  if (!answer.ok) return io.fail(answer.failure)
  const questionId = asked.value?.question.id ?? named ?? ""
  const { giveAnswer } = await import("#faces/cli/background/give-answer.ts")
  const questionAnswer = { questionId, answer: answer.value, digest: args.value("digest") }
  const done = await giveAnswer(picked.value, questionAnswer, where.state)
  if (!done.ok) {
    io.fail(answerFailureWords(done.failure))
    return done.failure.kind === "held" ? heldCode : 1
  }
  if (args.has("json") && asked.value)
    io.write(`${JSON.stringify(shownQuestion({ ...asked.value, answer: answer.value }, id))}\n`)
  else if (done.value === "continues") io.say(`Answered ${questionId}. The session continues.`)
  else io.say(`Answered ${questionId}. Resume with: codewright --resume ${id}`)
  return 0
}

function waitingOf({ path }: SessionRow): Result<readonly AskedQuestion[], string> {
  const loaded = loadTail(path, { torn: "leave" })
  if (loaded.ok) return ok(waitingIn(loaded.value.entries))
  return failed(
    loaded.failure.kind === "newer"
      ? `The session was written by a newer Codewright (format ${loaded.failure.format}). Update first.`
      : `The session cannot be read: ${loaded.failure.message}`,
  )
}

/** The named question, or the only one; undefined for one that is not open, which the log explains. */
function meant(open: readonly AskedQuestion[], named: string | undefined): Result<AskedQuestion | undefined, string> {
  if (named !== undefined) return ok(open.find(({ question }) => question.id === named))
  if (open.length === 1) return ok(open[0])
  if (open.length === 0) return failed("No question is open in this session.")
  const ids = open.map(({ question }) => question.id).join(", ")
  return failed(`${open.length} questions are open. Name one of them: ${ids}`)
}

/** What a question of this kind can be answered with. */
const fitting = (question: Question | undefined): readonly string[] =>
  (question ? waysFor[question.ask.kind] : ways).map((name) => `--${name}`)

const ways = ["allow", "deny", "approve", "choose", "accept", "decline"] as const

function answerIn(args: SessionsCall["args"], question: Question | undefined): Result<Answer, string> {
  const said = ways.filter((name) => args.has(name))
  const way = said.length === 1 ? said[0] : undefined
  if (way === undefined) return failed(`Answer with ${fitting(question).join(" or ")}.`)
  const wrong = misplaced(args, way)
  if (wrong !== undefined) return failed(`--${wrong} cannot be combined with --${way}.`)
  const mode = permissionModes.find((one) => one === args.value("mode"))
  switch (way) {
    case "allow":
      return allowed(args, mode)
    case "deny":
      return ok({
        kind: "deny",
        interrupt: args.value("message") === undefined,
        ...optional("words", args.value("message")),
        ...(args.has("keep") && { keep: true }),
      })
    case "approve": {
      const first = question?.ask.kind === "plan" ? question.ask.modes[0] : undefined
      return ok({
        kind: "approve",
        mode: mode ?? first ?? "default",
        wishes: args.list("wish"),
        ...optional("words", args.value("message")),
      })
    }
    case "choose":
      return chosen(args.list("choose"))
    case "accept": {
      const content = objectIn(args.value("accept") || "{}")
      return content ? ok({ kind: "elicited", action: "accept", content }) : failed("--accept takes a JSON object.")
    }
    case "decline":
      return ok({ kind: "elicited", action: "decline" })
  }
}

const waysFor: { readonly [kind in Question["ask"]["kind"]]: readonly (typeof ways)[number][] } = {
  permission: ["allow", "deny"],
  plan: ["approve", "deny"],
  choice: ["choose"],
  elicitation: ["accept", "decline"],
}

const goesWith: { readonly [way in (typeof ways)[number]]: readonly SessionsFlag[] } = {
  allow: ["mode", "rule", "to", "folder", "input", "message"],
  deny: ["message", "keep"],
  approve: ["mode", "wish", "message"],
  choose: [],
  accept: [],
  decline: [],
}

const misplaced = (args: SessionsCall["args"], way: (typeof ways)[number]): SessionsFlag | undefined =>
  (["message", "keep", "mode", "wish", "rule", "to", "folder", "input"] as const).find(
    (name) => args.has(name) && !goesWith[way].includes(name),
  )

function allowed(args: SessionsCall["args"], mode: PermissionMode | undefined): Result<Answer, string> {
  const target = args.value("to") ?? "session"
  const destination: GrantDestination =
    target === "local" || target === "project" || target === "user" ? `${target} settings` : "session"
  const grants = args.list("rule").map((rule) => ({ rule, destination }))
  const folders = args.list("folder")
  const updatedInput = args.has("input") ? objectIn(args.value("input") ?? "") : undefined
  if (args.has("input") && !updatedInput) return failed("--input takes a JSON object.")
  return ok({
    kind: "allow",
    ...(grants.length > 0 && { grants }),
    ...(folders.length > 0 && { folders }),
    ...optional("mode", mode),
    ...optional("updatedInput", updatedInput),
    ...optional("words", args.value("message")),
  })
}

/** `question=label`: the question may contain the sign, so the last one separates them. */
function chosen(pairs: readonly string[]): Result<Answer, string> {
  const answers = new Map<string, string>()
  for (const pair of pairs) {
    const at = pair.lastIndexOf("=")
    if (at <= 0) return failed(`--choose takes "question=label", not '${pair}'.`)
    answers.set(pair.slice(0, at), pair.slice(at + 1))
  }
  return ok({ kind: "choices", answers: Object.fromEntries(answers) })
}

const partLine = ({ text, needsConsent, why, rule }: QuestionPart): string =>
  `${needsConsent ? "?" : "-"} ${text}  (${why})${rule === undefined ? "" : `  --rule '${rule.replaceAll("'", "'\\''")}'`}`

const linesOf = ({ id, kind, title, explanation, action, risks, digest, details = {} }: ShownApproval): string => {
  const { change, agent, parts = [] } = details
  return [
    `${id}  ${kind}  ${title}${agent ? `  (asked by ${askerOf(agent)})` : ""}`,
    ...(explanation === title ? [] : [explanation]),
    ...risks.map((risk) => `At risk: ${risk}`),
    ...parts.map(partLine),
    JSON.stringify(action.input),
    ...(change === undefined
      ? []
      : ["The tool has changed since it was allowed:", ...patchText(change.hunks).split("\n")]),
    `digest ${digest}`,
  ]
    .map((line, i) => `${i === 0 ? "" : "  "}${line}\n`)
    .join("")
}
