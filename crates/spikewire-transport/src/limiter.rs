//! How many commands a node gets at a time: a limit that follows from how long its replies take and
//! from what it says itself.
//!
//! A node that gets more than it can do answers later and later, in the end when nobody waits any
//! more. So commands beyond what keeps it busy wait in the client, where those that matter go first
//! and those that cannot be answered in time are rejected before they are sent.
//!
//! While replies take as long as usual there is no limit, and a turn only compares the time that a
//! reply took with what is usual. If all replies of a round take longer, there is a queue at the node
//! that does not go away. From then on the limit follows Little's law: commands in flight times
//! the time that replies may take, divided by the time that they do take. What is usual is the
//! shortest time seen. It becomes longer only if much less in flight makes no difference, or while so
//! little is in flight that this client cannot be the reason.
//!
//! The limit is the node's. Drivers share it by publishing what they have in flight, and only while
//! replies are late.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use spikewire_sync::Mutex;

use crate::clock::Tick;

/// How many commands a node always gets. Replies to two commands take at most twice as long as those
/// to one, whatever the node can do at a time.
const FLOOR: u32 = 2;
/// No limit.
const UNLIMITED: u32 = u32::MAX;
/// How long replies are observed before the limit changes; longer if they take longer.
const ROUND: Duration = Duration::from_millis(10);
/// With fewer commands in flight, each of them makes too much of a difference to tell what the queue is.
const MANY: u32 = 16;
/// How many turns with replies it takes to call them late.
const SAMPLES: u32 = 4;
/// After this many rounds without a queue there is no limit any more.
const CALM_ROUNDS: u32 = 8;
/// After this many rounds of late replies to few commands, such replies are what is usual.
const FEW_ROUNDS: u32 = 50;
/// How much the limit grows at most in a round.
const GROWTH: f64 = 1.5;
/// The same after the node said that it is overloaded.
const SLOW_GROWTH: f64 = 1.02;
/// What remains of the limit when the node says that it is overloaded.
const BACKED_OFF: f64 = 0.7;
/// How long the limit grows slowly afterwards.
const CAUTION: Duration = Duration::from_secs(1);
/// How long there has to be a limit before commands are rejected, unless the node says that it is
/// overloaded: until then it may have stood still for a moment, as everything does at times.
const GRACE: Duration = Duration::from_millis(100);
/// How much of the latest round the rate of replies is.
const SHARE_OF_LATEST: f64 = 0.3;
/// The weight of a command is at most this: the rest of its rows keep the node no busier.
pub const HEAVIEST: usize = 64;

/// How much later than usual replies may be: the queue at the node that keeps it busy.
#[derive(Debug, Clone, Copy)]
pub struct Tolerance {
    /// This much later in any case, in microseconds.
    pub micros: u32,
    /// This many times as late.
    pub times: u32,
}

impl Tolerance {
    /// For commands that take about the same time.
    pub const EVEN: Self = Self { micros: 5_000, times: 2 };
    /// For commands of which some take many times as long as others.
    pub const UNEVEN: Self = Self { micros: 50_000, times: 8 };

    fn longest(self, usual: u32) -> u32 {
        usual.saturating_add(self.micros).max(usual.saturating_mul(self.times))
    }
}

/// A node's limit, shared by all who send to it.
#[derive(Debug)]
pub struct Limiter {
    /// The shortest and the longest usual time of a reply, in microseconds. All zero while every
    /// reply is looked at.
    usual: AtomicU64,
    limit: AtomicU32,
    /// What drivers published.
    in_flight: AtomicU32,
    /// The weight of waiting commands, interactive ones first.
    waiting: [AtomicU32; 2],
    /// How many queues commands wait in.
    queues: AtomicU32,
    round: Round,
    /// Replies per second, in thousandths.
    rate: AtomicU64,
    /// How long replies took at most in the latest round, in microseconds, without outliers.
    latency: AtomicU32,
    rejections: AtomicU64,
    /// From when on commands are rejected, while there is a limit.
    rejects_from: AtomicU64,
    is_off: AtomicBool,
    state: Mutex<State>,
}

