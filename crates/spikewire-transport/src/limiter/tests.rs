//! A server with a capacity and clients with an open loop, on a clock of their own.

use std::collections::VecDeque;
use std::sync::Arc;

use super::*;
use crate::keys::OrderKey;
use crate::policy::Priority;
use crate::waiting::{WaitingCommands, Waits};

const STEP: Duration = Duration::from_micros(100);
const STEPS_PER_SECOND: usize = 10_000;
/// What a request and its reply take on the network, together.
const NETWORK: Duration = Duration::from_micros(200);

#[derive(Debug, Clone, Copy)]
struct Call {
    begins: Tick,
    sent: Tick,
    deadline: Tick,
    priority: Priority,
    client: usize,
}

impl Waits for Call {
    fn order(&self) -> OrderKey {
        OrderKey::NONE
    }

    fn writes(&self) -> bool {
        false
    }

    fn priority(&self) -> Priority {
        self.priority
    }

    fn weight(&self) -> usize {
        1
    }
}

#[derive(Debug, Default)]
struct Client {
    queue: WaitingCommands<Call>,
    in_flight: usize,
    published: u32,
}

/// What happened in a second.
#[derive(Debug, Default, Clone, Copy)]
struct Second {
    good: usize,
    background: usize,
    late: usize,
    rejections: usize,
    expired: usize,
    longest_queue: usize,
    slowest: Duration,
}

struct World {
    now: Tick,
    limiter: Arc<Limiter>,
    clients: Vec<Client>,
    /// What the server has not answered, with the time when that is done.
    server: VecDeque<(Call, Tick)>,
    /// Until when the server is busy.
    busy: Tick,
    /// Until when it takes a millisecond for each call, whatever its capacity.
    slow_until: Tick,
    capacity: f64,
    owed: f64,
    this: Second,
}

impl World {
    fn new(capacity: f64, clients: usize) -> Self {
        Self {
            now: Tick(1_000_000_000),
            limiter: Arc::default(),
            clients: (0..clients).map(|_| Client::default()).collect(),
            server: VecDeque::new(),
            busy: Tick(0),
            slow_until: Tick(0),
            capacity,
            owed: 0.0,
            this: Second::default(),
        }
    }

    fn send(&mut self, mut call: Call) {
        call.sent = self.now;
        let start = self.busy.max(self.now.after(NETWORK / 2));
        let quick = Duration::from_secs_f64(1.0 / self.capacity);
        let is_slow = start < self.slow_until;
        self.busy = start.after(if is_slow { Duration::from_millis(1) } else { quick });
        self.server.push_back((call, self.busy.after(NETWORK / 2)));
        let client = &mut self.clients[call.client];
        client.in_flight += 1;
        if self.limiter.is_limiting() {
            self.limiter.publish(&mut client.published, client.in_flight);
        }
    }

    fn begin(&mut self, call: Call) {
        let limiter = self.limiter.clone();
        let client = &mut self.clients[call.client];
        if client.queue.is_empty() && limiter.admits(1, client.in_flight, false) {
            return self.send(call);
        }
        let background = call.priority == Priority::Background;
        if limiter.rejects(background, call.deadline.since(self.now), self.now).is_some() {
            self.this.rejections += 1;
        } else {
            client.queue.push_back(call);
            client.queue.count_in(&limiter);
            self.admit(call.client);
        }
    }

    fn admit(&mut self, client: usize) {
        loop {
            let Client { queue, in_flight, .. } = &mut self.clients[client];
            let Some(next) = queue.front() else { return };
            if !self.limiter.admits(1, *in_flight, true) {
                return;
            }
            let left = next.deadline.since(self.now);
            let Some(call) = queue.pop_front() else { return };
            if self.limiter.rejects_now(left, self.now).is_some() {
                self.this.expired += 1;
            } else {
                self.send(call);
            }
        }
    }

