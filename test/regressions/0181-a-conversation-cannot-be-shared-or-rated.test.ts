/** A conversation could only be exported into the repository, and what the user thought of an answer was kept nowhere. */

import { expect, test } from "bun:test"
import { readFileSync, statSync } from "node:fs"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"

const key = "sk-ant-api03-secret00000000000000wxyz"

test("/share writes one masked, escaped file outside the repository; ratings are in every export", async () => {
  using place = openPlace()
  const first = await runCodewright({
    place,
    argv: ["-p", `my key is ${key}, <b>&`, "--output-format", "json"],
    scenario: ["Noted <script>alert(1)</script>."],
  })
  const id = JSON.parse(first.stdout).session_id as string
  const run = async (...argv: readonly string[]): Promise<string> => (await runCodewright({ place, argv })).stdout
  const again = (line: string): Promise<string> => run("-p", line, "--resume", id)

  expect(await again("/bad too short")).toBe("Noted in the log: bad. Nothing was sent.\n")
  const shared = await again("/share")
  expect(shared).toContain("Nothing was uploaded.\nKeys and tokens in it are masked, but")
  const file = /Saved to (\S+\.html)\./.exec(shared)?.[1]?.replace("~", place.home) ?? ""
  expect(file).toStartWith(`${place.state}/shared/`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const html = readFileSync(file, "utf8")
  expect(html).not.toContain(key)
  expect(html).not.toContain("<script>")
  expect(html).toContain("&lt;script&gt;")
  expect(html).toContain("Rated bad: too short")

  expect(await run("sessions", "export", id, "--html")).toContain("Rated bad: too short")
  const trajectory = JSON.parse(await run("sessions", "export", id, "--atif"))
  expect(trajectory.steps.find(({ source }: { source: string }) => source === "agent").extra).toEqual({
    feedback: [{ rating: "bad", text: "too short" }],
  })
  expect(await run("sessions", "export", id, "--format", "json")).toContain('"rating": "bad"')
  expect(await run("sessions", "export", id, "--otlp")).toContain("codewright.feedback.rating")
})
