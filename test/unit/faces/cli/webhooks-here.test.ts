import { expect, test } from "bun:test"
import { webhooksHere } from "#faces/cli/fleet/webhooks-here.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import type { ServerSettings, WebhookSettings } from "#ground/settings/settings.ts"
import type { Letter } from "#fleet/webhooks.ts"
import { approval } from "../../../kit/fleet/records.ts"
import { evilLine } from "../../../kit/web/hostile.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"
import { valueOf } from "../../../kit/team/conformance.ts"
import { directNetwork } from "../../../kit/direct-network.ts"

const settingOf = (
  webhooks: readonly WebhookSettings[],
  env: Record<string, string> = {},
  more: Partial<ServerSettings> = {},
): Pick<StartupContext, "loaded" | "network" | "home"> => ({
  network: directNetwork(),
  home: "/home/ann",
  loaded: { settings: { server: { webhooks, ...more } }, env } as unknown as StartupContext["loaded"],
})

const unreported = (): void => {}

const letter: Letter = {
  delivery: {
    id: "7",
    url: "",
    attempts: 1,
    approval: { ...approval("q", `rm -rf ${evilLine}`), sessionId: "s/1", state: "open", createdAt: 0 },
    session: { id: "s/1", title: evilLine, stage: "awaiting_tool_approval", createdBy: "ann" },
  },
  links: { allow: "allow-secret", deny: "deny-secret", forMs: 3_600_000 },
}

/** What arrives at an address in this format. */
async function arrives(
  settings: (url: string) => WebhookSettings,
  more: Partial<ServerSettings> = { url: "https://fleet.example/" },
  sent: Letter = letter,
): Promise<{ readonly body: unknown; readonly headers: Headers; readonly path: string; readonly isSent: boolean }> {
  const heard: { readonly body: unknown; readonly headers: Headers; readonly path: string }[] = []
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      heard.push({ body: await request.json(), headers: request.headers, path: `${pathname}${search}` })
      return new Response("ok")
    },
  })
  const env = { CODEWRIGHT_WEBHOOK_SECRET: "x", NTFY: "tk_secret", CHAT: `${server.url.origin}/services/secret` }
  const [hook] = valueOf(
    await webhooksHere(settingOf([{ allowPrivate: true, ...settings(server.url.origin) }], env, more), unreported),
  )
  const isSent = (await hook?.send(sent, new AbortController().signal)) ?? false
  await server.stop(true)
  const [first] = heard
  if (!first) throw new Error("nothing arrived")
  return { ...first, isSent }
}

const [openUrl, allowUrl, denyUrl] = [
  "https://fleet.example/#/sessions/s%2F1?approval=q",
  "https://fleet.example/#/decide/allow-secret",
  "https://fleet.example/#/decide/deny-secret",
]

const failureOf = async (...wanted: Parameters<typeof settingOf>): Promise<string> => {
  const hooks = await webhooksHere(settingOf(...wanted), unreported)
  return hooks.ok ? "" : hooks.failure
}

test("a webhook needs a secret, and says where it was looked for", async () => {
  const url = "https://example.com/hook"
  expect(await failureOf([{ url }])).toContain(
    "server.webhooks[0]: there is no secret for the signature. Set the variable CODEWRIGHT_WEBHOOK_SECRET",
  )
  expect(await failureOf([{ url, secretEnv: "MINE" }], { CODEWRIGHT_WEBHOOK_SECRET: "x" })).toContain("MINE")
  expect(await failureOf([{ url, secretHelper: "exit 3" }])).toContain("secretHelper ended with code 3")
  expect(await failureOf([{ url: "file:///etc/passwd" }], { CODEWRIGHT_WEBHOOK_SECRET: "x" })).toContain(
    "is not an address",
  )
  const [hook] = valueOf(await webhooksHere(settingOf([{ url, secretHelper: "echo from a helper" }]), unreported))
  expect(hook?.url).toBe(url)
})