    fn take_replies(&mut self) {
        let befores: Vec<_> = self.clients.iter().map(|client| client.in_flight).collect();
        let mut latest = vec![None; befores.len()];
        while let Some((call, _)) = self.server.front().filter(|(_, done)| *done <= self.now) {
            let call = *call;
            self.server.pop_front();
            let took = self.now.since(call.begins);
            self.this.slowest = self.this.slowest.max(took);
            match (call.deadline >= self.now, call.priority) {
                (true, Priority::Background) => self.this.background += 1,
                (true, _) => self.this.good += 1,
                (false, _) => self.this.late += 1,
            }
            self.clients[call.client].in_flight -= 1;
            latest[call.client] = Some(self.now.since(call.sent).as_micros() as u32);
        }
        for (index, (before, took)) in befores.into_iter().zip(latest).enumerate() {
            let Some(took) = took else { continue };
            let client = &mut self.clients[index];
            let done = (before, before - client.in_flight);
            if self.limiter.is_notable(took) {
                let (limiter, published) = (&self.limiter, &mut client.published);
                limiter.observe(Some(took), done, published, Tolerance::EVEN, self.now);
            }
            let load = if self.limiter.watches() { client.in_flight } else { 0 };
            self.limiter.publish(&mut client.published, load);
            self.admit(index);
        }
    }

    /// A second with this many calls, of which this share is in the background.
    fn run(&mut self, calls: f64, background: f64, timeout: Duration) -> Second {
        self.this = Second::default();
        for step in 0..STEPS_PER_SECOND {
            self.now = self.now.after(STEP);
            self.take_replies();
            self.owed += calls / STEPS_PER_SECOND as f64;
            while self.owed >= 1.0 {
                self.owed -= 1.0;
                let number = step + (self.owed * 1000.0) as usize;
                let is_background = (number * 7919 % 1000) < (background * 1000.0) as usize;
                let priority = if is_background { Priority::Background } else { Priority::Usual };
                let (begins, deadline) = (self.now, self.now.after(timeout));
                let client = number * 31 % self.clients.len();
                self.begin(Call { begins, sent: self.now, deadline, priority, client });
            }
            // As often as multiplexers look.
            for index in (0..self.clients.len()).filter(|_| step % 250 == 0) {
                let now = self.now;
                let expired = self.clients[index].queue.take_if(|call| call.deadline <= now);
                self.this.expired += expired.len();
            }
            let queued = self.clients.iter().map(|client| client.queue.len()).sum::<usize>();
            self.this.longest_queue = self.this.longest_queue.max(queued + self.server.len());
        }
        self.this
    }
}

const TIMEOUT: Duration = Duration::from_millis(50);

#[test]
fn three_times_the_capacity_costs_a_tenth_of_the_goodput_at_most() {
    for (capacity, clients) in
        [(300.0, 1), (300.0, 3), (2_000.0, 1), (2_000.0, 8), (20_000.0, 1), (20_000.0, 8)]
    {
        {
            let mut world = World::new(capacity, clients);
            let quiet = world.run(capacity / 3.0, 0.0, TIMEOUT);
            assert!(quiet.rejections + quiet.late + quiet.expired == 0, "{quiet:?}");
            for second in 0..5 {
                let spike = world.run(capacity * 3.0, 0.0, TIMEOUT);
                let share = spike.good as f64 / capacity;
                // In the first second, the queue is noticed.
                let least = if second == 0 { 0.85 } else { 0.9 };
                assert!(share >= least, "{capacity} {clients} {second}: {share} {spike:?}");
                let queue = capacity * 0.3 + 40.0;
                assert!((spike.longest_queue as f64) < queue, "{capacity} {clients}: {spike:?}");
            }
            world.run(capacity / 3.0, 0.0, TIMEOUT);
            let normal = world.run(capacity / 3.0, 0.0, TIMEOUT);
            assert!(normal.rejections + normal.late + normal.expired == 0, "{normal:?}");
            assert!(normal.good as f64 >= capacity / 3.0 - 2.0);
            assert_eq!(world.limiter.stats().waiting, 0);
        }
    }
}

#[test]
fn calls_with_time_wait_for_their_turn() {
    let mut world = World::new(10_000.0, 2);
    world.run(3_000.0, 0.0, Duration::from_secs(1));
    // Half a second's surplus; nothing is rejected.
    let burst = world.run(14_000.0, 0.0, Duration::from_secs(2));
    assert_eq!((burst.rejections, burst.late), (0, 0));
    let limit = world.limiter.stats().limit.expect("there is a queue");
    assert!((30..=200).contains(&limit), "twice the usual time, or 5 ms: {limit}");
    let after = world.run(3_000.0, 0.0, Duration::from_secs(1));
    assert!(after.good > 6_500, "{after:?}");
    world.run(3_000.0, 0.0, Duration::from_secs(1));
    assert_eq!(world.limiter.stats().limit, None, "no limit without need");
}

