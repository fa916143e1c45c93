//! The program `nw-batch`: `gpualign nw`.

#[global_allocator]
static ALLOCATOR: gpualign::ProgramAllocator = gpualign::ProgramAllocator;

fn main() {
    gpualign::nw_batch()
}
