/**
 * A module for NestJS: other modules have the client injected, and it lives as long as the
 * application.
 */

import 'reflect-metadata'
import {
  Body,
  Controller,
  type DynamicModule,
  Get,
  Inject,
  Injectable,
  Module,
  NotFoundException,
  type OnApplicationShutdown,
  Param,
  Put,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { Client, type ClientOptions, type Dataset } from 'spikewire'
import { withCluster } from './seeds.js'

/** Closes the client when the application ends, after its last request. */
@Injectable()
class ClosesClient implements OnApplicationShutdown {
  readonly #client: Client

  constructor(@Inject(Client) client: Client) {
    this.#client = client
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#client.close()
  }
}

@Module({})
class SpikewireModule {
  static forRoot(seeds: string, options: ClientOptions = {}): DynamicModule {
    // The class is the token: `@Inject(Client)` in any constructor.
    const connected = { provide: Client, useFactory: () => Client.connect(seeds, options) }
    return {
      module: SpikewireModule,
      global: true,
      providers: [connected, ClosesClient],
      exports: [Client],
    }
  }
}

interface Price {
  euro: number
}

@Controller('prices')
class PricesController {
  readonly #prices: Dataset<Price>

  constructor(@Inject(Client) client: Client) {
    this.#prices = client.dataset<Price>('test', 'prices')
  }

  @Get(':item')
  async one(@Param('item') item: string): Promise<Price> {
    const record = await this.#prices.get(item, { default: null })
    if (record === null) throw new NotFoundException()
    return record.bins
  }

  @Put(':item')
  async change(@Param('item') item: string, @Body() { euro }: Price): Promise<Price> {
    await this.#prices.put(item, { euro })
    return { euro }
  }
}

await withCluster(async (seeds) => {
  @Module({
    imports: [SpikewireModule.forRoot(seeds, { timeout: 500 })],
    controllers: [PricesController],
  })
  class Shop {}

  const app = await NestFactory.create(Shop, { logger: false })
  app.enableShutdownHooks()
  await app.listen(0, '127.0.0.1')
  const address = await app.getUrl()
  const headers = { 'content-type': 'application/json' }
  await fetch(`${address}/prices/tea`, { method: 'PUT', headers, body: '{"euro":3}' })
  for (const item of ['tea', 'gold']) {
    const answer = await fetch(`${address}/prices/${item}`)
    console.log(answer.status, await answer.text())
  }
  const client = app.get(Client)
  await app.close()
  console.log(client)
})
