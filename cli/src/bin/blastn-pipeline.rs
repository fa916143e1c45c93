//! The program `blastn-pipeline`: `gpualign blastn`.

#[global_allocator]
static ALLOCATOR: gpualign::ProgramAllocator = gpualign::ProgramAllocator;

fn main() {
    gpualign::blastn_pipeline()
}
