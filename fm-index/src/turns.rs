//! Many searches in turn: each takes a step while what the others need next arrives from memory.
//!
//! A step of a search in an index larger than the caches reads one place of memory, which takes as long as some hundred
//! instructions. A search whose steps begin to fetch what the next one reads ([`prefetch`](crate::prefetch)) does not wait for it
//! if others take their steps meanwhile.

// Steps of searches are inlined into the loop that is compiled for a kind of processor.
#![allow(clippy::inline_always)]

/// Enough searches in turn for the memory of a processor to be busy all the time.
pub const IN_TURN: usize = 32;

/// Searches that can take turns.
pub trait Searches {
    /// One of them, while it lasts.
    type Search;

    /// Begins another search, and to fetch what its first step reads. `None` if there is none.
    fn next(&mut self) -> Option<Self::Search>;

    /// Takes one step, and begins to fetch what the next one reads. Returns whether there is a next one.
    fn step(&mut self, search: &mut Self::Search) -> bool;
}

/// Does all searches, [`IN_TURN`] at a time: another one takes the place of one that ends.
#[inline(always)]
pub fn take_turns<S: Searches>(searches: &mut S) {
    let mut open = Vec::with_capacity(IN_TURN);
    while open.len() < IN_TURN
        && let Some(search) = searches.next()
    {
        open.push(search);
    }
    while !open.is_empty() {
        let mut place = 0;
        while let Some(search) = open.get_mut(place) {
            if searches.step(search) {
                place += 1;
            } else if let Some(another) = searches.next() {
                *search = another;
                place += 1;
            } else {
                open.swap_remove(place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches of 0, 1, 2 … steps, of which each says when it takes one.
    struct Counted {
        lengths: std::vec::IntoIter<u32>,
        steps: Vec<(u32, u32)>,
    }

    impl Searches for Counted {
        type Search = (u32, u32);

        fn next(&mut self) -> Option<Self::Search> {
            self.lengths.next().map(|length| (length, 0))
        }

        fn step(&mut self, (length, done): &mut Self::Search) -> bool {
            self.steps.push((*length, *done));
            *done += 1;
            done < length
        }
    }

    #[test]
    fn all_searches_take_all_their_steps_in_order() {
        for count in [0, 1, 31, 32, 33, 200] {
            let lengths: Vec<u32> = (1..=count).collect();
            let mut searches = Counted { lengths: lengths.clone().into_iter(), steps: Vec::new() };
            take_turns(&mut searches);
            let expected =
                lengths.iter().flat_map(|&length| (0..length).map(move |it| (length, it)));
            searches.steps.sort_by_key(|&(length, _)| length);
            assert_eq!(searches.steps, expected.collect::<Vec<_>>(), "{count} searches");
        }
    }
}
