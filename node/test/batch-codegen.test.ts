/** Batches when code generation from strings is disallowed. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Cluster } from 'spikewire/testing'
import { output, PACKAGE } from './support/programs.js'

const PROGRAM = `
const assert = require('node:assert/strict')
const { Client, op } = require('spikewire')
assert.throws(() => new Function('return 1'), EvalError)
async function main() {
  const client = await Client.connect(process.argv[1], { timeout: 30000 })
  const data = client.dataset('test', 'codegen')
  const bins = [{ a: 1 }, { a: 2 }, { a: 3, b: 'x' }, { b: 'y', __proto__: null }, { a: 4 }]
  await data.putMany(bins.map((some, key) => [key, some]), { ttl: 1000 })
  const batch = await data.getMany([0, 1, 2, 9, 3, 4])
  console.log(JSON.stringify([...batch].map((record) => record && record.bins)))
  console.log([...batch].every((record) => !record || (record.generation === 1 && record.ttl > 900)))
  const added = await data.operateMany([0, 1], [op.add('a', 10), op.get('a')])
  console.log(JSON.stringify([...added].map(({ bins, results }) => [bins, results])))
  console.log((await data.existsMany([0, 9])).found, (await data.get(2)).bins.b)
  await client.close()
}
main()
`

test('records are made without compiling anything', async () => {
  await using cluster = await Cluster.start({ nodes: 2 })
  const flag = '--disallow-code-generation-from-strings'
  const printed = await output(process.execPath, [flag, '-e', PROGRAM, cluster.seeds], {
    cwd: PACKAGE,
  })
  assert.deepEqual(printed.trim().split('\n'), [
    '[{"a":1},{"a":2},{"a":3,"b":"x"},null,{"b":"y"},{"a":4}]',
    'true',
    '[[{"a":11},[null,11]],[{"a":12},[null,12]]]',
    '1 x',
  ])
})
