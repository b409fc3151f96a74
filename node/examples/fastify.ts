/**
 * A small web service: `GET /NAME` counts a visit of NAME and returns the count.
 *
 * The client is opened when the service starts and closed when it stops. Requests that arrive
 * together are sent to the cluster in one write.
 */

import fastify, { type FastifyInstance } from 'fastify'
import { Client, op, Timeout } from 'spikewire'
import { withCluster } from './seeds.js'

interface Visits {
  n: number
}

async function service(seeds: string): Promise<FastifyInstance> {
  const app = fastify()
  const client = await Client.connect(seeds, { timeout: 500 })
  app.addHook('onClose', () => client.close())
  const visits = client.dataset<Visits>('test', 'visits')

  app.get<{ Params: { name: string } }>('/:name', async ({ params: { name } }, reply) => {
    try {
      const steps = [op.add('n', 1), op.get('n')]
      const { bins } = await visits.operate(name, steps, { ttl: 86_400 })
      return { name, visits: bins.n }
    } catch (error) {
      if (error instanceof Timeout) return reply.code(503).send({ error: 'try again' })
      throw error
    }
  })
  return app
}

await withCluster(async (seeds) => {
  const app = await service(seeds)
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  for (const name of ['alice', 'alice', 'bob']) {
    const answer = await fetch(`${address}/${name}`)
    console.log(answer.status, await answer.text())
  }
  await app.close()
})
