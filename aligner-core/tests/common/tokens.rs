//! Stages that decide by hashing: the outputs of a stage are a pure function of its token and its node's knob, in
//! arithmetic that is the same in CUDA C++.

use aligner_core::stream::{Channel, ChannelType, Mapping, Push, Site, Stage};
use bytemuck::{Pod, Zeroable};

/// The item that flows along all edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Token {
    /// Number of the input that it comes from.
    pub id: u32,
    /// Hash, which changes at every node.
    pub hash: u32,
    /// Number of times that it may still go round a loop.
    pub hops: u32,
    /// Its number among the outputs of the last stage.
    pub spare: u32,
}

/// Parameters of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Knob {
    /// Salt of the hash, by which nodes of a module type differ.
    pub seed: u32,
    /// Threshold: a hash below it passes.
    pub threshold: u32,
}

/// The finalizer of Murmur hash 3.
pub fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x85eb_ca6b);
    x ^= x >> 13;
    x = x.wrapping_mul(0xc2b2_ae35);
    x ^= x >> 16;
    x
}

/// The input of this number.
pub fn input(id: u32) -> Token {
    let hash = mix(id ^ 0x9e37_79b9);
    Token { id, hash, hops: mix(hash) % 13, spare: 0 }
}

fn draw(token: &Token, knob: Knob) -> u32 {
    mix(token.hash ^ knob.seed)
}

/// The token that a node passes on, with a new hash.
fn changed(token: &Token, hash: u32) -> Token {
    Token { hash, ..*token }
}

/// Token number `part` of several that come from one. It may go round loops again.
fn split(token: &Token, hash: u32, part: u32) -> Token {
    Token { id: token.id, hash, hops: mix(hash) % 5, spare: part }
}

type Here<'a> = Site<'a, Knob, ()>;

