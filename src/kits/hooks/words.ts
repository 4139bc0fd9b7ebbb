/** What the model and the user are told on behalf of hooks. */

import { escapeImitations } from "#agent/words/reminder.ts"
import type { HookEvent } from "./moments.ts"

/** Context from a hook. Its source is unknown, so it must not look like the program's own words. */
export const contextWords = (event: HookEvent, text: string): string =>
  `From a ${event} hook of the user:\n${escapeImitations(text)}`

export const firstPromptWords = (text: string): string =>
  escapeImitations(`A SessionStart hook of the user says this before the first prompt. Do it first:\n${text}`)

export const objectedWords = (tool: string, by: string, reason: string): string =>
  escapeImitations(`A hook of the user (${by}) objects to what ${tool} did: ${reason}`)

export const goOnWords = (by: string, reason: string): string =>
  escapeImitations(`You are not done yet: a hook of the user (${by}) says why. ${reason}`)

export const deniedWords = (tool: string, reason: string): string =>
  `${tool} was not run: a hook of the user refuses it. ${reason}\nDo not try to get around it; take another way, or tell the user what is in the way.`

export const promptRefusedWords = (reason: string): string => `The prompt was not sent, because of a hook: ${reason}`

export const expansionRefusedWords = (command: string, reason: string): string =>
  `/${command} was not sent, because of a hook: ${reason}`

export const enoughWords = (times: number): string =>
  `Stop hooks made the agent continue ${times} times in this turn, which is the limit. The turn ends; check your Stop hooks.`

export const stoppedWords = (why: string): string => `A hook ended it: ${why}`