/// What happened in the current round.
#[derive(Debug, Default)]
struct Round {
    /// What was sent before says nothing about the current limit.
    began: AtomicU64,
    ends: AtomicU64,
    /// The shortest time of a reply.
    shortest: AtomicU32,
    longest: AtomicU32,
    samples: AtomicU32,
    /// The most that was in flight.
    most: AtomicU32,
    /// The weight of answered commands.
    answered: AtomicU32,
}

#[derive(Debug, Default)]
struct State {
    phase: Phase,
    tolerance: Option<Tolerance>,
    /// The shortest time of a reply, in microseconds; 0 if unknown.
    usual: u32,
    started: Tick,
    limit: f64,
    /// Replies per second.
    rate: f64,
    /// Rounds in a row without a queue, or with late replies to few commands.
    rounds: u32,
    /// The shortest time of a reply in those rounds.
    shortest: u32,
    slow_until: Tick,
    /// How long late replies took in a round, how much was in flight, and since when it has been
    /// much less.
    late: Option<(u32, u32, Tick)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Phase {
    /// Replies take as long as usual.
    #[default]
    Calm,
    /// Replies are late; it is not known yet whether all are.
    Watching,
    /// There is a limit.
    Limiting,
}

/// What a limiter says about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LimiterStats {
    /// How many commands the node gets at a time; `None` while there is no limit.
    pub limit: Option<u32>,
    /// How many it has, while there is a limit.
    pub in_flight: u32,
    /// How many wait because of the limit.
    pub waiting: u32,
    /// How many commands were rejected.
    pub rejections: u64,
}

/// Why a command is rejected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rejection {
    /// How many commands are before it.
    pub ahead: u32,
    /// How long it would wait, and for its reply.
    pub wait: Duration,
}

impl Default for Limiter {
    fn default() -> Self {
        Self {
            usual: AtomicU64::new(u64::MAX),
            limit: AtomicU32::new(UNLIMITED),
            in_flight: AtomicU32::new(0),
            waiting: Default::default(),
            queues: AtomicU32::new(0),
            round: Round::default(),
            rate: AtomicU64::new(0),
            latency: AtomicU32::new(0),
            rejections: AtomicU64::new(0),
            rejects_from: AtomicU64::new(0),
            is_off: AtomicBool::new(false),
            state: Mutex::default(),
        }
    }
}

impl Limiter {
    /// Never limits anything from here on.
    pub fn switch_off(&self) {
        self.is_off.store(true, Relaxed);
        self.usual.store(u64::from(u32::MAX), Relaxed);
    }

    /// Whether there is a limit.
    #[inline(always)]
    pub fn is_limiting(&self) -> bool {
        self.limit.load(Relaxed) != UNLIMITED
    }

    /// Whether a reply that took this many microseconds needs a closer look.
    #[inline(always)]
    pub fn is_notable(&self, micros: u32) -> bool {
        let usual = self.usual.load(Relaxed);
        micros < (usual >> 32) as u32 || micros > usual as u32
    }

    /// Whether all replies need a closer look.
    #[inline(always)]
    pub fn watches(&self) -> bool {
        self.usual.load(Relaxed) == 0
    }

    /// Replies arrived on a connection, of which the latest took this long; `None` if that says
    /// nothing. `before` is the weight of what was in flight there, `answered` what of it was
    /// answered; `published` is what the connection has published.
    #[cold]
    pub fn observe(
        &self,
        micros: Option<u32>,
        (before, answered): (usize, usize),
        published: &mut u32,
        tolerance: Tolerance,
        now: Tick,
    ) {
        if self.is_off.load(Relaxed) {
            return;
        }
        // What is in flight during the round, not between its replies.
        self.publish(published, before);
        let most = self.in_flight.load(Relaxed);
        if self.is_limiting() {
            self.publish(published, before.saturating_sub(answered));
        }
        let round = &self.round;
        round.answered.fetch_add(answered as u32, Relaxed);
        let Some(micros) = micros else { return };
        let sent = now.0.saturating_sub(u64::from(micros) * 1000);
        if self.is_limiting() && sent < round.began.load(Relaxed) {
            return;
        }
        round.shortest.fetch_min(micros, Relaxed);
        round.longest.fetch_max(micros, Relaxed);
        round.most.fetch_max(most, Relaxed);
        round.samples.fetch_add(1, Relaxed);
        if self.watches() && self.is_limiting() && now.0 < round.ends.load(Relaxed) {
            return;
        }
        // Whoever has the lock does what there is to do.
        if let Some(mut state) = self.state.try_lock() {
            state.tolerance = Some(tolerance);
            self.judge(&mut state, micros, now);
        }
    }

