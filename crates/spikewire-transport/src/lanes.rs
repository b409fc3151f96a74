//! Lanes: parts of a node, each with its own connections. A command for a lane is best sent on one
//! of that lane's connections, but any other will do.

use crate::clock::Tick;

/// Why a connection is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Errand {
    /// For commands that wait for it.
    Commands,
    /// For this lane, along a way that leads there.
    Lane(u16),
    /// For whichever lane the node chooses, hopefully one that lacks a connection.
    AnyLane,
}

/// The connections of one kind to one node, by lane.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    /// Ready connections, as indexes into the multiplexer's connections.
    ready: Vec<Vec<usize>>,
    /// Connections being opened for a lane. They carry no commands before they are ready.
    opening: Vec<(usize, Errand)>,
    /// No connection is opened for a lane before this time.
    pub not_before: Tick,
}

impl Lanes {
    /// The ready connections of a lane.
    #[inline]
    pub fn ready(&self, lane: u16) -> &[usize] {
        self.ready.get(usize::from(lane)).map_or(&[], Vec::as_slice)
    }

    /// How many lanes have a ready connection.
    pub fn served(&self) -> usize {
        self.ready.iter().filter(|ready| !ready.is_empty()).count()
    }

    /// The connections of each lane beyond `most`.
    pub fn surplus(&self, most: usize) -> impl Iterator<Item = usize> {
        self.ready.iter().flat_map(move |ready| ready.iter().skip(most).copied())
    }

    /// How many connections are being opened for a lane.
    pub fn opening(&self) -> usize {
        self.opening.len()
    }

    /// Whether a connection is being opened for this reason.
    pub fn is_opening(&self, errand: Errand) -> bool {
        self.opening.iter().any(|(_, other)| *other == errand)
    }

    /// Records that a connection is being opened.
    pub fn opens(&mut self, index: usize, errand: Errand) {
        self.opening.push((index, errand));
    }

    /// Records that a connection is ready and leads to this lane.
    pub fn is_ready(&mut self, index: usize, lane: Option<u16>) {
        self.opening.retain(|(other, _)| *other != index);
        let Some(lane) = lane.map(usize::from) else { return };
        if lane >= self.ready.len() {
            self.ready.resize_with(lane + 1, Vec::new);
        }
        self.ready[lane].push(index);
    }

    /// Removes a connection that gets no more commands.
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
