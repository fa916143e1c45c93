//! The program `gpualign`; see the library of this package.

#[global_allocator]
static ALLOCATOR: gpualign::ProgramAllocator = gpualign::ProgramAllocator;

fn main() {
    gpualign::gpualign()
}
