//! Append points: in every plane, where the next page of each *stream* of data goes.
//!
//! A stream is data that lies together: a class of the host's pages, a class of those that collection relocates, parity
//! with blocks of its own, what the SLC cache takes. Where the collector shares the host's blocks, both have one
//! stream. A point has one open block, or none; where planes share superblocks, further parts may be open behind it,
//! and pages can be promised before they are taken.

use std::collections::VecDeque;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::ids::{BlockId, PlaneId};

/// Most open blocks that a plane may have of one kind.
pub const MOST_OPEN_BLOCKS: usize = 16;

/// A stream of data, by its number among those of the drive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream(pub u8);

impl Stream {
    /// The first class of the host's pages: all of them, where it has one class.
    pub const HOST: Self = Self(0);
}

/// The append points of a drive: one for each stream in each plane.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AppendPoints {
    /// Number of classes of the host's pages, which come first.
    host: u8,
    /// The first class of relocated pages, and how many there are; parity and the SLC cache come behind all of them.
    first_collected: u8,
    collected: u8,
    per_plane: usize,
    /// Plane by plane, stream by stream: the open block.
    open: Box<[BlockId]>,
    /// In the same order, where planes share superblocks: parts that are open behind it.
    behind: Box<[VecDeque<BlockId>]>,
    /// In the same order, there: how many pages are promised.
    promised: Box<[u32]>,
    /// By plane: the streams of the host and of collection to which a page went last.
    last: Box<[[Stream; 2]]>,
}

impl AppendPoints {
    /// No block is open. The host's pages have so many classes; those of collection, too, or share the host's blocks.
    /// Superblocks make `promises`.
    pub fn new(planes: u32, host: u32, collected: Option<u32>, promises: bool) -> Self {
        let (first, behind) = collected.map_or((0, 0), |count| (host, count));
        let per_plane = (host + behind + 2) as usize;
        let points = per_plane * planes as usize;
        let only_where = |promises: bool| if promises { points } else { 0 };
        Self {
            host: host as u8,
            first_collected: first as u8,
            collected: collected.unwrap_or(host) as u8,
            per_plane,
            open: vec![BlockId::NONE; points].into(),
            behind: vec![VecDeque::new(); only_where(promises)].into(),
            promised: vec![0; only_where(promises)].into(),
            last: vec![[Stream::HOST, Stream(first as u8)]; planes as usize].into(),
        }
    }

    /// Whether a saved one is of a drive with the same planes and streams.
    pub(crate) fn fits(&self, other: &Self) -> bool {
        let shape = |points: &Self| {
            let counts = (points.host, points.first_collected, points.collected, points.per_plane);
            (counts, points.open.len(), points.behind.len(), points.promised.len(), points.last.len())
        };
        shape(self) == shape(other)
    }

    /// Whether it can be read: it has as many points as it should, for so many planes.
    pub(crate) fn is_whole(&self, planes: usize) -> bool {
        self.last.len() == planes
            && self.open.len() == planes * self.per_plane
            && usize::from(self.host.max(self.first_collected + self.collected)) + 2 == self.per_plane
    }

    // Which streams there are.

    /// Whether the collector's pages go to the host's blocks.
    pub fn is_shared(&self) -> bool {
        self.first_collected == 0
    }

    /// The streams of the host's pages.
    pub fn of_host(&self) -> impl Iterator<Item = Stream> + use<> {
        (0..self.host).map(Stream)
    }

    /// The stream of pages of a class that collection relocates.
    pub fn collection(&self, class: u8) -> Stream {
        Stream(self.first_collected + class)
    }

    /// Whether collection has several.
    pub fn separates_collected(&self) -> bool {
        self.collected > 1
    }

    /// All streams of pages that collection relocates.
    pub fn of_collection(&self) -> impl Iterator<Item = Stream> + use<> {
        (self.first_collected..self.first_collected + self.collected).map(Stream)
    }

