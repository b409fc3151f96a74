//! Lanes: parts of a node, each of which has connections that lead to it. A command that is about
//! one of them is best sent on one of its connections; any other will do.

use crate::clock::Tick;

/// Why a connection is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Errand {
    /// For commands, which wait on it.
    Commands,
    /// For this lane, along a way that leads there.
    Lane(u16),
    /// For the lane that the node chooses, in the hope that it is one that lacks a connection.
    AnyLane,
}

/// The connections of one kind to one node, by lane.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    /// Those that are ready, as indexes into the multiplexer's connections.
    ready: Vec<Vec<usize>>,
    /// Those that are being opened for a lane. They carry no commands before they are ready.
    opening: Vec<(usize, Errand)>,
    /// None is opened for a lane before.
    pub not_before: Tick,
}

impl Lanes {
    /// The connections of a lane that are ready.
    #[inline]
    pub fn ready(&self, lane: u16) -> &[usize] {
        self.ready.get(usize::from(lane)).map_or(&[], Vec::as_slice)
    }

    /// How many lanes have one.
    pub fn served(&self) -> usize {
        self.ready.iter().filter(|ready| !ready.is_empty()).count()
    }

    /// Those that a lane has beyond `most`.
    pub fn surplus(&self, most: usize) -> impl Iterator<Item = usize> {
        self.ready.iter().flat_map(move |ready| ready.iter().skip(most).copied())
    }

    /// How many are being opened for a lane.
    pub fn opening(&self) -> usize {
        self.opening.len()
    }

    /// Whether one is being opened for this reason.
    pub fn is_opening(&self, errand: Errand) -> bool {
        self.opening.iter().any(|(_, other)| *other == errand)
    }

    /// A connection is being opened.
    pub fn opens(&mut self, index: usize, errand: Errand) {
        self.opening.push((index, errand));
    }

    /// A connection is ready, and leads to this lane.
    pub fn is_ready(&mut self, index: usize, lane: Option<u16>) {
        self.opening.retain(|(other, _)| *other != index);
        let Some(lane) = lane.map(usize::from) else { return };
        if lane >= self.ready.len() {
            self.ready.resize_with(lane + 1, Vec::new);
        }
        self.ready[lane].push(index);
    }

    /// A connection gets no more commands.
    pub fn forget(&mut self, index: usize) {
        self.opening.retain(|(other, _)| *other != index);
        for ready in &mut self.ready {
            ready.retain(|other| *other != index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_by_lane() {
        let mut lanes = Lanes::default();
        lanes.opens(7, Errand::Lane(2));
        lanes.opens(8, Errand::AnyLane);
        assert_eq!((lanes.opening(), lanes.served()), (2, 0));
        assert!(lanes.is_opening(Errand::Lane(2)) && !lanes.is_opening(Errand::Lane(0)));
        lanes.is_ready(7, Some(2));
        lanes.is_ready(8, Some(2));
        lanes.is_ready(3, None);
        assert_eq!((lanes.opening(), lanes.served()), (0, 1));
        assert_eq!(
            (lanes.ready(2), lanes.ready(0), lanes.ready(9)),
            (&[7, 8][..], &[][..], &[][..])
        );
        assert_eq!(lanes.surplus(1).collect::<Vec<_>>(), [8]);
        lanes.forget(7);
        assert_eq!((lanes.ready(2), lanes.surplus(1).count()), (&[8][..], 0));
    }
}