    fn judge(&self, state: &mut State, micros: u32, now: Tick) {
        let is_shortest = state.usual == 0 || micros < state.usual;
        if is_shortest {
            state.usual = micros.max(1);
        }
        let longest = state.longest();
        match state.phase {
            Phase::Calm if micros > longest => {
                state.phase = Phase::Watching;
                (state.rounds, state.shortest) = (0, micros);
                self.usual.store(0, Relaxed);
                self.begin_round(state, now, micros);
                self.round.shortest.store(micros, Relaxed);
                self.round.samples.store(1, Relaxed);
            }
            Phase::Calm => self.calm(state),
            Phase::Watching if micros <= longest => self.calm(state),
            Phase::Watching | Phase::Limiting => {
                if self.round.ends.load(Relaxed) <= now.0 {
                    self.end_round(state, now);
                }
            }
        }
    }

    fn end_round(&self, state: &mut State, now: Tick) {
        let round = &self.round;
        let samples = round.samples.load(Relaxed);
        let needed = if state.phase == Phase::Watching { SAMPLES } else { 1 };
        if samples < needed {
            return;
        }
        let most = round.most.load(Relaxed);
        let took = round.shortest.load(Relaxed).max(1);
        let longest = state.longest();
        let is_late = took > longest;
        let waits = self.waiting.iter().any(|waiting| waiting.load(Relaxed) > 0);
        state.measure_rate(round.answered.load(Relaxed), waits, now);
        self.rate.store((state.rate * 1000.0) as u64, Relaxed);
        let slowest = round.longest.load(Relaxed).min(took.saturating_mul(2));
        self.latency.store(slowest, Relaxed);
        if state.phase == Phase::Watching {
            if most > FLOOR {
                state.limit = f64::from(most);
                state.phase = Phase::Limiting;
                self.rejects_from.store(now.after(GRACE).0, Relaxed);
                state.rounds = 0;
            } else {
                Self::note_few(state, took, most);
            }
        }
        if state.is_no_queue(is_late, took, most, now) {
            // Whatever they wait for, it is not each other.
            (state.usual, state.late) = (took, None);
            state.phase = Phase::Calm;
        }
        if state.phase == Phase::Limiting {
            self.adjust(state, (took, longest), most, now);
            if is_late && state.limit <= f64::from(FLOOR) {
                Self::note_few(state, took, most);
            } else if is_late || waits {
                state.rounds = 0;
            } else {
                state.rounds += 1;
                if state.rounds >= CALM_ROUNDS && state.slow_until <= now {
                    state.phase = Phase::Calm;
                }
            }
        }
        if state.phase == Phase::Calm {
            self.calm(state);
        } else {
            self.begin_round(state, now, took);
        }
    }

    /// Follows Little's law, within what may change in a round.
    fn adjust(&self, state: &mut State, (took, longest): (u32, u32), most: u32, now: Tick) {
        let ratio = f64::from(longest) / f64::from(took);
        if ratio < 1.0 {
            // What is in flight beyond the limit was sent before it.
            let from = state.limit.min(f64::from(most));
            state.limit = (from * ratio.max(0.5)).max(f64::from(FLOOR));
        } else {
            // What the limit allows and was not used says nothing.
            let growth = if now < state.slow_until { SLOW_GROWTH } else { GROWTH };
            state.limit = state.limit.max(f64::from(most) * ratio.min(growth));
        }
        self.limit.store((state.limit as u32).clamp(FLOOR, UNLIMITED - 1), Relaxed);
    }

