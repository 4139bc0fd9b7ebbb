/** What variables and settings mean, and what is said about those that cannot be followed. */

import { expect, test } from "bun:test"
import { readEnvironment } from "#ground/settings/environment.ts"
import { configure, type TelemetryDefaults } from "#ground/telemetry/configure.ts"

const read = (env: { readonly [name: string]: string }, settings: TelemetryDefaults = {}) =>
  configure(readEnvironment(env), settings, "1.2.3")

test("everything goes to the collector of this machine unless something else is said", () => {
  const { choice, problems } = read({ CODEWRIGHT_ENABLE_TELEMETRY: "1" })
  expect(problems).toEqual([])
  expect(choice).toMatchObject({
    exporters: { traces: ["otlp"], metrics: ["otlp"], logs: ["otlp"] },
    endpoints: { traces: "http://localhost:4318/v1/traces", logs: "http://localhost:4318/v1/logs" },
    names: "codewright",
    contents: { prompts: false, toolInput: false, toolOutput: false },
    isDelta: false,
    share: 1,
    resource: { "service.name": "codewright", "service.version": "1.2.3" },
  })
})

test("variables of one signal count before the common ones, and those before settings", () => {
  const { choice } = read(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://c.example/otlp/",
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "https://logs.example/in",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abc, x-team = red",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-team=blue",
      OTEL_TRACES_EXPORTER: "file, otlp",
      OTEL_METRICS_EXPORTER: "none",
      OTEL_RESOURCE_ATTRIBUTES: "service.name=x,deployment.environment.name=prod",
      OTEL_SERVICE_NAME: "agents",
    },
    { endpoint: "http://other:4318", exporters: ["console"], prompts: true },
  )
  expect(choice.endpoints).toEqual({
    traces: "https://c.example/otlp/v1/traces",
    metrics: "https://c.example/otlp/v1/metrics",
    logs: "https://logs.example/in",
  })
  expect(choice.headers.traces).toEqual({ authorization: "Bearer abc", "x-team": "blue" })
  expect(choice.headers.logs).toEqual({ authorization: "Bearer abc", "x-team": "red" })
  expect(choice.exporters).toEqual({ traces: ["otlp", "file"], metrics: [], logs: ["console"] })
  expect(choice.resource).toMatchObject({ "service.name": "agents", "deployment.environment.name": "prod" })
  expect(choice.contents.prompts).toBe(true)
  expect(read({ OTEL_LOG_USER_PROMPTS: "0" }, { prompts: true }).choice.contents.prompts).toBe(false)
})

test("as Claude Code's: only exporters that are named, its names, changes instead of totals", () => {
  const { choice } = read({ CLAUDE_CODE_ENABLE_TELEMETRY: "1", OTEL_METRICS_EXPORTER: "otlp" })
  expect(choice).toMatchObject({
    exporters: { traces: [], metrics: ["otlp"], logs: [] },
    names: "claude_code",
    isDelta: true,
  })
})

test("what cannot be done is said, with what to do, and a secret is not repeated", () => {
  for (const protocol of ["grpc", "http/protobuf"]) {
    const { choice, problems } = read({ OTEL_EXPORTER_OTLP_PROTOCOL: protocol, OTEL_LOGS_EXPORTER: "none" })
    expect(choice.exporters).toEqual({ traces: [], metrics: [], logs: [] })
    expect(problems[0]).toBe(
      `No traces are sent: OTEL_EXPORTER_OTLP_PROTOCOL is ${protocol}, and only http/json is supported. Set it to http/json and the endpoint to the collector's HTTP port, usually 4318.`,
    )
  }
  const { problems, choice } = read({
    OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4317",
    OTEL_TRACES_EXPORTER: "zipkin",
    OTEL_EXPORTER_OTLP_HEADERS: "hunter2",
    OTEL_TRACES_SAMPLER: "traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "7",
  })
  expect(problems.join("\n")).not.toContain("hunter2")
  expect(problems).toEqual([
    'No traces go to "zipkin": OTEL_TRACES_EXPORTER takes otlp, file, console or none.',
    expect.stringContaining("No metrics are sent: localhost:4317/v1/metrics is not an http or https address."),
    expect.stringContaining("No logs are sent: "),
    "OTEL_EXPORTER_OTLP_HEADERS: one of its pairs is not name=value and is left out.",
    "All traces are sent: OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.",
  ])
  expect(choice.share).toBe(1)
})
