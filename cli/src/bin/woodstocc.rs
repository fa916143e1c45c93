//! The program `woodstocc`: `gpualign --mode all`.

#[global_allocator]
static ALLOCATOR: gpualign::ProgramAllocator = gpualign::ProgramAllocator;

fn main() {
    gpualign::woodstocc()
}
