//! Arguments of a launch.

use std::marker::PhantomData;

use bytemuck::NoUninit;

/// One argument of a launch, as the bytes that the kernel's parameter holds. It borrows the memory
/// that it points to.
#[derive(Debug, Clone)]
pub struct Argument<'a> {
    pub(crate) bytes: Vec<u8>,
    memory: PhantomData<&'a ()>,
}

impl<'a> Argument<'a> {
    fn from_address(address: usize) -> Self {
        Self { bytes: address.to_ne_bytes().to_vec(), memory: PhantomData }
    }

    /// A `const T*` to an array that the kernel reads.
    pub fn input<T>(array: &'a [T]) -> Self {
        Self::from_address(array.as_ptr().expose_provenance())
    }

    /// A `T*` to an array that the kernel writes.
    pub fn output<T>(array: &'a mut [T]) -> Self {
        Self::from_address(array.as_mut_ptr().expose_provenance())
    }

    /// A parameter that is passed by value: a number, or a `#[repr(C)]` struct without padding. Arrays whose addresses
    /// it holds must outlive the launch.
    pub fn value<T: NoUninit>(value: T) -> Self {
        Self::bytes(bytemuck::bytes_of(&value))
    }

    /// A parameter that is passed by value, of which `bytes` are the bytes.
    pub fn bytes(bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), memory: PhantomData }
    }
}
