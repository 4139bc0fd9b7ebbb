/** The rules of ATIF v1.7 as its reference models have them: unknown fields are refused, and calls and results belong together. */

import { z } from "zod"

type Extra = { readonly [name: string]: unknown } | undefined

/** As far as tests look into it. */
export interface Trajectory {
  readonly schema_version: string
  readonly session_id?: string | undefined
  readonly trajectory_id?: string | undefined
  readonly agent: {
    readonly name: string
    readonly tool_definitions?: readonly { readonly [name: string]: unknown }[] | undefined
  }
  readonly steps: readonly TrajectoryStep[]
  readonly subagent_trajectories?: readonly Trajectory[] | undefined
  readonly extra?: Extra
  readonly final_metrics?:
    { readonly total_completion_tokens?: number | undefined; readonly total_steps?: number | undefined } | undefined
}

export interface TrajectoryStep {
  readonly source: string
  readonly message: string
  readonly reasoning_content?: string | undefined
  readonly tool_calls?: readonly { readonly function_name: string }[] | undefined
  readonly observation?: { readonly results: readonly TrajectoryResult[] } | undefined
  readonly metrics?: { readonly completion_tokens?: number | undefined } | undefined
}

interface TrajectoryResult {
  readonly content?: string | undefined
  readonly subagent_trajectory_ref?: readonly TrajectoryReference[] | undefined
  readonly extra?: Extra
}

interface TrajectoryReference {
  readonly trajectory_id?: string | undefined
  readonly trajectory_path?: string | undefined
}

const extra = z.record(z.string(), z.json()).optional()
const count = z.int().min(0)

const toolCall = z.strictObject({
  tool_call_id: z.string(),
  function_name: z.string(),
  arguments: z.record(z.string(), z.json()),
  extra,
})

const metrics = z.strictObject({
  prompt_tokens: count.optional(),
  completion_tokens: count.optional(),
  cached_tokens: count.optional(),
  cost_usd: z.number().min(0).optional(),
  extra,
})

/** Embedded, or in a file: the id of a session is no longer enough. */
const reference = z
  .strictObject({
    trajectory_id: z.string().optional(),
    session_id: z.string().optional(),
    trajectory_path: z.string().optional(),
    extra,
  })
  .refine(({ trajectory_id, trajectory_path }) => (trajectory_id ?? trajectory_path) !== undefined)

const onlyOfAgents = ["model_name", "reasoning_content", "tool_calls", "metrics", "llm_call_count"] as const

const step = z
  .strictObject({
    step_id: z.int().min(1),
    timestamp: z.iso.datetime(),
    source: z.enum(["system", "user", "agent"]),
    model_name: z.string().optional(),
    message: z.string(),
    reasoning_content: z.string().optional(),
    tool_calls: z.array(toolCall).optional(),
    observation: z
      .strictObject({
        results: z.array(
          z.strictObject({
            source_call_id: z.string().optional(),
            content: z.string().optional(),
            subagent_trajectory_ref: z.array(reference).optional(),
            extra,
          }),
        ),
      })
      .optional(),
    metrics: metrics.optional(),
    llm_call_count: count.optional(),
    is_copied_context: z.boolean().optional(),
    extra,
  })
  .superRefine((value, context) => {
    const wrong = value.source === "agent" ? [] : onlyOfAgents.filter((name) => value[name] !== undefined)
    for (const name of wrong) context.addIssue({ code: "custom", message: `${name} is for agents only` })
    const calls = new Set(value.tool_calls?.map(({ tool_call_id }) => tool_call_id))
    for (const { source_call_id: id } of value.observation?.results ?? [])
      if (id !== undefined && !calls.has(id)) context.addIssue({ code: "custom", message: `no call ${id} in the step` })
  })

export const trajectory: z.ZodType<Trajectory> = z
  .strictObject({
    schema_version: z.literal("ATIF-v1.7"),
    session_id: z.string().optional(),
    trajectory_id: z.string().optional(),
    agent: z.strictObject({
      name: z.string(),
      version: z.string(),
      model_name: z.string().optional(),
      tool_definitions: z.array(z.record(z.string(), z.json())).optional(),
      extra,
    }),
    steps: z.array(step).min(1),
    notes: z.string().optional(),
    subagent_trajectories: z.array(z.lazy(() => trajectory)).optional(),
    final_metrics: z
      .strictObject({
        total_prompt_tokens: count.optional(),
        total_completion_tokens: count.optional(),
        total_cached_tokens: count.optional(),
        total_cost_usd: z.number().min(0).optional(),
        total_steps: count.optional(),
        extra,
      })
      .optional(),
    extra,
  })
  .superRefine(({ steps, subagent_trajectories: embedded = [] }, context) => {
    const ids = new Set(embedded.map(({ trajectory_id }) => trajectory_id))
    if (ids.size < embedded.length || ids.has(undefined))
      context.addIssue({ code: "custom", message: "embedded trajectories need ids of their own" })
    for (const { observation } of steps)
      for (const { subagent_trajectory_ref: refs = [] } of observation?.results ?? [])
        for (const { trajectory_id: id, trajectory_path: file } of refs)
          if (file === undefined && !ids.has(id))
            context.addIssue({ code: "custom", message: `no trajectory ${id} is embedded` })
    for (const [index, { step_id }] of steps.entries())
      if (step_id !== index + 1)
        context.addIssue({ code: "custom", message: `step ${index + 1} has the number ${step_id}` })
  })
