import assert from "node:assert/strict"
import { test } from "node:test"
import { cheapest, findItem } from "../src/menu.js"

test("items are found however they are written", () => {
  assert.equal(findItem("  Flat White ").price, 340)
})

test("what we do not sell is refused by name", () => {
  assert.throws(() => findItem("pumpkin latte"), /pumpkin latte/)
})

test("the cheapest thing is an espresso", () => {
  assert.equal(cheapest().name, "espresso")
})
