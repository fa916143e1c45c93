//! Many short lists in one array.

use std::ops::Range;

/// Lists, each of items that lie together, in any order of the lists.
#[derive(Debug, Clone)]
pub struct Lists<T> {
    items: Vec<T>,
    /// Where each list is.
    places: Vec<Range<u32>>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { items: Vec::new(), places: Vec::new() }
    }
}

impl<T: Copy> Lists<T> {
    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// One of them.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn get(&self, number: usize) -> &[T] {
        let Range { start, end } = self.places[number];
        &self.items[start as usize..end as usize]
    }

    /// All, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.len()).map(|number| self.get(number))
    }

    /// Adds a list.
    pub fn push(&mut self, list: &[T]) {
        let place = self.add(list);
        self.places.push(place);
    }

    /// Puts another list in the place of one.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn replace(&mut self, number: usize, by: &[T]) {
        self.places[number] = self.add(by);
    }

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
