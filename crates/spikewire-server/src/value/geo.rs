//! `GeoJSON` values. The text is checked, cells are not computed: a value is stored with none.

use serde_json::Value;
use spikewire_protocol::Malformed;
use spikewire_protocol::value::geojson_text;

/// Appends the stored form of a `GeoJSON` particle.
pub fn store(out: &mut Vec<u8>, bytes: &[u8]) -> Result<(), Malformed> {
    let text = geojson_text(bytes)?;
    let region = is_region(text).ok_or(Malformed::new("GeoJSON", "not a known shape"))?;
    out.extend_from_slice(&[u8::from(region), 0, 0]);
    out.extend_from_slice(text);
    Ok(())
}

/// Whether the text is a region (true) or a point (false); `None` when it is neither.
fn is_region(text: &[u8]) -> Option<bool> {
    let mut shape: Value = serde_json::from_slice(text).ok()?;
    if shape.get("type")?.as_str()? == "Feature" {
        shape = shape.get_mut("geometry")?.take();
    }
    let coordinates = shape.get("coordinates")?.as_array()?;
    match shape.get("type")?.as_str()? {
        "Point" => is_position(coordinates).then_some(false),
        "Polygon" => is_polygon(coordinates).then_some(true),
        "MultiPolygon" => {
            let polygons = |item: &Value| item.as_array().is_some_and(|rings| is_polygon(rings));
            (!coordinates.is_empty() && coordinates.iter().all(polygons)).then_some(true)
        }
        "AeroCircle" => match coordinates.as_slice() {
            [center, radius] => {
                let center = center.as_array().is_some_and(|center| is_position(center));
                (center && radius.as_f64().is_some_and(|radius| radius > 0.0)).then_some(true)
            }
            _ => None,
        },
        _ => None,
    }
}

fn is_position(numbers: &[Value]) -> bool {
    match numbers {
        [longitude, latitude, ..] => {
            longitude.as_f64().is_some_and(|degrees| degrees.abs() <= 180.0)
                && latitude.as_f64().is_some_and(|degrees| degrees.abs() <= 90.0)
        }
        _ => false,
    }
}

fn is_polygon(rings: &[Value]) -> bool {
    let ring = |ring: &Value| {
        ring.as_array().is_some_and(|positions| {
            positions.len() >= 4
                && positions.first() == positions.last()
                && positions.iter().all(|item| item.as_array().is_some_and(|at| is_position(at)))
        })
    };
    !rings.is_empty() && rings.iter().all(ring)
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
    fn shapes_are_told_apart_and_cells_dropped() {
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
    fn what_is_no_shape_is_refused() {
        for text in [
            "",
            "{",
            "7",
            "{}",
            r#"{"type":"Point"}"#,
            r#"{"type":"Line","coordinates":[1,2]}"#,
            r#"{"type":"Point","coordinates":[1,200]}"#,
        ] {
            assert_eq!(stored(text, 0), None, "{text}");
        }
        assert!(store(&mut Vec::new(), &[0, 0]).is_err());
        assert!(store(&mut Vec::new(), &[0, 0, 1, 1, 1]).is_err());
    }
}
