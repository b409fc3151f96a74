//! `GeoJSON` values. The text is checked, but cells are not computed: values are stored without
//! cells.
//!
//! | module | what it holds |
//! |---|---|
//! | [`shape`] | texts to points and regions |
//! | [`region`] | which points lie in a region |
//! | [`cover`] | the cells of the sphere that a region lies in |

pub mod cover;
pub mod region;
pub mod shape;

use spikewire_aerospike_protocol::Malformed;
use spikewire_aerospike_protocol::value::geojson_text;

pub use self::cover::covering;
pub use self::region::Region;
pub use self::shape::Shape;

/// Appends the stored form of a `GeoJSON` particle.
pub fn store(out: &mut Vec<u8>, bytes: &[u8]) -> Result<(), Malformed> {
    let text = geojson_text(bytes)?;
    let shape = Shape::read(text).ok_or(Malformed::new("GeoJSON", "not a known shape"))?;
    out.extend_from_slice(&[u8::from(matches!(shape, Shape::Region(_))), 0, 0]);
    out.extend_from_slice(text);
    Ok(())
}

/// Whether a point is within a region, in either order; `None` if one of the texts is not a shape.
pub fn within(a: &[u8], b: &[u8]) -> Option<bool> {
    Some(match (Shape::read(a)?, Shape::read(b)?) {
        (Shape::Point(point), Shape::Region(region))
        | (Shape::Region(region), Shape::Point(point)) => region.contains(&point),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(text: &str, cells: u16) -> Option<Vec<u8>> {
        let mut bytes = vec![0];
        bytes.extend_from_slice(&cells.to_be_bytes());
        bytes.resize(3 + 8 * usize::from(cells), 9);
        bytes.extend_from_slice(text.as_bytes());
        let mut out = Vec::new();
        store(&mut out, &bytes).ok().map(|()| out)
    }

    #[test]
    fn shapes_are_distinguished_and_cells_dropped() {
        let point = r#"{"type": "Point", "coordinates": [1.5, -2]}"#;
        assert_eq!(stored(point, 2).unwrap(), [&[0, 0, 0], point.as_bytes()].concat());
        let circle = r#"{"type": "AeroCircle", "coordinates": [[1, 2], 300]}"#;
        assert_eq!(stored(circle, 0).unwrap()[0], 1);
        let area = r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}"#;
        assert_eq!(stored(area, 0).unwrap()[0], 1);
        let feature = format!(r#"{{"type":"Feature","geometry":{point}}}"#);
        assert_eq!(stored(&feature, 0).unwrap()[0], 0);
    }

    #[test]
    fn invalid_geojson_is_rejected() {
        for text in [
            "",
            "{",
            "7",
            "{}",
            r#"{"type":"Point"}"#,
            r#"{"type":"Line","coordinates":[1,2]}"#,
            r#"{"type":"Point","coordinates":[1,200]}"#,
            r#"{"type":"AeroCircle","coordinates":[[1,2],-3]}"#,
            r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[2,2]]]}"#,
            r#"{"type":"Polygon","coordinates":[[[0,0],[0,0],[1,1],[0,0]]]}"#,
            // There is no unique shortest line between antipodes.
            r#"{"type":"Polygon","coordinates":[[[0,0],[180,0],[90,45],[0,0]]]}"#,
        ] {
            assert_eq!(stored(text, 0), None, "{text}");
        }
        assert!(store(&mut Vec::new(), &[0, 0]).is_err());
        assert!(store(&mut Vec::new(), &[0, 0, 1, 1, 1]).is_err());
    }

    #[test]
    fn points_lie_in_regions_or_do_not() {
        let point = |longitude: f64, latitude: f64| {
            format!(r#"{{"type":"Point","coordinates":[{longitude},{latitude}]}}"#)
        };
        let area = |rings: &str| format!(r#"{{"type":"Polygon","coordinates":[{rings}]}}"#);
        let square = "[[0,0],[10,0],[10,10],[0,10],[0,0]]";
        // Reversed, it is the same square, not the rest of the world.
        let clockwise = "[[0,0],[0,10],[10,10],[10,0],[0,0]]";
        let hole = "[[4,4],[6,4],[6,6],[4,6],[4,4]]";
        let date_line = "[[170,-10],[-170,-10],[-170,10],[170,10],[170,-10]]";
        let pole = "[[0,80],[90,80],[180,80],[-90,80],[0,80]]";
        let both = format!(r#"{{"type":"MultiPolygon","coordinates":[[{square}],[{pole}]]}}"#);
        let circle = r#"{"type":"AeroCircle","coordinates":[[13.4,52.5],1000]}"#.to_owned();
        for (region, (longitude, latitude), inside) in [
            (area(square), (5.0, 5.0), true),
            (area(clockwise), (5.0, 5.0), true),
            (area(clockwise), (15.0, 5.0), false),
            (area(square), (-170.0, -5.0), false),
            (area(&format!("{square},{hole}")), (5.0, 5.0), false),
            (area(&format!("{square},{hole}")), (3.0, 5.0), true),
            (area(date_line), (179.0, 1.0), true),
            (area(date_line), (-179.0, 1.0), true),
            (area(date_line), (0.0, 1.0), false),
            (area(pole), (45.0, 89.0), true),
            (area(pole), (45.0, 70.0), false),
            // Edges are the shortest lines on the sphere, which bend toward the pole.
            (area("[[0,50],[60,50],[60,40],[0,40],[0,50]]"), (30.0, 51.0), true),
            (area("[[0,50],[60,50],[60,40],[0,40],[0,50]]"), (30.0, 41.0), false),
            (both.clone(), (5.0, 5.0), true),
            (both.clone(), (0.0, 90.0), true),
            (both.clone(), (20.0, 20.0), false),
            (circle.clone(), (13.4, 52.508), true),
            (circle.clone(), (13.4, 52.51), false),
        ] {
            let point = point(longitude, latitude);
            for (a, b) in [(&point, &region), (&region, &point)] {
                assert_eq!(within(a.as_bytes(), b.as_bytes()), Some(inside), "{point} {region}");
            }
        }
        let (point, text) = (point(5.0, 5.0), b"{}");
        assert_eq!(within(point.as_bytes(), point.as_bytes()), Some(false));
        assert_eq!(within(circle.as_bytes(), circle.as_bytes()), Some(false));
        assert_eq!(within(point.as_bytes(), text), None);
    }
}
