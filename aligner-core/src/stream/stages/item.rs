//! Items: the values that flow along edges.

use std::any::TypeId;
use std::fmt;

/// A value that can be copied between queues, and to a device and back, as its bytes: numbers, and
/// `#[repr(C)]` structs of them without padding (derive `bytemuck::Pod`).
pub trait Item: bytemuck::Pod + Send + Sync {}

impl<T: bytemuck::Pod + Send + Sync> Item for T {}

/// The type of an item, as a value at run time.
#[derive(Debug, Clone, Copy)]
pub struct ItemType {
    name: &'static str,
    id: TypeId,
    size: usize,
    align: usize,
}

impl ItemType {
    /// The type `T` as a value.
    pub fn of<T: Item>() -> Self {
        Self {
            name: std::any::type_name::<T>(),
            id: TypeId::of::<T>(),
            size: size_of::<T>(),
            align: align_of::<T>(),
        }
    }

    /// Size of an item in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Alignment of an item in bytes.
    pub fn align(&self) -> usize {
        self.align
    }
}

impl PartialEq for ItemType {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for ItemType {}

impl fmt::Display for ItemType {
    /// Writes the type's name without the modules that contain it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name.rsplit("::").next().unwrap_or(self.name))
    }
}