    /// Replies to few commands were late. If that stays so, they do not wait for each other but for
    /// something else, at least for the most part.
    fn note_few(state: &mut State, took: u32, most: u32) {
        state.shortest = if state.rounds == 0 { took } else { state.shortest.min(took) };
        state.rounds += 1;
        if state.rounds >= FEW_ROUNDS || (state.phase == Phase::Limiting && state.rounds >= 4) {
            let alone = state.shortest / most.max(1) * FLOOR;
            let longer = state.usual.saturating_add(state.usual / 4);
            state.usual = alone.max(longer).min(state.shortest);
            state.rounds = 0;
            if state.phase == Phase::Watching {
                state.phase = Phase::Calm;
            }
        }
    }

    fn begin_round(&self, state: &mut State, now: Tick, took: u32) {
        let round = &self.round;
        state.started = now;
        round.began.store(now.0, Relaxed);
        round.ends.store(now.after(ROUND.max(Duration::from_micros(took.into()))).0, Relaxed);
        round.shortest.store(u32::MAX, Relaxed);
        for count in [&round.longest, &round.samples, &round.most, &round.answered] {
            count.store(0, Relaxed);
        }
    }

    fn calm(&self, state: &mut State) {
        state.phase = Phase::Calm;
        state.rounds = 0;
        state.late = None;
        self.limit.store(UNLIMITED, Relaxed);
        let usual = u64::from(state.usual) << 32 | u64::from(state.longest());
        self.usual.store(usual, Relaxed);
    }

    /// The node says that it is overloaded. `in_flight` is what the driver has there.
    #[cold]
    pub fn back_off(&self, in_flight: usize, tolerance: Tolerance, now: Tick) {
        if self.is_off.load(Relaxed) {
            return;
        }
        let mut state = self.state.lock();
        state.tolerance = Some(tolerance);
        let starts = state.phase != Phase::Limiting;
        if !starts && self.round.ends.load(Relaxed) > now.0 && state.slow_until > now {
            // It said so in this round.
            return;
        }
        let most = self.in_flight.load(Relaxed).max(in_flight as u32);
        let from = if starts { f64::from(most) } else { state.limit.min(f64::from(most)) };
        self.rejects_from.store(now.0, Relaxed);
        state.limit = (from * BACKED_OFF).max(f64::from(FLOOR));
        state.phase = Phase::Limiting;
        state.slow_until = now.after(CAUTION);
        state.rounds = 0;
        self.limit.store(state.limit as u32, Relaxed);
        self.usual.store(0, Relaxed);
        let took = self.latency.load(Relaxed);
        self.begin_round(&mut state, now, took);
    }

    /// Publishes what is in flight on a connection.
    pub fn publish(&self, published: &mut u32, weight: usize) {
        let weight = weight as u32;
        self.in_flight.fetch_add(weight.wrapping_sub(*published), Relaxed);
        *published = weight;
    }

    /// Whether a driver may send a command of this weight. `own` is what it has in flight, `waits`
    /// whether it has a queue.
    pub fn admits(&self, weight: usize, own: usize, waits: bool) -> bool {
        let limit = self.limit.load(Relaxed) as usize;
        // Each driver can go on by its own replies.
        if limit == UNLIMITED as usize || own == 0 {
            return true;
        }
        let queues = self.queues.load(Relaxed) as usize;
        let others = queues - usize::from(waits && queues > 0);
        if others > 0 {
            return own + weight <= (limit / (others + 1)).max(1);
        }
        self.in_flight.load(Relaxed) as usize + weight <= limit
    }

