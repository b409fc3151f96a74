//! Whether points are within a region of the sphere.

use s2::cap::Cap;
use s2::edge_crossings::{EdgeCrosser, angle_contains_vertex};
use s2::point::{Point, point_area};
use s2::predicates::{Direction, robust_sign};
use s2::s1::{Angle, Rad};

/// The radius of the earth that servers use, in metres.
const EARTH: f64 = 6_371_000.0;

/// A part of the sphere.
#[derive(Debug, Clone)]
pub enum Region {
    /// Polygons, each with its rings: points in an odd number of them are inside.
    Polygons(Vec<Vec<Loop>>),
    /// A circle.
    Circle(Cap),
}

impl Region {
    /// The points within `radius` metres of a point.
    pub fn circle(center: &Point, radius: f64) -> Self {
        let angle = (radius / EARTH).min(std::f64::consts::PI);
        Self::Circle(Cap::from_center_angle(center, &Angle::from(Rad(angle))))
    }

    /// Whether it contains a point.
    pub fn contains(&self, point: &Point) -> bool {
        match self {
            Self::Circle(cap) => cap.contains_point(point),
            Self::Polygons(polygons) => polygons
                .iter()
                .any(|rings| rings.iter().filter(|ring| ring.contains(point)).count() % 2 == 1),
        }
    }
}

/// A closed line of shortest paths on the sphere. Its inside is the smaller side, whatever its
/// direction.
#[derive(Debug, Clone)]
pub struct Loop {
    points: Vec<Point>,
    /// Whether the reference point for counting crossings is inside.
    origin_inside: bool,
}

impl Loop {
    /// A loop through at least three points; the last one is connected to the first.
    pub fn new(points: Vec<Point>) -> Self {
        let mut ring = Self { points, origin_inside: false };
        // The left side first: the turn of the line at a vertex tells whether that is in it.
        let [a, b, c] = [0, 1, 2].map(|at| ring.points[at]);
        ring.origin_inside = angle_contains_vertex(&a, &b, &c) != ring.contains(&b);
        ring.origin_inside ^= ring.turns_right();
        ring
    }

    /// Its corners, in their order.
    pub fn corners(&self) -> &[Point] {
        &self.points
    }

    /// Whether the smaller side is the right one.
    fn turns_right(&self) -> bool {
        let first = &self.points[0];
        let area = self.points.windows(2).map(|pair| {
            let area = point_area(first, &pair[0], &pair[1]);
            match robust_sign(first, &pair[0], &pair[1]) {
                Direction::Clockwise => -area,
                _ => area,
            }
        });
        area.sum::<f64>() < 0.0
    }

    /// Whether it contains a point.
    pub fn contains(&self, point: &Point) -> bool {
        let mut crosser = EdgeCrosser::new(&Point::origin(), point);
        crosser.restart_at(&self.points[self.points.len() - 1]);
        self.points.iter().fold(self.origin_inside, |inside, next| {
            inside ^ crosser.chain_edge_or_vertex_crossing(next)
        })
    }
}