#[test]
fn a_node_that_nearly_stands_still_for_a_moment_costs_no_call() {
    for clients in [1, 8] {
        let mut world = World::new(30_000.0, clients);
        world.run(15_000.0, 0.0, Duration::from_millis(150));
        world.slow_until = world.now.after(Duration::from_millis(60));
        let after = world.run(15_000.0, 0.0, Duration::from_millis(150));
        assert_eq!((after.rejections, after.expired, after.late), (0, 0, 0), "{after:?}");
        assert!(world.limiter.stats().limit.is_none());
    }
}

#[test]
fn interactive_calls_go_first_and_background_ones_get_a_tenth() {
    let capacity = 10_000.0;
    let mut world = World::new(capacity, 2);
    world.run(capacity / 3.0, 0.5, TIMEOUT);
    world.run(capacity * 2.0, 0.6, TIMEOUT);
    // 8,000 interactive calls and 12,000 others.
    let mixed = world.run(capacity * 2.0, 0.6, TIMEOUT);
    assert!(mixed.good > 7_600, "{mixed:?}");
    assert!(mixed.background > 800, "{mixed:?}");
    // 20,000 interactive calls and 10,000 others.
    let full = world.run(capacity * 3.0, 0.33, TIMEOUT);
    assert!(full.good + full.background > 9_000, "{full:?}");
    assert!(full.good > 7_000 && full.background > 500, "{full:?}");
}

#[test]
fn a_longer_way_to_the_node_is_no_overload() {
    let limiter = Limiter::default();
    let mut now = Tick(1_000_000_000);
    let mut published = 0;
    let mut limited = 0;
    for turn in 0..2_000 {
        let took = if turn < 100 { 200 } else { 60_000 };
        now = now.after(Duration::from_millis(1));
        if limiter.is_notable(took) {
            let load = limiter.stats().limit.unwrap_or(200).min(200) as usize;
            limiter.observe(Some(took), (load, 1), &mut published, Tolerance::EVEN, now);
        }
        limited += usize::from(limiter.is_limiting());
    }
    assert!(limited > 0, "that may be a queue");
    assert!(limited < 400, "a few replies say that it is none: {limited} ms");
    assert!(!limiter.is_limiting(), "but it stays with few commands");
}

#[test]
fn one_late_reply_is_no_queue() {
    let limiter = Limiter::default();
    let (mut published, mut now) = (0, Tick(1_000_000_000));
    for turn in 0..1_000 {
        now = now.after(Duration::from_millis(1));
        let took = if turn % 3 == 0 { 200 } else { 80_000 };
        if limiter.is_notable(took) {
            limiter.observe(Some(took), (500, 100), &mut published, Tolerance::EVEN, now);
        }
        assert!(!limiter.is_limiting());
    }
}

#[test]
fn a_node_that_says_so_gets_less_at_once() {
    let limiter = Limiter::default();
    let (mut published, mut now) = (0, Tick(1_000_000_000));
    limiter.observe(Some(200), (100, 10), &mut published, Tolerance::EVEN, now);
    assert!(!limiter.is_limiting());
    limiter.back_off(100, Tolerance::EVEN, now);
    assert_eq!(limiter.stats().limit, Some(70));
    limiter.back_off(100, Tolerance::EVEN, now);
    assert_eq!(limiter.stats().limit, Some(70), "once in a round");
    limiter.publish(&mut published, 60);
    assert!(limiter.admits(10, 60, false) && !limiter.admits(11, 60, false));
    for _ in 0..300 {
        now = now.after(Duration::from_millis(11));
        limiter.observe(Some(200), (20, 10), &mut published, Tolerance::EVEN, now);
    }
    assert!(!limiter.is_limiting(), "it is over");
    limiter.publish(&mut published, 0);
    assert_eq!(limiter.stats().in_flight, 0);
}
