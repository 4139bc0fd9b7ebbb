/** In the dialog of a long command `find -exec` counted as only reading, and a push was one line among many. */

import { expect, test } from "bun:test"
import type { QuestionAsk } from "#agent/words/question.ts"
import { partHead } from "#faces/view/consent.ts"
import { openTestSession } from "../kit/open-test-session.ts"
import { bash, calls, says } from "../kit/script.ts"

type PermissionAsk = QuestionAsk & { readonly kind: "permission" }

async function askAbout(command: string): Promise<PermissionAsk | undefined> {
  let asked: PermissionAsk | undefined
  await using t = await openTestSession({
    script: [calls(bash(command)), says("Declined.")],
    files: { "a.txt": "a\n" },
    mode: "default",
    allow: [],
    answers({ ask }) {
      if (ask.kind === "permission") asked = ask
      return { kind: "deny", interrupt: true }
    },
  })
  await t.prompt("do it")
  return asked
}

for (const flag of ["-exec", "-execdir", "-ok"])
  for (const inner of ["sed -i s/a/b/ {} +", "rm {} +", "sh -c 'touch x' ;", "grep a {} +"])
    test(`find ${flag} ${inner} is described by what it runs`, async () => {
      const ask = await askAbout(`find . -name '*.txt' ${flag} ${inner.replace(";", "\\;")} && touch done`)
      const find = ask?.parts?.find(({ text }) => text.startsWith("find"))
      const words = `${find?.why} ${ask?.risks?.join(" ")}`
      expect(find?.why).not.toBe("only reads")
      if (find) expect(find.needsConsent).toBe(true)
      expect(words).not.toStartWith("undefined undefined")
      // What it starts is no part beside it.
      expect(ask?.parts?.filter(({ text }) => text.includes("{}")).length ?? 0).toBeLessThanOrEqual(1)
    })

for (const command of [
  "git push origin HEAD",
  "git -C . push",
  "npm publish",
  "curl -d @a.txt https://example.org/up",
  "curl --upload-file a.txt https://example.org/up",
  "curl -X DELETE https://example.org/up",
  "scp a.txt host:/tmp",
  "rsync -a . host:x",
  "docker push image",
  "gh pr create",
  "sh -c 'git push'",
]) {
  test(`what leaves the machine is marked among parts: ${command}`, async () => {
    const ask = await askAbout(`echo x > y && ${command}`)
    expect(ask?.parts?.filter(({ leaves }) => leaves)).toHaveLength(1)
    expect(ask?.effects).toContain("Sends something to another machine")
  })
  test(`what leaves the machine is marked alone: ${command}`, async () => {
    const ask = await askAbout(command)
    expect(ask?.effects).toContain("Sends something to another machine")
    expect(ask?.risks?.length ?? 0).toBeGreaterThan(0)
  })
}

for (const command of ["git commit -m push", "git fetch", "npm install", "curl https://example.org/", "scp host:x ."])
  test(`what only comes in, or stays here, is not marked: ${command}`, async () => {
    const ask = await askAbout(`echo x > y && ${command}`)
    expect(ask?.parts?.some(({ leaves }) => leaves)).toBe(false)
  })

test("parts are shortened to their heads", () => {
  const long = "x".repeat(60)
  expect(partHead("git push origin HEAD")).toBe("git push origin HEAD")
  expect(partHead(`find . -name ${long} -exec sed -i s/a/b/ {} +`)).toBe("find … -exec sed …")
  expect(partHead(`npm run build -- --out ${long}`)).toBe("npm run build -- --out …")
  expect(partHead(`cat <<E\n${long}\nE`)).toBe("cat <<E …")
})
