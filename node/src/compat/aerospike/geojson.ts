/** Points and regions. */

/** A GeoJSON value: a point, a polygon or a circle. */
export interface GeoJSON {
  /** Its text. */
  str: string
  /** The object that the text represents. */
  toJSON(): object
  /** Its text. */
  toString(): string
  /** The object that the text represents. */
  value(): object
}

interface GeoJSONConstructor {
  /**
   * @param json - The text, or the object that it represents.
   * @throws TypeError for anything else
   */
  new (json: string | object): GeoJSON
  (json: string | object): GeoJSON
  readonly prototype: GeoJSON
  /** A point, in degrees. */
  Point: GeoJSONShape<[longitude: number, latitude: number]>
  /** A polygon: positions as `[longitude, latitude]`; the last one must equal the first. */
  Polygon: GeoJSONShape<number[][]>
  /** A circle: its center in degrees, and its radius in metres. */
  Circle: GeoJSONShape<[longitude: number, latitude: number, radius: number]>
}

interface GeoJSONShape<A extends unknown[]> {
  new (...args: A): GeoJSON
  (...args: A): GeoJSON
}

function construct(this: GeoJSON | undefined, json: unknown): GeoJSON | undefined {
  if (new.target === undefined) return new GeoJSON(json as object)
  const self = this as GeoJSON
  if (typeof json === 'string') self.str = json
  else if (typeof json === 'object') self.str = JSON.stringify(json)
  else throw new TypeError(`a GeoJSON value is a string or an object, not ${typeof json}`)
  return undefined
}

construct.prototype.toJSON = function (this: GeoJSON): object {
  return JSON.parse(this.str)
}
construct.prototype.toString = function (this: GeoJSON): string {
  return this.str
}
construct.prototype.value = function (this: GeoJSON): object {
  return this.toJSON()
}
construct.Point = function point(longitude: number, latitude: number): GeoJSON {
  return new GeoJSON({ type: 'Point', coordinates: [longitude, latitude] })
}
construct.Polygon = function polygon(...positions: number[][]): GeoJSON {
  return new GeoJSON({ type: 'Polygon', coordinates: [positions] })
}
construct.Circle = function circle(longitude: number, latitude: number, radius: number): GeoJSON {
  return new GeoJSON({ type: 'AeroCircle', coordinates: [[longitude, latitude], radius] })
}
Object.defineProperty(construct, 'name', { value: 'GeoJSON' })

export const GeoJSON = construct as unknown as GeoJSONConstructor
