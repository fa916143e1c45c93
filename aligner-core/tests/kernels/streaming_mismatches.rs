//! Kernels that were built for another application are refused before anything runs.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use aligner_core::stream::{
    Channel, ChannelType, CudaExecutor, Item, Mapping, Push, RunError, Settings, Site, Stage,
    Topology,
};
use gpualign_tests::ShimBackend;

const GLOBAL: u32 = 7;

/// Message of the error when the application is loaded.
fn load(app: &'static str, topology: &Topology<'_, u32>, width: u32) -> Result<(), RunError> {
    load_with(app, topology, width, &GLOBAL)
}

fn load_with(
    app: &'static str,
    topology: &Topology<'_, u32>,
    width: u32,
    global: &impl Item,
) -> Result<(), RunError> {
    let module = gpualign_tests::kernels("tests", "faulty_stages").expect("the build made it");
    let backend = ShimBackend::new(module, 1);
    let settings = Settings { width, ..Settings::default() };
    CudaExecutor::with_backend(backend, topology, &settings, app, global).map(drop)
}

/// The stage `First` as in the kernel, or with one difference. It is declared and never run.
macro_rules! firsts {
    ($($type:ident($($field:ty)?) $name:literal, $in:ty, $node:ty, $mapping:expr,
       [$($carries:ty, $gamma:literal);*];)*) => {$(
        #[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
        #[repr(C)]
        struct $type($($field)?);

        impl Stage for $type {
            type In = $in;
            type Node = $node;
            type Global = u32;
            const NAME: &'static str = $name;
            const MAPPING: Mapping = $mapping;

            fn channels() -> Vec<ChannelType> {
                let mut names = ["a", "b"].iter();
                vec![$(Channel::<$carries>::new(0, names.next().unwrap(), $gamma).describe()),*]
            }

            fn run(&self, _: &$in, _: &Site<'_, $node, u32>, _: &mut Push<'_>) {}
        }
    )*};
}

const ONE: Mapping = Mapping::ONE_TO_ONE;
const FOUR_THREADS: Mapping = Mapping::Each { items: 1, threads: 4 };
const FOUR_ITEMS: Mapping = Mapping::Each { items: 4, threads: 1 };

firsts! {
    First() "First", u32, u32, ONE, [u32, 2];
    Second() "Second", u32, (), ONE, [u32, 1];
    Renamed() "Premier", u32, u32, ONE, [u32, 2];
    OtherInput() "First", u64, u32, ONE, [u32, 2];
    OtherParameters(u64) "First", u32, u32, ONE, [u32, 2];
    OtherNode() "First", u32, [u32; 3], ONE, [u32, 2];
    Exploding() "First", u32, u32, Mapping::Explode, [u32, 2];
    Threads() "First", u32, u32, FOUR_THREADS, [u32, 2];
    Items() "First", u32, u32, FOUR_ITEMS, [u32, 2];
    OtherGamma() "First", u32, u32, ONE, [u32, 3];
    OtherItem() "First", u32, u32, ONE, [u16, 2];
    TwoChannels() "First", u32, u32, ONE, [u32, 2; u32, 1];
}

/// A topology of one node of a stage, whose channels lead to sinks.
fn alone<S: Stage<Global = u32>, T: Item>() -> Topology<'static, u32> {
    let mut topology = Topology::new("plain", &GLOBAL);
    let module = topology.stage(S::zeroed());
    let node = topology.node("node", module, bytemuck::Zeroable::zeroed());
    topology.source::<S::In>(node);
    for channel in S::channels() {
        topology.sink::<T>(&format!("sink {}", channel.name), node, channel.name);
    }
    topology
}

