//! What is known of how well a node answers: how long its replies take, and whether it is suspected
//! to be mute.
//!
//! A node is suspected when a connection to it awaits a reply, and nothing arrives for much longer
//! than replies took before ([`ReplyTimes`]), nor on another connection. Requests that can go to
//! another node do so, until a reply arrives or the cluster's own requests are answered
//! ([`Health::answered_probe`]). A node that answers those and no commands is suspected again, each
//! time for twice as long as before. A node that is back gets its share of the requests little by
//! little (`slow_start`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::clock::Tick;
use crate::limiter::Limiter;
use crate::slow_start::SlowStart;

/// How long a second suspicion lasts at least, however quickly the cluster's own requests are
/// answered. The first one ends at once: a single command may be slow.
const SECOND_SUSPICION: Duration = Duration::from_millis(50);
/// A suspicion that the cluster's own requests refute lasts at most this many times as long.
const MAX_DOUBLINGS: u32 = 5;
/// How long after a reply the silence of a connection says nothing about its node.
const LATELY: Duration = Duration::from_millis(30);

/// How many times longer than estimated a reply may take. Garbage collection and bursts take a
/// multiple of what is usual.
const FACTOR: u32 = 8;
/// What no node is suspected for, in microseconds: pauses of the system on either side.
const FLOOR: u32 = 30_000;
/// The same for replies of many rows.
const FLOOR_OF_MANY: u32 = 60_000;
/// The limit while nothing is known.
const WITHOUT_HISTORY: u32 = 250_000;
/// The largest limit. A node that needs longer is not told from a mute one.
const CEILING: u32 = 1_000_000;

/// In which time the share of a node that returns grows to its whole, at most, unless options say
/// otherwise: caches fill, code is compiled, other clients come back, too.
pub const SLOW_START: Duration = Duration::from_secs(5);

/// Estimates of the longest usual silence before a reply, in microseconds; 0 if unknown. They follow
/// longer silences quickly and shorter ones slowly.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReplyTimes {
    /// Of requests about one record, and of those about many.
    estimates: [u32; 2],
}

impl ReplyTimes {
    /// A reply arrived `now`, after silence since then.
    pub fn record(&mut self, since: Tick, now: Tick, many: bool) {
        let estimate = &mut self.estimates[usize::from(many)];
        let took = now.micros_since(since, CEILING);
        if took > *estimate {
            // The first one, and a quarter of the way up.
            *estimate =
                if *estimate == 0 { took } else { *estimate + (took - *estimate).div_ceil(4) };
        } else {
            *estimate -= (*estimate - took) / 64;
        }
    }

    /// How long the silence before a reply may be.
    pub fn limit(self, many: bool) -> Duration {
        let estimate = self.estimates[usize::from(many)];
        let floor = if many { FLOOR_OF_MANY } else { FLOOR };
        let limit = match estimate {
            0 => WITHOUT_HISTORY,
            _ => estimate.saturating_mul(FACTOR).clamp(floor, CEILING),
        };
        Duration::from_micros(limit.into())
    }
}

/// How well a node answers, shared by all who send to it.
#[derive(Debug, Default)]
pub struct Health {
    /// Since when it is suspected; 0 if it is not.
    suspected: AtomicU64,
    /// How often it was suspected since a command was last answered.
    suspicions: AtomicU32,
    /// Whether the cluster's own requests are unanswered, too.
    confirmed: AtomicBool,
    /// When a command was last answered, to two milliseconds or so.
    replied_at: AtomicU64,
    /// When one of the cluster's own requests was last answered.
    answered_at: AtomicU64,
    /// When a connection to it was last lost or could not be opened.
    broke_at: AtomicU64,
    /// What connections found, for new ones.
    estimates: [AtomicU32; 2],
    /// How many commands it gets at a time.
    limiter: Arc<Limiter>,
    slow_start: SlowStart,
}

impl Health {
    /// Of a node whose share of the requests grows for at most so long once it is back.
    pub fn new(slow_start: Duration) -> Self {
        Self { slow_start: SlowStart::new(slow_start), ..Self::default() }
    }