macro_rules! stage_types {
    ($($(#[$doc:meta])* $name:ident),*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Pod, Zeroable)]
        #[repr(C)]
        pub struct $name;
    )*};
}

stage_types! {
    /// Passes tokens below the threshold.
    Filter,
    /// Sends tokens below the threshold to the left.
    Route,
    /// Makes 0 to 3 tokens of one.
    Expand,
    /// Sends tokens below the threshold round a loop, as long as they have hops.
    Spin,
    /// Explodes a token into 0 to 40, of which those below the threshold go on.
    Burst,
    /// Gives a token four threads, each of which emits a token if its hash is below the threshold.
    Wide,
    /// Grows a tree of tokens, depth first: emits each, and makes 0 to 3 of one that has hops, which have one hop less;
    /// always 3 if the threshold is 0.
    Grow,
    /// Gives a thread four tokens; passes tokens with a hash from the threshold on.
    Narrow
}

const ACCEPT: Channel<Token> = Channel::new(0, "accept", 1);
const LEFT: Channel<Token> = Channel::new(0, "left", 1);
const RIGHT: Channel<Token> = Channel::new(1, "right", 1);
const COPIES: Channel<Token> = Channel::new(0, "copies", 3);
const AGAIN: Channel<Token> = Channel::new(0, "again", 1);
const OUT: Channel<Token> = Channel::new(1, "out", 1);
const CHILDREN: Channel<Token> = Channel::new(0, "children", 3);
const GROWN: Channel<Token> = Channel::new(1, "grown", 1);
const PARTS: Channel<Token> = Channel::new(0, "parts", 1);
const LANES: Channel<Token> = Channel::new(0, "lanes", 4);

impl Stage for Filter {
    type In = Token;
    type Node = Knob;
    type Global = ();
    const NAME: &'static str = "Filter";

    fn channels() -> Vec<ChannelType> {
        vec![ACCEPT.describe()]
    }

    fn run(&self, token: &Token, site: &Here<'_>, push: &mut Push<'_>) {
        let hash = draw(token, *site.node);
        if hash < site.node.threshold {
            push.to(ACCEPT, changed(token, hash));
        }
    }
}

impl Stage for Route {
    type In = Token;
    type Node = Knob;
    type Global = ();
    const NAME: &'static str = "Route";

    fn channels() -> Vec<ChannelType> {
        vec![LEFT.describe(), RIGHT.describe()]
    }

    fn run(&self, token: &Token, site: &Here<'_>, push: &mut Push<'_>) {
        let hash = draw(token, *site.node);
        let to = if hash < site.node.threshold { LEFT } else { RIGHT };
        push.to(to, changed(token, hash));
    }
}

impl Stage for Expand {
    type In = Token;
    type Node = Knob;
    type Global = ();
    const NAME: &'static str = "Expand";

    fn channels() -> Vec<ChannelType> {
        vec![COPIES.describe()]
    }

    fn run(&self, token: &Token, site: &Here<'_>, push: &mut Push<'_>) {
        let hash = draw(token, *site.node);
        for part in 0..hash % 4 {
            push.to(COPIES, split(token, mix(hash ^ (part + 1)), part));
        }
    }
}

impl Stage for Spin {
    type In = Token;
    type Node = Knob;
    type Global = ();
    const NAME: &'static str = "Spin";

    fn channels() -> Vec<ChannelType> {
        vec![AGAIN.describe(), OUT.describe()]
    }

    fn run(&self, token: &Token, site: &Here<'_>, push: &mut Push<'_>) {
        let hash = draw(token, *site.node);
        if token.hops > 0 && hash < site.node.threshold {
            push.to(AGAIN, Token { hops: token.hops - 1, ..changed(token, hash) });
        } else {
            push.to(OUT, changed(token, hash));
        }
    }
}

/// The most times that a token goes round [`Grow`]: inputs have the most hops, 12.
pub const GROW_DEPTH: u32 = 12;

impl Stage for Grow {
    type In = Token;
    type Node = Knob;
    type Global = ();
    const NAME: &'static str = "Grow";
    const MAPPING: Mapping = Mapping::DepthFirst;

    fn channels() -> Vec<ChannelType> {
        vec![CHILDREN.describe(), GROWN.describe()]
    }

    fn run(&self, token: &Token, site: &Here<'_>, push: &mut Push<'_>) {
        let hash = draw(token, *site.node);
        // 3/4 of a child on average.
        let children = match (token.hops, site.node.threshold) {
            (0, _) => 0,
            (_, 0) => 3,
            _ => (hash % 8).saturating_sub(4),
        };
        for part in 0..children {
            let hash = mix(hash ^ (part + 1));
            push.to(CHILDREN, Token { hash, hops: token.hops - 1, spare: part, ..*token });
        }
        push.to(GROWN, split(token, hash, children));
    }
}

impl Stage for Burst {
    type In = Token;
    type Node = Knob;
    type Global = ();
    const NAME: &'static str = "Burst";
    const MAPPING: Mapping = Mapping::Explode;

    fn channels() -> Vec<ChannelType> {
        vec![PARTS.describe()]
    }

    fn size(&self, token: &Token, site: &Here<'_>) -> u32 {
        draw(token, *site.node) % 41
    }

    fn run(&self, token: &Token, site: &Here<'_>, push: &mut Push<'_>) {
        let hash = mix(draw(token, *site.node) ^ (site.element + 1));
        if hash < site.node.threshold {
            push.to(PARTS, split(token, hash, site.element));
        }
    }
}

impl Stage for Wide {
    type In = Token;
    type Node = Knob;
    type Global = ();
    const NAME: &'static str = "Wide";
    const MAPPING: Mapping = Mapping::Each { items: 1, threads: 4 };

    fn channels() -> Vec<ChannelType> {
        vec![LANES.describe()]
    }

    fn run(&self, token: &Token, site: &Here<'_>, push: &mut Push<'_>) {
        let hash = mix(draw(token, *site.node) ^ (site.lane + site.lanes));
        if hash < site.node.threshold {
            push.to(LANES, split(token, hash, site.lane));
        }
    }
}

impl Stage for Narrow {
    type In = Token;
    type Node = Knob;
    type Global = ();
    const NAME: &'static str = "Narrow";
    const MAPPING: Mapping = Mapping::Each { items: 4, threads: 1 };

    fn channels() -> Vec<ChannelType> {
        vec![ACCEPT.describe()]
    }

    fn run(&self, token: &Token, site: &Here<'_>, push: &mut Push<'_>) {
        let hash = draw(token, *site.node);
        if hash >= site.node.threshold {
            push.to(ACCEPT, changed(token, hash));
        }
    }
}
