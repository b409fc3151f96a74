/** The program that the other runtimes are asked to run, on this one. */

import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { output } from './support/programs.js'

test('the smoke program', async () => {
  await output(process.execPath, [fileURLToPath(new URL('smoke.js', import.meta.url))])
})
