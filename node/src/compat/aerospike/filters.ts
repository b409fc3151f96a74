/** Predicates of queries on a secondary index: `filter`. */

export {
  contains,
  equal,
  geoContainsGeoJSONPoint,
  geoContainsPoint,
  geoWithinGeoJSONRegion,
  geoWithinRadius,
  type IndexedValue,
  range,
  SindexFilterPredicate,
} from './filter.js'