test("what is wrong with a webhook is said before the server starts", async () => {
  const env = { CODEWRIGHT_WEBHOOK_SECRET: "x" }
  expect(await failureOf([{}], env)).toContain("set url, urlEnv, urlFile, urlHelper or mail")
  expect(await failureOf([{ urlEnv: "NONE", format: "slack" }], env)).toContain("the variable NONE is not set")
  // What the variable has is a secret.
  expect(await failureOf([{ urlEnv: "CHAT", format: "slack" }], { CHAT: "not an address" })).toBe(
    "server.webhooks[0].url is not an address.",
  )
  expect(await failureOf([{ url: "https://ntfy.sh/", format: "ntfy" }], env)).toContain("must end with the topic")
  expect(await failureOf([{ mail: "ann@example.com" }], env)).toContain("set server.mail.from")
  const mail = { mail: { from: "fleet@example.com" } }
  for (const address of ["ann", "ann@example.com\nBcc: eve@example.com", "-oQ/tmp@example.com", "a b@example.com"])
    expect(await failureOf([{ mail: address }], env, mail)).toContain("is not a mail address")
  expect(await failureOf([{ mail: "ann@example.com", url: "https://x.example/" }], env, mail)).toContain("no url")
  expect(await failureOf([{ url: "https://x.example/" }, { url: "https://x.example/" }], env)).toContain("twice")
  expect(await failureOf([{ url: "https://x.example/" }], env, { url: "fleet" })).toBe(
    "server.url is not an address: fleet",
  )
})

test("our own format is signed, and whoever it is for gets links", async () => {
  const { body, headers, isSent } = await arrives((url) => ({ url, for: "ann" }))
  expect(isSent).toBe(true)
  expect(body).toMatchObject({
    type: "approval",
    delivery: "7",
    links: { open: openUrl, allow: allowUrl, deny: denyUrl },
    linksExpireInSeconds: 3600,
  })
  expect(headers.get("codewright-signature")).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
  const without = await arrives((url) => ({ url, for: "ann" }), {})
  expect(without.body).not.toHaveProperty("links")
})

test.each([
  ["plan", { tool: "ExitPlanMode", input: { plan: `# Plan ${evilLine}` } }, "Review the plan…"],
  ["question", { tool: "AskUserQuestion", input: { questions: [] } }, "Answer…"],
] as const)("a %s comes with its text and one link that answers it", async (kind, action, label) => {
  const asked = { ...letter.delivery.approval, kind, title: "Short", explanation: `Which? ${evilLine}`, action }
  const sent: Letter = {
    delivery: { ...letter.delivery, approval: asked },
    links: { answer: "answer-secret", forMs: 3_600_000 },
  }
  const answerUrl = "https://fleet.example/#/decide/answer-secret"
  const own = await arrives((url) => ({ url, for: "ann" }), undefined, sent)
  expect(own.body).toMatchObject({ links: { open: openUrl, answer: answerUrl } })
  const slack = await arrives(() => ({ urlEnv: "CHAT", format: "slack", for: "ann" }), undefined, sent)
  const text = kind === "plan" ? "# Plan " : "Which? "
  expect(slack.body).toMatchObject({
    blocks: [
      {},
      { text: { type: "plain_text", text: expect.stringContaining(text) } },
      { elements: [{ url: openUrl }, { text: { text: label }, url: answerUrl, style: "primary" }] },
    ],
  })
  expect(JSON.stringify(slack.body)).not.toContain("\u202e")
})

