/** Environment variables: typed, with their aliases, and with a warning for what cannot be read. */

import { describe, expect, test } from "bun:test"
import {
  childEnvironment,
  isLendable,
  isLoaderVariable,
  isPersonalVariable,
} from "#ground/settings/child-environment.ts"
import { environmentVariables, processEnvironment, readEnvironment } from "#ground/settings/environment.ts"
import { homeFolder, projectFolder, projectSlug, stateFolder } from "#ground/settings/state-folder.ts"

describe("the table", () => {
  test("names are given once, but for the folder that two fields share", () => {
    const names = environmentVariables.map(({ name }) => name)
    expect(names.length).toBe(new Set(names).size)
  })

  test("each variable has a meaning that is one sentence, and a default of its type", () => {
    for (const { name, meaning, type, default: value } of environmentVariables) {
      expect(`${name}: ${meaning}`).toMatch(/^[A-Z_a-z]+: .+\.$/)
      if (value !== undefined)
        expect({ name, type: typeof value }).toEqual({ name, type: type === "path" ? "string" : type })
    }
  })
})

describe("reading", () => {
  test("an empty environment gives the defaults", () => {
    const { maxToolConcurrency, maxRetries, streamIdleMs, isSandbox, apiKey, model, warnings, givenBy } =
      readEnvironment({})
    expect({ maxToolConcurrency, maxRetries, streamIdleMs, isSandbox, apiKey, model }).toEqual({
      maxToolConcurrency: 10,
      maxRetries: 10,
      streamIdleMs: 90_000,
      isSandbox: false,
      apiKey: undefined,
      model: undefined,
    })
    expect({ warnings, givenBy }).toEqual({ warnings: [], givenBy: {} })
  })

  test("counts of planning agents go from 1 to 5, by either name", () => {
    const counts = (env: { readonly [name: string]: string }): readonly number[] => {
      const { planExploreAgents, planAgents } = readEnvironment(env)
      return [planExploreAgents, planAgents]
    }
    expect(counts({})).toEqual([3, 1])
    expect(counts({ CODEWRIGHT_PLAN_EXPLORE_AGENTS: "5", CODEWRIGHT_PLAN_AGENTS: "2" })).toEqual([5, 2])
    expect(counts({ CLAUDE_CODE_PLAN_V2_EXPLORE_AGENT_COUNT: "1", CLAUDE_CODE_PLAN_V2_AGENT_COUNT: "5" })).toEqual([
      1, 5,
    ])
    for (const wrong of ["0", "6", "-1", "two", "1.5"])
      expect(counts({ CODEWRIGHT_PLAN_EXPLORE_AGENTS: wrong, CODEWRIGHT_PLAN_AGENTS: wrong })).toEqual([3, 1])
    expect(readEnvironment({ CODEWRIGHT_PLAN_AGENTS: "6" }).warnings[0]).toContain("from 1 to 5")
  })

  test("our name is stronger than the ecosystem's, and an empty value is none", () => {
    const both = readEnvironment({ CODEWRIGHT_MAX_RETRIES: "3", CLAUDE_CODE_MAX_RETRIES: "5" })
    expect([both.maxRetries, both.givenBy.maxRetries]).toEqual([3, "CODEWRIGHT_MAX_RETRIES"])
    const other = readEnvironment({ CODEWRIGHT_MAX_RETRIES: "", CLAUDE_CODE_MAX_RETRIES: "5" })
    expect([other.maxRetries, other.givenBy.maxRetries]).toEqual([5, "CLAUDE_CODE_MAX_RETRIES"])
  })

  test.each([
    [
      "CODEWRIGHT_MAX_TOOL_CONCURRENCY",
      "many",
      'CODEWRIGHT_MAX_TOOL_CONCURRENCY is "many". 10 is used instead; set it to a whole number of at least 1, or unset it.',
    ],
    [
      "CODEWRIGHT_MAX_TOOL_CONCURRENCY",
      "0",
      'CODEWRIGHT_MAX_TOOL_CONCURRENCY is "0". 10 is used instead; set it to a whole number of at least 1, or unset it.',
    ],
    [
      "CLAUDE_CODE_MAX_RETRIES",
      "-1",
      'CLAUDE_CODE_MAX_RETRIES is "-1". 10 is used instead; set it to a whole number of at least 0, or unset it.',
    ],
    [
      "MAX_THINKING_TOKENS",
      "1e3",
      'MAX_THINKING_TOKENS is "1e3". It is ignored; set it to a whole number of at least 0, or unset it.',
    ],
    ["IS_SANDBOX", "perhaps", 'IS_SANDBOX is "perhaps". false is used instead; set it to 1 or 0, or unset it.'],
  ])("%s=%s is warned about", (name, value, warning) =>
    expect(readEnvironment({ [name]: value }).warnings).toEqual([warning]),
  )

  test.each([
    ["1", true],
    ["TRUE", true],
    ["yes", true],
    ["0", false],
    ["off", false],
  ])("IS_SANDBOX=%s", (value, expected) => expect(readEnvironment({ IS_SANDBOX: value }).isSandbox).toBe(expected))

  test("NO_COLOR means it whatever it says", () => expect(readEnvironment({ NO_COLOR: "0" }).noColor).toBe(true))

  test("both cases of a proxy", () => expect(readEnvironment({ https_proxy: "http://p" }).httpsProxy).toBe("http://p"))

  test("the process has an environment", () => expect(processEnvironment().PATH).toBeString())
})

