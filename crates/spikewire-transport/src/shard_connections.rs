//! Shards: parts of a node, each with its own connections. A command for a shard is best sent on one
//! of that shard's connections, but any other will do.

use crate::clock::Tick;

/// Why a connection is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConnectionPurpose {
    /// For commands that wait for it.
    Commands,
    /// For this shard, along a route that leads there.
    Shard(u16),
    /// For whichever shard the node chooses, hopefully one that lacks a connection.
    AnyShard,
}

/// The connections of one kind to one node, by shard.
#[derive(Debug, Default)]
pub(crate) struct ShardConnections {
    /// Ready connections, as indexes into the multiplexer's connections.
    ready: Vec<Vec<usize>>,
    /// Connections being opened for a shard. They carry no commands before they are ready.
    opening: Vec<(usize, ConnectionPurpose)>,
    /// No connection is opened for a shard before this time.
    pub not_before: Tick,
}

impl ShardConnections {
    /// The ready connections of a shard.
    #[inline]
    pub fn ready(&self, shard: u16) -> &[usize] {
        self.ready.get(usize::from(shard)).map_or(&[], Vec::as_slice)
    }

    /// How many shards have a ready connection.
    pub fn served(&self) -> usize {
        self.ready.iter().filter(|ready| !ready.is_empty()).count()
    }

    /// The connections of each shard beyond `most`.
    pub fn surplus(&self, most: usize) -> impl Iterator<Item = usize> {
        self.ready.iter().flat_map(move |ready| ready.iter().skip(most).copied())
    }

    /// How many connections are being opened for a shard.
    pub fn opening(&self) -> usize {
        self.opening.len()
    }

    /// Whether a connection is being opened for this reason.
    pub fn is_opening(&self, purpose: ConnectionPurpose) -> bool {
        self.opening.iter().any(|(_, other)| *other == purpose)
    }

    /// Records that a connection is being opened.
    pub fn opens(&mut self, index: usize, purpose: ConnectionPurpose) {
        self.opening.push((index, purpose));
    }

    /// Records that a connection is ready and leads to this shard.
    pub fn is_ready(&mut self, index: usize, shard: Option<u16>) {
        self.opening.retain(|(other, _)| *other != index);
        let Some(shard) = shard.map(usize::from) else { return };
        if shard >= self.ready.len() {
            self.ready.resize_with(shard + 1, Vec::new);
        }
        self.ready[shard].push(index);
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
    fn connections_are_indexed_by_shard() {
        let mut shards = ShardConnections::default();
        shards.opens(7, ConnectionPurpose::Shard(2));
        shards.opens(8, ConnectionPurpose::AnyShard);
        assert_eq!((shards.opening(), shards.served()), (2, 0));
        assert!(
            shards.is_opening(ConnectionPurpose::Shard(2))
                && !shards.is_opening(ConnectionPurpose::Shard(0))
        );
        shards.is_ready(7, Some(2));
        shards.is_ready(8, Some(2));
        shards.is_ready(3, None);
        assert_eq!((shards.opening(), shards.served()), (0, 1));
        assert_eq!(
            (shards.ready(2), shards.ready(0), shards.ready(9)),
            (&[7, 8][..], &[][..], &[][..])
        );
        assert_eq!(shards.surplus(1).collect::<Vec<_>>(), [8]);
        shards.forget(7);
        assert_eq!((shards.ready(2), shards.surplus(1).count()), (&[8][..], 0));
    }
}
