/** `@opentelemetry/api`, which the program installs. */

import type * as Api from '@opentelemetry/api'

function load(): typeof Api {
  try {
    return require('@opentelemetry/api') as typeof Api
  } catch (error) {
    if ((error as { code?: string }).code !== 'MODULE_NOT_FOUND') throw error
    throw new Error(
      'spikewire/metrics/otel needs @opentelemetry/api: npm install @opentelemetry/api',
      { cause: error },
    )
  }
}

export const api = load()