    /// Whether it gets all of its requests: it is neither suspected, nor was it until recently.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        !(self.is_suspected() | self.slow_start.is_on())
    }

    /// Whether it gets a request that may as well go to another node.
    #[cold]
    pub fn admits(&self, now: Tick) -> bool {
        !self.is_suspected() && self.slow_start.admits(now)
    }

    /// Its share of the requests that may as well go to another node, from 0 to 1.
    pub fn share(&self, now: Tick) -> f64 {
        if self.is_suspected() { 0.0 } else { self.slow_start.share(now) }
    }

    /// It is back after it was `away` for so long: its share grows from now on.
    pub fn returns(&self, now: Tick, away: Duration) {
        self.slow_start.begin(now, away);
    }

    /// Whether it is suspected to be mute.
    #[inline(always)]
    pub fn is_suspected(&self) -> bool {
        self.suspected.load(Relaxed) != 0
    }

    /// Whether it was suspected, and no command has been answered since.
    pub fn is_unproven(&self) -> bool {
        self.suspicions.load(Relaxed) != 0
    }

    /// Since when it has been suspected while the cluster's own requests are unanswered, too.
    pub fn is_mute_since(&self) -> Option<Tick> {
        let since = self.suspected.load(Relaxed);
        (since != 0 && self.confirmed.load(Relaxed)).then_some(Tick(since))
    }

    /// How many commands it gets at a time.
    #[inline(always)]
    pub fn limiter(&self) -> &Arc<Limiter> {
        &self.limiter
    }

    /// Suspects it; returns whether that is new.
    pub fn suspect(&self, now: Tick) -> bool {
        let is_new = self.suspected.compare_exchange(0, now.0.max(1), Relaxed, Relaxed).is_ok();
        if is_new {
            self.suspicions.fetch_add(1, Relaxed);
        }
        is_new
    }

    /// A command was answered.
    pub fn answered(&self, now: Tick) {
        self.replied_at.store(now.0, Relaxed);
        if self.suspicions.load(Relaxed) != 0 {
            self.trust(now);
        }
    }

    /// A connection to it was lost or could not be opened.
    pub fn broke(&self, now: Tick) {
        self.broke_at.store(now.0, Relaxed);
    }

    /// Whether requests may leave a silent node for this one: nothing speaks against it.
    pub fn is_trusted(&self) -> bool {
        !self.is_suspected() && self.broke_at.load(Relaxed) <= self.replied_at.load(Relaxed)
    }

    /// Whether a command was answered a moment ago, on any connection.
    pub fn answered_lately(&self, now: Tick) -> bool {
        Tick(self.replied_at.load(Relaxed)).after(LATELY) > now
    }

    #[cold]
    fn trust(&self, now: Tick) {
        self.suspicions.store(0, Relaxed);
        self.acquit(now);
        self.confirmed.store(false, Relaxed);
    }

    fn acquit(&self, now: Tick) {
        let since = self.suspected.swap(0, Relaxed);
        if since != 0 {
            self.returns(now, now.since(Tick(since)));
        }
    }

    /// The cluster's own request was answered.
    pub fn answered_probe(&self, now: Tick) {
        self.confirmed.store(false, Relaxed);
        self.answered_at.store(now.0, Relaxed);
        let since = self.suspected.load(Relaxed);
        if since == 0 {
            return;
        }
        let least = match self.suspicions.load(Relaxed) {
            0 | 1 => Duration::ZERO,
            count => SECOND_SUSPICION * (1 << (count - 2).min(MAX_DOUBLINGS)),
        };
        if Tick(since).after(least) <= now {
            self.acquit(now);
        }
    }

    /// Whether one of the cluster's own requests was answered since then: a connection that has been
    /// silent for longer has lost its replies, or their node cannot execute them.
    pub fn answered_probe_since(&self, since: Tick) -> bool {
        self.answered_at.load(Relaxed) > since.0
    }

    /// The cluster's own request was not answered.
    pub fn missed_probe(&self) {
        self.confirmed.store(true, Relaxed);
    }

    /// Estimates to begin with.
    pub fn reply_times(&self) -> ReplyTimes {
        ReplyTimes { estimates: [0, 1].map(|at| self.estimates[at].load(Relaxed)) }
    }

    /// The longest usual silence before a reply, to a request about one record or about many;
    /// `None` if unknown.
    pub fn usual_silence(&self, many: bool) -> Option<Duration> {
        let estimate = self.estimates[usize::from(many)].load(Relaxed);
        (estimate != 0).then(|| Duration::from_micros(estimate.into()))
    }

    /// Keeps a connection's estimates for later ones.
    pub fn note(&self, times: ReplyTimes) {
        for (shared, own) in self.estimates.iter().zip(times.estimates) {
            if own != 0 {
                shared.store(own, Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    fn record(times: &mut ReplyTimes, silence: Duration, repeat: usize) {
        (0..repeat).for_each(|_| times.record(Tick(1), Tick(1).after(silence), false));
    }

    #[test]
    fn the_limit_follows_what_replies_took() {
        let mut times = ReplyTimes::default();
        assert_eq!(times.limit(false), ms(250), "without history");
        record(&mut times, ms(1), 1);
        assert_eq!(times.limit(false), ms(30), "never below the floor");
        assert_eq!(times.limit(true), ms(250), "another kind of work");
        record(&mut times, ms(20), 8);
        let busy = times.limit(false);
        assert!(busy > ms(100) && busy < ms(160), "{busy:?}");
        record(&mut times, Duration::from_secs(9), 1000);
        assert_eq!(times.limit(false), ms(1000), "never above the ceiling");
        record(&mut times, ms(1), 2000);
        assert_eq!(times.limit(false), ms(30), "it is usual again");
    }

    #[test]
    fn one_slow_reply_of_many_raises_the_limit_by_a_quarter_of_it() {
        let mut times = ReplyTimes::default();
        record(&mut times, ms(1), 100);
        record(&mut times, ms(101), 1);
        let limit = times.limit(false);
        assert!(limit > ms(190) && limit < ms(215), "{limit:?}");
    }

    #[test]
    fn what_connections_find_is_shared_by_kind_of_work() {
        let health = Health::default();
        assert_eq!(health.usual_silence(false), None);
        let mut times = ReplyTimes::default();
        record(&mut times, ms(4), 1);
        health.note(times);
        let usual = health.usual_silence(false).unwrap();
        assert!(usual > ms(3) && usual <= ms(4), "{usual:?}");
        assert_eq!(health.usual_silence(true), None);
    }

    #[test]
    fn a_suspicion_ends_with_a_reply_or_after_its_time() {
        let health = Health::default();
        let at = |ms: u64| Tick(1).after(Duration::from_millis(ms));
        assert!(health.suspect(at(0)) && !health.suspect(at(1)));
        health.answered(at(2));
        assert!(!health.is_suspected());
        assert!(health.suspect(at(10)));
        health.answered_probe(at(11));
        assert!(health.answered_probe_since(at(10)) && !health.answered_probe_since(at(11)));
        assert!(!health.is_suspected(), "a command may be slow");
        // Commands are not answered, although the cluster's own requests are.
        assert!(health.suspect(at(100)));
        health.answered_probe(at(149));
        assert!(health.is_suspected(), "too soon");
        health.answered_probe(at(150));
        assert!(!health.is_suspected());
        assert!(health.suspect(at(200)));
        health.answered_probe(at(299));
        assert!(health.is_suspected(), "twice as long");
        health.answered_probe(at(300));
        assert!(!health.is_suspected());
        assert_eq!(health.is_mute_since(), None);
        assert!(health.suspect(at(300)));
        health.missed_probe();
        assert_eq!(health.is_mute_since(), Some(at(300)));
        health.answered(at(301));
        assert_eq!(health.is_mute_since(), None);
    }

    #[test]
    fn a_node_that_answered_a_moment_ago_is_not_silent() {
        let health = Health::default();
        let at = |ms: u64| Tick(1).after(Duration::from_millis(ms));
        health.answered(at(100));
        health.answered(at(101));
        assert!(health.answered_lately(at(129)) && !health.answered_lately(at(131)));
    }

    #[test]
    fn a_node_whose_connections_break_is_not_trusted_until_it_answers() {
        let health = Health::default();
        let at = |ms: u64| Tick(1).after(Duration::from_millis(ms));
        assert!(health.is_trusted());
        health.broke(at(10));
        assert!(!health.is_trusted() && !health.is_suspected());
        health.answered(at(20));
        assert!(health.is_trusted());
        health.suspect(at(30));
        assert!(!health.is_trusted());
    }

    #[test]
    fn a_node_that_was_suspected_gets_its_share_back_little_by_little() {
        let health = Health::new(Duration::from_secs(5));
        let at = |ms: u64| Tick(1).after(Duration::from_millis(ms));
        assert!(health.is_full() && health.share(at(0)) >= 1.0);
        health.suspect(at(0));
        assert!(!health.is_full() && !health.admits(at(100)) && health.share(at(100)) <= 0.0);
        health.answered(at(2000));
        assert!(!health.is_full(), "as long as it was suspected");
        let admitted = (0..100).filter(|_| health.admits(at(3000))).count();
        assert!((49..=51).contains(&admitted), "{admitted}");
        assert!(health.admits(at(4000)) && health.is_full());
    }
}
