//! Structs that host and kernels share, described once.
//!
//! [`device_struct!`](crate::device_struct) declares a struct in Rust and records the name, offset and size of
//! each field. The kernels' headers declare the struct of the same name with the same fields; a generated header
//! of `static_assert`s ([`LayoutHeader`]) makes both compilers, nvcc and the one of the CPU shim, refuse any
//! difference in size, order or name.
//!
//! ```
//! use aligner_core::device_struct;
//! use aligner_core::gpu::{DeviceAddress, DeviceStruct, LayoutHeader};
//!
//! device_struct! {
//!     /// Parameters of a kernel that adds numbers.
//!     pub struct SumParameters {
//!         /// The numbers.
//!         pub numbers: DeviceAddress<u32>,
//!         /// How many there are.
//!         pub count: u64,
//!     }
//! }
//!
//! let header = LayoutHeader { namespace: "sums", includes: &["sums/sum.cuh"], structs: &[SumParameters::LAYOUT] };
//! assert!(header.to_string().contains("static_assert(offsetof(sums::SumParameters, count) == 8"));
//! ```

use std::marker::PhantomData;
use std::path::Path;
use std::{env, fmt, fs};

use bytemuck::{Pod, Zeroable};

/// A struct that kernels read or write, with its layout in memory; made by
/// [`device_struct!`](crate::device_struct).
pub trait DeviceStruct: Pod {
    /// Name, size and fields.
    const LAYOUT: StructLayout;

    /// Bytes of the struct, as a launch passes them to a kernel.
    fn bytes(&self) -> &[u8] {
        bytemuck::bytes_of(self)
    }
}

/// Layout of a struct in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StructLayout {
    /// Name of the struct, the same in Rust and CUDA.
    pub name: &'static str,
    /// Size of the struct in bytes, with padding.
    pub bytes: usize,
    /// Fields in the order of declaration.
    pub fields: &'static [FieldLayout],
}

/// Layout of one field of a struct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldLayout {
    /// Name of the field, the same in Rust and CUDA.
    pub name: &'static str,
    /// Offset from the start of the struct, in bytes.
    pub offset: usize,
    /// Size of the field in bytes.
    pub bytes: usize,
}

/// Declares a struct that is shared with kernels: `#[repr(C)]`, plain data without hidden padding, and an
/// implementation of [`DeviceStruct`]. The calling crate needs `bytemuck`.
#[macro_export]
macro_rules! device_struct {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident {
            $($(#[$field_attribute:meta])* $field_visibility:vis $field:ident: $type:ty),+ $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, ::bytemuck::Pod, ::bytemuck::Zeroable)]
        #[repr(C)]
        $visibility struct $name {
            $($(#[$field_attribute])* $field_visibility $field: $type,)+
        }

        impl $crate::gpu::DeviceStruct for $name {
            const LAYOUT: $crate::gpu::StructLayout = $crate::gpu::StructLayout {
                name: stringify!($name),
                bytes: size_of::<$name>(),
                fields: &[$($crate::gpu::FieldLayout {
                    name: stringify!($field),
                    offset: ::std::mem::offset_of!($name, $field),
                    bytes: size_of::<$type>(),
                },)+],
            };
        }

        #[allow(unsafe_code)]
        // SAFETY: `Pod` makes it plain data, whose bytes may be copied to a device.
        unsafe impl $crate::gpu::DeviceRepr for $name {}

        #[allow(unsafe_code)]
        // SAFETY: `Zeroable` makes zero bytes a value of it.
        unsafe impl $crate::gpu::ValidAsZeroBits for $name {}
    };
}

/// Address of an array of `T` in device memory, as a kernel's pointer. It does not keep the array alive.
#[repr(transparent)]
pub struct DeviceAddress<T> {
    address: u64,
    element: PhantomData<fn() -> T>,
}

impl<T> DeviceAddress<T> {
    /// A null pointer, for an array that the kernel does not touch.
    pub const NULL: Self = Self::new(0);

    /// A pointer to the array at `address`.
    pub const fn new(address: u64) -> Self {
        Self { address, element: PhantomData }
    }

    /// The address as a number.
    pub const fn get(self) -> u64 {
        self.address
    }

    /// Address of the element `index` elements after the first.
    #[must_use]
    pub const fn offset(self, index: u64) -> Self {
        Self::new(self.address + index * size_of::<T>() as u64)
    }
}

impl<T> Clone for DeviceAddress<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for DeviceAddress<T> {}

impl<T> fmt::Debug for DeviceAddress<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.address)
    }
}

#[allow(unsafe_code)]
// SAFETY: a transparent wrapper of a `u64`, of which zero is a value.
unsafe impl<T> Zeroable for DeviceAddress<T> {}

#[allow(unsafe_code)]
// SAFETY: a transparent wrapper of a `u64`, which is plain data; `PhantomData` has no bytes.
unsafe impl<T: 'static> Pod for DeviceAddress<T> {}

/// A header that asserts the layouts of a crate's shared structs. Every `.cu` file or header that declares one of
/// them is in `includes`; one kernel file of the crate includes the header, so that every build checks it.
#[derive(Debug, Clone, Copy)]
pub struct LayoutHeader<'a> {
    /// C++ namespace of the structs.
    pub namespace: &'a str,
    /// Headers that declare the structs, as written between angle brackets.
    pub includes: &'a [&'a str],
    /// Layouts of the structs, in the order in which they are asserted.
    pub structs: &'a [StructLayout],
}