    /// That of pages of parity with blocks of its own.
    pub fn parity(&self) -> Stream {
        Stream(self.per_plane as u8 - 2)
    }

    /// That of pages that the SLC cache takes, which has no superblocks.
    pub fn cache(&self) -> Stream {
        Stream(self.per_plane as u8 - 1)
    }

    /// All of the host and of collection.
    pub fn streams(&self) -> impl Iterator<Item = Stream> + use<> {
        (0..self.host.max(self.first_collected + self.collected)).map(Stream)
    }

    // Which blocks are open.

    fn at(&self, plane: PlaneId, stream: Stream) -> usize {
        plane.index() * self.per_plane + usize::from(stream.0)
    }

    fn of_plane(&self, plane: PlaneId) -> Range<usize> {
        let first = plane.index() * self.per_plane;
        first..first + self.per_plane
    }

    /// The open block of a stream in a plane; [`BlockId::NONE`] where none is.
    #[inline]
    pub fn open(&self, plane: PlaneId, stream: Stream) -> BlockId {
        self.open[self.at(plane, stream)]
    }

    /// Number of parts of superblocks that are open behind it.
    pub fn behind(&self, plane: PlaneId, stream: Stream) -> u32 {
        self.behind.get(self.at(plane, stream)).map_or(0, |parts| parts.len() as u32)
    }

    /// Whether a block is an open one of its plane.
    pub fn has(&self, plane: PlaneId, block: BlockId) -> bool {
        let behind = self.behind.get(self.of_plane(plane)).unwrap_or_default();
        self.open[self.of_plane(plane)].contains(&block) || behind.iter().any(|parts| parts.contains(&block))
    }

    /// The first stream of the host without an open block in a plane.
    pub fn vacancy(&self, plane: PlaneId) -> Option<Stream> {
        self.of_host().find(|stream| !self.open(plane, *stream).is_some())
    }

    /// Of some streams that with an open block which is nearest to `wanted`, the lower among equals.
    pub fn nearest(
        &self,
        plane: PlaneId,
        streams: impl Iterator<Item = Stream>,
        wanted: Stream,
    ) -> Option<Stream> {
        let open = streams.filter(|stream| self.open(plane, *stream).is_some());
        open.min_by_key(|stream| stream.0.abs_diff(wanted.0))
    }

    /// A block is opened: its pages come next, or behind those of the parts that are open already.
    pub(crate) fn push(&mut self, plane: PlaneId, stream: Stream, block: BlockId) {
        let at = self.at(plane, stream);
        if self.open[at].is_some() {
            self.behind[at].push_back(block);
        } else {
            self.open[at] = block;
        }
    }

    /// Blocks are open already: each stream gets one, as far as there are enough.
    pub(crate) fn fill(
        &mut self,
        plane: PlaneId,
        streams: impl Iterator<Item = Stream>,
        blocks: &mut dyn Iterator<Item = BlockId>,
    ) {
        for stream in streams {
            self.open[self.at(plane, stream)] = blocks.next().unwrap_or(BlockId::NONE);
        }
    }

    /// No page of a block is left to be taken: the part behind it is next. It may be no open one.
    pub(crate) fn leave(&mut self, plane: PlaneId, block: BlockId) {
        if let Some(at) = self.of_plane(plane).find(|at| self.open[*at] == block) {
            let next = self.behind.get_mut(at).and_then(VecDeque::pop_front);
            self.open[at] = next.unwrap_or(BlockId::NONE);
        }
    }

    // To which pages went last.

    /// The stream of the host's that got a page of a plane last.
    pub fn last_of_host(&self, plane: PlaneId) -> Stream {
        self.last[plane.index()][0]
    }

    /// The stream of collection's that got, or gets, a page of a plane.
    #[inline]
    pub fn last_collected(&self, plane: PlaneId) -> Stream {
        self.last[plane.index()][1]
    }

    /// The next page of the host's goes to this stream.
    pub(crate) fn choose_for_host(&mut self, plane: PlaneId, stream: Stream) {
        self.last[plane.index()][0] = stream;
    }

