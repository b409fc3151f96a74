/** Runs the smoke programs for other runtimes on this one. */

import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { withoutCassandra } from './support/cassandra.js'
import { output } from './support/programs.js'

const program = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

test('the smoke program succeeds', async () => {
  await output(process.execPath, [program('smoke.js')])
})

test('the smoke program for Cassandra succeeds', { skip: withoutCassandra }, async () => {
  await output(process.execPath, [program('smoke-cql.js')])
})
