//! The node shared by all tests, and their keyspace.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

use spikewire::cql::{Builder, Kind, Session};

/// Time limit of any step: the machine may be busy.
const LONGEST: Duration = Duration::from_secs(60);

/// Waits until `holds` returns true; panics with `what` if that takes too long.
#[track_caller]
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < LONGEST, "still waiting: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Contact points, and a keyspace for the tests of this run.
#[derive(Debug)]
pub struct Place {
    pub at: String,
    pub keyspace: String,
}

impl Place {
    /// Options for a session with the keyspace; with long timeouts, since the machine may be busy.
    pub fn builder(&self) -> Builder {
        patient().keyspace(&self.keyspace).application("spikewire tests", "1")
    }

    /// A session with the keyspace.
    pub fn session(&self) -> Session {
        self.builder().connect(&self.at).unwrap()
    }

    /// Creates a table with these columns; returns its name.
    #[expect(clippy::unused_self, reason = "the session's keyspace is this place's")]
    pub fn table(&self, session: &Session, columns: &str) -> String {
        static TABLES: AtomicU32 = AtomicU32::new(0);
        let name = format!("t{}", TABLES.fetch_add(1, Relaxed));
        set_up(session, &format!("CREATE TABLE IF NOT EXISTS {name} ({columns})"));
        name
    }
}

/// Runs an idempotent statement. A node that is so busy that it seems to hang is marked down, and
/// found again.
fn set_up(session: &Session, statement: &str) {
    let began = Instant::now();
    while let Err(error) = session.execute(statement, ()) {
        assert!(error.kind() == Kind::Connection && began.elapsed() < LONGEST, "{error}");
    }
}

fn patient() -> Builder {
    Session::builder().timeout(LONGEST).connect_timeout(LONGEST).schema_agreement(LONGEST)
}

/// The Cassandra node; `None`, with the reason printed, if there is none.
pub fn shared() -> Option<&'static Place> {
    static PLACE: OnceLock<Option<Place>> = OnceLock::new();
    let place = PLACE.get_or_init(|| {
        let at = std::env::var("SPIKEWIRE_CASSANDRA_AT").ok()?;
        let keyspace = format!("rust_{}", std::process::id());
        let session = patient().connect(&at).expect("the node of SPIKEWIRE_CASSANDRA_AT answers");
        let create = format!(
            "CREATE KEYSPACE IF NOT EXISTS {keyspace} WITH replication = \
             {{'class': 'SimpleStrategy', 'replication_factor': 1}}"
        );
        set_up(&session, &create);
        Some(Place { at, keyspace })
    });
    if place.is_none() {
        let why = std::env::var("SPIKEWIRE_NO_CASSANDRA")
            .unwrap_or_else(|_| "SPIKEWIRE_CASSANDRA_AT is not set".to_owned());
        skip(&format!("there is no Cassandra: {why}"));
    }
    place.as_ref()
}

/// Says why a test does nothing; fails it where everything has to run.
pub fn skip(why: &str) {
    let is_complete = std::env::var_os("SPIKEWIRE_COMPLETE").is_some_and(|it| !it.is_empty());
    assert!(!is_complete, "{why}");
    eprintln!("skipped: {why}");
}

/// The place, or a return from the test if there is none.
macro_rules! place {
    () => {
        match crate::support::shared() {
            Some(place) => place,
            None => return,
        }
    };
}
pub(crate) use place;
