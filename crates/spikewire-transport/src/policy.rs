//! The limits of one command.

use std::time::Duration;

use spikewire_options::{InvalidArgument, parse};

use crate::backoff::Backoff;
use crate::clock::{Span, Tick};
use crate::metrics::MetricsFlags;

/// When a command that starts now times out.
pub fn deadline<R>(policy: &Policy<R>, now: Tick) -> Tick {
    if policy.timeout.is_zero() { Tick::NEVER } else { now.after(policy.timeout) }
}

/// How a command chooses among nodes.
pub trait Preference: Copy + PartialEq + std::fmt::Debug {
    /// Whether a retry may go to another node.
    fn moves_on(self) -> bool;
}

/// Which of the commands that wait for a node go first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Priority {
    /// Nobody said so: that of the kind of work, otherwise interactive.
    #[default]
    Usual,
    /// Somebody waits for it.
    Interactive,
    /// It goes behind interactive ones, but gets a tenth of what a node can do.
    Background,
}

impl Priority {
    /// Those with a name.
    pub const NAMES: [(&str, Self); 2] =
        [("interactive", Self::Interactive), ("background", Self::Background)];

    /// The priority with this name.
    pub fn parse(text: &str) -> Result<Self, InvalidArgument> {
        parse::named("priority", &Self::NAMES, text)
    }

    /// This one, unless it says nothing.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if self == Self::Usual { other } else { self }
    }
}

/// The switches of a command, in two bytes because every command carries them: how it is tried
/// again, and what its request says besides what it is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CommandFlags(u16);

impl CommandFlags {
    const JITTER: u16 = 1;
    const IN_DOUBT: u16 = 2;
    const COMPRESS: u16 = 4;
    const COMMIT_MASTER: u16 = 8;
    const LOCK: u16 = 16;
    const END_AT_FAILURE: u16 = 32;
    /// Two bits: a number up to 3.
    const DETAILS: u16 = 0xc0;
    const BOUND_ATTEMPTS: u16 = 0x100;
    const NOT_INLINE: u16 = 0x200;
    const INLINE_ON_DEVICES: u16 = 0x400;

    /// [`Backoff::jitter`].
    pub fn jitter(self) -> bool {
        self.0 & Self::JITTER != 0
    }

    /// Whether a write that may have been applied is retried.
    pub fn in_doubt(self) -> bool {
        self.0 & Self::IN_DOUBT != 0
    }

    /// Whether the command's attempts are compressed, and their replies, where a node can do that.
    pub fn compress(self) -> bool {
        self.0 & Self::COMPRESS != 0
    }

    /// Sets [`CommandFlags::compress`].
    pub fn set_compress(&mut self, compress: bool) {
        self.set(Self::COMPRESS, compress);
    }

    /// How much a server is asked to say about errors, from 0 for what it always says to 3.
    pub fn details(self) -> u8 {
        ((self.0 & Self::DETAILS) >> Self::DETAILS.trailing_zeros()) as u8
    }

    /// Sets [`CommandFlags::details`].
    pub fn set_details(&mut self, level: u8) {
        let level = u16::from(level).min(Self::DETAILS >> Self::DETAILS.trailing_zeros());
        self.0 = self.0 & !Self::DETAILS | level << Self::DETAILS.trailing_zeros();
    }

    /// Whether requests say more than what they are about: one look for both of
    /// [`compress`](Self::compress) and [`details`](Self::details).
    #[inline(always)]
    pub fn marks_requests(self) -> bool {
        self.0 & (Self::COMPRESS | Self::DETAILS) != 0
    }

    /// Whether a write is answered once one node has it, before its copies do.
    pub fn commits_at_master(self) -> bool {
        self.0 & Self::COMMIT_MASTER != 0
    }

    /// Sets [`CommandFlags::commits_at_master`].
    pub fn set_commits_at_master(&mut self, commits: bool) {
        self.set(Self::COMMIT_MASTER, commits);
    }

    /// Whether a write has to be the first of its transaction to its record.
    pub fn must_lock(self) -> bool {
        self.0 & Self::LOCK != 0
    }

    /// Sets [`CommandFlags::must_lock`].
    pub fn set_must_lock(&mut self, must: bool) {
        self.set(Self::LOCK, must);
    }

    /// Whether a node's replies to many rows end where one has failed.
    pub fn ends_at_failure(self) -> bool {
        self.0 & Self::END_AT_FAILURE != 0
    }

    /// Sets [`CommandFlags::ends_at_failure`].
    pub fn set_ends_at_failure(&mut self, ends: bool) {
        self.set(Self::END_AT_FAILURE, ends);
    }

    /// Sets [`CommandFlags::jitter`].
    pub fn set_jitter(&mut self, jitter: bool) {
        self.set(Self::JITTER, jitter);
    }

    /// Sets [`CommandFlags::in_doubt`].
    pub fn set_in_doubt(&mut self, in_doubt: bool) {
        self.set(Self::IN_DOUBT, in_doubt);
    }

