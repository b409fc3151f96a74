//! Fault injection.

use std::io;
use std::time::Duration;

use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_options::{InvalidArgument, OptionValue, parse};

use crate::bounds::BOUNDS;
use crate::hash::mix;

/// The faults of a node. Probabilities are between 0 and 1, drawn per request.
#[derive(Debug, Clone, PartialEq)]
pub struct Faults {
    /// Delay of every reply; their order is kept.
    pub delay: Duration,
    /// The end of a scan or query is sent this long after its last record, in a packet of its own.
    pub late_end: Duration,
    /// Probability that a request is lost before it is executed, and with it all later ones of its
    /// connection: replies have no ids, so a real stream loses all or nothing.
    pub drop: f64,
    /// Probability that a request is executed but its reply is lost, and with it all later ones of
    /// the connection.
    pub drop_reply: f64,
    /// Probability that half of a reply is sent before the connection is closed.
    pub cut: f64,
    /// Probability that half of a reply is sent, and nothing more on its connection.
    pub stall: f64,
    /// Each connection gets this many replies while the fault lasts, and none afterwards; with 0 the
    /// node accepts connections and stays silent.
    pub mute_after: Option<u64>,
    /// Probability that a request fails with [`Faults::code`] instead of being executed.
    pub error: f64,
    /// The code for [`Faults::error`].
    pub code: ResultCode,
    /// What happens to new connections.
    pub refuse: Refuse,
    /// Send replies in small pieces.
    pub drip: Option<Drip>,
    /// Whether faults affect info requests, too; otherwise clients keep seeing a healthy cluster.
    pub info: bool,
    /// Seed of the random numbers: the same seed and requests cause the same faults.
    pub seed: u64,
    /// How long the node works on a request; others wait until it is their turn, whichever their
    /// connections. That gives the node a capacity. Requests whose connection closes leave the line.
    pub service_time: Duration,
}

/// What happens to new connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Refuse {
    /// Accept connections.
    #[default]
    Never,
    /// Accept and immediately close connections.
    Close,
    /// Do not listen.
    Port,
}

/// A slow link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drip {
    /// Bytes in one piece.
    pub bytes: usize,
    /// Interval between two pieces.
    pub every: Duration,
}

impl Drip {
    fn read<V: OptionValue>(name: &str, value: &V) -> Result<Self, V::Error> {
        let what = "two numbers: bytes, and the time between pieces";
        match &value.list(name, what)?[..] {
            [bytes, every] => {
                let bytes = BOUNDS.count(name, bytes)? as usize;
                Ok(Self { bytes, every: every.span(name)? })
            }
            _ => Err(value.wrong_type(format_args!("{name} must be {} of {what}", V::LIST))),
        }
    }
}

impl Default for Faults {
    fn default() -> Self {
        Self {
            delay: Duration::ZERO,
            late_end: Duration::ZERO,
            drop: 0.0,
            drop_reply: 0.0,
            cut: 0.0,
            stall: 0.0,
            mute_after: None,
            error: 0.0,
            code: ResultCode::DEVICE_OVERLOAD,
            refuse: Refuse::Never,
            drip: None,
            info: false,
            seed: 0,
            service_time: Duration::ZERO,
        }
    }
}

const SHARES: (f64, f64) = (0.0, 1.0);

impl Faults {
    /// The names of all faults.
    pub const NAMES: [&str; 14] = [
        "code",
        "cut",
        "delay",
        "drip",
        "drop",
        "drop_reply",
        "error",
        "info",
        "late_end",
        "mute_after",
        "refuse",
        "seed",
        "service_time",
        "stall",
    ];

    /// Reads faults by name from a host.
    pub fn read<V: OptionValue>(value: &V) -> Result<Self, V::Error> {
        let mut faults = Self::default();
        for (name, value) in value.options("faults", "unknown fault", &Self::NAMES)? {
            let share = || value.number_within(name, "a share", SHARES);
            match name {
                "code" => faults.code = ResultCode(BOUNDS.count(name, &value)? as u8),
                "cut" => faults.cut = share()?,
                "delay" => faults.delay = value.span(name)?,
                "drip" => faults.drip = Some(Drip::read(name, &value)?),
                "drop" => faults.drop = share()?,
                "drop_reply" => faults.drop_reply = share()?,
                "error" => faults.error = share()?,
                "info" => faults.info = value.flag(name)?,
                "late_end" => faults.late_end = value.span(name)?,
                "mute_after" => faults.mute_after = Some(BOUNDS.count(name, &value)?),
                "refuse" => {
                    let words = [
                        ("never", Refuse::Never),
                        ("close", Refuse::Close),
                        ("port", Refuse::Port),
                    ];
                    faults.refuse = value.word(name, &words)?;
                }
                "seed" => faults.seed = BOUNDS.count(name, &value)?,
                "service_time" => faults.service_time = value.span(name)?,
                "stall" => faults.stall = share()?,
                _ => return Err(parse::unknown("unknown fault", name, &Self::NAMES).into()),
            }
        }
        Ok(faults)
    }

