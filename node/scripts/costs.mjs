// Measures what schemas, tables and small bytes cost, on one node of the embedded cluster.
//
//  node scripts/costs.mjs typed | tables | bytes
//
// `typed`: microseconds per `record.value` and per checked write, without network; `tables`: per row
// of `putMany` until it returns; `bytes`: processor time per record of `getMany`. Medians.

import { Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import * as arrow from 'apache-arrow'
import * as v from 'valibot'
import { z } from 'zod'
import { conversionOf } from '../dist/aerospike/typed/options.js'
import { Client } from '../dist/index.mjs'
import { Cluster } from '../dist/testing.mjs'

const ROUNDS = 25

function median(numbers) {
  return numbers.sort((a, b) => a - b)[numbers.length >> 1]
}

const BINS = { a: 'one', b: 'two', c: 'three', d: 'four', e: 1, f: 2, g: 3, h: ['x', 'y'] }

class Plain {
  a = ''
  b = ''
  c = ''
  d = ''
  e = 0
  f = 0
  g = 0
  h = []
}

function schemas() {
  const [text, number] = [z.string(), z.number().int()]
  const fields = { a: text, b: text, c: text, d: text, e: number, f: number, g: number }
  const int = v.pipe(v.number(), v.integer())
  const vText = v.string()
  const vFields = { a: vText, b: vText, c: vText, d: vText, e: int, f: int, g: int }
  const bText = Type.String()
  const bInt = Type.Integer()
  const bFields = { a: bText, b: bText, c: bText, d: bText, e: bInt, f: bInt, g: bInt }
  return {
    zod: z.object({ ...fields, h: z.array(text) }),
    valibot: v.object({ ...vFields, h: v.array(vText) }),
    TypeBox: TypeCompiler.Compile(Type.Object({ ...bFields, h: Type.Array(bText) })),
    class: Plain,
  }
}

function perCall(call, calls = 20_000) {
  const start = performance.now()
  for (let n = 0; n < calls; n++) call()
  return ((performance.now() - start) * 1000) / calls
}

async function typed(client) {
  const data = client.dataset('test', 'costs')
  await data.put(1, BINS)
  const plain = await data.get(1)
  for (const [name, schema] of Object.entries(schemas())) {
    const conversion = conversionOf(undefined, { schema })
    const reads = () => conversion.read(plain).value
    const writes = () => conversion.written(BINS, undefined)
    const time = (call) => median(Array.from({ length: ROUNDS }, () => perCall(call, 2000)))
    console.log(`${name}: value ${time(reads).toFixed(2)} us, write ${time(writes).toFixed(2)} us`)
  }
}

async function tables(client) {
  // One window.
  const count = 16_000
  const id = Int32Array.from({ length: count }, (_, n) => n)
  const name = Array.from(id, (n) => `name ${n}`)
  const score = Float64Array.from(id, (n) => n / 2)
  const table = new arrow.Table({
    id: arrow.makeVector(id),
    name: arrow.vectorFromArray(name, new arrow.Utf8()),
    score: arrow.makeVector(score),
  })
  const kinds = {
    'Arrow table': () => [table, { key: 'id' }],
    columns: () => [{ id, name, score }, { key: 'id' }],
    pairs: () => [name.map((text, n) => [n, { name: text, score: score[n] }]), {}],
  }
  const data = client.dataset('test', 'costs')
  const times = new Map(Object.keys(kinds).map((kind) => [kind, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [kind, make] of Object.entries(kinds)) {
      const start = performance.now()
      const [records, options] = make()
      const written = data.putMany(records, { timeout: 60_000, ...options })
      // What is done when the call returns: all rows are read and encoded.
      times.get(kind).push(((performance.now() - start) * 1000) / count)
      ;(await written).raiseForErrors()
    }
  }
  for (const [kind, all] of times) {
    console.log(`${kind}: ${median(all).toFixed(2)} us per row until the call returns`)
  }
}

async function bytes(client) {
  const keys = Array.from({ length: 1000 }, (_, n) => n)
  const sizes = [16, 127, 128]
  const times = new Map(sizes.map((size) => [size, []]))
  for (const size of sizes) {
    const value = Buffer.alloc(size, 7)
    const records = keys.map((key) => [key, { a: value, b: value, c: value, d: value }])
    await client.dataset('test', `costs${size}`).putMany(records)
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const size of sizes) {
      const start = process.cpuUsage()
      for (let n = 0; n < 20; n++) await client.dataset('test', `costs${size}`).getMany(keys)
      const { user, system } = process.cpuUsage(start)
      times.get(size).push((user + system) / (20 * keys.length))
    }
  }
  for (const [size, all] of times) {
    console.log(
      `4 bins of ${size} bytes: ${median(all).toFixed(2)} us of processor time per record`,
    )
  }
}

const kinds = { typed, tables, bytes }
const kind = kinds[process.argv[2]]
if (kind === undefined) {
  console.error(`costs.mjs: ${Object.keys(kinds).join(', ')}`)
  process.exit(1)
}
const cluster = await Cluster.start({ nodes: 1 })
const client = await Client.connect(cluster.seeds, { timeout: 30_000 })
await kind(client)
await client.close()
await cluster.close()