    /// The next relocated page goes to this stream.
    pub(crate) fn choose_collected(&mut self, plane: PlaneId, stream: Stream) {
        self.last[plane.index()][1] = stream;
    }

    // What superblocks have promised.

    /// Number of pages of a plane that are promised.
    pub fn promised(&self, plane: PlaneId, stream: Stream) -> u32 {
        self.promised.get(self.at(plane, stream)).copied().unwrap_or(0)
    }

    /// So many pages of a plane are promised.
    pub(crate) fn promise(&mut self, plane: PlaneId, stream: Stream, pages: u32) {
        self.promised[self.at(plane, stream)] += pages;
    }

    /// So many are taken that were, or not needed any more.
    pub(crate) fn keep_promise(&mut self, plane: PlaneId, stream: Stream, pages: u32) {
        self.promised[self.at(plane, stream)] -= pages;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLANE: PlaneId = PlaneId(1);

    /// Two classes of the host's pages, three of collection's: parity and the cache come behind the five.
    #[test]
    fn streams_lie_one_behind_the_other() {
        let points = AppendPoints::new(2, 2, Some(3), false);
        assert_eq!(points.of_host().map(|stream| stream.0).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(points.of_collection().map(|stream| stream.0).collect::<Vec<_>>(), [2, 3, 4]);
        assert_eq!([points.parity(), points.cache()], [Stream(5), Stream(6)]);
        assert!(points.is_whole(2) && !points.is_whole(3) && !points.is_shared());
        assert_eq!(points.last_collected(PLANE), Stream(2));
    }

    /// Blocks 7, 8 and 9 are opened for one stream, of which another plane has nothing: 8 comes when 7 is full.
    #[test]
    fn the_part_behind_a_full_one_is_next() {
        let mut points = AppendPoints::new(2, 1, Some(1), true);
        let stream = points.collection(0);
        (7..10).for_each(|block| points.push(PLANE, stream, BlockId(block)));
        assert_eq!((points.open(PLANE, stream), points.behind(PLANE, stream)), (BlockId(7), 2));
        assert_eq!(points.open(PlaneId(0), stream), BlockId::NONE);
        points.leave(PLANE, BlockId(9));
        assert_eq!(points.open(PLANE, stream), BlockId(7), "what waits is not left");
        points.leave(PLANE, BlockId(7));
        assert_eq!((points.open(PLANE, stream), points.behind(PLANE, stream)), (BlockId(8), 1));
        assert!(points.has(PLANE, BlockId(9)) && !points.has(PLANE, BlockId(7)));
    }

    /// Where the collector shares the host's blocks, what is opened for one is open for both.
    #[test]
    fn a_shared_stream_has_one_block() {
        let mut points = AppendPoints::new(2, 1, None, false);
        points.push(PLANE, Stream::HOST, BlockId(4));
        assert!(points.is_shared() && points.is_whole(2));
        assert_eq!(points.open(PLANE, points.last_collected(PLANE)), BlockId(4));
        points.leave(PLANE, BlockId(4));
        assert!(!points.has(PLANE, BlockId(4)));
    }

    /// Of streams 0, 2 and 3, which have open blocks, 0 and 2 are as near to 1: the lower is taken.
    #[test]
    fn the_nearest_open_stream_is_found() {
        let mut points = AppendPoints::new(2, 4, Some(1), false);
        for stream in [0, 2, 3] {
            points.push(PLANE, Stream(stream), BlockId(10 + u32::from(stream)));
        }
        assert_eq!(points.vacancy(PLANE), Some(Stream(1)));
        let nearest = |wanted| points.nearest(PLANE, points.of_host(), Stream(wanted));
        assert_eq!([nearest(1), nearest(2), nearest(3)], [0, 2, 3].map(|stream| Some(Stream(stream))));
        assert_eq!(points.nearest(PlaneId(0), points.of_host(), Stream(1)), None);
    }
}
