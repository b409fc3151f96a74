//! The cells of the sphere that cover a region.
//!
//! Cells are squares that are divided into four, thirty levels deep. Every point of a region is in
//! exactly one of the cells that cover it.

use s2::cap::Cap;
use s2::cell::Cell;
use s2::cellid::CellID;
use s2::edge_crossings::{Crossing, EdgeCrosser};
use s2::point::Point;
use s2::region::{Region as Coverable, RegionCoverer};
use s2::s1::{Angle, Rad};

use super::Region;
use super::region::Loop;

/// Cells that cover a region, at most `most` or, if that many are needed, six.
pub fn covering(region: &Region, most: usize) -> Vec<CellID> {
    let coverer = RegionCoverer { min_level: 0, max_level: 30, level_mod: 1, max_cells: most };
    coverer.covering(region).0
}

impl Coverable for Region {
    fn cap_bound(&self) -> Cap {
        match self {
            Self::Circle(cap) => cap.clone(),
            Self::Polygons(polygons) => {
                let cap = cap(polygons);
                // The rest of the sphere is on one side of each ring: outside, unless a ring
                // crosses itself.
                let far = Point(cap.center().0 * -1.0);
                if !cap.is_full() && self.contains(&far) { Cap::full() } else { cap }
            }
        }
    }

    fn contains_cell(&self, cell: &Cell) -> bool {
        match self {
            Self::Circle(cap) => cap.contains_cell(cell),
            // A cell that no edge touches is on one side of each ring.
            Self::Polygons(polygons) => {
                let near = Near::new(cell);
                !polygons.iter().flatten().any(|ring| near.touches(ring))
                    && self.contains(&near.center)
            }
        }
    }

    fn intersects_cell(&self, cell: &Cell) -> bool {
        match self {
            Self::Circle(cap) => cap.intersects_cell(cell),
            Self::Polygons(polygons) => {
                let near = Near::new(cell);
                polygons.iter().flatten().any(|ring| near.touches(ring))
                    || self.contains(&near.center)
            }
        }
    }
}

/// A circle that contains all edges; the whole sphere if that would be half of it or more. A
/// smaller circle that contains the corners also contains the shortest lines between them.
fn cap(polygons: &[Vec<Loop>]) -> Cap {
    let corners = || polygons.iter().flatten().flat_map(Loop::corners);
    let sum = corners().fold(Point::from_coords(0.0, 0.0, 0.0), |sum, at| &sum + at);
    let center = Point(sum.0.normalize());
    let radius = corners().map(|at| center.distance(at).rad()).fold(0.0, f64::max);
    // Slightly larger, because of rounding.
    let radius = radius * 1.000_001 + 1e-12;
    if radius.is_finite() && radius < std::f64::consts::FRAC_PI_2 {
        Cap::from_center_angle(&center, &Angle::from(Rad(radius)))
    } else {
        Cap::full()
    }
}

/// A cell to be tested against edges.
struct Near<'a> {
    cell: &'a Cell,
    corners: [Point; 4],
    center: Point,
    /// The straight-line distance from the center to the furthest corner.
    reach: f64,
}

impl<'a> Near<'a> {
    fn new(cell: &'a Cell) -> Self {
        let (corners, center) = (cell.vertices(), cell.center());
        let reach = corners.iter().map(|corner| line(&center, corner)).fold(0.0, f64::max);
        Self { cell, corners, center, reach }
    }

    /// Whether an edge of a ring touches the cell.
    fn touches(&self, ring: &Loop) -> bool {
        let corners = ring.corners();
        let edges = corners.iter().zip(corners.iter().cycle().skip(1));
        edges.into_iter().any(|(a, b)| {
            // No point of the edge is further from `a` than `b` is. This rules out most edges.
            line(&self.center, a) <= self.reach + line(a, b) + 1e-12
                && (self.cell.contains_point(a) || self.crosses(a, b))
        })
    }

    fn crosses(&self, a: &Point, b: &Point) -> bool {
        let mut crosser = EdgeCrosser::new_with_c(a, b, &self.corners[3]);
        let mut meets = |corner| crosser.chain_crossing_sign(corner) != Crossing::DoNotCross;
        self.corners.iter().any(&mut meets)
    }
}

