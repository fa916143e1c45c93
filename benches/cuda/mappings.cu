// A pipeline of one module type, whose items are shared by threads or dealt several to a thread.
#include "benches/stages.cuh"

using namespace benches;

STREAM_APP(one_to_many, Shared)
STREAM_APP(many_to_one, Batched)