describe("the state folder", () => {
  const at = (env: { [name: string]: string }): string => {
    const environment = readEnvironment({ HOME: "/home/me", ...env })
    return stateFolder(environment, homeFolder(environment))
  }
  test.each([
    [{}, "/home/me/.codewright"],
    [{ CLAUDE_CONFIG_DIR: "/c" }, "/c"],
    [{ CODEWRIGHT_HOME: "/h/", CLAUDE_CONFIG_DIR: "/c" }, "/h"],
    [{ CODEWRIGHT_HOME: "~/state" }, "/home/me/state"],
  ])("%j: %s", (env, folder) => expect(at(env)).toBe(folder))

  test("a project's folder is named after the working folder", () => {
    expect(projectFolder("/s", "/home/me/my_repo.js")).toBe("/s/projects/-home-me-my-repo-js")
    expect(projectSlug("/größe")).toBe("-gr--e")
    const long = `/${"a".repeat(300)}`
    expect(projectSlug(long).length).toBeLessThan(230)
    expect(projectSlug(long)).not.toBe(projectSlug(`${long}b`))
  })
})

describe("what tool processes inherit", () => {
  test("no keys, and nothing that makes a shell run more than it was told", () => {
    const kept = {
      PATH: "/bin",
      HOME: "/h",
      AWS_REGION: "eu",
      MY_API_KEY_FILE: "x",
      HTTPS_PROXY: "p",
      ENVIRONMENT: "e",
    }
    const removed = {
      ANTHROPIC_API_KEY: "s",
      ANTHROPIC_AUTH_TOKEN: "s",
      ANTHROPIC_CUSTOM_HEADERS: "s",
      OPENAI_API_KEY: "s",
      GEMINI_API_KEY: "s",
      AWS_SECRET_ACCESS_KEY: "s",
      AWS_SESSION_TOKEN: "s",
      CODEWRIGHT_SERVER_TOKEN: "s",
      BASH_ENV: "x",
      ENV: "x",
      SHELLOPTS: "x",
      "BASH_FUNC_ls%%": "() { evil; }",
    }
    expect(childEnvironment({ ...kept, ...removed, GONE: undefined })).toEqual(kept)
  })

  test("what is personal is so in any case", () => {
    const names = [
      "https_proxy",
      "All_Proxy",
      "node_extra_ca_certs",
      "anthropic_base_url",
      "openai_api_key",
      "bash_env",
    ]
    expect(names.filter((name) => !isPersonalVariable(name))).toEqual([])
  })

  test("keys and traps are known in any case", () => {
    const env = { openai_api_key: "s", Aws_Secret_Access_Key: "s", bash_env: "x", Path: "/bin" }
    expect(childEnvironment(env)).toEqual({ Path: "/bin" })
  })

  test("the person may let a key through, but never a trap", () => {
    const env = { OPENAI_API_KEY: "s", BASH_ENV: "x" }
    expect(childEnvironment(env, ["OPENAI_API_KEY", "BASH_ENV"])).toEqual({ OPENAI_API_KEY: "s" })
  })

  test.each([
    ["ANTHROPIC_BASE_URL", true],
    ["CLAUDE_CONFIG_DIR", true],
    ["https_proxy", true],
    ["NODE_EXTRA_CA_CERTS", true],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", true],
    ["IS_SANDBOX", true],
    ["Https_Proxy", true],
    ["anthropic_base_url", true],
    ["bash_env", true],
    ["BASH_ENV", true],
    ["NODE_ENV", false],
    ["BASH_DEFAULT_TIMEOUT_MS", false],
    ["ANTHROPIC_MODEL", false],
  ])("%s belongs to the person: %p", (name, personal) => expect(isPersonalVariable(name)).toBe(personal))
})

