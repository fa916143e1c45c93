//! Files of substitution matrices. One that is accepted scores every pair of its letters within the limits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nw_batch::scoring::MAX_SCORE;
use nw_batch::{GapCosts, Scoring, SubstitutionMatrix};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = str::from_utf8(data) else { return };
    let Ok(matrix) = SubstitutionMatrix::parse(text) else { return };
    let gaps = GapCosts { open: 10, extend: 1 };
    let scoring = Scoring::with_matrix(matrix, gaps).expect("costs within the limits");
    let (least, greatest) = scoring.pair_score_range();
    assert!(-MAX_SCORE <= least && least <= greatest && greatest <= MAX_SCORE);
    for code in 0..scoring.alphabet().len() as u8 {
        let letter = scoring.alphabet().letter(code);
        assert_eq!(scoring.alphabet().encode(&[letter]), Ok(vec![code]));
    }
});
