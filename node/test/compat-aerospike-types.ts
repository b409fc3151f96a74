/** Compiles only: how programs use the types of the drop-in for npm `aerospike`. */

import aerospike, * as Aerospike from 'spikewire/compat/aerospike'
import {
  type AerospikeBins,
  type AerospikeRecord,
  type BatchResult,
  type Callback,
  type Client,
  type ConfigOptions,
  Key,
  type Node,
  type ReadPolicyOptions,
  type TypedCallback,
} from 'spikewire/compat/aerospike'

const config: ConfigOptions = {
  hosts: [{ addr: '127.0.0.1', port: 3000 }],
  policies: { read: new Aerospike.ReadPolicy({ totalTimeout: 100 }), write: { totalTimeout: 10 } },
}
const policy: ReadPolicyOptions = {
  readModeAP: Aerospike.policy.readModeAP.ALL,
  filterExpression: Aerospike.exp.gt(Aerospike.exp.binInt('age'), Aerospike.exp.int(20)),
}
const datatype: Aerospike.indexDataType = Aerospike.indexDataType.NUMERIC

/** @public */
export async function promises(): Promise<AerospikeBins> {
  const client: Client = await Aerospike.connect(config)
  const key = new Key('test', 'users', 1n)
  const put: Key = await client.put(key, { age: 1, at: new Aerospike.GeoJSON.Point(1, 2) })
  const record: AerospikeRecord = await client.get(put, policy)
  const rows: BatchResult[] = await client.batchRead([{ key, readAllBins: true }])
  const nodes: Node[] = client.getNodes()
  const job = await client.createIndex({
    ns: 'test',
    set: 'users',
    bin: 'age',
    index: 'a',
    datatype,
  })
  await job.wait(10)
  const [left] = await client
    .query('test', 'users', { filters: [Aerospike.filter.range('age', 1, 2)] })
    .results()
  await client.operate(key, [
    Aerospike.operations.incr('age', 1),
    Aerospike.lists.append('tags', 'x').withContext((ctx) => ctx.addMapKey('a')),
  ])
  const context: Aerospike.cdt.Context = new aerospike.cdt.Context().addListIndex(0)
  client.contextToBase64(context)
  client.close()
  return { ...record.bins, rows: rows.length, nodes: nodes.length, left: left?.bins }
}

/** @public */
export function callbacks(client: Client): void {
  const done: TypedCallback<AerospikeRecord> = (error, record) => {
    if (error) console.error(error.code, error.inDoubt, error.message)
    else console.info(record?.bins, record?.ttl, record?.gen)
  }
  const same: Callback<AerospikeRecord> = done
  client.get(new Key('test', 'users', 'a'), done)
  client.get(new Key('test', 'users', 'a'), policy, same)
  client.put(new Key('test', 'users', 'a'), { a: 1 }, { ttl: 1 }, (error?: Error) => {
    if (error) throw error
  })
  const stream = client.scan('test', 'users').foreach()
  stream.on('data', (record: AerospikeRecord) => console.info(record.key.digest))
  stream.on('end', () => stream.abort())
  // @ts-expect-error: a key is not a string.
  client.get('key')
}