    /// Validates the faults.
    pub fn check(&self) -> io::Result<()> {
        let shares = [
            ("drop", self.drop),
            ("drop_reply", self.drop_reply),
            ("cut", self.cut),
            ("stall", self.stall),
            ("error", self.error),
        ];
        for (name, share) in shares {
            if !(0.0..=1.0).contains(&share) {
                let message = format!("{name} must be a share from 0 to 1, got {share}");
                return Err(InvalidArgument::of_value(message).into());
            }
        }
        match self.drip {
            Some(drip) => Ok(BOUNDS.check_count("drip", drip.bytes as u64)?),
            None => Ok(()),
        }
    }
}

/// The fate of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Executed, with reply.
    Served,
    /// Not executed, no reply.
    Lost,
    /// Executed, no reply.
    Unanswered,
    /// Not executed; the reply has this code.
    Failed(ResultCode),
    /// Executed; half of the reply is sent, then the connection is closed.
    Cut,
    /// Executed; half of the reply is sent, then nothing more.
    Stalled,
}

/// Draws the fate of each request of a node.
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    /// Starts at a seed.
    pub fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    /// The fate of the next request.
    pub fn fate(&mut self, faults: &Faults) -> Fate {
        let mut left = self.draw();
        let mut hit = |share: f64| {
            let hit = left < share;
            left -= share;
            hit
        };
        if hit(faults.drop) {
            Fate::Lost
        } else if hit(faults.error) {
            Fate::Failed(faults.code)
        } else if hit(faults.drop_reply) {
            Fate::Unanswered
        } else if hit(faults.cut) {
            Fate::Cut
        } else if hit(faults.stall) {
            Fate::Stalled
        } else {
            Fate::Served
        }
    }

    /// A number from 0 up to but not including 1.
    fn draw(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (mix(self.0) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use spikewire_options::Literal;

    use super::*;

    #[test]
    fn fates_come_in_their_shares_and_repeat() {
        let faults =
            Faults { drop: 0.1, error: 0.2, drop_reply: 0.3, cut: 0.1, ..Faults::default() };
        let roll = |seed| {
            let mut dice = Dice::new(seed);
            (0..10_000).map(|_| dice.fate(&faults)).collect::<Vec<_>>()
        };
        let fates = roll(7);
        let share = |fate| fates.iter().filter(|drawn| **drawn == fate).count() / 100;
        assert!((8..=12).contains(&share(Fate::Lost)));
        assert!((18..=22).contains(&share(Fate::Failed(ResultCode::DEVICE_OVERLOAD))));
        assert!((28..=32).contains(&share(Fate::Unanswered)));
        assert!((8..=12).contains(&share(Fate::Cut)));
        assert_eq!(fates, roll(7));
        assert_ne!(fates, roll(8));
    }

    #[test]
    fn impossible_faults_are_rejected() {
        assert!(Faults { drop: 1.5, ..Faults::default() }.check().is_err());
        assert!(Faults { cut: f64::NAN, ..Faults::default() }.check().is_err());
        let drip = Some(Drip { bytes: 0, every: Duration::ZERO });
        assert!(Faults { drip, ..Faults::default() }.check().is_err());
    }

    #[test]
    fn invalid_values() {
        let cases: [(&str, Literal, &str); 6] = [
            ("cut", 1.5.into(), "cut must be a share from 0 to 1, got 1.5"),
            ("drop", true.into(), "drop must be a share from 0 to 1, not boolean"),
            ("code", 256.into(), "code must be from 1 to 255, got 256"),
            ("refuse", "open".into(), "refuse must be 'never', 'close' or 'port', got \"open\""),
            (
                "drip",
                10.into(),
                "drip must be a list of two numbers: bytes, and the time between pieces, not number",
            ),
            ("drip", Literal::list([0, 1]), "drip must be from 1 to 1073741824, got 0"),
        ];
        for (name, value, expected) in cases {
            let error = Faults::read(&Literal::from([(name, value)])).unwrap_err();
            assert_eq!(error.message(), expected);
        }
        let faults = Faults::read(&Literal::from([("drop", 0.5), ("delay", 0.001)])).unwrap();
        let expected = Faults { drop: 0.5, delay: Duration::from_millis(1), ..Faults::default() };
        assert_eq!(faults, expected);
    }
}
