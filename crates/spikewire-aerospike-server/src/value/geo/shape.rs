//! Parses points and regions.

use s2::cellid::CellID;
use s2::latlng::LatLng;
use s2::point::Point;
use serde_json::Value;

use super::Region;
use super::region::Loop;

/// Tolerance for antipodal points: some millimetres.
const OPPOSITE: f64 = 1e-9;

/// The shape described by a `GeoJSON` text.
#[derive(Debug, Clone)]
pub enum Shape {
    /// A point, with the precision of the smallest cells (about a centimetre).
    Point(Point),
    /// A `Polygon`, a `MultiPolygon` or an `AeroCircle`.
    Region(Region),
}

impl Shape {
    /// Parses a text; `None` if it is neither a point nor a region.
    pub fn read(text: &[u8]) -> Option<Self> {
        let whole: Value = serde_json::from_slice(text).ok()?;
        let feature = whole.get("type")?.as_str()? == "Feature";
        let shape = if feature { whole.get("geometry")? } else { &whole };
        let coordinates = shape.get("coordinates")?.as_array()?;
        Some(match shape.get("type")?.as_str()? {
            "Point" => Self::Point(Point::from(CellID::from(position(coordinates)?))),
            "Polygon" => Self::Region(Region::Polygons(vec![polygon(coordinates)?])),
            "MultiPolygon" => {
                let polygons = coordinates.iter().map(|rings| polygon(rings.as_array()?));
                let polygons: Vec<_> = polygons.collect::<Option<_>>()?;
                (!polygons.is_empty()).then_some(Self::Region(Region::Polygons(polygons)))?
            }
            "AeroCircle" => {
                let [center, radius] = coordinates.as_slice() else { return None };
                let radius = radius.as_f64().filter(|radius| *radius > 0.0)?;
                Self::Region(Region::circle(&position(center.as_array()?)?, radius))
            }
            _ => return None,
        })
    }
}

/// Longitude and latitude in degrees.
fn position(numbers: &[Value]) -> Option<Point> {
    let [longitude, latitude, ..] = numbers else { return None };
    let longitude = longitude.as_f64().filter(|degrees| degrees.abs() <= 180.0)?;
    let latitude = latitude.as_f64().filter(|degrees| degrees.abs() <= 90.0)?;
    Some(LatLng::from_degrees(latitude, longitude).into())
}

fn polygon(rings: &[Value]) -> Option<Vec<Loop>> {
    let ring = |ring: &Value| {
        let positions = ring.as_array()?.iter().map(|item| position(item.as_array()?));
        let mut points = positions.collect::<Option<Vec<_>>>()?;
        points.dedup();
        if points.len() < 4 || points.first() != points.last() {
            return None;
        }
        points.pop();
        let next = points.iter().cycle().skip(1);
        // Between antipodes every line is a shortest one.
        if points.iter().zip(next).any(|(a, b)| (a.0 + b.0).norm() < OPPOSITE) {
            return None;
        }
        Some(Loop::new(points))
    };
    let rings: Vec<_> = rings.iter().map(ring).collect::<Option<_>>()?;
    (!rings.is_empty()).then_some(rings)
}