impl fmt::Display for LayoutHeader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "// Layouts of the structs that are shared with the host. Generated from the Rust declarations by"
        )?;
        writeln!(f, "// `UPDATE_LAYOUTS=1 cargo test layouts`: do not edit.")?;
        writeln!(f, "#pragma once\n\n#include <cstddef>\n")?;
        for include in self.includes {
            writeln!(f, "#include <{include}>")?;
        }
        for layout in self.structs {
            let name = format!("{}::{}", self.namespace, layout.name);
            writeln!(
                f,
                "\nstatic_assert(sizeof({name}) == {}, \"size of {name}\");",
                layout.bytes
            )?;
            for FieldLayout { name: field, offset, bytes } in layout.fields {
                writeln!(
                    f,
                    "static_assert(offsetof({name}, {field}) == {offset} && sizeof({name}::{field}) == {bytes},"
                )?;
                writeln!(f, "              \"{name}::{field}\");")?;
            }
        }
        Ok(())
    }
}

impl LayoutHeader<'_> {
    /// Compares the committed header at `path` with the Rust declarations; for tests. With the environment variable
    /// `UPDATE_LAYOUTS` set, writes the header instead.
    ///
    /// # Panics
    /// If the header differs, or cannot be read or written.
    pub fn check(&self, path: &Path) {
        let text = self.to_string();
        if env::var_os("UPDATE_LAYOUTS").is_some() {
            fs::write(path, &text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
        let committed =
            fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(
            committed,
            text,
            "{} is out of date: run `UPDATE_LAYOUTS=1 cargo test layouts`",
            path.display()
        );
    }
}

#[cfg(test)]
mod tests {
    use super::{DeviceAddress, DeviceStruct, LayoutHeader};

    device_struct! {
        /// A struct with fields of three sizes.
        struct Mixed {
            /// Bytes 0 to 7.
            address: DeviceAddress<u16>,
            /// Bytes 8 to 11.
            count: u32,
            /// Bytes 12 to 15.
            codes: [u8; 4],
        }
    }

    #[test]
    fn fields_are_asserted_in_order() {
        let header =
            LayoutHeader { namespace: "x", includes: &["x/mixed.cuh"], structs: &[Mixed::LAYOUT] };
        let text = header.to_string();
        let asserts: Vec<&str> =
            text.lines().filter(|line| line.starts_with("static_assert")).collect();
        assert_eq!(
            asserts,
            [
                "static_assert(sizeof(x::Mixed) == 16, \"size of x::Mixed\");",
                "static_assert(offsetof(x::Mixed, address) == 0 && sizeof(x::Mixed::address) == 8,",
                "static_assert(offsetof(x::Mixed, count) == 8 && sizeof(x::Mixed::count) == 4,",
                "static_assert(offsetof(x::Mixed, codes) == 12 && sizeof(x::Mixed::codes) == 4,",
            ]
        );
    }

    #[test]
    fn addresses_advance_by_elements() {
        assert_eq!(DeviceAddress::<u16>::new(100).offset(3).get(), 106);
    }
}
