//! Units in the order in which they were last written, found by their rank in it.

/// Most recent last. A Fenwick tree counts the places that are still taken (Fenwick, 1994).
#[derive(Debug, Clone, Default)]
pub(super) struct Stack {
    tree: Vec<u32>,
    unit: Vec<u32>,
    next: usize,
    len: usize,
}

impl Stack {
    /// Room for `units` of them.
    pub(super) fn new(units: u64) -> Self {
        let places = 2 * units as usize + 64;
        Self { tree: vec![0; places + 1], unit: vec![0; places], next: 0, len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Put a unit on top; `at` knows the place of each, and is told of it.
    pub(super) fn push(&mut self, unit: u32, at: &mut [u32]) {
        if self.next == self.unit.len() {
            self.pack(at);
        }
        self.unit[self.next] = unit;
        at[unit as usize] = self.next as u32;
        self.add(self.next, 1);
        self.next += 1;
        self.len += 1;
    }

    pub(super) fn remove(&mut self, place: u32) {
        self.add(place as usize, -1);
        self.len -= 1;
    }

    /// How many were written after the one at this place.
    pub(super) fn depth(&self, place: u32) -> usize {
        let (mut index, mut below) = (place as usize, 0);
        while index > 0 {
            below += self.tree[index];
            index &= index - 1;
        }
        self.len - 1 - below as usize
    }

    /// The unit after which so many were written; the depth is below the length.
    pub(super) fn unit_at(&self, depth: usize) -> u32 {
        self.unit[self.place_of(depth)]
    }

    fn place_of(&self, depth: usize) -> usize {
        let mut rank = (self.len - 1 - depth) as u32;
        let mut place = 0;
        let mut step = (self.tree.len() - 1).next_power_of_two();
        while step > 0 {
            let next = place + step;
            if next < self.tree.len() && self.tree[next] <= rank {
                place = next;
                rank -= self.tree[next];
            }
            step /= 2;
        }
        place
    }

    fn add(&mut self, place: usize, change: i32) {
        let mut index = place + 1;
        while index < self.tree.len() {
            self.tree[index] = self.tree[index].wrapping_add_signed(change);
            index += index & index.wrapping_neg();
        }
    }

    /// Close the gaps that units left when they moved to the top.
    fn pack(&mut self, at: &mut [u32]) {
        let kept: Vec<u32> = (0..self.next)
            .filter(|place| at[self.unit[*place] as usize] == *place as u32)
            .map(|place| self.unit[place])
            .collect();
        self.tree.fill(0);
        (self.next, self.len) = (0, 0);
        for unit in kept {
            self.push(unit, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_found_by_how_long_ago_they_were_written() {
        let mut at = vec![u32::MAX; 8];
        let mut stack = Stack::new(8);
        for round in 0..100 {
            for unit in [3, 1, 4, 0, 5] {
                if at[unit] != u32::MAX {
                    stack.remove(at[unit]);
                }
                at[unit] = u32::MAX;
                stack.push(unit as u32, &mut at);
            }
            assert_eq!((stack.len(), stack.unit_at(0), stack.unit_at(4)), (5, 5, 3), "{round}");
        }
        assert_eq!(stack.depth(at[4]), 2);
        stack.remove(at[4]);
        at[4] = u32::MAX;
        assert_eq!((stack.len(), stack.unit_at(2)), (4, 1));
    }
}