/// A pipeline of a node of `First` and a node of `Second` for each name.
fn both(second_first: bool, names: &[&str]) -> Topology<'static, u32> {
    let mut topology = Topology::new("both", &GLOBAL);
    let (first, second) = if second_first {
        let second = topology.stage(Second());
        (topology.stage(First()), second)
    } else {
        (topology.stage(First()), topology.stage(Second()))
    };
    let mut last = topology.node("first", first, 0);
    topology.source::<u32>(last);
    for name in names {
        let node = topology.node(name, second, ());
        topology.edge(last, "a", node);
        last = node;
    }
    topology.sink::<u32>("end", last, "a");
    topology
}

fn refused(topology: &Topology<'_, u32>, app: &'static str, reason: &str) {
    let kernel = app.to_owned();
    let expected = RunError::Kernel { kernel, reason: reason.to_owned() };
    let error = load(app, topology, 128).unwrap_err();
    assert_eq!(error, expected);
    assert_eq!(error.to_string(), format!("kernel {app} does not match the topology: {reason}"));
}

#[test]
fn the_same_application_is_accepted() {
    load("plain", &alone::<First, u32>(), 256).expect("it is the same");
    load("both", &both(false, &["second"]), 256).expect("it is the same");
}

#[test]
fn every_difference_is_named() {
    let plain =
        |topology: Topology<'static, u32>, reason: &str| refused(&topology, "plain", reason);
    plain(alone::<Renamed, u32>(), "its modules are [First], the topology's [Premier]");
    plain(alone::<OtherInput, u32>(), "the size of an input of First is 4 there and 8 here");
    plain(
        alone::<OtherParameters, u32>(),
        "the size of the parameters of First is 0 there and 8 here",
    );
    plain(
        alone::<OtherNode, u32>(),
        "the size of a node's parameters of First is 4 there and 12 here",
    );
    plain(alone::<Exploding, u32>(), "the kind of mapping of First is 0 there and 1 here");
    plain(alone::<Threads, u32>(), "the threads an item of First is 1 there and 4 here");
    plain(alone::<Items, u32>(), "the items a thread of First is 1 there and 4 here");
    plain(alone::<OtherGamma, u32>(), "gamma of channel 'a' of First is 2 there and 3 here");
    plain(alone::<OtherItem, u16>(), "the item size of channel 'a' of First is 4 there and 2 here");
    plain(alone::<TwoChannels, u32>(), "the number of channels of First is 1 there and 2 here");
}

#[test]
fn order_and_number_of_modules_count() {
    let reason = "its modules are [First, Second], the topology's [Second, First]";
    refused(&both(true, &["second"]), "both", reason);
    let mut topology = Topology::new("both", &GLOBAL);
    let module = topology.stage(First());
    let node = topology.node("first", module, 0);
    topology.source::<u32>(node);
    topology.sink::<u32>("end", node, "a");
    refused(&topology, "both", "its modules are [First, Second], the topology's [First]");
}

#[test]
fn parameters_of_the_application_count() {
    let reason = "the size of the global parameters of First is 4 there and 8 here";
    let error = load_with("plain", &alone::<First, u32>(), 128, &7_u64).unwrap_err();
    assert_eq!(error, RunError::Kernel { kernel: "plain".to_owned(), reason: reason.to_owned() });
}

#[test]
fn limits_of_the_kernel_are_kept_to() {
    let too_wide = load("plain", &alone::<First, u32>(), 512).unwrap_err();
    let message = "plain: 512 items in an ensemble; its kernel is built for 256";
    assert_eq!(too_wide, RunError::Settings(message.to_owned()));
    load("both", &both(false, &["a", "b", "c", "d"]), 128).expect("six nodes and sinks");
    let too_many = load("both", &both(false, &["a", "b", "c", "d", "e"]), 128).unwrap_err();
    let message = "both: 7 nodes and sinks; its kernel is built for 6";
    assert_eq!(too_many, RunError::Settings(message.to_owned()));
}

#[test]
fn a_kernel_that_is_not_there_is_an_error() {
    let error = load("absent", &alone::<First, u32>(), 128).unwrap_err();
    assert!(matches!(error, RunError::Device(_)), "{error}");
    assert!(error.to_string().contains("absent_describe"), "{error}");
}