describe("what has a program load or run something else", () => {
  const loading =
    "LD_PRELOAD ld_preload LD_AUDIT DYLD_INSERT_LIBRARIES NODE_OPTIONS Node_Options NODE_PATH PYTHONSTARTUP PYTHONPATH BASH_ENV ENV ZDOTDIR PERL5OPT RUBYOPT JAVA_TOOL_OPTIONS _JAVA_OPTIONS GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_CONFIG_COUNT GIT_EXEC_PATH git_pager PATH Path HOME SHELL EDITOR PAGER LESSOPEN BROWSER SSH_ASKPASS RUSTC_WRAPPER CARGO_TARGET_X_RUNNER MAKEFLAGS CC npm_config_script_shell NPM_CONFIG_NODE_OPTIONS BUN_OPTIONS DOTNET_STARTUP_HOOKS LUA_INIT GLIBC_TUNABLES RIPGREP_CONFIG_PATH IFS PS4 PROMPT_COMMAND"
  test.each(loading.split(" "))("%s", (name) => expect(isLoaderVariable(name)).toBe(true))
  const plain =
    "NODE_ENV CI PYTHONUNBUFFERED GIT_AUTHOR_NAME GIT_COMMITTER_DATE CARGO_TERM_COLOR GOOS DATABASE_NAME FORCE_COLOR PORT TZ LANG DOCKER_BUILDKIT MY_PATHS RAILS_ENV"
  test.each(plain.split(" "))("and not %s", (name) => expect(isLoaderVariable(name)).toBe(false))
})

describe("what others could use in the person's place", () => {
  test.each(
    "GITHUB_TOKEN github_token STRIPE_SECRET_KEY DB_PASSWORD PGPASSWORD MY_API_KEY AWS_ACCESS_KEY_ID NPM_AUTH CREDENTIALS SESSION_COOKIE SLACK_WEBHOOK SENTRY_DSN DATABASE_URL".split(
      " ",
    ),
  )("%s, by its name", (name) => expect(isLendable(name, "x")).toBe(true))
  test.each([
    "ghp_0123456789abcdefghij",
    "github_pat_0123456789abcdefghij",
    "sk-proj-0123456789abcdefghij",
    "AKIA0123456789ABCDEF",
    "xoxb-0123456789-abc",
    "-----BEGIN OPENSSH PRIVATE KEY-----",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.x",
    "postgres://ada:secret@db.example/x",
  ])("%s, by what is in it", (value) => expect(isLendable("INNOCENT", value)).toBe(true))
  test.each([
    ["HOME", "/home/ada"],
    ["USER", "ada"],
    ["NODE_ENV", "test"],
    ["REGION", "eu-west-1"],
    ["KEYBOARD", "de"],
    ["PROJECT_URL", "https://example.com/x@y"],
  ])("and not %s", (name, value) => expect(isLendable(name, value)).toBe(false))
  test("the keys of this program are not lent at all", () =>
    expect(
      ["ANTHROPIC_API_KEY", "anthropic_auth_token", "AWS_SECRET_ACCESS_KEY"].map((name) => isLendable(name, "x")),
    ).toEqual([false, false, false]))
})
