//! Many short lists in one allocation.

use std::ops::Range;

/// Lists, numbered from 0, whose items share one array.
#[derive(Debug, Clone)]
pub struct Lists<T> {
    items: Vec<T>,
    /// Range of each list's items. A list that was replaced leaves its old items unused.
    ranges: Vec<Range<u32>>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { items: Vec::new(), ranges: Vec::new() }
    }
}

impl<T: Copy> Lists<T> {
    /// No lists, with room for so many, and for so many items of all of them.
    pub fn with_capacity(lists: usize, items: usize) -> Self {
        Self { items: Vec::with_capacity(items), ranges: Vec::with_capacity(lists) }
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
        &self.items[start as usize..end as usize]
    }

    /// The items of each list, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.len()).map(|number| self.get(number))
    }

    /// Appends a list of items.
    pub fn push(&mut self, list: &[T]) {
        let range = self.add(list);
        self.ranges.push(range);
    }

    /// Reranges the items of list `number`.
    ///
    /// # Panics
    /// If there are no more than `number` lists.
    pub fn replace(&mut self, number: usize, list: &[T]) {
        self.ranges[number] = self.add(list);
    }

    /// Appends items that belong to no list yet, and gives their range.
    fn add(&mut self, list: &[T]) -> Range<u32> {
        let first = self.items.len() as u32;
        self.items.extend_from_slice(list);
        first..self.items.len() as u32
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
            lists.push(list);
        }
        lists.replace(1, &[4, 5]);
        lists.push(&[]);
        let expected: [&[i32]; 4] = [&[1, 2], &[4, 5], &[3], &[]];
        assert!(lists.iter().eq(expected));
        let mut again = Lists::default();
        for list in expected {
            again.push(list);
        }
        assert_eq!(lists, again);
        again.replace(2, &[]);
        assert_ne!(lists, again);
    }
}
