import assert from "node:assert/strict"
import { test } from "node:test"
import { addItem, countCoffees, createOrder, total } from "../src/order.js"

test("an order adds up", () => {
  const order = addItem(addItem(createOrder(), "espresso", 2), "banana bread")
  assert.equal(total(order), 730)
})

test("the same item twice is one line", () => {
  const order = addItem(addItem(createOrder(), "espresso"), "Espresso")
  assert.equal(order.lines.length, 1)
  assert.equal(order.lines[0].quantity, 2)
})

test("nobody orders half a coffee", () => {
  assert.throws(() => addItem(createOrder(), "espresso", 0.5), /at least one/)
})

test("tea is not a coffee", () => {
  const order = addItem(addItem(createOrder(), "mint tea", 3), "cappuccino")
  assert.equal(countCoffees(order), 1)
})
