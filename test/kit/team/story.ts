/** A story for the simulator: a lead splits a change between three members with branches of their own; one fails, its task is retaken, and the branches are merged. */

import type { JsonObject } from "#lib/json.ts"
import type { SimRequest } from "#sim/request.ts"
import type { ScenarioBlock, ScenarioFunction, ScenarioReply } from "#sim/scenario.ts"

/** The repository that it is about. */
export const storyFiles: { readonly [path: string]: string } = {
  "api.js": "exports.routes = []\n",
  "client.js": "exports.calls = []\n",
  "test.sh": "grep -q login api.js && grep -q login client.js && sh tests/login.sh\n",
  "tests/login.sh": "echo no tests yet && exit 1\n",
}

/** What git is told to make one of them. */
export const storyRepository: readonly string[] = [
  "init -q -b main",
  "config user.name Ada",
  "config user.email ada@example.com",
  "add -A",
  "commit -qm first",
]

export const storyPrompt = "Add a login with a team: the API, the client and the tests at the same time."

const use = (tool: string, input: JsonObject): ScenarioBlock => ({ tool, input })
const calls = (...content: ScenarioBlock[]): ScenarioReply => ({ content })
const says = (content: string): ScenarioReply => ({ content })
const bash = (command: string): ScenarioBlock => use("Bash", { command })

const team = "login"
const member = (name: string, about: string): ScenarioBlock =>
  use("Task", {
    description: about,
    prompt: `You are the ${name} member. Commit what you do.`,
    subagent_type: "general-purpose",
    team_name: team,
    name,
  })
const task = (subject: string, activeForm: string, more: JsonObject = {}): ScenarioBlock =>
  use("TaskCreate", { subject, activeForm, description: `${subject}, and commit it.`, ...more })

/** What is done about each task, wherever that happens. */
const works: { readonly [id: string]: string } = {
  "1": "echo 'exports.routes.push(\"/login\")' >> api.js",
  "2": "echo 'exports.calls.push(\"/login\")' >> client.js",
  "3": "echo 'grep -q push api.js && grep -q push client.js' > tests/login.sh",
}

/** With `paceMs` each answer of a member takes so long, for people to watch. */
export function teamStory({ paceMs = 0 }: { readonly paceMs?: number } = {}): ScenarioFunction {
  const slow = (reply: ScenarioReply): ScenarioReply =>
    paceMs === 0 ? reply : { ...reply, timing: { ttftMs: paceMs } }
  return (request) => {
    const first = JSON.stringify(request.messages[0] ?? "")
    const name = /You are the (\w+) member/.exec(first)?.[1]
    return name === undefined ? asLead(request) : slow(asMember(name, request))
  }
}

function asLead(request: SimRequest): ScenarioReply {
  const said = JSON.stringify(request.messages)
  const last = JSON.stringify(request.messages.at(-1))
  if (!said.includes('"TeamCreate"')) return calls(use("TeamCreate", { name: team, description: "the login" }))
  if (!said.includes('"TaskCreate"'))
    return calls(
      task("Add the login route to the API", "Adding the login route to the API"),
      task("Call the login route from the client", "Calling the login route from the client", { owner: "client" }),
      task("Test the login from end to end", "Testing the login from end to end", { blockedBy: ["1", "2"] }),
    )
  if (!said.includes('"team_name"'))
    return calls(member("api", "the API"), member("client", "the client"), member("tests", "the tests"))
  if (!/#1 [^#]*: completed/.test(said) || !/#2 [^#]*: completed/.test(said) || !/#3 [^#]*: completed/.test(said))
    return says("The team is at work.")
  const unmerged = ["api", "tests"].find((name) => !said.includes(`{"teammate":"${name}"}`))
  if (unmerged !== undefined) return calls(use("MergeBranch", { teammate: unmerged }))
  if (!said.includes("sh test.sh")) return calls(bash("sh test.sh && echo the tests pass"))
  if (last.includes("the tests pass")) return says("The branches are merged, and the tests pass.")
  return says("Done.")
}

function asMember(name: string, { messages }: SimRequest): ScenarioReply {
  const said = JSON.stringify(messages)
  const open = openTask(messages)
  if (open === undefined) return says(`${name} is ready.`)
  // It fails in the middle of its first task.
  if (name === "client") return { content: "I cannot go on.", stopReason: "refusal" }
  const begun = `# task ${open} by ${name}`
  if (!said.includes(begun)) return calls(bash(`${works[open] ?? "true"} && git commit -qam 'task ${open}' ${begun}`))
  if (!said.includes(`"taskId":"${open}","status":"completed"`))
    return calls(use("TaskUpdate", { taskId: open, status: "completed" }))
  return says(`Task ${open} is done and committed.`)
}

/** The task it was handed last. */
function openTask(messages: SimRequest["messages"]): string | undefined {
  return [...JSON.stringify(messages).matchAll(/Task #(\d) of the team is yours now/g)].at(-1)?.[1]
}
