/** Sandboxed commands behind a company's proxy: they get through to what is allowed, and the session lists it. */

import { expect, test } from "bun:test"
import { openConnectProxy } from "../kit/connect-proxy.ts"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"
import { bash, calls, says } from "../kit/script.ts"
import { resultIn } from "../kit/sent.ts"

test("a command in the sandbox reaches an allowed host through the proxy of the environment, and it is listed", async () => {
  using site = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("from the site") })
  await using company = await openConnectProxy({ leads: () => Number(site.port) })
  using place = openPlace()
  const settings = { sandbox: { enabled: true, network: { allowedDomains: ["site.example"] } } }
  const run = await runCodewright({
    place,
    argv: ["-p", "go", "--allowed-tools", "Bash", "--settings", JSON.stringify(settings)],
    env: { HTTP_PROXY: company.url },
    scenario: [
      calls(bash("curl -s http://site.example/; echo; curl -s -o /dev/null -w '%{http_code}' http://other.example/")),
      says("Done."),
    ],
  })
  expect(run).toMatchObject({ code: 0, stdout: "Done.\n" })
  expect(resultIn(run.requests.at(-1))).toStartWith("from the site\n403")
  expect(company.asked()).toEqual([{ line: "CONNECT site.example:80", user: undefined }])
  const list = await runCodewright({ place, argv: ["sessions", "list", "--json"] })
  const [session] = JSON.parse(list.stdout) as { id: string }[]
  const shown = await runCodewright({ place, argv: ["sessions", "show", "--connections", session?.id ?? ""] })
  const [model, command] = shown.stdout.split("\n")
  expect(model).toMatch(/^127\.0\.0\.1:\d+ {2}model requests \(anthropic\) {2}2 times, first at /)
  expect(command).toStartWith(
    `site.example:80 through the proxy 127.0.0.1:${company.port}  sandboxed commands  once, first at `,
  )
})
