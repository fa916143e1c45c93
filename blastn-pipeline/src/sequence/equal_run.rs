//! How far two runs of letters are equal, eight letters at a time.

/// Letters that are compared together, a byte each.
const TOGETHER: usize = 8;

/// The bits that a base leaves 0, in each letter.
const AMBIGUOUS: u64 = 0xFCFC_FCFC_FCFC_FCFC;

/// Counts the equal letters at the beginning of two runs of letters, or at their end if `REVERSE`. A letter of `query` that is
/// ambiguous equals none. The runs need not be equally long.
#[inline]
pub(crate) fn equal_run<const REVERSE: bool>(query: &[u8], subject: &[u8]) -> usize {
    let most = query.len().min(subject.len());
    let (query, subject) = if REVERSE {
        (&query[query.len() - most..], &subject[subject.len() - most..])
    } else {
        (&query[..most], &subject[..most])
    };
    let mut equal = 0;
    while equal + TOGETHER <= most {
        let begin = if REVERSE { most - equal - TOGETHER } else { equal };
        let letters = |side: &[u8]| {
            let eight = side[begin..].first_chunk();
            eight.map_or(0, |&eight| u64::from_le_bytes(eight))
        };
        let of_query = letters(query);
        let different = (of_query ^ letters(subject)) | (of_query & AMBIGUOUS);
        if different != 0 {
            let bits = if REVERSE { different.leading_zeros() } else { different.trailing_zeros() };
            return equal + bits as usize / 8;
        }
        equal += TOGETHER;
    }
    let is_equal = |&place: &usize| {
        let place = if REVERSE { most - 1 - place } else { place };
        query[place] < 4 && query[place] == subject[place]
    };
    equal + (equal..most).take_while(is_equal).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_letters_are_those_of_plain_code() {
        let mut longest = 0;
        for seed in 0..20_000 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut subject: Vec<u8> = (0..random.usize(..40)).map(|_| random.u8(..4)).collect();
            let mut query: Vec<u8> = subject[..random.usize(..=subject.len())].to_vec();
            // Another letter, an ambiguous one, or none.
            if let Some(place) = (!query.is_empty()).then(|| random.usize(..query.len())) {
                query[place] = [query[place], 14, random.u8(..4)][random.usize(..3)];
            }
            // Some of the letters that are ambiguous equal those of the subject.
            if let Some(place) = query.iter().position(|&letter| letter == 14)
                && random.bool()
            {
                subject[place] = 14;
            }
            let is_equal = |&(&one, &other): &(&u8, &u8)| one < 4 && one == other;
            let expected = query.iter().zip(&subject).take_while(is_equal).count();
            assert_eq!(equal_run::<false>(&query, &subject), expected, "seed {seed}");
            query.reverse();
            subject.reverse();
            assert_eq!(equal_run::<true>(&query, &subject), expected, "seed {seed}");
            longest = longest.max(expected);
        }
        assert!(longest > 32, "{longest}");
    }
}
