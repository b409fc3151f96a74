//! Indexes of places: whatever a scan with a filter finds, the index finds, and looks at little else.

use spikewire_aerospike_protocol::expression::{Constant, Expression as E, Op, Type};
use spikewire_aerospike_protocol::message::op;
use spikewire_aerospike_protocol::query::{Collection, Query, Range, Share};
use spikewire_aerospike_protocol::value::Value;
use spikewire_aerospike_server::NamespaceOptions;

use crate::client::{all, scan, share};
use crate::indexes::{create, entries, everywhere, of, on, put_value, values_of};
use crate::wire::{Request, Wire, cluster, eventually, with};

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % sides
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.roll(1 << 30) as f64 / f64::from(1 << 30)
    }

    /// Longitude and latitude; often in one corner of the world, so that places meet.
    fn spot(&mut self) -> (f64, f64) {
        match self.roll(3) {
            0 => (self.between(-180.0, 180.0), self.between(-90.0, 90.0)),
            1 => (self.between(178.0, 180.0), self.between(-1.0, 1.0)),
            _ => (self.between(10.0, 14.0), self.between(50.0, 54.0)),
        }
    }

    fn point(&mut self) -> String {
        let (x, y) = self.spot();
        format!(r#"{{"type":"Point","coordinates":[{x},{y}]}}"#)
    }

    /// A ring of corners about a center.
    fn ring(&mut self, (x, y): (f64, f64), size: f64) -> String {
        let corners = 3 + self.roll(6);
        let turn = self.between(0.0, 1.0);
        let at = |corner: u64| {
            let angle = (corner as f64 + turn) / corners as f64 * std::f64::consts::TAU;
            let wide = size / y.to_radians().cos().max(0.1);
            let across = (x + wide * angle.cos() + 540.0).rem_euclid(360.0) - 180.0;
            format!("[{across},{}]", (y + size * angle.sin()).clamp(-89.9, 89.9))
        };
        let ring: Vec<String> = (0..corners).chain([0]).map(at).collect();
        format!("[{}]", ring.join(","))
    }

    fn polygon(&mut self) -> String {
        let (center, size) = (self.spot(), [0.001, 0.5, 3.0, 20.0][self.roll(4) as usize]);
        let outer = self.ring(center, size);
        // Half of them have a hole.
        match self.roll(2) {
            0 => format!("[{outer}]"),
            _ => format!("[{outer},{}]", self.ring(center, size / 3.0)),
        }
    }

    fn region(&mut self) -> String {
        match self.roll(4) {
            0 => format!(r#"{{"type":"Polygon","coordinates":{}}}"#, self.polygon()),
            1 => {
                let both = [self.polygon(), self.polygon()].join(",");
                format!(r#"{{"type":"MultiPolygon","coordinates":[{both}]}}"#)
            }
            _ => {
                let ((x, y), size) = (self.spot(), [1.0, 5e3, 2e5, 3e6][self.roll(4) as usize]);
                format!(r#"{{"type":"AeroCircle","coordinates":[[{x},{y}],{size}]}}"#)
            }
        }
    }

    fn place(&mut self) -> String {
        if self.roll(2) == 0 { self.point() } else { self.region() }
    }
}

/// A scan with the filter that an index query for a place stands for.
fn scanned(place: &str) -> Query {
    let place = E::constant(Constant::Bytes(Type::Geo, place.as_bytes().to_vec())).unwrap();
    let bin = E::typed_bin(Type::Geo, "g").unwrap();
    let filter = E::apply(Op::Geo, vec![bin, place]).unwrap().filter().unwrap();
    Query { filter: Some(filter), ..scan() }
}

#[test]
fn an_index_finds_what_a_scan_finds() {
    let cluster = with(NamespaceOptions { nsup_period: 1, ..NamespaceOptions::default() });
    let mut wire = Wire::to(&cluster, 0);
    let mut dice = Dice(7);
    let change = |wire: &mut Wire, dice: &mut Dice, count: usize| {
        for _ in 0..count {
            let at = dice.roll(400) as i64;
            let key = format!("k{at}");
            let code = match dice.roll(8) {
                0 => wire.code(Request::delete(&key)),
                1 => wire.code(Request::write(&key).op(op::WRITE, "g", 0, b"")),
                2 => wire.code(Request::write(&key).int(op::WRITE, "b", at)),
                _ => {
                    put_value(wire, &key, at, "g", &Value::GeoJson(dice.place()));
                    let pair = (0..3).map(|_| Value::GeoJson(dice.place())).collect();
                    put_value(wire, &key, at, "l", &Value::List(pair));
                    0
                }
            };
            assert!(matches!(code, 0 | 2), "{code}");
        }
    };
    change(&mut wire, &mut dice, 400);
    create(&mut wire, "g", "set=demo;bin=g;type=geo2dsphere");
    create(&mut wire, "l", "set=demo;bin=l;type=geo2dsphere;indextype=list");
    let mut hits = [0, 0];
    for round in 0..40 {
        change(&mut wire, &mut dice, 20);
        let place = if round % 2 == 0 { dice.region() } else { dice.point() };
        let by_scan = values_of(&mut wire, &scanned(&place));
        let by_index = values_of(&mut wire, &on("g", Range::Geo(place.clone())));
        assert_eq!(by_index, by_scan, "{place}");
        hits[round % 2] += by_scan.len();
        // Of a list with several that fit, the record comes once.
        let listed = values_of(&mut wire, &of("l", Collection::List, Range::Geo(place.clone())));
        let mut once = listed.clone();
        once.dedup();
        assert_eq!(once, listed, "{place}");
    }
    assert!(hits.iter().all(|hits| *hits > 30), "{hits:?}: too few to mean anything");
    // Nothing is left behind by what goes.
    for at in 0..400 {
        let code = wire.code(Request::write(&format!("k{at}")).op(op::DELETE, "", 0, b""));
        assert!(matches!(code, 0 | 2), "{code}");
    }
    assert_eq!((entries(&mut wire, "g"), entries(&mut wire, "l")), (0, 0));
    // What expires leaves, too.
    let circle = r#"{"type":"AeroCircle","coordinates":[[1,2],500000]}"#;
    let mut bytes = Vec::new();
    let kind = Value::GeoJson(circle.to_owned()).encode(&mut bytes);
    let mortal = Request::put("mortal", 1).ttl(1).op(op::WRITE, "g", kind, &bytes);
    assert_eq!(wire.code(mortal), 0);
    assert!(entries(&mut wire, "g") > 0);
    eventually("expiry", || entries(&mut wire, "g") == 0);
}

/// A query by a region's point looks at the regions near it, not at all of them.
#[test]
fn regions_far_away_are_not_looked_at() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    create(&mut wire, "g", "set=demo;bin=g;type=geo2dsphere");
    for at in 0..1500 {
        let (x, y) = (at % 50 * 7 - 175, at / 50 * 5 - 72);
        let circle = format!(r#"{{"type":"AeroCircle","coordinates":[[{x},{y}],100000]}}"#);
        put_value(&mut wire, &format!("k{at}"), at, "g", &Value::GeoJson(circle));
    }
    let point = r#"{"type":"Point","coordinates":[0.1,-2.1]}"#.to_owned();
    let around = on("g", Range::Geo(point));
    assert_eq!(values_of(&mut wire, &around), [14 * 50 + 25]);
    // A filter that lets nothing pass counts what is looked at.
    let none = E::apply(Op::Lt, vec![E::bin("a").unwrap(), E::from(0_i64)]).unwrap();
    let counting = Query { filter: Some(none.filter().unwrap()), ..around };
    let id = 4711;
    let everything = all();
    let share = Share { id, ..share(&everything, &[]) };
    assert_eq!(wire.query(&counting, &share).rows.len(), 0);
    let text = wire.info(&format!("query-show:id={id}"));
    let examined = text.split(":recs-filtered-bins=").nth(1).unwrap();
    let examined: usize = examined.split(':').next().unwrap().parse().unwrap();
    assert!((1..20).contains(&examined), "{examined} of 1500");
}

/// Regions go where their partitions go.
#[test]
fn geo_index_entries_follow_their_partitions() {
    let cluster = cluster(3);
    let patience = std::time::Duration::from_secs(30);
    let mut wire = Wire::to(&cluster, 0);
    create(&mut wire, "g", "set=demo;bin=g;type=geo2dsphere");
    for at in 0..300 {
        let circle =
            format!(r#"{{"type":"AeroCircle","coordinates":[[{},1],80000]}}"#, at as f64 / 10.0);
        put_value(&mut wire, &format!("k{at}"), at, "g", &Value::GeoJson(circle));
    }
    let point = r#"{"type":"Point","coordinates":[5.05,1]}"#;
    let query = on("g", Range::Geo(point.to_owned()));
    let expected: Vec<i64> = (44..=57).collect();
    assert_eq!(everywhere(&cluster, &[0, 1, 2], &scanned(point)), expected);
    assert_eq!(everywhere(&cluster, &[0, 1, 2], &query), expected);
    cluster.kill(1).unwrap();
    assert!(cluster.wait_settled(patience));
    assert_eq!(everywhere(&cluster, &[0, 2], &query), expected);
    cluster.restart(1).unwrap();
    assert!(cluster.wait_settled(patience));
    assert_eq!(everywhere(&cluster, &[0, 1, 2], &query), expected);
}