    /// The same for commands of which those in doubt are retried or not.
    #[must_use]
    pub fn with_in_doubt(mut self, in_doubt: bool) -> Self {
        self.set_in_doubt(in_doubt);
        self
    }

    /// Whether a node may run the rows of a batch on the thread that received them: those in memory,
    /// and those on devices.
    pub fn inline(self) -> (bool, bool) {
        (self.0 & Self::NOT_INLINE == 0, self.0 & Self::INLINE_ON_DEVICES != 0)
    }

    /// Sets [`CommandFlags::inline`] for rows in memory.
    pub fn set_inline(&mut self, inline: bool) {
        self.set(Self::NOT_INLINE, !inline);
    }

    /// Sets [`CommandFlags::inline`] for rows on devices.
    pub fn set_inline_on_devices(&mut self, inline: bool) {
        self.set(Self::INLINE_ON_DEVICES, inline);
    }

    /// Whether [`Policy::socket_timeout`] is how long each attempt may take once it has a place on
    /// a connection, instead of how long the connection may be silent.
    pub fn bounds_attempts(self) -> bool {
        self.0 & Self::BOUND_ATTEMPTS != 0
    }

    /// Sets [`CommandFlags::bounds_attempts`].
    pub fn set_bounds_attempts(&mut self, bounds: bool) {
        self.set(Self::BOUND_ATTEMPTS, bounds);
    }

    fn set(&mut self, bit: u16, value: bool) {
        self.0 = if value { self.0 | bit } else { self.0 & !bit };
    }
}

/// The limits of one command. Every command carries them, so they are kept small.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Policy<R> {
    /// Timeout for the command including all retries; zero means no limit.
    pub timeout: Duration,
    /// Longest silence on a socket before the attempt is given up; zero means no limit. With
    /// [`CommandFlags::bounds_attempts`], the longest time of an attempt; the connection stays.
    pub socket_timeout: Span,
    /// Maximum number of retries.
    pub max_retries: u32,
    /// Pause before a retry on the same node; the first of them if pauses grow.
    pub sleep: Span,
    /// [`Backoff::multiplier`].
    pub multiplier: f32,
    /// [`Backoff::longest`].
    pub longest: Span,
    /// Its switches: about attempts, and about what is sent.
    pub flags: CommandFlags,
    /// Its priority.
    pub priority: Priority,
    /// Which metrics are kept of it, if that is decided already.
    pub metrics_flags: MetricsFlags,
    /// How a replica is chosen.
    pub replica: R,
}

impl<R: Default> Default for Policy<R> {
    /// 1 s in total, 2 retries, no pause, no retries of writes in doubt.
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(1),
            socket_timeout: Span::ZERO,
            max_retries: 2,
            sleep: Span::ZERO,
            multiplier: 1.0,
            longest: Span::ZERO,
            flags: CommandFlags::default(),
            priority: Priority::default(),
            metrics_flags: MetricsFlags::default(),
            replica: R::default(),
        }
    }
}

impl<R> Policy<R> {
    /// Whether it and another one differ at most in the total time and in what is counted.
    pub(crate) fn is_like(&self, other: &Self) -> bool
    where
        R: Copy + PartialEq,
    {
        let Self { timeout, metrics_flags, .. } = *self;
        *self == Self { timeout, metrics_flags, ..*other }
    }

    /// When an attempt ends that has had its place on a connection since then.
    #[inline]
    pub(crate) fn attempt_ends(&self, since: Tick) -> Tick {
        if self.flags.bounds_attempts() && !self.socket_timeout.is_zero() {
            since.after(self.socket_timeout.into())
        } else {
            Tick::NEVER
        }
    }

    /// How pauses grow and vary.
    pub fn backoff(&self) -> Backoff {
        let Self { multiplier, longest, flags, .. } = *self;
        Backoff { multiplier, longest: longest.into(), jitter: flags.jitter() }
    }

    /// Sets how pauses grow and vary.
    pub fn set_backoff(&mut self, backoff: Backoff) {
        let Backoff { multiplier, longest, jitter } = backoff;
        (self.multiplier, self.longest) = (multiplier, longest.into());
        self.flags.set_jitter(jitter);
    }

    /// The pause before the next attempt on the same node, after `attempts` attempts, if the command
    /// moved on by `step` replicas. The first move needs no pause.
    pub fn pause(&self, attempts: u32, step: u32) -> Duration {
        let earlier = attempts.saturating_sub(1 + u32::from(step > 0));
        self.backoff().pause(self.sleep.into(), earlier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_move_to_another_replica_is_no_pause() {
        let ms = Duration::from_millis(1);
        let mut policy = Policy::<()> { sleep: ms.into(), ..Policy::default() };
        policy.set_backoff(Backoff { multiplier: 3.0, ..Backoff::default() });
        assert_eq!([policy.pause(1, 0), policy.pause(2, 0)], [ms, 3 * ms]);
        assert_eq!([policy.pause(2, 1), policy.pause(3, 2)], [ms, 3 * ms]);
    }
}
