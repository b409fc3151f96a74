//! The range of values of a query.

use s2::cellid::CellID;
use s2::point::Point;
use spikewire_aerospike_protocol::query::{Collection, Range};
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::definition::Definition;
use super::key::{Key, KeyType, LONGEST};
use crate::expression::RecordView;
use crate::value::geo::{Region, Shape, covering};

/// Maximum length of a `GeoJSON` text in a query.
const LONGEST_GEO: usize = 1 << 20;
/// Maximum number of cells in which a query searches for points.
const CELLS: usize = 16;

/// The condition on a value.
#[derive(Debug)]
enum Test {
    Between(i64, i64),
    Equal(Vec<u8>),
    /// A point within this region.
    Within(Box<Region>),
    /// A region around this point.
    Around(Point),
}

/// The range of values of a query.
#[derive(Debug)]
pub struct QueryRange {
    /// Their type.
    pub kind: KeyType,
    /// Possible keys: ascending inclusive ranges that do not touch.
    pub spans: Vec<(u64, u64)>,
    test: Test,
}

impl QueryRange {
    /// Converts the range of a request.
    pub fn new(range: &Range) -> Result<Self, ResultCode> {
        let invalid = ResultCode::PARAMETER;
        let key = |key: Key<'_>| {
            let mut number = None;
            key.numbers(|only| number = Some(only));
            number.ok_or(invalid)
        };
        let (kind, spans, test) = match range {
            Range::Int(begin, end) => {
                let span = (key(Key::Int(*begin))?, key(Key::Int(*end))?);
                (KeyType::Int, vec![span], Test::Between(*begin, *end))
            }
            Range::Str(text) => {
                let bytes = text.as_bytes();
                let number = key(Key::Bytes(bytes))?;
                (KeyType::Str, vec![(number, number)], Test::Equal(bytes.to_vec()))
            }
            Range::Blob(bytes) => {
                let number = key(Key::Bytes(bytes))?;
                (KeyType::Blob, vec![(number, number)], Test::Equal(bytes.clone()))
            }
            Range::Geo(text) if text.len() > LONGEST_GEO => return Err(invalid),
            Range::Geo(text) => match Shape::read(text.as_bytes()).ok_or(invalid)? {
                Shape::Point(point) => (KeyType::Geo, larger(&point), Test::Around(point)),
                Shape::Region(region) => {
                    (KeyType::Geo, smaller(&region), Test::Within(Box::new(region)))
                }
            },
        };
        if let Test::Equal(bytes) = &test
            && bytes.len() >= LONGEST
        {
            return Err(invalid);
        }
        Ok(Self { kind, spans, test })
    }

    fn accepts(&self, key: &Key<'_>) -> bool {
        match (&self.test, key) {
            (Test::Between(begin, end), Key::Int(int)) => begin <= int && int <= end,
            (Test::Equal(expected), Key::Bytes(bytes)) => expected == bytes,
            (Test::Within(region), Key::Geo(text)) => match Shape::read(text) {
                Some(Shape::Point(point)) => region.contains(&point),
                _ => false,
            },
            (Test::Around(point), Key::Geo(text)) => match Shape::read(text) {
                Some(Shape::Region(region)) => region.contains(point),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a record has a matching value, and whether to send it for the key under which it was
    /// found, if any: a record with several matching values is sent for the smallest of their keys.
    pub fn confirms(
        &self,
        definition: &Definition,
        view: &RecordView<'_>,
        key: Option<u64>,
    ) -> bool {
        // The key matters only if there can be several values.
        let key = key.filter(|_| definition.collection != Collection::Value);
        let (mut accepted, mut least) = (false, None);
        definition.for_each_key(view, &mut |value| {
            if self.accepts(&value) {
                accepted = true;
                if key.is_some() {
                    value.numbers(|number| {
                        if self.seeks(number) {
                            least = least.into_iter().chain([number]).min();
                        }
                    });
                }
            }
        });
        accepted && (key.is_none() || key == least)
    }

    /// Whether this key is in the range.
    fn seeks(&self, number: u64) -> bool {
        let behind = self.spans.partition_point(|(_, last)| *last < number);
        self.spans.get(behind).is_some_and(|(first, _)| *first <= number)
    }
}

/// The keys of regions that can contain a point: every cell that contains it.
fn larger(point: &Point) -> Vec<(u64, u64)> {
    let smallest = CellID::from(*point);
    let cells = (0..=s2::cellid::MAX_LEVEL).map(|level| smallest.parent(level).0);
    joined(cells.map(|cell| (cell, cell)).collect())
}

/// The keys of points that can be within a region.
fn smaller(region: &Region) -> Vec<(u64, u64)> {
    let cells = covering(region, CELLS);
    joined(cells.iter().map(|cell| (cell.range_min().0, cell.range_max().0)).collect())
}

/// Sorts the ranges and merges those that touch.
fn joined(mut spans: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    spans.sort_unstable();
    let mut joined: Vec<(u64, u64)> = Vec::new();
    for (first, last) in spans {
        match joined.last_mut() {
            Some(previous) if first <= previous.1.saturating_add(1) => {
                previous.1 = previous.1.max(last);
            }
            _ => joined.push((first, last)),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(longitude: f64, latitude: f64) -> String {
        format!(r#"{{"type":"Point","coordinates":[{longitude},{latitude}]}}"#)
    }

    /// Every point within a region has a key in its spans.
    #[test]
    fn every_point_of_a_region_lies_in_its_spans() {
        let square = "[[[0,0],[10,0],[10,10],[0,10],[0,0]]]";
        let pole = "[[[0,80],[90,80],[180,80],[-90,80],[0,80]]]";
        let date_line = "[[[170,-10],[-170,-10],[-170,10],[170,10],[170,-10]]]";
        let large = "[[[-100,-60],[0,-60],[100,-60],[100,60],[0,60],[-100,60],[-100,-60]]]";
        let mut inside = 0;
        let mut regions: Vec<String> = [square, pole, date_line, large]
            .map(|rings| format!(r#"{{"type":"Polygon","coordinates":{rings}}}"#))
            .to_vec();
        for radius in [1.0, 5e3, 2e6, 1.2e7, 1e8] {
            regions
                .push(format!(r#"{{"type":"AeroCircle","coordinates":[[13.4,52.5],{radius}]}}"#));
        }
        for region in &regions {
            let range = QueryRange::new(&Range::Geo(region.clone())).unwrap();
            assert!(range.spans.is_sorted_by(|a, b| a.1 < b.0), "{region}");
            for longitude in -18..=18 {
                for latitude in -9..=9 {
                    let text = point(f64::from(longitude) * 10.0, f64::from(latitude) * 10.0);
                    let key = Key::Geo(text.as_bytes());
                    if range.accepts(&key) {
                        inside += 1;
                        let mut is_sought = false;
                        key.numbers(|number| is_sought |= range.seeks(number));
                        assert!(is_sought, "{text} in {region}");
                        // Conversely, the point finds the region by one of its cells.
                        let around = QueryRange::new(&Range::Geo(text.clone())).unwrap();
                        let (region_key, mut cells) = (Key::Geo(region.as_bytes()), 0);
                        assert!(around.accepts(&region_key), "{region} around {text}");
                        region_key.numbers(|number| cells += u32::from(around.seeks(number)));
                        assert_eq!(cells, 1, "{region} around {text}");
                    }
                }
            }
        }
        assert!(inside > 500, "{inside}");
    }

    #[test]
    fn oversized_ranges_and_invalid_regions_are_rejected() {
        assert!(QueryRange::new(&Range::Str("x".repeat(2047))).is_ok());
        assert!(QueryRange::new(&Range::Str("x".repeat(2048))).is_err());
        assert!(QueryRange::new(&Range::Blob(vec![1; 2048])).is_err());
        for text in ["", "{}", "nonsense"] {
            assert!(QueryRange::new(&Range::Geo(text.to_owned())).is_err());
        }
        assert!(QueryRange::new(&Range::Geo(point(1.0, 2.0))).is_ok());
    }
}
