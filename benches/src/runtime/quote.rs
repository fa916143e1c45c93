//! The items of the applications: quotes of call options, priced by the model of Black and Scholes.
//!
//! `cuda/include/benches/quote.cuh` has the same code for devices. Values may differ between
//! devices in their last bits; the quotes that pass a node may not, since a hash of integers decides.

use aligner_core::device_struct;
use bytemuck::Zeroable;

/// Working nodes between the source and the sink.
pub const STAGES: u32 = 5;

device_struct! {
    /// A call option: an item of 48 bytes, the size in Cole 2017, section 3.4.1.
    #[derive(PartialEq, Default)]
    pub struct Quote {
        /// Price of the stock today.
        pub price: f32,
        /// Price at which the option may buy it.
        pub strike: f32,
        /// Years until the option may buy.
        pub years: f32,
        /// Riskless rate of interest a year.
        pub rate: f32,
        /// Standard deviation of the yearly return.
        pub volatility: f32,
        /// Value of the option, as the last node computed it.
        pub value: f32,
        /// Number of the quote in the input, from 0.
        pub id: u32,
        /// Working nodes that the quote has passed.
        pub passes: u32,
        /// Unused words that fill the item up to 48 bytes.
        pub spare: [u32; 4],
    }
}

device_struct! {
    /// The global parameters of the applications: the work and the filter of every node.
    #[derive(PartialEq, Eq)]
    pub struct Model {
        /// Dates for which a node prices a quote: the work of a node.
        pub rounds: u32,
        /// Quotes of 65,536 that pass a node on average.
        pub pass: u32,
    }
}

impl Model {
    /// A model with `rounds` rounds of pricing whose nodes each drop the share `filter_rate` (0 to 1) of their
    /// inputs.
    pub fn new(rounds: u32, filter_rate: f64) -> Self {
        Self { rounds, pass: ((1.0 - filter_rate) * 65_536.0).round() as u32 }
    }

    /// Whether the quote of this number passes the working node that it meets after `passes`
    /// others. Independent of each other for different nodes.
    pub fn keeps(&self, id: u32, passes: u32) -> bool {
        (mix(id ^ mix(passes + 1)) >> 16) < self.pass
    }

    /// Whether the quote of this number reaches a sink.
    pub fn survives(&self, id: u32) -> bool {
        (0..STAGES).all(|passes| self.keeps(id, passes))
    }

    /// A working node: the quote with its value, if it passes. The work is shared by `lanes`
    /// threads, each of which has the sum of its own rounds.
    pub fn work(&self, quote: &Quote, lane: u32, lanes: u32) -> Option<Quote> {
        let mut value = 0.0;
        for round in (lane..self.rounds).step_by(lanes as usize) {
            let years = quote.years * (round + 1) as f32 / self.rounds as f32;
            value += call(quote.price, quote.strike, years, quote.rate, quote.volatility);
        }
        // A call is never worth more than its stock, so the bound always holds. Compilers do not know that, and have to
        // price even the quotes that are then dropped.
        let plausible = value <= quote.price * (self.rounds + 1) as f32;
        (plausible && self.keeps(quote.id, quote.passes)).then(|| Quote {
            value,
            passes: quote.passes + 1,
            ..*quote
        })
    }
}

/// The finalizer of `MurmurHash3`.
pub(crate) fn mix(mut h: u32) -> u32 {
    h = (h ^ (h >> 16)).wrapping_mul(0x85eb_ca6b);
    h = (h ^ (h >> 13)).wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

/// The distribution function of the standard normal distribution (Abramowitz and Stegun, 26.2.17).
fn normal(x: f32) -> f32 {
    let k = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let series = 0.319_381_53
        + k * (-0.356_563_78 + k * (1.781_477_9 + k * (-1.821_255_9 + k * 1.330_274_4)));
    let tail = 0.398_942_3 * (-0.5 * x * x).exp() * k * series;
    if x > 0.0 { 1.0 - tail } else { tail }
}

/// The value of a call option.
fn call(price: f32, strike: f32, years: f32, rate: f32, volatility: f32) -> f32 {
    let spread = volatility * years.sqrt();
    let drift = (rate + 0.5 * volatility * volatility) * years;
    let d = ((price / strike).ln() + drift) / spread;
    price * normal(d) - strike * (-rate * years).exp() * normal(d - spread)
}

/// `count` quotes, the same ones every time.
pub fn inputs(count: u32) -> Vec<Quote> {
    let mut random = fastrand::Rng::with_seed(48);
    let mut between = |low: f32, high: f32| low + (high - low) * random.f32();
    (0..count)
        .map(|id| Quote {
            price: between(5.0, 30.0),
            strike: between(1.0, 100.0),
            years: between(0.25, 10.0),
            rate: 0.02,
            volatility: 0.3,
            id,
            ..Quote::zeroed()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_has_the_textbook_value() {
        assert!((call(100.0, 100.0, 1.0, 0.05, 0.2) - 10.4506).abs() < 1e-3);
        assert!((call(42.0, 40.0, 0.5, 0.1, 0.2) - 4.7594).abs() < 1e-3);
    }

    #[test]
    fn lanes_share_the_rounds() {
        let model = Model::new(13, 0.0);
        let quote = inputs(1)[0];
        let value =
            |lane, lanes| model.work(&quote, lane, lanes).expect("nothing is dropped").value;
        let parts: f32 = (0..4).map(|lane| value(lane, 4)).sum();
        assert!((parts / value(0, 1) - 1.0).abs() < 1e-4);
        assert!(value(0, 1) > 0.0);
    }

    #[test]
    fn a_node_drops_its_share_and_the_value_drops_none() {
        let quotes = inputs(100_000);
        for rate in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let model = Model::new(2, rate);
            let passed = quotes.iter().filter(|quote| model.work(quote, 0, 1).is_some()).count();
            let kept = quotes.iter().filter(|quote| model.keeps(quote.id, 0)).count();
            assert_eq!(passed, kept);
            assert!((kept as f64 / 1e5 - (1.0 - rate)).abs() < 0.01, "{rate}: {kept}");
        }
    }

    #[test]
    fn nodes_drop_independently() {
        let model = Model::new(0, 0.5);
        let survivors = (0..320_000).filter(|&id| model.survives(id)).count();
        assert!((9_500..10_500).contains(&survivors), "{survivors}");
    }
}