test("Slack gets blocks of plain text with link buttons, and its address stays out of the database", async () => {
  const { body, headers, path } = await arrives(() => ({ urlEnv: "CHAT", format: "slack", for: "ann" }))
  expect(path).toBe("/services/secret")
  expect(headers.has("codewright-signature")).toBe(false)
  expect(body).toMatchObject({
    text: "Codewright: Waits for approval",
    blocks: [
      { type: "section", text: { type: "plain_text", emoji: false } },
      { type: "section", text: { type: "plain_text", emoji: false } },
      {
        type: "actions",
        elements: [
          { type: "button", text: { type: "plain_text", text: "Open" }, url: openUrl },
          { type: "button", text: { type: "plain_text", text: "Allow…" }, url: allowUrl, style: "primary" },
          { type: "button", text: { type: "plain_text", text: "Deny…" }, url: denyUrl, style: "danger" },
        ],
      },
    ],
  })
  const CHAT = "https://hooks.slack.com/services/T0/B0/verysecret"
  const [hook] = valueOf(await webhooksHere(settingOf([{ urlEnv: "CHAT", format: "slack" }], { CHAT }), unreported))
  expect(hook?.url).toMatch(/^https:\/\/hooks\.slack\.com\/#[0-9a-f]{32}$/)
})

test("Discord gets an embed without Markdown or mentions, and link buttons; ntfy gets its topic, token and actions", async () => {
  const discord = await arrives((url) => ({
    url: `${url}/api/webhooks/1/secret?with_components=true`,
    format: "discord",
    for: "ann",
  }))
  expect(discord.path).toBe("/api/webhooks/1/secret?with_components=true")
  const { embeds, ...rest } = discord.body as { embeds: readonly { title: string; description: string }[] }
  expect(rest).toEqual({
    allowed_mentions: { parse: [] },
    components: [
      {
        type: 1,
        components: [
          { type: 2, style: 5, label: "Open", url: openUrl },
          { type: 2, style: 5, label: "Allow…", url: allowUrl },
          { type: 2, style: 5, label: "Deny…", url: denyUrl },
        ],
      },
    ],
  } as never)
  expect(embeds[0]?.title.length).toBeLessThanOrEqual(256)
  expect(embeds[0]?.description).not.toMatch(/(^|[^\\])[[<*_`]/)
  const ntfy = await arrives((url) => ({ url: `${url}/my-topic`, format: "ntfy", secretEnv: "NTFY", for: "ann" }))
  expect(ntfy.path).toBe("/")
  expect(ntfy.headers.get("authorization")).toBe("Bearer tk_secret")
  expect(ntfy.body).toMatchObject({
    topic: "my-topic",
    priority: 4,
    click: openUrl,
    actions: [
      { action: "view", label: "Open", url: openUrl },
      { action: "view", label: "Allow…", url: allowUrl },
      { action: "view", label: "Deny…", url: denyUrl },
    ],
  })
})

test("a mail goes to a program's standard input; no text of a session becomes a header", async () => {
  using folder = temporaryFolder()
  const file = folder.join("mail")
  const command = [process.execPath, "-e", `await Bun.write(${JSON.stringify(file)}, await Bun.stdin.text())`]
  const mail = { from: "fleet@example.com", command }
  const setting = settingOf(
    [{ mail: "ann@example.com", for: "ann" }],
    { PATH: process.env["PATH"] ?? "" },
    { mail, url: "https://fleet.example" },
  )
  const [hook] = valueOf(await webhooksHere(setting, unreported))
  const nasty = {
    ...letter,
    delivery: {
      ...letter.delivery,
      session: { ...letter.delivery.session, title: "Hi\r\nBcc: eve@example.com\r\n\r\nbody" },
    },
  }
  expect(await hook?.send(nasty, new AbortController().signal)).toBe(true)
  const [head = "", body = ""] = (await Bun.file(file).text()).split(/\r\n\r\n/)
  const names = head
    .replaceAll(/\r\n /g, "")
    .split("\r\n")
    .map((line) => line.split(":")[0])
  expect(names).toEqual([
    "From",
    "To",
    "Subject",
    "Date",
    "Message-ID",
    "Auto-Submitted",
    "MIME-Version",
    "Content-Type",
    "Content-Transfer-Encoding",
  ])
  expect(head.split("\r\n").every((line) => line.length < 90)).toBe(true)
  const text = Buffer.from(body, "base64").toString()
  expect(text).toContain("Hi")
  for (const url of [openUrl, allowUrl, denyUrl]) expect(text).toContain(url)
  expect(hook?.url).not.toContain("ann")
  const [failing] = valueOf(
    await webhooksHere(
      {
        ...setting,
        ...settingOf([{ mail: "ann@example.com" }], {}, { mail: { ...mail, command: ["/none/sendmail"] } }),
      },
      unreported,
    ),
  )
  expect(await failing?.send(letter, new AbortController().signal)).toBe(false)
})

test("an address of this machine or its network is reached only if the settings say so, and never by a redirect", async () => {
  const heard: string[] = []
  const inside: Bun.Server<undefined> = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request): Response {
      heard.push(new URL(request.url).pathname)
      return new URL(request.url).pathname === "/moved"
        ? Response.redirect(`http://127.0.0.1:${inside.port}/elsewhere`, 307)
        : new Response("")
    },
  })
  const env = { CODEWRIGHT_WEBHOOK_SECRET: "x" }
  const send = async (settings: WebhookSettings): Promise<boolean | undefined> => {
    const [hook] = valueOf(await webhooksHere(settingOf([settings], env), unreported))
    return hook?.send(letter, new AbortController().signal)
  }
  for (const host of ["127.0.0.1", "localhost", "[::1]", "169.254.169.254", "10.0.0.1", "0x7f.1"])
    expect(await send({ url: `http://${host}:${inside.port}/` })).toBe(false)
  expect(heard).toEqual([])
  expect(await send({ url: `http://127.0.0.1:${inside.port}/here`, allowPrivate: true })).toBe(true)
  expect(await send({ url: `http://127.0.0.1:${inside.port}/moved`, allowPrivate: true })).toBe(false)
  expect(heard).toEqual(["/here", "/moved"])
  await inside.stop(true)
})
