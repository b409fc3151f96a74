/** Object mapping: documents instead of statements and rows. */

export { Mapper } from './mapper.js'
export type { MappingOptions, ModelColumnOptions, ModelOptions } from './model-info.js'
export { ModelBatchItem, ModelBatchMapper, ModelMapper } from './model-mapper.js'
export type { Doc, DocInfo, MappingExecutionOptions } from './properties.js'
export { q } from './q.js'
export { Result } from './result.js'
export {
  DefaultTableMappings,
  TableMappings,
  UnderscoreCqlToCamelCaseMappings,
} from './table-mappings.js'
