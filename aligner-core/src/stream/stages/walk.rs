//! Walks: stages that go down a tree from each input, with the items that are live at each of its nodes (Cole 2017,
//! chapter 2).
//!
//! A *pod* of a walk is a node of the tree, given by its header, and the items that are live there; it may have any
//! number of them. A step takes pods, looks up their children, and visits every item at every child, where it may stay
//! live, and may push outputs. Children with live items become pods.
//!
//! ```text
//!   pod       [h: a b c d]            a pod, its header h
//!   children  [h0]      [h1]          looked up once for all items
//!   visits    a b c d   a b c d       each in a thread; b is live at h0 alone, d nowhere
//!   pods      [h0: a b c]  [h1: a c]  go on the stack; a child without live items would not
//! ```
//!
//! Many items that walk down one tree share the work of looking up its nodes, until few of them are left.
//!
//! ```
//! use aligner_core::stream::{Channel, ChannelType, Children, CpuExecutor, Push, Settings};
//! use aligner_core::stream::{Site, Topology, Walk, WalkLimits};
//! use bytemuck::{Pod, Zeroable};
//!
//! const FOUND: Channel<u32> = Channel::new(0, "found", 1);
//!
//! /// Looks for squares in a tree of ranges: a node is a range of numbers, and its children are the halves.
//! #[derive(Clone, Copy, Pod, Zeroable)]
//! #[repr(C)]
//! struct FindSquares;
//! impl Walk for FindSquares {
//!     type In = u32; // how many squares to look for
//!     type Header = [u32; 2]; // the first number of a range, and how many there are
//!     type Element = u32;
//!     type Node = ();
//!     type Global = ();
//!     const NAME: &'static str = "FindSquares";
//!     const FAN: u32 = 2;
//!
//!     fn channels() -> Vec<ChannelType> {
//!         vec![FOUND.describe()]
//!     }
//!
//!     fn enter(&self, squares: &u32, _: &Site<'_, (), ()>) -> ([u32; 2], u32) {
//!         ([0, 64], *squares)
//!     }
//!
//!     fn element(&self, _: &u32, site: &Site<'_, (), ()>) -> Option<u32> {
//!         Some(site.element * site.element)
//!     }
//!
//!     fn children(
//!         &self,
//!         &[first, size]: &[u32; 2],
//!         _: &Site<'_, (), ()>,
//!         children: &mut Children<[u32; 2]>,
//!     ) {
//!         children.add([first, size / 2]);
//!         children.add([first + size / 2, size / 2]);
//!     }
//!
//!     fn visit(
//!         &self,
//!         &[first, size]: &[u32; 2],
//!         square: u32,
//!         _: &Site<'_, (), ()>,
//!         push: &mut Push<'_>,
//!     ) -> Option<u32> {
//!         let is_here = (first..first + size).contains(&square);
//!         if is_here && size == 1 {
//!             push.to(FOUND, square);
//!         }
//!         (is_here && size > 1).then_some(square)
//!     }
//! }
//!
//! let mut app = Topology::new("squares", &());
//! let find = app.walk(FindSquares);
//! // The root of 64 numbers is at depth 0, ranges of 2 numbers are at depth 5.
//! let walk = app.walk_node("walk", find, (), WalkLimits { depth: 5, elements: 10 });
//! app.source::<u32>(walk);
//! let found = app.sink::<u32>("found", walk, "found");
//! let mut outputs = CpuExecutor::new(&app, &Settings::default())?.run(&[10_u32])?;
//! let mut squares = outputs.take(found);
//! squares.sort_unstable();
//! assert_eq!(squares, [0, 1, 4, 9, 16, 25, 36, 49]); // 64 and 81 are in no range
//! # Ok::<(), aligner_core::stream::RunError>(())
//! ```

use super::channel::ChannelType;
use super::item::Item;
use super::stage::{Push, Site};

/// A module type that walks down a tree from each of its inputs.
///
/// The walk of an input ends when no item is live. How deep that may be has to be declared ([`WalkLimits`]), because
/// the memory for pods that wait depends on it.
pub trait Walk: Item {
    /// Type of the inputs.
    type In: Item;
    /// Type of the headers, which stand for nodes of the tree.
    type Header: Item;
    /// Type of the items.
    type Element: Item;
    /// Parameters of each node of the application; `()` for none.
    type Node: Item;
    /// Parameters of the application; `()` for none.
    type Global: Sync + ?Sized;

    /// Name, the same as that of the struct in CUDA.
    const NAME: &'static str;
    /// The most children of a node of the tree, 1 to 32.
    const FAN: u32;

    /// Outputs, whose gammas count for each visit of an item at a child.
    fn channels() -> Vec<ChannelType>;

    /// The node of the tree at which the walk of an input begins, and the number of the input's elements, each of which
    /// may become an item there. An input without elements is dropped.
    fn enter(
        &self,
        input: &Self::In,
        site: &Site<'_, Self::Node, Self::Global>,
    ) -> (Self::Header, u32);

    /// The item of element number [`Site::element`] of an input; `None` if it is not live where the walk begins.
    fn element(
        &self,
        input: &Self::In,
        site: &Site<'_, Self::Node, Self::Global>,
    ) -> Option<Self::Element>;

    /// Adds the children of a node of the tree.
    fn children(
        &self,
        header: &Self::Header,
        site: &Site<'_, Self::Node, Self::Global>,
        children: &mut Children<Self::Header>,
    );

    /// Visits an item of a node at a child of the node; gives the item that is live there, if it is.
    fn visit(
        &self,
        child: &Self::Header,
        item: Self::Element,
        site: &Site<'_, Self::Node, Self::Global>,
        push: &mut Push<'_>,
    ) -> Option<Self::Element>;
}

/// The object through which a [`Walk`] adds the children of a node, at most [`Walk::FAN`] of them.
#[derive(Debug)]
pub struct Children<H> {
    pub(super) headers: Vec<H>,
}

impl<H> Children<H> {
    /// Adds a child.
    pub fn add(&mut self, header: H) {
        self.headers.push(header);
    }
}

/// Limits of the walks of a node of the application. The memory for its stacks is in proportion to `depth`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkLimits {
    /// The most edges from where a walk begins down to a node with live items.
    pub depth: u32,
    /// The most elements of an input.
    pub elements: u32,
}
