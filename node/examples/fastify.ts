/**
 * A small web service: `GET /NAME` counts a visit of NAME and returns the count.
 *
 * The client is a plugin: it is opened when the service starts, is at hand as `app.spikewire` with its
 * type, and is closed when the service stops. Requests that arrive together are sent to the cluster in
 * one write.
 */

import fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify'
import plugin from 'fastify-plugin'
import { Client, type ClientOptions, op, Timeout } from 'spikewire'
import { withCluster } from './seeds.js'

declare module 'fastify' {
  interface FastifyInstance {
    spikewire: Client
  }
}

interface SpikewireOptions extends ClientOptions {
  seeds: string
}

const connect: FastifyPluginAsync<SpikewireOptions> = async (app, { seeds, ...options }) => {
  const client = await Client.connect(seeds, options)
  app.decorate('spikewire', client)
  app.addHook('onClose', () => client.close())
}

/** As a plugin of its own right, it decorates the instance that registers it. */
const spikewire = plugin(connect, { name: 'spikewire', fastify: '5.x' })

interface Visits {
  n: number
}

async function service(seeds: string): Promise<FastifyInstance> {
  // Connections that browsers keep open do not keep the service from ending.
  const app = fastify({ forceCloseConnections: true })
  await app.register(spikewire, { seeds, timeout: 500 })
  const visits = app.spikewire.dataset<Visits>('test', 'visits')

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
  const { spikewire: client } = app
  await app.close()
  console.log(client)
})
