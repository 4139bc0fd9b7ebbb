/** When a terminal and an editor shared a session, a cancel in one of them took back what the other had queued, and it was not sent. */

import { expect, setDefaultTimeout, test } from "bun:test"
import type { Event } from "#agent/words/event.ts"
import { textOf } from "#agent/words/message.ts"
import type { Op } from "#agent/words/op.ts"
import { isOwnPeer } from "#ground/workspace/processes/socket-peer.ts"
import { attachSession } from "#session/port/attach-session.ts"
import { offerSession } from "#session/port/offer-session.ts"
import type { SessionPort } from "#session/port/session.ts"
import { openTestSession } from "../kit/open-test-session.ts"
import { bash, calls, says } from "../kit/script.ts"
import { temporaryFolder } from "../kit/tmp.ts"

setDefaultTimeout(100_000)

const prompt = (text: string): Op => ({ type: "prompt", content: [{ type: "text", text }], when: "queue" })

/** What a face was told that it took back, as it names itself. */
function takenBack(session: SessionPort, by: string): readonly string[] {
  const texts: string[] = []
  void (async () => {
    for await (const event of session.events("beginning"))
      if (event.type === "entry" && event.entry.kind === "withdrawn" && event.entry.by === by)
        texts.push(...event.entry.prompts.map(({ content }) => textOf(content)))
  })()
  return texts
}

test.each([
  ["the terminal that has it open", 0, "of the terminal"],
  ["an editor that has attached", 1, "of the editor"],
  ["a second terminal that has attached", 2, "of the other terminal"],
] as const)("a cancel in %s takes back its own prompts, and the others are sent", async (_name, canceling, own) => {
  using folder = temporaryFolder()
  await using t = await openTestSession({
    script: [calls(bash("touch a")), says("One."), says("Two.")],
    answers: () => undefined,
    allow: [],
    mode: "default",
  })
  const path = folder.join("socket")
  const offered = offerSession({ session: t.session, path, version: "1", pid: process.pid, isWelcome: isOwnPeer })
  if (!offered.ok) throw new Error(offered.failure)
  const attach = async (): Promise<SessionPort> => {
    const attached = await attachSession(path, { id: t.id, version: "1" })
    if (!attached.ok) throw new Error(attached.failure.kind)
    return attached.value
  }
  const faces: readonly SessionPort[] = [t.session, await attach(), await attach()]
  // Both terminals call themselves the same.
  const names = ["terminal", "editor", "terminal"] as const
  const returned = faces.map((face, nth) => takenBack(face, names[nth] ?? ""))
  const isOpen = (async () => {
    for await (const event of t.session.events("beginning") as AsyncIterable<Event>)
      if (event.type === "question_open") return
  })()
  await t.session.submit(prompt("go"))
  await isOpen
  await faces[0]?.submit(prompt("of the terminal"))
  await faces[1]?.submit(prompt("of the editor"))
  await faces[2]?.submit(prompt("of the other terminal"))
  await faces[canceling]?.submit({ type: "interrupt", withdraw: names[canceling] })
  while (t.entries().filter(({ kind }) => kind === "turn_end").length < 3) await Bun.sleep(5)
  const all = ["of the terminal", "of the editor", "of the other terminal"]
  const sent = t.entries().flatMap((entry) => (entry.kind === "prompt" ? [textOf(entry.content)] : []))
  expect(sent).toEqual(["go", ...all.filter((text) => text !== own)])
  while (returned[canceling]?.length === 0) await Bun.sleep(5)
  expect(returned).toEqual(returned.map((_, nth) => (nth === canceling ? [own] : [])))
  await t.session.close()
  offered.value.stop()
})
