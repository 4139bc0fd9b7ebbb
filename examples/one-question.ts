/** Asks one question and prints the answer and what it cost. */

import { query } from "codewright"

const [question = "What does this repository do?"] = process.argv.slice(2)

for await (const message of query({ prompt: question, options: { maxTurns: 10, maxBudgetUsd: 1 } })) {
  if (message.type !== "result") continue
  if (message.subtype === "success") console.log(message.result)
  console.log(`$${message.total_cost_usd.toFixed(4)}`)
}
