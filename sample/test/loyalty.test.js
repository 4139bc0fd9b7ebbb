import assert from "node:assert/strict"
import { test } from "node:test"
import { createCard, describeCard, stampCard } from "../src/loyalty.js"
import { addItem, createOrder } from "../src/order.js"

const coffees = (count) => addItem(createOrder(), "espresso", count)

test("every coffee is worth a stamp", () => {
  assert.deepEqual(stampCard(createCard(), coffees(3)), { stamps: 3, freeCoffees: 0 })
})

test("the tenth stamp earns a free coffee", () => {
  const card = { stamps: 7, freeCoffees: 0 }
  assert.deepEqual(stampCard(card, coffees(3)), { stamps: 0, freeCoffees: 1 })
})

test("a large order can fill more than one card", () => {
  assert.deepEqual(stampCard(createCard(), coffees(25)), { stamps: 5, freeCoffees: 2 })
})

test("the card says how far it is", () => {
  assert.equal(describeCard({ stamps: 4, freeCoffees: 0 }), "6 stamps to your next free coffee")
})
