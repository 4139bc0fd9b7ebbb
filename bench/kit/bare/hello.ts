/** The least a program can do. */

console.log("hello")
