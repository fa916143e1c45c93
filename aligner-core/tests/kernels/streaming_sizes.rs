//! Items of all sizes in the streaming runtime's device code, run on the CPU.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use aligner_core::stream::{Channel, ChannelType, CudaExecutor, Item, Push, Site, Stage, Topology};
use gpualign_tests::ShimBackend;

use crate::stream_common::settings::settings;

/// Rotates the bytes by one place, and adds 1 to the first.
fn turned<const N: usize>(item: &[u8; N]) -> [u8; N] {
    let mut turned = *item;
    turned.rotate_left(1);
    turned[0] = turned[0].wrapping_add(1);
    turned
}

/// Runs items of a size through two nodes, with random settings.
fn check_size<const N: usize, S>(app: &'static str)
where
    [u8; N]: Item,
    S: Stage<In = [u8; N], Node = (), Global = ()>,
{
    for seed in 0..6 {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let (settings, count) = (settings(rng, &[32, 64]), rng.usize(0..400));
        let inputs: Vec<[u8; N]> =
            (0..count).map(|_| std::array::from_fn(|_| rng.u8(..))).collect();
        let mut topology = Topology::new(app, &());
        let module = topology.stage(S::zeroed());
        let [first, second] = ["first", "second"].map(|name| topology.node(name, module, ()));
        topology.source::<[u8; N]>(first);
        topology.edge(first, "even", second);
        let sinks = [(first, "odd"), (second, "even"), (second, "odd")].map(|(node, channel)| {
            topology.sink::<[u8; N]>(&format!("{node:?}{channel}"), node, channel)
        });
        let [mut odd, mut even_even, mut even_odd] = [const { Vec::new() }; 3];
        for item in &inputs {
            let once = turned(item);
            match (item[0] % 2, once[0] % 2) {
                (1, _) => odd.push(once),
                (_, 0) => even_even.push(turned(&once)),
                _ => even_odd.push(turned(&once)),
            }
        }
        let module = gpualign_tests::kernels("tests", "item_sizes").expect("the build made it");
        let backend = ShimBackend::new(module, seed);
        let mut outputs = CudaExecutor::with_backend(backend, &topology, &settings, app, &())
            .and_then(|executor| executor.run(&inputs))
            .unwrap_or_else(|error| panic!("{error}\n{app}, seed {seed}"));
        for (sink, mut expected) in sinks.into_iter().zip([odd, even_even, even_odd]) {
            let mut found = outputs.take(sink);
            found.sort_unstable();
            expected.sort_unstable();
            assert!(found == expected, "{app}, seed {seed}, {settings:?}");
        }
    }
}

macro_rules! sizes {
    ($($stage:ident, $size:literal, $name:literal, $app:literal, $test:ident;)*) => {$(
        /// Rotates items; items that began with an odd byte leave the loop.
        #[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
        #[repr(C)]
        struct $stage;

        impl Stage for $stage {
            type In = [u8; $size];
            type Node = ();
            type Global = ();
            const NAME: &'static str = $name;

            fn channels() -> Vec<ChannelType> {
                vec![even::<$size>().describe(), odd::<$size>().describe()]
            }

            fn run(&self, item: &Self::In, _: &Site<'_, (), ()>, push: &mut Push<'_>) {
                push.to(if item[0] % 2 == 0 { even() } else { odd() }, turned(item));
            }
        }

        #[test]
        fn $test() {
            check_size::<$size, $stage>($app);
        }
    )*};
}

fn even<const N: usize>() -> Channel<[u8; N]>
where
    [u8; N]: Item,
{
    Channel::new(0, "even", 1)
}

fn odd<const N: usize>() -> Channel<[u8; N]>
where
    [u8; N]: Item,
{
    Channel::new(1, "odd", 1)
}

sizes! {
    Turn1, 1, "Turn<1>", "turn1", items_of_1_byte;
    Turn2, 2, "Turn<2>", "turn2", items_of_2_bytes;
    Turn7, 7, "Turn<7>", "turn7", items_of_7_bytes;
    Turn12, 12, "Turn<12>", "turn12", items_of_12_bytes;
    Turn24, 24, "Turn<24>", "turn24", items_of_24_bytes;
    Turn48, 48, "Turn<48>", "turn48", items_of_48_bytes;
}