/// The straight-line distance between two points.
fn line(a: &Point, b: &Point) -> f64 {
    (a.0 - b.0).norm()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::geo::Shape;

    fn region(text: &str) -> Region {
        match Shape::read(text.as_bytes()) {
            Some(Shape::Region(region)) => region,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn polygon(rings: &str) -> Region {
        region(&format!(r#"{{"type":"Polygon","coordinates":[{rings}]}}"#))
    }

    /// The share of the sphere that the covering occupies.
    fn share(region: &Region) -> f64 {
        let cells = covering(region, 12);
        assert!(cells.len() <= 12, "{cells:?}");
        cells.iter().map(|cell| 0.25_f64.powi(cell.level() as i32) / 6.0).sum()
    }

    #[test]
    fn coverings_are_not_much_larger_than_what_they_cover() {
        // A degree of longitude and latitude at the equator is 1/41253 of the sphere.
        let square = polygon("[[0,0],[1,0],[1,1],[0,1],[0,0]]");
        assert!(share(&square) < 4.0 / 41_253.0);
        // Half of it as a ring: the hole is not covered.
        let outer = "[[0,0],[20,0],[20,20],[0,20],[0,0]]";
        let hole = "[[1,1],[19,1],[19,19],[1,19],[1,1]]";
        let ring = polygon(&format!("{outer},{hole}"));
        let center = CellID::from(Point::from(s2::latlng::LatLng::from_degrees(10.0, 10.0)));
        assert!(covering(&polygon(outer), 12).iter().any(|cell| cell.contains(&center)));
        assert!(!covering(&ring, 200).iter().any(|cell| cell.contains(&center)));
        // Two distant places, without the area between them.
        let both = region(
            r#"{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]]],
            [[[100,0],[101,0],[101,1],[100,0]]]]}"#,
        );
        assert!(share(&both) < 0.01);
        // Smaller than the smallest cell, and larger than half of everything.
        let tiny = polygon("[[5,5],[5.00000002,5],[5.00000002,5.00000002],[5,5]]");
        assert!(share(&tiny) < 1e-15);
        let large = region(r#"{"type":"AeroCircle","coordinates":[[0,0],15000000]}"#);
        assert!(share(&large) > 0.5);
    }
    /// Every valid region can be covered, and every point of a region is in one of its cells.
    #[test]
    fn the_cells_of_a_region_cover_all_its_points() {
        let numbers = [0.0, -0.0, 1e-300, 1e-9, 1.0, 44.999, 45.0, 89.999_999_9, 90.0];
        let mut seed = 1_u64;
        let mut dice = |sides: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
            (seed >> 33) % sides
        };
        let (mut met, mut covered) = (0, 0);
        for _ in 0..800 {
            let mut position = || {
                let mut number = |most: f64| {
                    let number = numbers[dice(9) as usize] * most / 90.0;
                    if dice(2) == 0 { number } else { -number }
                };
                format!("[{},{}]", number(180.0), number(90.0))
            };
            let corners: Vec<String> = (0..7).map(|_| position()).collect();
            let (size, radius) = (3 + dice(5) as usize, [1e-9, 1.0, 1e7, 1e300][dice(4) as usize]);
            let ring = corners[..size].join(",");
            for text in [
                format!(r#"{{"type":"Polygon","coordinates":[[{ring},{}]]}}"#, corners[0]),
                format!(r#"{{"type":"AeroCircle","coordinates":[{},{radius}]}}"#, corners[0]),
            ] {
                let Some(Shape::Region(region)) = Shape::read(text.as_bytes()) else { continue };
                let cells = covering(&region, 12);
                assert!(!cells.is_empty() && cells.len() <= 12, "{text}: {cells:?}");
                met += 1;
                for corner in &corners {
                    let text = format!(r#"{{"type":"Point","coordinates":{corner}}}"#);
                    let Some(Shape::Point(point)) = Shape::read(text.as_bytes()) else { panic!() };
                    if region.contains(&point) {
                        covered += 1;
                        let place = CellID::from(point);
                        let holding = cells.iter().filter(|cell| cell.contains(&place)).count();
                        assert_eq!(holding, 1, "{text}");
                    }
                }
            }
        }
        assert!(met > 800 && covered > 800, "{met}, {covered}");
    }
}
