//! Many short lists in one allocation.

use std::ops::Range;

/// Lists, numbered from 0, whose items share one array.
#[derive(Debug, Clone)]
pub struct Lists<T> {
    items: Vec<T>,
    /// Items of lists that have replaced others.
    replaced: Vec<T>,
    /// Range of each list's items; behind [`REPLACED`], that of `replaced`. A list that was replaced leaves its old items
    /// unused.
    ranges: Vec<Range<u32>>,
}

/// Where ranges of items begin whose lists have replaced others. These are few, and where they go, the others do not have to
/// move to a larger array.
const REPLACED: u32 = 1 << 31;

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { items: Vec::new(), replaced: Vec::new(), ranges: Vec::new() }
    }
}

impl<T: Copy> Lists<T> {
    /// No lists, with room for so many, and for so many items of all of them.
    pub fn with_capacity(lists: usize, items: usize) -> Self {
        let (items, ranges) = (Vec::with_capacity(items), Vec::with_capacity(lists));
        Self { items, replaced: Vec::new(), ranges }
    }

    /// The number of lists.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Whether there are no lists.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The items of list `number`.
    ///
    /// # Panics
    /// If there are no more than `number` lists.
    pub fn get(&self, number: usize) -> &[T] {
        let Range { start, end } = self.ranges[number];
        match start.checked_sub(REPLACED) {
            None => &self.items[start as usize..end as usize],
            Some(start) => &self.replaced[start as usize..(end - REPLACED) as usize],
        }
    }

    /// The items of each list, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.len()).map(|number| self.get(number))
    }

    /// Appends a list of items.
    pub fn push(&mut self, list: impl IntoIterator<Item = T>) {
        let first = self.items.len() as u32;
        self.items.extend(list);
        self.ranges.push(first..self.items.len() as u32);
    }

    /// Makes room for so many items of lists that will replace others.
    pub fn reserve_replaced(&mut self, items: usize) {
        self.replaced.reserve(items);
    }

    /// Replaces the items of list `number`.
    ///
    /// # Panics
    /// If there are no more than `number` lists.
    pub fn replace(&mut self, number: usize, list: &[T]) {
        let first = REPLACED + self.replaced.len() as u32;
        self.replaced.extend_from_slice(list);
        self.ranges[number] = first..REPLACED + self.replaced.len() as u32;
    }
}

impl<T: Copy + PartialEq> PartialEq for Lists<T> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_the_same_however_they_came() {
        let mut lists = Lists::default();
        assert!(lists.is_empty());
        for list in [&[1, 2][..], &[], &[3]] {
            lists.push(list.iter().copied());
        }
        lists.replace(1, &[4, 5]);
        lists.push([]);
        let expected: [&[i32]; 4] = [&[1, 2], &[4, 5], &[3], &[]];
        assert!(lists.iter().eq(expected));
        let mut again = Lists::default();
        for list in expected {
            again.push(list.iter().copied());
        }
        assert_eq!(lists, again);
        again.replace(2, &[]);
        assert_ne!(lists, again);
    }
}