    /// Whether a command that joins the queue has no chance of a reply in time.
    pub fn rejects(&self, background: bool, left: Duration, now: Tick) -> Option<Rejection> {
        let [interactive, later] = [0, 1].map(|at| self.waiting[at].load(Relaxed));
        let ahead = if background { interactive.saturating_add(later) } else { interactive };
        let rate = self.rate.load(Relaxed) as f64 / 1000.0;
        if rate <= 0.0 {
            return None;
        }
        let queued = Duration::from_secs_f64((f64::from(ahead) / rate).min(1e6));
        self.rejection(ahead, queued, left, now)
    }

    /// Whether a command whose turn it is has no chance of a reply in time.
    pub fn rejects_now(&self, left: Duration, now: Tick) -> Option<Rejection> {
        let ahead = self.waiting.iter().map(|waiting| waiting.load(Relaxed)).sum();
        self.rejection(ahead, Duration::ZERO, left, now)
    }

    fn rejection(
        &self,
        ahead: u32,
        queued: Duration,
        left: Duration,
        now: Tick,
    ) -> Option<Rejection> {
        if now.0 < self.rejects_from.load(Relaxed) {
            return None;
        }
        let wait = queued + Duration::from_micros(self.latency.load(Relaxed).into());
        (wait > left).then(|| {
            self.rejections.fetch_add(1, Relaxed);
            Rejection { ahead, wait }
        })
    }

    /// A queue of a driver holds more, or less.
    pub(crate) fn waits(&self, background: bool, by: u32, joins: bool) {
        let waiting = &self.waiting[usize::from(background)];
        if joins {
            waiting.fetch_add(by, Relaxed)
        } else {
            waiting.fetch_sub(by, Relaxed)
        };
    }

    /// A driver has a queue, or no more.
    pub(crate) fn has_queue(&self, has: bool) {
        if has {
            self.queues.fetch_add(1, Relaxed)
        } else {
            self.queues.fetch_sub(1, Relaxed)
        };
    }

    /// What it says about itself.
    pub fn stats(&self) -> LimiterStats {
        let limit = Some(self.limit.load(Relaxed)).filter(|limit| *limit != UNLIMITED);
        let waiting = self.waiting.iter().map(|waiting| waiting.load(Relaxed)).sum();
        let in_flight = if limit.is_some() { self.in_flight.load(Relaxed) } else { 0 };
        LimiterStats { limit, in_flight, waiting, rejections: self.rejections.load(Relaxed) }
    }
}

impl State {
    /// Whether replies take as long as before although much less was in flight when their requests
    /// were sent.
    fn is_no_queue(&mut self, is_late: bool, took: u32, most: u32, now: Tick) -> bool {
        if self.phase != Phase::Limiting || !is_late {
            self.late = None;
            return false;
        }
        let (took_before, most_before, since) = self.late.unwrap_or((took, most, Tick::NEVER));
        // Replies to what was sent last come last.
        let (took_before, most_before) = (took_before.max(took), most_before.max(most));
        let is_as_late = f64::from(took) >= f64::from(took_before) * 0.8;
        let is_less = f64::from(most) <= f64::from(most_before) * 0.7;
        self.late = match (is_as_late, is_less) {
            (true, true) => Some((took_before, most_before, since.min(now))),
            (true, false) => Some((took_before, most_before, Tick::NEVER)),
            (false, _) => Some((took, most, Tick::NEVER)),
        };
        let sent_since = since.after(Duration::from_micros(took.into())) <= self.started;
        is_as_late && is_less && sent_since && most_before >= MANY
    }

    /// The longest usual time of a reply.
    fn longest(&self) -> u32 {
        self.tolerance.unwrap_or(Tolerance::EVEN).longest(self.usual)
    }

    fn measure_rate(&mut self, answered: u32, waits: bool, now: Tick) {
        let seconds = now.since(self.started).as_secs_f64();
        if answered == 0 || seconds <= 0.0 {
            return;
        }
        let latest = f64::from(answered) / seconds;
        // Without a queue, it is the rate of the calls.
        self.rate = if self.rate == 0.0 || !waits {
            self.rate.max(latest)
        } else {
            self.rate + (latest - self.rate) * SHARE_OF_LATEST
        };
    }
}

#[cfg(test)]
mod tests;
