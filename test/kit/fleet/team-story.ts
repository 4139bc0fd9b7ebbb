/** A team in a fleet: a lead that makes tasks, and members that leave a line for every task they do. */

import type { ScenarioFunction, ScenarioReply } from "#sim/scenario.ts"
import type { SimRequest } from "#sim/request.ts"
import { bash, calls, says, use } from "../script.ts"

export interface TeamStory {
  /** What comes first in the command of each task. */
  readonly tasks: readonly string[]
  /** Each task waits for the one before. */
  readonly isChain: boolean
  readonly members: readonly string[]
  /** What the lead does before it makes the team. */
  readonly first?: string
  /** What the lead does before it ends its turn. */
  readonly meanwhile?: string
  /** What is done for a task, as a command that does nothing if it was done before; a line in a file when absent. */
  readonly work?: (id: string) => string
  /** Whose branches the lead merges when all tasks are reported, one after the other. */
  readonly merges?: readonly string[]
}

export function teamStory(story: TeamStory): ScenarioFunction {
  const { tasks, isChain, members, first: begin, meanwhile } = story
  const task = (at: number) =>
    use("TaskCreate", {
      subject: `task ${at + 1}`,
      description: "Do it.",
      ...(isChain && at > 0 && { blockedBy: [String(at)] }),
    })
  const member = (name: string) =>
    use("Task", {
      description: `the ${name} work`,
      prompt: `${name}: do it.`,
      subagent_type: "general-purpose",
      team_name: "crew",
      name,
    })
  const lead: readonly ScenarioReply[] = [
    ...(begin === undefined ? [] : [calls(bash(begin))]),
    calls(use("TeamCreate", { name: "crew" })),
    calls(...tasks.map((_, at) => task(at))),
    calls(...members.map(member)),
    ...(meanwhile === undefined ? [] : [calls(bash(meanwhile))]),
    says("They work."),
  ]
  return (request, { turn }) => {
    const first = JSON.stringify(request.messages[0]?.content ?? [])
    if (!members.some((name) => first.includes(`${name}: do it.`)))
      return mergeReply(request, story) ?? lead[turn] ?? says("Heard.")
    return memberReply(request, story)
  }
}

function mergeReply({ messages }: SimRequest, { tasks, merges = [] }: TeamStory): ScenarioReply | undefined {
  const text = JSON.stringify(messages)
  if (completedIn(text).size < tasks.length) return undefined
  const teammate = merges[text.split('"name":"MergeBranch"').length - 1]
  return teammate === undefined ? undefined : calls(use("MergeBranch", { teammate }))
}

/** Told one by one, or many at once. */
function completedIn(text: string): ReadonlySet<number> {
  const done = new Set(text.matchAll(/#(\d+) [^#]*?: completed/g).map(([, id]) => Number(id)))
  for (const [, list = ""] of text.matchAll(/tasks completed: ([^.]*)\./g))
    for (const [, from, to = from] of list.matchAll(/#(\d+)(?: to #(\d+))?/g))
      for (let id = Number(from); id <= Number(to); id++) done.add(id)
  return done
}

/** What was given last is done, looked after if nobody knows whether it was, and then said to be done. */
function memberReply({ messages }: SimRequest, { tasks, work }: TeamStory): ScenarioReply {
  const text = JSON.stringify(messages)
  const id = text
    .matchAll(/Task #(\d+) of the team is yours/g)
    .toArray()
    .at(-1)?.[1]
  if (id === undefined) return says("Ready.")
  const since = text.slice(text.lastIndexOf(`Task #${id} of the team is yours`))
  if (since.includes(`Completed #${id}`)) return says(`Task ${id} is done.`)
  // The command itself, which the conversation contains too, says it in another way.
  if (since.includes(`did:${id}`)) return calls(use("TaskUpdate", { taskId: id, status: "completed" }))
  const did = `echo did:$((${id}))`
  const before = since.includes('"tool_result"') ? "" : (tasks[Number(id) - 1] ?? "")
  if (work) return calls(bash(`${before}${work(id)} && ${did}`))
  const note = `echo ${id} >> done.txt`
  return since.includes('"tool_result"')
    ? calls(bash(`grep -qx ${id} done.txt || ${note}; ${did}`))
    : calls(bash(`${before}${note} && ${did}`))
}
